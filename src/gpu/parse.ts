/**
 * Parses the output of nvidia-smi, rocm-smi and amd-smi. Pure. The tools print different words for an unknown
 * value (`[N/A]`, `[Not Supported]`, `N/A`), so every amount may be null. Amounts are in bytes.
 */
import { cleanText } from '../lib/text.js';

export interface GpuDevice {
  readonly index: number;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly total: number | null;
  readonly used: number | null;
  readonly free: number | null;
}

export interface GpuProcess {
  readonly pid: number;
  /** Base name of the program, cleaned; its path and arguments may say more than they should. */
  readonly name: string | null;
  /** Index of the device; null when the tool does not say. */
  readonly device: number | null;
  readonly used: number | null;
}

export interface GpuFacts {
  readonly devices: readonly GpuDevice[];
  readonly processes: readonly GpuProcess[];
}

/** Lines and entries beyond this are not read: a machine has at most a few hundred of either. */
const MAX_ENTRIES = 1024;
const MIB = 2 ** 20;

/** A number with or without a unit, in bytes; null for anything else. `unit` is the default unit. */
export function amount(text: unknown, unit: number): number | null {
  const match = /^([0-9]{1,15}(?:\.[0-9]+)?)\s*(B|KB|KiB|MB|MiB|GB|GiB)?$/.exec(String(text ?? '').trim());
  if (!match) return null;
  // These tools write MB and mean MiB.
  const units: Readonly<Record<string, number>> = { B: 1, K: 2 ** 10, M: MIB, G: 2 ** 30 };
  const bytes = Math.round(Number(match[1]) * (match[2] ? (units[match[2].charAt(0)] ?? 1) : unit));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

const whole = (text: unknown): number | null => {
  const value = String(text ?? '').trim();
  return /^[0-9]{1,10}$/.test(value) ? Number(value) : null;
};

/** Base name of a program, without arguments, in at most 60 harmless characters; null when there is none. */
export function programName(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const clean = cleanText(text, 4096).trim();
  if (clean === '' || /^\[?(n\/a|not (found|supported)|insufficient permissions)\]?$/i.test(clean))
    return null;
  // The first word: what follows may be arguments, and those may hold secrets. A path with a blank in it gets
  // a shorter name.
  const word = (clean.split(/\s/)[0] ?? '').split(/[\\/]/).at(-1) ?? '';
  return word === '' ? null : cleanText(word.replace(/[^\p{L}\p{N}._+@=-]/gu, '_'), 60);
}

const label = (text: unknown): string | null => {
  const clean = typeof text === 'string' ? cleanText(text, 100).trim() : '';
  return clean === '' || /^\[?n\/a\]?$/i.test(clean) ? null : clean;
};

/** `--query-gpu=index,uuid,name,memory.total,memory.used,memory.free --format=csv,noheader,nounits` (MiB). */
export function parseNvidiaDevices(csv: string): readonly GpuDevice[] {
  const devices: GpuDevice[] = [];
  for (const line of csv.split('\n').slice(0, MAX_ENTRIES)) {
    const fields = line.split(',').map((field) => field.trim());
    const index = whole(fields[0]);
    if (index === null || fields.length < 6) continue;
    const [total, used, free] = fields.slice(-3).map((field) => amount(field, MIB));
    devices.push({
      index,
      uuid: label(fields[1]),
      name: label(fields.slice(2, -3).join(', ')),
      total: total ?? null,
      used: used ?? null,
      free: free ?? null,
    });
  }
  return devices;
}

/** `--query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv,noheader,nounits` (MiB). */
export function parseNvidiaProcesses(csv: string, devices: readonly GpuDevice[]): readonly GpuProcess[] {
  const processes: GpuProcess[] = [];
  for (const line of csv.split('\n').slice(0, MAX_ENTRIES)) {
    const fields = line.split(',').map((field) => field.trim());
    const pid = whole(fields[1]);
    // A name may hold commas: it is what is left between the second and the last field.
    if (pid === null || pid === 0 || fields.length < 4) continue;
    processes.push({
      pid,
      name: programName(fields.slice(2, -1).join(',')),
      device: devices.find((d) => d.uuid !== null && d.uuid === fields[0])?.index ?? null,
      used: amount(fields.at(-1), MIB),
    });
  }
  return processes;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const json = (text: string): unknown => {
  try {
    // rocm-smi may print warnings before its JSON.
    return JSON.parse(text.slice(Math.max(0, text.search(/[[{]/))));
  } catch {
    return null;
  }
};

/** `rocm-smi --showmeminfo vram --showproductname --showuniqueid --showpids --json`. */
export function parseRocm(text: string): GpuFacts | null {
  const root = json(text);
  if (!isFields(root)) return null;
  const devices: GpuDevice[] = [];
  const processes: GpuProcess[] = [];
  for (const [key, value] of Object.entries(root).slice(0, MAX_ENTRIES)) {
    if (!isFields(value)) continue;
    const card = /^card([0-9]{1,4})$/.exec(key);
    if (card) {
      const total = amount(value['VRAM Total Memory (B)'], 1);
      const used = amount(value['VRAM Total Used Memory (B)'], 1);
      devices.push({
        index: Number(card[1]),
        uuid: label(value['Unique ID']),
        name: label(value['Card Series'] ?? value['Card series'] ?? value['Card Model']),
        total,
        used,
        free: total === null || used === null ? null : Math.max(0, total - used),
      });
    } else if (key === 'system') {
      // "PID4121": "python3, 1, 12884901888, 0, 0": name, number of GPUs, VRAM in bytes, SDMA, compute units.
      for (const [name, row] of Object.entries(value).slice(0, MAX_ENTRIES)) {
        const pid = whole(/^PID([0-9]+)$/.exec(name)?.[1]);
        if (pid === null || typeof row !== 'string') continue;
        const fields = row.split(',').map((field) => field.trim());
        processes.push({
          pid,
          name: programName(fields.slice(0, -4).join(',') || fields[0]),
          device: null,
          used: amount(fields.at(-3), 1),
        });
      }
    }
  }
  return devices.length > 0 || processes.length > 0 ? { devices, processes } : null;
}

/** amd-smi's `{"value": 196592, "unit": "MB"}`. */
function amdAmount(value: unknown): number | null {
  if (!isFields(value)) return amount(value, MIB);
  return amount(`${String(value.value)} ${String(value.unit ?? 'MB')}`, MIB);
}

const amdList = (value: unknown, ...names: readonly string[]): readonly Fields[] => {
  const list = Array.isArray(value)
    ? value
    : names.map((n) => (isFields(value) ? value[n] : null)).find(Array.isArray);
  return ((list ?? []) as readonly unknown[]).slice(0, MAX_ENTRIES).filter(isFields);
};

/** `amd-smi static --asic --json`, `amd-smi metric --mem-usage --json` and `amd-smi process --json`. */
export function parseAmd(statics: string, metric: string, process: string): GpuFacts | null {
  const names = new Map<number, Fields>();
  for (const gpu of amdList(json(statics), 'gpu_data')) {
    const index = whole(gpu.gpu);
    if (index !== null && isFields(gpu.asic)) names.set(index, gpu.asic);
  }
  const devices: GpuDevice[] = [];
  for (const gpu of amdList(json(metric), 'gpu_data')) {
    const index = whole(gpu.gpu);
    const memory = gpu.mem_usage;
    if (index === null || !isFields(memory)) continue;
    devices.push({
      index,
      uuid: label(names.get(index)?.asic_serial),
      name: label(names.get(index)?.market_name),
      total: amdAmount(memory.total_vram),
      used: amdAmount(memory.used_vram),
      free: amdAmount(memory.free_vram),
    });
  }
  const processes: GpuProcess[] = [];
  for (const gpu of amdList(json(process), 'gpu_data')) {
    for (const entry of amdList(gpu.process_list)) {
      const info = entry.process_info;
      const pid = isFields(info) ? whole(info.pid) : null;
      if (!isFields(info) || pid === null) continue;
      const usage = isFields(info.memory_usage) ? info.memory_usage.vram_mem : null;
      processes.push({
        pid,
        name: programName(info.name),
        device: whole(gpu.gpu),
        used: amdAmount(usage ?? info.mem),
      });
    }
  }
  return devices.length > 0 ? { devices, processes } : null;
}
