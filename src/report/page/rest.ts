/** Sections of the page about all else: processes, timeline, GPUs, parity, receipts. Pure. */

import type { Manifest } from '../../evidence/manifest.js';
import { CATEGORY_NAMES } from '../../evidence/receipt.js';
import type { Whose } from '../../gpu/holders.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { type Html, html, rich } from '../html.js';
import { code } from '../rich.js';
import { peakOf } from '../story.js';
import type { TimelineFacts } from '../timeline.js';
import { hostOwnerRich } from '../words/memory.js';
import { disarmWords, endingWords } from '../words/process.js';
import { notSeenSentences, rejectedLine } from '../words/unseen.js';
import { processName } from '../words/words.js';
import {
  bytes,
  type Cell,
  type Column,
  chip,
  legend,
  MOST,
  more,
  type Section,
  scrolling,
  table,
} from './kit.js';

/** Peak of each rank, beside the others. */
export function ranksSection(manifest: Manifest): Section | null {
  const peaks = manifest.processes.flatMap((process) => {
    const device = peakOf(process);
    return device ? [{ process, device }] : [];
  });
  if (peaks.length === 0) return null;
  peaks.sort((a, b) => (a.process.rank ?? 1e9) - (b.process.rank ?? 1e9));
  const shown = peaks.slice(0, MOST.peaks);
  const whole = Math.max(
    1,
    ...shown.map(({ device }) => Math.max(device.peak_reserved ?? 0, device.total ?? 0)),
  );
  const height = 22;
  const chart = html`<svg class="chart" viewBox="0 0 1000 ${shown.length * height + 4}" role="img" aria-label="Peak of each process; the table below has the numbers">${shown.map(
    ({ process, device }, i) => {
      const reserved = ((device.peak_reserved ?? 0) / whole) * 820;
      const allocated = ((device.peak_allocated ?? 0) / whole) * 820;
      const total = 180 + ((device.total ?? 0) / whole) * 820;
      return html`<text x="0" y="${i * height + 15}">${processName(process)}${process.end?.oom ? ' ✕' : ''}</text><rect class="f-unused" x="180" y="${i * height + 3}" width="${reserved.toFixed(1)}" height="${height - 8}"><title>peak reserved ${bytes(device.peak_reserved)}</title></rect><rect class="f-allocated" x="180" y="${i * height + 3}" width="${allocated.toFixed(1)}" height="${height - 8}"><title>peak allocated ${bytes(device.peak_allocated)}</title></rect>${device.total ? html`<path class="want" d="M${Math.min(999, total).toFixed(1)} ${i * height + 1}v${height - 4}"/>` : null}`;
    },
  )}</svg>`;
  const rows = manifest.processes.slice(0, MOST.processes).map((process): readonly Cell[] => {
    const device = peakOf(process);
    return [
      processName(process),
      process.host,
      process.pid,
      process.program ?? '',
      endingWords(manifest, process),
      process.oom_count,
      bytes(device?.peak_allocated ?? null),
      bytes(device?.peak_reserved ?? null),
      disarmWords(manifest, process),
    ];
  });
  const columns: readonly Column[] = [
    { name: 'process' },
    { name: 'host' },
    { name: 'pid', number: true },
    { name: 'program' },
    { name: 'ended' },
    { name: 'OOMs', number: true },
    { name: 'peak allocated', number: true },
    { name: 'peak reserved', number: true },
    { name: 'disarmed' },
  ];
  return {
    id: 'processes',
    title: 'Processes and ranks',
    body: html`<ul class="legend"><li>${chip('allocated')}peak allocated</li><li>${chip('unused')}peak reserved</li><li>dashed: size of the device</li><li>✕ ran out of memory</li></ul>${scrolling('Peaks', chart)}${table('Every process that imported torch', columns, rows)}${more(manifest.processes.length - rows.length, 'processes')}`,
  };
}

export function timelineSection(all: readonly TimelineFacts[]): Section | null {
  if (all.length === 0) return null;
  const series = all.flatMap((t) => t.series);
  const says = all.slice(0, MOST.lines).flatMap((t) => {
    const blind = t.blind.map((b) => `${b.what}${b.count > 1 ? ` (${b.count} times)` : ''}`);
    const lines = [t.reason, ...blind].filter((line) => line !== null);
    return lines.length === 0 ? [] : [`${processName(t.process)}: ${lines.join('; ')}`];
  });
  const notes =
    says.length === 0
      ? null
      : html`<details><summary>What the timelines could not see</summary><ul>${says.map((line) => html`<li>${line}</li>`)}</ul></details>`;
  if (series.length === 0) {
    return {
      id: 'timeline',
      title: 'Timeline',
      body: html`<p>No timeline: ${all[0]?.reason ?? all[0]?.state ?? 'nothing was recorded'}.</p>${notes}`,
    };
  }
  const options = series.map(
    (s, i) => html`<option value="${i}">${s.label}, peak ${formatBytes(s.peak)}</option>`,
  );
  const first = series[0];
  const rows = (first?.points ?? [])
    .slice(0, 120)
    .map((point): readonly Cell[] => [
      `step ${point.step}${point.phase === '' ? '' : `, ${point.phase}`}`,
      formatBytes(point.bytes.reduce((a, b) => a + b, 0)),
      ...point.bytes.map((n) => (n === 0 ? '' : formatBytes(n))),
    ]);
  return {
    id: 'timeline',
    title: 'Timeline',
    body: html`<p>Bytes of storages by category over ${count(all[0]?.steps ?? 0, 'optimizer step')}, each point the fullest moment of its share of events. ${all[0]?.mode ? `Mode: ${all[0].mode}.` : ''}</p>
<p class="noprint"><label for="timeline-select">Process and device </label><select id="timeline-select">${options}</select></p>
${legend([...CATEGORY_NAMES])}
<canvas id="timeline-canvas" width="1000" height="320" tabindex="0" role="slider" aria-label="Moment of the timeline; arrow keys move" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-describedby="timeline-readout"></canvas>
<p class="readout mono" id="timeline-readout"></p>
<details><summary>The same as a table (first process)</summary>${table('Bytes by category, moment by moment', [{ name: 'moment' }, { name: 'total', number: true }, ...CATEGORY_NAMES.map((name): Column => ({ name, number: true }))], rows)}</details>${notes}`,
  };
}

const WHOSE: Readonly<Record<Whose, string>> = {
  step: " (this step's)",
  stranger: '',
  unknown: ' (not known whose)',
};

/** Who of the step held the host's memory, where the kernel has ended something for it. */
export function hostSection({ host }: Manifest): Section | null {
  const use = host?.use;
  if (!use) return null;
  const title = "Who held the host's memory, when most was seen";
  const rows: Cell[][] = use.owners.map((owner) => [
    rich(hostOwnerRich(owner)),
    bytes(owner.own),
    bytes(owner.shared),
  ]);
  if (use.shm !== null) rows.push([rich([code('/dev/shm')]), '', bytes(use.shm.used)]);
  const columns: readonly Column[] = [
    { name: 'who' },
    { name: 'of its own', number: true },
    { name: 'shared', number: true },
  ];
  return { id: 'host', title: 'Host memory', body: table(title, columns, rows) };
}

export function gpuSection(manifest: Manifest): Section | null {
  const looks = [
    ['before', 'before the step'],
    ['after', 'after it'],
  ] as const;
  const holders = manifest.gpu?.holders ?? [];
  const rows: Cell[][] = [];
  const notes: string[] = [];
  for (const [moment, when] of looks) {
    const look = manifest.gpu?.[moment];
    if (look?.state === 'failed') notes.push(`${look.tool} ${when}: ${look.reason}`);
    if (look?.state !== 'seen') continue;
    if (look.note !== null) notes.push(`${look.tool} ${when}: ${look.note}`);
    const add = (device: string, index: number | null): void => {
      for (const one of holders) {
        const held = one[moment];
        if (held === null || one.device !== index) continue;
        rows.push([device, when, one.pid, `${one.name ?? ''}${WHOSE[one.whose]}`, bytes(held.used), '']);
      }
    };
    for (const device of look.devices) {
      rows.push([
        `GPU ${device.index} ${device.name ?? ''}`,
        when,
        '',
        'the whole device',
        bytes(device.used),
        bytes(device.total),
      ]);
      add(`GPU ${device.index}`, device.index);
    }
    add('', null);
  }
  if (rows.length === 0 && notes.length === 0) return null;
  const columns: readonly Column[] = [
    { name: 'device' },
    { name: 'when' },
    { name: 'pid', number: true },
    { name: 'program' },
    { name: 'held', number: true },
    { name: 'of', number: true },
  ];
  return {
    id: 'gpus',
    title: 'Who was on the GPUs',
    body: html`${rows.length > 0 ? table('GPU memory before and after the step', columns, rows, true) : null}${notes.map((n) => html`<p>${n}</p>`)}`,
  };
}

export function paritySection(manifest: Manifest): Section | null {
  const { state, reason, result } = manifest.parity;
  if (state === 'off') return null;
  const columns: readonly Column[] = [
    { name: "torch's category" },
    { name: 'here' },
    { name: 'tensors', number: true },
    { name: 'bytes', number: true },
  ];
  const facts = [
    `Rebuilt view: ${result?.view.status ?? 'not checked'}`,
    `torch's own categorizer: ${result?.oracle.status ?? 'not checked'}`,
    `migration table: ${result?.migration.status ?? 'not checked'}${result?.migration.reason ? ` (${result.migration.reason})` : ''}`,
  ];
  const differences = result
    ? [...result.view.differences, ...result.oracle.differences, ...result.migration.differences]
    : [];
  return {
    id: 'parity',
    title: 'Parity and migration',
    body: html`<p><strong>${state}</strong>${reason === null ? '' : `: ${reason}`}. ${facts.join('; ')}.${result?.earlier ? ' Checked earlier in this job.' : result?.seconds == null ? '' : ` It took ${result.seconds.toFixed(1)} s.`}</p>${differences.length > 0 ? html`<ul>${differences.map((d) => html`<li><code>${d}</code></li>`)}</ul>` : null}${
      result && result.migration.rows.length > 0
        ? table(
            "Where each of torch's categories went",
            columns,
            result.migration.rows.map((r): readonly Cell[] => [
              r.from,
              r.to,
              r.count.toLocaleString('en-US'),
              formatBytes(r.bytes),
            ]),
          )
        : null
    }${result?.migration.lines.map((line) => html`<p>${line}</p>`)}${result?.trigger && result.trigger.new.length > 0 ? html`<div class="card"><p><strong>Review trigger</strong>: ${result.trigger.new.join(', ')}</p></div>` : null}`,
  };
}

export function receiptsSection(manifest: Manifest): Section | null {
  if (manifest.processes.length === 0) return null;
  const rows = manifest.processes.slice(0, MOST.processes).map((p): readonly Cell[] => [
    processName(p),
    p.executable ?? '',
    p.python ?? '',
    [p.torch, p.build?.cuda ? `CUDA ${p.build.cuda}` : null, p.build?.hip ? `HIP ${p.build.hip}` : null]
      .filter((x) => x !== null)
      .join(', '),
    [p.build?.backend, p.build?.alloc_conf].filter((x) => x != null).join(', '),
    `${p.recorder.state}${p.recorder.reason === null ? '' : `: ${p.recorder.reason}`}`,
    Object.entries(p.rank_variables)
      .map(([k, v]) => `${k}=${v}`)
      .join(' '),
    html`<span class="mono">${p.receipt}</span>`,
  ]);
  const columns: readonly Column[] = [
    { name: 'process' },
    { name: 'interpreter' },
    { name: 'Python' },
    { name: 'torch' },
    { name: 'allocator' },
    { name: 'recorder' },
    { name: 'rank variables' },
    { name: 'receipt' },
  ];
  const reasons = rejectedLine(manifest);
  const troubles = [
    ...(reasons === null ? [] : [reasons]),
    ...manifest.faults,
    ...manifest.processes.flatMap((p) =>
      [...p.faults, ...p.notes].map((line) => `${processName(p)}: ${line}`),
    ),
    ...manifest.rejected.map((r) => `not accepted as evidence: ${r.name}, ${r.reason}`),
  ];
  return {
    id: 'receipts',
    title: 'Receipts',
    body: html`${table('What each process said of itself', columns, rows, true)}${more(manifest.processes.length - rows.length, 'processes')}${troubles.length > 0 ? html`<details><summary>${count(troubles.length, 'remark')} on the recording itself</summary><ul>${troubles.slice(0, MOST.lines).map((t) => html`<li>${t}</li>`)}</ul></details>` : null}`,
  };
}

export function notSeenCards(manifest: Manifest): Html {
  const lines = notSeenSentences(manifest);
  if (lines.length === 0) return html``;
  return html`<div class="card" role="note"><p><strong>Not seen</strong></p>${lines.slice(0, MOST.lines).map((line) => html`<p>${rich(line)}</p>`)}</div>`;
}
