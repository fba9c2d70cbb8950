/**
 * The page: one self-contained HTML file that says what the summary says, larger, with everything that has no room there. It works from
 * disk, offline and under its own content policy: no external script, style, font or image, and nothing is fetched until the reader presses
 * the button that opens a snapshot in torch's viewer. All of it but the timeline is plain HTML and SVG, so it prints and reads aloud.
 *
 * A pure function of the manifest and the options. Snapshots in it are opaque: compressed bytes in, the same bytes out.
 */
import { createHash } from 'node:crypto';
import { formatBytes } from '../bytes.js';
import type { Manifest, ManifestProcess, SnapshotReference } from '../evidence/manifest.js';
import { CATEGORY_NAMES, type Frame, type Oom } from '../evidence/receipt.js';
import { count } from '../text.js';
import { mergedCycles } from './cycles.js';
import { foldStack, placeOf } from './frames.js';
import { hintsFor } from './hints.js';
import { type Html, html, raw, rich, scriptJson } from './html.js';
import { PAGE_SCRIPT, VIEWER_LOADER } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';
import {
  disarmWords,
  endingWords,
  headline,
  historyWords,
  LARGE_SNAPSHOT,
  notSeenSentences,
  ownersRich,
  PART_NAMES,
  partRich,
  processName,
  REASON_WORDS,
  share,
  verdictParagraphs,
} from './sentences.js';
import {
  accountOf,
  censusOf,
  fatalStories,
  mainStory,
  type OomStory,
  type Part,
  partsOf,
  peakOf,
} from './story.js';
import { type TimelineFacts, timelines } from './timeline.js';

/** Compressed bytes of all embedded snapshots together; a page far larger than this opens slowly. */
export const EMBED_LIMIT = 32 * 2 ** 20;

/** torch's own viewer, where torch's own `_memory_viz.py` takes it from, and where that script takes its parts from. */
export const DEFAULT_VIEWER: Viewer = {
  url: 'https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js',
  origins: ['https://cdn.jsdelivr.net', 'https://cdn.skypack.dev'],
};

export interface Viewer {
  /** Address of a module that exports `add_local_files([{name, base64}], view)`. */
  readonly url: string;
  /** Origins that scripts may come from, once the button was pressed. */
  readonly origins: readonly string[];
}

/** A snapshot's bytes, gzipped and in base64; never looked into. */
export interface EmbeddedSnapshot {
  readonly file: string;
  readonly gzipBase64: string;
}

export interface PageOptions {
  readonly snapshots?: readonly EmbeddedSnapshot[];
  /** null: no button, only the download. */
  readonly viewer?: Viewer | null;
  readonly guideUrl?: string | null;
}

/** Bounds of what the page holds; all of it is in manifest.json. */
const MOST = {
  processes: 1024,
  events: 64,
  stacks: 24,
  cycles: 32,
  peaks: 256,
  lines: 200,
  frames: 100,
} as const;

const more = (hidden: number, what: string): Html | null =>
  hidden > 0 ? html`<p class="fold">and ${hidden} more ${what}, in manifest.json.</p>` : null;

const bytes = (n: number | null): string => (n === null ? '' : formatBytes(n));

interface Column {
  readonly name: string;
  readonly number?: true;
}
type Cell = Html | string | number | null;

/** A table that scrolls by itself on a narrow screen; its first column heads the rows. */
function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  hideCaption = false,
): Html {
  const cls = (i: number): Html | null => (columns[i]?.number ? raw(' class="n"') : null);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption${hideCaption ? raw(' class="visually-hidden"') : null}>${caption}</caption><thead><tr>${columns.map(
    (c, i) => html`<th scope="col"${cls(i)}>${c.name}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) => (i === 0 ? html`<th scope="row"${cls(0)}>${cell}</th>` : html`<td${cls(i)}>${cell}</td>`))}</tr>`,
  )}</tbody></table></div>`;
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

// --- pictures ---------------------------------------------------------------------------------------------------------

const HATCHED = new Set<Part['name']>(['gradient', 'unknown', 'unused', 'others']);

/** Patterns that tell neighbours apart where colours do not. */
const PATTERNS = raw(
  '<svg width="0" height="0" aria-hidden="true" class="visually-hidden"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs></svg>',
);

const chip = (name: Part['name']): Html =>
  html`<svg class="chip" viewBox="0 0 16 16" aria-hidden="true"><rect class="block f-${name}" x="1" y="1" width="14" height="14"/>${HATCHED.has(name) ? raw('<rect x="1" y="1" width="14" height="14" fill="url(#hatch)"/>') : null}</svg>`;

/** Parts of a device as one bar. `width` units for `whole` bytes. */
function bar(
  parts: readonly Part[],
  whole: number,
  x: number,
  y: number,
  width: number,
  height: number,
): Html {
  let at = x;
  return html`${parts.map((part) => {
    const w = whole > 0 ? (part.bytes / whole) * width : 0;
    const rect = html`<rect class="block f-${part.name}" x="${at.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${height}"><title>${PART_NAMES[part.name]} ${formatBytes(part.bytes)}</title></rect>${HATCHED.has(part.name) ? html`<rect x="${at.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${height}" fill="url(#hatch)" pointer-events="none"/>` : null}`;
    at += w;
    return rect;
  })}`;
}

const sum = (parts: readonly Part[]): number => parts.reduce((total, part) => total + part.bytes, 0);

const legend = (names: readonly Part['name'][]): Html =>
  html`<ul class="legend">${names.map((name) => html`<li>${chip(name)}${PART_NAMES[name]}</li>`)}</ul>`;

// --- sections -----------------------------------------------------------------------------------------------------------

function memorySection(manifest: Manifest, story: OomStory): Section | null {
  const account = accountOf(manifest, story);
  const census = censusOf(story.oom.census, story.oom.device);
  const parts = partsOf(account, census);
  const whole = sum(parts);
  if (whole === 0) return null;
  const rows = parts.map((part): readonly Cell[] => [
    html`${chip(part.name)}${rich(part.name === 'free' ? ['free'] : partRich(part))}`,
    formatBytes(part.bytes),
    share(part.bytes, whole),
    part.count === null ? '' : part.count.toLocaleString('en-US'),
    rich(ownersRich(part, 10)),
  ]);
  const title = `GPU ${story.oom.device ?? 0} of ${processName(story.process)} when it failed: ${formatBytes(whole)} in all`;
  const body = html`<svg viewBox="0 0 1000 64" role="img" aria-label="${title}: ${parts.map((p) => `${PART_NAMES[p.name]} ${formatBytes(p.bytes)}`).join(', ')}">${bar(parts, whole, 0, 0, 1000, 64)}</svg>
${table(title, [{ name: 'what' }, { name: 'bytes', number: true }, { name: 'share', number: true }, { name: 'storages', number: true }, { name: 'largest owners, or why unknown' }], rows)}
${census ? html`<p>${share(census.attributed, census.allocated)} of the ${formatBytes(census.allocated)} allocated is attributed to what it was observed to be, in ${story.oom.census?.seconds ?? '?'} s.${story.oom.census?.complete === false ? ` The look was cut short: ${story.oom.census.cut ?? 'no reason given'}.` : ''}</p>` : null}`;
  return { id: 'memory', title: 'What was alive', body };
}

interface Event {
  readonly process: ManifestProcess;
  readonly oom: Oom;
  readonly fatal: boolean;
}

function eventsOf(manifest: Manifest): readonly Event[] {
  return manifest.processes.flatMap((process) =>
    process.ooms.map((oom, index) => ({
      process,
      oom,
      fatal: process.end?.oom === true && index === process.ooms.length - 1,
    })),
  );
}

/** Memory by category at each out-of-memory. */
function eventsSection(manifest: Manifest): Section | null {
  const all = eventsOf(manifest);
  if (all.length < 2) return null;
  const order = [...all].sort(
    (a, b) => Number(b.fatal) - Number(a.fatal) || (a.oom.time ?? 0) - (b.oom.time ?? 0),
  );
  const shown = order.slice(0, MOST.events).sort((a, b) => (a.oom.time ?? 0) - (b.oom.time ?? 0));
  const lines = shown.map((event) => {
    const account = accountOf(manifest, event);
    return { event, account, parts: partsOf(account, censusOf(event.oom.census, event.oom.device)) };
  });
  const whole = Math.max(...lines.map(({ parts }) => sum(parts)), 1);
  const height = 26;
  const start = manifest.step.started;
  const names = [...new Set(lines.flatMap(({ parts }) => parts.map((p) => p.name)))];
  const chart = html`<svg viewBox="0 0 1000 ${lines.length * height + 4}" role="img" aria-label="Memory by category at each of ${lines.length} out-of-memory errors; the table below has the numbers">${lines.map(
    ({ event, parts }, i) =>
      html`<text x="0" y="${i * height + 16}">${processName(event.process)} #${event.oom.seq}${event.fatal ? ' ✕' : ''}</text>${bar(parts, whole, 130, i * height + 2, 870, height - 6)}`,
  )}</svg>`;
  const rows = lines.map(({ event, account }): readonly Cell[] => [
    `${processName(event.process)} #${event.oom.seq}`,
    event.oom.time === null ? '' : `${Math.max(0, event.oom.time - start).toFixed(1)} s`,
    bytes(event.oom.wanted),
    bytes(account.free),
    bytes(account.allocated),
    bytes(account.reserved),
    event.fatal ? 'ended the process' : 'caught',
    event.oom.snapshot ?? event.oom.snapshot_error ?? '',
  ]);
  const columns: readonly Column[] = [
    { name: 'event' },
    { name: 'after', number: true },
    { name: 'wanted', number: true },
    { name: 'free', number: true },
    { name: 'allocated', number: true },
    { name: 'reserved', number: true },
    { name: 'then' },
    { name: 'snapshot' },
  ];
  const dropped = manifest.oom_count - shown.length;
  return {
    id: 'events',
    title: 'Every out-of-memory',
    body: html`${legend(names)}${chart}${table(`${shown.length} of ${count(manifest.oom_count, 'out-of-memory error')}; ✕ ended its process`, columns, rows)}${more(dropped, 'events')}`,
  };
}

function hintsSection(manifest: Manifest): Section | null {
  const hints = hintsFor(manifest);
  if (hints.length === 0) return null;
  return {
    id: 'hints',
    title: 'What the numbers suggest',
    body: html`<ul class="hints">${hints.map((h) => html`<li>${rich(h.text)}</li>`)}</ul>`,
  };
}

function stack(frames: readonly Frame[], workspace: string | null): Html {
  const groups = foldStack(frames);
  if (groups.length === 0) return html`<p class="fold">No Python frame.</p>`;
  const line = (frame: Frame): string => `${placeOf(frame, workspace)}  ${frame.function}`;
  return html`<div>${groups.map((group) =>
    group.kind === 'user'
      ? html`<pre class="own"><code>${group.frames.map(line).join('\n')}</code></pre>`
      : html`<details><summary class="fold">${count(group.frames.length, 'frame')} of ${group.packages.slice(0, 6).join(', ')}</summary><pre><code>${group.frames.map(line).join('\n')}</code></pre></details>`,
  )}</div>`;
}

function stacksSection(manifest: Manifest): Section | null {
  const { workspace } = manifest.step;
  const main = mainStory(manifest);
  if (!main) return null;
  const fatal = fatalStories(manifest);
  const all = fatal.length > 0 ? fatal : [main];
  const shown = all.slice(0, MOST.stacks);
  const one = (story: OomStory): Html => {
    const { oom, process } = story;
    const backward =
      oom.thread === 'backward' ? ' (autograd thread)' : oom.thread === 'other' ? ' (a thread)' : '';
    return html`<h3>${processName(process)}, out-of-memory #${oom.seq}${backward}</h3>${stack(oom.stack, workspace)}${oom.main_stack ? html`<h3>${processName(process)}, main thread at that moment</h3>${stack(oom.main_stack, workspace)}` : null}`;
  };
  const [first, ...rest] = shown;
  return {
    id: 'stacks',
    title: 'Where the program stood',
    body: html`<p>Innermost frame last; the frames of your own code are open, those of libraries folded.</p>${first ? one(first) : null}${rest.length > 0 ? html`<details><summary>${count(rest.length, 'other process', 'other processes')}</summary>${rest.map(one)}</details>` : null}${more(all.length - shown.length, 'processes')}`,
  };
}

/** Peak of each rank, beside the others. */
function ranksSection(manifest: Manifest): Section | null {
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
  const chart = html`<svg viewBox="0 0 1000 ${shown.length * height + 4}" role="img" aria-label="Peak of each process; the table below has the numbers">${shown.map(
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
      process.rank === null ? `pid ${process.pid}` : `rank ${process.rank}`,
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
    body: html`<ul class="legend"><li>${chip('allocated')}peak allocated</li><li>${chip('unused')}peak reserved</li><li>dashed: size of the device</li><li>✕ ran out of memory</li></ul>${chart}${table('Every process that imported torch', columns, rows)}${more(manifest.processes.length - rows.length, 'processes')}`,
  };
}

function timelineSection(all: readonly TimelineFacts[]): Section | null {
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

function snapshotsSection(manifest: Manifest, options: PageOptions): Section | null {
  const { snapshots } = manifest;
  if (snapshots.length === 0) return null;
  const embedded = new Map((options.snapshots ?? []).map((s, i) => [s.file, i]));
  const viewer = options.viewer === undefined ? DEFAULT_VIEWER : options.viewer;
  const columns: readonly Column[] = [
    { name: 'process' },
    { name: 'taken' },
    { name: 'size', number: true },
    { name: 'history' },
    { name: 'file and its sha256' },
  ];
  const rows = snapshots
    .slice(0, MOST.processes)
    .map((s): readonly Cell[] => [
      s.rank === null ? `pid ${s.pid}` : `rank ${s.rank}`,
      REASON_WORDS[s.reason],
      formatBytes(s.bytes),
      historyWords(s),
      html`<span class="mono digest">${s.file}<br>${s.digest}</span>`,
    ]);
  const boxes = snapshots.flatMap((s) => {
    const index = embedded.get(s.file);
    return index === undefined ? [] : [openBox(s, index, viewer)];
  });
  const large = snapshots.some((s) => s.bytes > LARGE_SNAPSHOT);
  const why =
    boxes.length === 0
      ? html`<p>This page holds no snapshot: they are in the artifact${options.snapshots === undefined ? '' : `, over the ${formatBytes(EMBED_LIMIT)} (compressed) that a page takes`}. Download one and drop it on <code>pytorch.org/memory_viz</code>: it stays on your machine.${large ? ` Over ${formatBytes(LARGE_SNAPSHOT)} that viewer may freeze; SnapViewer and MemSnapDump slice such files.` : ''}</p>`
      : null;
  return {
    id: 'snapshots',
    title: 'Snapshots',
    body: html`${table('Snapshots of this step', columns, rows, true)}${more(snapshots.length - rows.length, 'snapshots')}${boxes}${why}
<p><strong>Flamegraph</strong>: what was alive at the peak. <strong>Trace view</strong>: what was allocated right before the failure. A block's stack says where it was allocated, not which operation uses it now: the allocator reuses blocks. Blocks allocated in backward carry no Python frames. Never <code>pickle.load</code> a snapshot that you did not make.${options.guideUrl ? html` <a href="${options.guideUrl}" rel="noreferrer noopener">How to read a snapshot</a>.` : ''}</p>`,
  };
}

function openBox(s: SnapshotReference, index: number, viewer: Viewer | null): Html {
  return html`<div class="card quiet noprint" data-snapshot="${index}" data-digest="${s.digest.replace(/^sha256:/, '')}" data-name="${s.file}"><p><strong>${s.rank === null ? `pid ${s.pid}` : `rank ${s.rank}`}</strong>, ${REASON_WORDS[s.reason]}, ${formatBytes(s.bytes)}: this page holds the file itself.</p><p>${viewer ? html`<button type="button" data-open>Open in torch's viewer</button> ` : null}<button type="button" data-save>Save the file</button></p><p data-status role="status">${viewer ? html`Opening it loads the viewer's script from <code>${new URL(viewer.url).host}</code>; the snapshot stays in this tab.` : 'Drop the saved file on pytorch.org/memory_viz.'}</p></div>`;
}

/** Types around a ring, in the order of the cycle. */
function ring(types: readonly { readonly name: string; readonly count: number }[]): Html {
  const shown = types.slice(0, 8);
  const cx = 300;
  const cy = 130;
  const at = (i: number): readonly [number, number] => {
    const angle = (2 * Math.PI * i) / shown.length - Math.PI / 2;
    return [cx + 190 * Math.cos(angle), cy + 95 * Math.sin(angle)];
  };
  const edges = shown.map((_, i) => {
    const [x1, y1] = at(i);
    const [x2, y2] = at((i + 1) % shown.length);
    return shown.length === 1
      ? html`<path class="edge" marker-end="url(#arrow)" d="M${x1 + 20} ${y1 - 14}c60 -40 60 60 4 26"/>`
      : html`<path class="edge" marker-end="url(#arrow)" d="M${x1.toFixed(1)} ${y1.toFixed(1)}Q${cx} ${cy} ${(x2 + (cx - x2) * 0.22).toFixed(1)} ${(y2 + (cy - y2) * 0.22).toFixed(1)}"/>`;
  });
  const nodes = shown.map((type, i) => {
    const [x, y] = at(i);
    const label = (type.name.split('.').at(-1) ?? type.name).slice(0, 26);
    const w = Math.max(60, label.length * 7 + 18);
    return html`<rect class="node" x="${(x - w / 2).toFixed(1)}" y="${(y - 14).toFixed(1)}" width="${w}" height="28" rx="6"><title>${type.name}</title></rect><text x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}" text-anchor="middle">${label}</text>`;
  });
  return html`<svg viewBox="0 0 600 262" width="600" role="img" aria-label="Cycle of ${types.map((t) => t.name).join(', ')}"><defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="arrow" d="M0 0L10 5L0 10z"/></marker></defs>${edges}${nodes}</svg>`;
}

function cyclesSection(manifest: Manifest): Section | null {
  const all = mergedCycles(manifest);
  if (all.length === 0) return null;
  const shown = all.slice(0, MOST.cycles);
  const held = Object.entries(manifest.cycles.bytes).map(([device, n]) => `${formatBytes(n)} on ${device}`);
  const pages = manifest.processes.flatMap((p) => (p.cycles?.page ? [p.cycles.page] : []));
  return {
    id: 'cycles',
    title: 'Reference cycles',
    body: html`<p>${count(manifest.cycles.count, 'kind')} of cycles held ${count(manifest.cycles.tensors, 'GPU tensor')}${held.length > 0 ? `: ${held.join(', ')}` : ''}. No variable of the program reached them any more; Python frees such objects only when its collector runs.${pages.length > 0 ? ` The graphs with attribute names are in the artifact: ${pages.slice(0, 8).join(', ')}.` : ''}</p>${shown.map(
      ({ cycle, seen, bytes: n, processes }, i) =>
        html`<details${i === 0 ? raw(' open') : null}><summary><strong>${formatBytes(n)}</strong> in ${count(cycle.tensors, 'tensor')}, seen ${count(seen, 'time')}, ${[...processes].slice(0, 4).join(', ')}</summary>${ring(cycle.types)}<h3>Its tensors were allocated at</h3>${cycle.frames.length === 0 ? html`<p class="fold">No frames: recording was off or they were made in backward.</p>` : stack(cycle.frames, manifest.step.workspace)}</details>`,
    )}${more(all.length - shown.length, 'kinds')}`,
  };
}

function gpuSection(manifest: Manifest): Section | null {
  const looks = [
    ['before the step', manifest.gpu?.before ?? null],
    ['after it', manifest.gpu?.after ?? null],
  ] as const;
  const own = new Map(manifest.processes.map((p) => [p.pid, p]));
  const rows: Cell[][] = [];
  const notes: string[] = [];
  for (const [when, look] of looks) {
    if (look?.state === 'failed') notes.push(`${look.tool} ${when}: ${look.reason}`);
    if (look?.state !== 'seen') continue;
    if (look.note !== null) notes.push(`${look.tool} ${when}: ${look.note}`);
    for (const device of look.devices) {
      rows.push([
        `GPU ${device.index} ${device.name ?? ''}`,
        when,
        '',
        'the whole device',
        bytes(device.used),
        bytes(device.total),
      ]);
      for (const p of look.processes.filter((x) => x.device === device.index)) {
        const mine = look.pidsKnown && own.has(p.pid);
        rows.push([
          `GPU ${device.index}`,
          when,
          p.pid,
          `${p.name ?? ''}${mine ? " (this step's)" : ''}`,
          bytes(p.used),
          '',
        ]);
      }
    }
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

function paritySection(manifest: Manifest): Section | null {
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
    `migration table: ${result?.migration.status ?? 'not checked'}`,
  ];
  const differences = result
    ? [...result.view.differences, ...result.oracle.differences, ...result.migration.differences]
    : [];
  return {
    id: 'parity',
    title: 'Parity and migration',
    body: html`<p><strong>${state}</strong>${reason === null ? '' : `: ${reason}`}. ${facts.join('; ')}.${result?.seconds == null ? '' : ` It took ${result.seconds.toFixed(1)} s.`}</p>${differences.length > 0 ? html`<ul>${differences.map((d) => html`<li><code>${d}</code></li>`)}</ul>` : null}${
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

function receiptsSection(manifest: Manifest): Section | null {
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
  const troubles = [
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

function notSeenCards(manifest: Manifest): Html {
  const lines = notSeenSentences(manifest);
  if (lines.length === 0) return html``;
  return html`<div class="card" role="note"><p><strong>Not seen</strong></p>${lines.slice(0, MOST.lines).map((line) => html`<p>${rich(line)}</p>`)}</div>`;
}

// --- the page -----------------------------------------------------------------------------------------------------------

const hash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** What the page may do. Scripts of the viewer's origins only where there is a snapshot to open; nothing may be sent anywhere. */
function policy(viewer: Viewer | null): string {
  const scripts = [hash(PAGE_SCRIPT)];
  const styles = [`style-src ${hash(PAGE_STYLE)}`];
  if (viewer) {
    scripts.push(hash(VIEWER_LOADER), ...viewer.origins);
    // The viewer (d3) writes style attributes; the page itself has none.
    styles.push("style-src-attr 'unsafe-inline'");
  }
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    ...styles,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function packedSeries(all: readonly TimelineFacts[]) {
  return all.flatMap((t) =>
    t.series.map((s) => {
      const phases = [...new Set(s.points.map((p) => p.phase))];
      const index = new Map(phases.map((phase, i) => [phase, i]));
      return {
        peak: s.peak,
        step: s.points.map((p) => p.step),
        phase: s.points.map((p) => index.get(p.phase) ?? 0),
        phases,
        bytes: s.points.flatMap((p) => p.bytes),
      };
    }),
  );
}

function factsList(manifest: Manifest): Html {
  const { runner, step } = manifest;
  const torch = [...new Set(manifest.processes.flatMap((p) => (p.torch === null ? [] : [p.torch])))].slice(
    0,
    3,
  );
  const facts: readonly (readonly [string, string | null])[] = [
    ['repository', runner.repository],
    ['job', runner.job],
    [
      'run',
      runner.run_id === null
        ? null
        : `${runner.run_id}${runner.run_attempt === null ? '' : `, attempt ${runner.run_attempt}`}`,
    ],
    ['commit', runner.sha?.slice(0, 12) ?? null],
    ['runner', runner.name],
    ['torch', torch.length === 0 ? null : torch.join(', ')],
    ['exit code', step.exit_code === null ? null : String(step.exit_code)],
    ['verdict', manifest.verdict.name],
    ['took', step.ended === null ? null : `${(step.ended - step.started).toFixed(1)} s`],
    ['written', manifest.created],
  ];
  return html`<ul class="facts">${facts.map(([name, value]) => (value === null ? null : html`<li>${name} <b>${value}</b></li>`))}</ul>`;
}

/** The page as the text of one HTML file. */
export function renderPage(manifest: Manifest, options: PageOptions = {}): string {
  const { tone, title } = headline(manifest);
  const story = mainStory(manifest);
  const lines = timelines(manifest);
  const held = new Set(manifest.snapshots.map((s) => s.file));
  const embedded = (options.snapshots ?? []).filter(
    (s) => held.has(s.file) && /^[A-Za-z0-9+/]*={0,2}$/.test(s.gzipBase64),
  );
  const own: PageOptions = {
    ...options,
    ...(options.snapshots === undefined ? {} : { snapshots: embedded }),
  };
  const viewer =
    embedded.length === 0 ? null : options.viewer === undefined ? DEFAULT_VIEWER : options.viewer;
  const sections = [
    story && memorySection(manifest, story),
    hintsSection(manifest),
    stacksSection(manifest),
    eventsSection(manifest),
    snapshotsSection(manifest, own),
    ranksSection(manifest),
    timelineSection(lines),
    gpuSection(manifest),
    cyclesSection(manifest),
    paritySection(manifest),
    receiptsSection(manifest),
  ].filter((s) => s !== null);
  const data = {
    categories: CATEGORY_NAMES,
    series: packedSeries(lines),
    viewer: viewer?.url ?? null,
    loader: VIEWER_LOADER,
  };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(viewer))}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
${PATTERNS}
<header class="${tone}">
<h1><span class="tone" aria-hidden="true"></span>${title}</h1>
${verdictParagraphs(manifest).map((p) => html`<p class="lead">${rich(p)}</p>`)}
${notSeenCards(manifest)}
${manifest.gates.filter((g) => g.gate !== 'if-no-torch').map((g) => html`<div class="card"><p><strong>${g.gate}</strong>: ${g.message}</p></div>`)}
${factsList(manifest)}
</header>
<nav aria-label="Sections"><ul>${sections.map((s) => html`<li><a href="#${s.id}">${s.title}</a></li>`)}</ul></nav>
<main id="main">
${sections.map((s) => html`<section aria-labelledby="h-${s.id}" id="${s.id}"><h2 id="h-${s.id}">${s.title}</h2>${s.body}</section>`)}
</main>
<footer>Written by oom-autopsy ${manifest.action.version} from manifest.json alone. GiB = 2^30 bytes. No snapshot was read to write it.</footer>
${embedded.map((s, i) => html`<script type="application/octet-stream" id="snapshot-${i}">${raw(s.gzipBase64)}</script>`)}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}
