/** The section of the page about snapshots, and the box that opens one. Pure. */

import type { Manifest, SnapshotReference } from '../../evidence/manifest.js';
import { formatBytes } from '../../lib/bytes.js';
import { type Html, html } from '../html.js';
import { historyWords, LARGE_SNAPSHOT, REASON_WORDS, takenWords } from '../words/snapshot.js';
import { snapshotOwner } from '../words/words.js';
import { type Cell, type Column, MOST, more, type Section, table } from './kit.js';
import { DEFAULT_VIEWER, EMBED_LIMIT, type PageOptions, type Viewer } from './options.js';

export function snapshotsSection(manifest: Manifest, options: PageOptions): Section | null {
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
  const left = new Map(manifest.published.left_out.map(({ file, reason }) => [file, reason]));
  const kept = snapshots.filter((s) => left.has(s.file)).length;
  const whyLeft = ({ file }: SnapshotReference): Html | null =>
    left.has(file) ? html`<br>not in the artifact: ${left.get(file)}` : null;
  const rows = snapshots
    .slice(0, MOST.processes)
    .map((s): readonly Cell[] => [
      snapshotOwner(s),
      takenWords(manifest, s),
      formatBytes(s.bytes),
      historyWords(s),
      html`<span class="mono digest">${s.file}<br>${s.digest}</span>${whyLeft(s)}`,
    ]);
  const boxes = [...embedded].flatMap(([file, index]) => {
    const s = snapshots.find((reference) => reference.file === file);
    return s === undefined ? [] : [openBox(manifest, s, index, viewer)];
  });
  const large = snapshots.some((s) => s.bytes > LARGE_SNAPSHOT);
  const why =
    boxes.length === 0
      ? html`<p>${whereabouts(snapshots.length, kept, options.snapshots !== undefined)} ${kept < snapshots.length ? 'Download one and drop it' : 'Drop one'} on <code>pytorch.org/memory_viz</code>: it stays on your machine.${large ? ` Over ${formatBytes(LARGE_SNAPSHOT)} that viewer may freeze; SnapViewer and MemSnapDump slice such files.` : ''}</p>`
      : null;
  return {
    id: 'snapshots',
    title: 'Snapshots',
    body: html`${table('Snapshots of this step', columns, rows, true)}${more(snapshots.length - rows.length, 'snapshots')}${boxes}${why}
<p><strong>Flamegraph</strong>: what was alive at the peak. <strong>Trace view</strong>: what was allocated right before the failure. A block's stack says where it was allocated, not which operation uses it now: the allocator reuses blocks. Blocks allocated in backward carry no Python frames. Never <code>pickle.load</code> a snapshot that you did not make.${options.guideUrl ? html` <a href="${options.guideUrl}" rel="noreferrer noopener">How to read a snapshot</a>.` : ''}</p>`,
  };
}

/** Where the snapshots are that this page does not hold: `kept` of `all` stayed on the runner. */
function whereabouts(all: number, kept: number, embeds: boolean): string {
  const no = 'This page holds no snapshot';
  if (kept === all)
    return `${no}, nor does the artifact: ${all === 1 ? 'the file is' : 'the files are'} kept on the runner.`;
  const inside = all - kept;
  const who = kept === 0 ? 'they are' : inside === 1 ? '1 is' : `${inside} are`;
  const limit = embeds ? ` (a page takes ${formatBytes(EMBED_LIMIT)} of them, compressed)` : '';
  const rest =
    kept === 0 ? '' : ` ${kept} ${kept === 1 ? 'is' : 'are'} not in the artifact and kept on the runner.`;
  return `${no}: ${who} in the artifact${limit}.${rest}`;
}

/** The viewer opens the GPU with the most events and takes no other by argument: say which to choose. */
function chooseDevice(manifest: Manifest, { host, pid, device }: SnapshotReference): Html | null {
  const process = manifest.processes.find((p) => p.host === host && p.pid === pid);
  if (device === null || process === undefined || process.devices.length < 2) return null;
  return html`<p>This process used ${process.devices.length} GPUs. The viewer opens the one with the most events: choose <strong>GPU ${device}</strong> in its third box.</p>`;
}

function openBox(manifest: Manifest, s: SnapshotReference, index: number, viewer: Viewer | null): Html {
  return html`<div class="card quiet noprint" data-snapshot="${index}" data-digest="${s.digest.replace(/^sha256:/, '')}" data-name="${s.file}"><p><strong>${snapshotOwner(s)}</strong>, ${REASON_WORDS[s.reason]}, ${formatBytes(s.bytes)}: this page holds the file itself.</p>${chooseDevice(manifest, s)}<p>${viewer ? html`<button type="button" data-open>Open in torch's viewer</button> ` : null}<button type="button" data-save>Save the file</button></p><p data-status role="status">${viewer ? html`Opening it loads the viewer's script from <code>${new URL(viewer.url).host}</code>; the snapshot stays in this tab.` : 'Drop the saved file on pytorch.org/memory_viz.'}</p></div>`;
}
