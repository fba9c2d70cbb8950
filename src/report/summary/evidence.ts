/**
 * Sections of the summary about the evidence: snapshots, how to get and check them, what stayed on the
 * runner. Pure.
 */

import type { LeftOut, Manifest, SnapshotReference } from '../../evidence/manifest.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { type Block, plainBlock } from '../blocks.js';
import { markdown, row, shellWord, tableHead } from '../markdown.js';
import { joinRich, link, type Rich, say, shorten, strong } from '../rich.js';
import { fatalStories } from '../story.js';
import { historyWords, LARGE_SNAPSHOT, takenWords } from '../words/snapshot.js';
import { name, snapshotOwner } from '../words/words.js';
import { fenced, folded, MOST, moreRows, paragraph, type SummaryLinks } from './kit.js';

/** Snapshots of ranks that failed first, then the largest. */
function orderedSnapshots(manifest: Manifest): readonly SnapshotReference[] {
  const failed = new Map(
    fatalStories(manifest).map((story, index) => [`${story.process.host}.${story.process.pid}`, index]),
  );
  const order = (s: SnapshotReference): number => failed.get(`${s.host}.${s.pid}`) ?? failed.size;
  return [...manifest.snapshots].sort((a, b) => order(a) - order(b));
}

const leftOutFile = (manifest: Manifest, file: string): LeftOut | undefined =>
  manifest.published.left_out.find((left) => left.file === file);

export function snapshotsBlock(manifest: Manifest): Block | null {
  const snapshots = orderedSnapshots(manifest);
  if (snapshots.length === 0) return null;
  const many = new Set(snapshots.map((s) => s.host)).size > 1;
  const shown = snapshots.slice(0, MOST.snapshots);
  const rows = shown.map((s) => {
    const left = leftOutFile(manifest, s.file);
    const size = say`${formatBytes(s.bytes)}${s.bytes > LARGE_SNAPSHOT ? ' ⚠' : null}${left ? say` · not in the artifact: ${shorten(left.reason, 80)}` : null}`;
    return row([
      [s.rank === null ? snapshotOwner(s) : String(s.rank)],
      ...(many ? [[name(s.host, 40)]] : []),
      [takenWords(manifest, s)],
      size,
      [historyWords(s)],
      [name(s.digest.replace(/^sha256:/, '').slice(0, 12))],
    ]);
  });
  const ranks = snapshots.some((s) => s.rank !== null);
  const names = [
    ranks ? 'rank' : 'process',
    ...(many ? ['host'] : []),
    'taken',
    'size',
    'history',
    'sha256 of the file',
  ];
  const aligns = names.map((n) => (n === 'size' ? 'right' : 'left') as 'left' | 'right');
  return folded(85, say`${count(snapshots.length, 'snapshot')}: what each shows, and which view to open`, {
    open: tableHead(names, aligns),
    rows,
    close: (dropped) => `${moreRows(snapshots.length - shown.length)(dropped)}\n${readingLines(manifest)}`,
  });
}

/**
 * Where the evidence is, over the snapshots. Receipts and the account of a drift are evidence too:
 * without a snapshot the line is there as soon as something was uploaded, or could not be.
 */
export function whereBlock(manifest: Manifest, links: SummaryLinks): Block | null {
  const { published, snapshots } = manifest;
  const none = snapshots.length === 0;
  if (none && published.state !== 'uploaded' && published.state !== 'failed') return null;
  const report = links.reportUrl === null ? null : link(['open the report'], links.reportUrl);
  const parts: Rich[] = [[strong(none ? 'Evidence' : 'Snapshots')]];
  if (links.artifactName !== null) {
    parts.push(
      say`artifact ${links.artifactUrl === null ? name(links.artifactName) : link([links.artifactName], links.artifactUrl)}`,
    );
  }
  if (report) parts.push([report]);
  const line = none && parts.length === 1 ? '' : paragraph(joinRich(parts, ' · '));
  if (published.state === 'uploaded') return plainBlock(86, line);
  if (published.state === 'planned')
    return plainBlock(
      86,
      line + paragraph(say`${strong('Upload under way')}: if it was ended, the post step goes on.`),
    );
  const kept =
    links.evidenceDir === null ? null : say` The files are on the runner in ${name(links.evidenceDir, 200)}.`;
  const why = shorten(published.reason ?? 'no reason given', 300);
  return plainBlock(86, line + paragraph(say`${strong('Not uploaded')}: ${why}.${kept}`));
}

/** What to open for which question, and what the two views cannot say. */
function readingLines(manifest: Manifest): string {
  const backward = manifest.snapshots.some((s) => s.stacks === 'python');
  const large = manifest.snapshots.some((s) => s.bytes > LARGE_SNAPSHOT);
  const lines: Rich[] = [
    say`${strong('Flamegraph')}: what was alive at the peak. ${strong('Trace view')}: what was allocated right before the failure. A block's stack says where it was allocated, not which operation uses it now.${backward ? ' Blocks allocated in backward carry no Python frames.' : null}`,
  ];
  if (large) {
    lines.push(
      say`⚠ Over ${formatBytes(LARGE_SNAPSHOT)} the viewer in the browser may freeze or end its tab: SnapViewer and MemSnapDump slice such files; a smaller ${strong('max-entries')} makes the next one smaller.`,
    );
  }
  return lines.map(paragraph).join('');
}

export function checkBlock(manifest: Manifest, links: SummaryLinks): Block | null {
  if (manifest.snapshots.length === 0) return null;
  const { run_id: run, repository } = manifest.runner;
  const commands: string[] = [];
  if (links.artifactName !== null && run !== null) {
    const repo = repository === null ? '' : ` -R ${shellWord(repository)}`;
    commands.push(`gh run download ${shellWord(run)}${repo} -n ${shellWord(links.artifactName)} -D autopsy`);
    commands.push('(cd autopsy && sha256sum -c SHA256SUMS)');
  }
  const zip =
    links.artifactDigest === null
      ? null
      : say`The artifact's own digest is of the zip: ${name(links.artifactDigest.replace(/^sha256:/, ''))}.`;
  const guide = links.guideUrl == null ? null : say`More in the ${link(['reading guide'], links.guideUrl)}.`;
  const text = joinRich([
    say`Then drop the file on ${name('pytorch.org/memory_viz')}: it stays on your machine. Never ${name('pickle.load')} a snapshot that you did not make.`,
    zip,
    guide,
  ]);
  const sums = orderedSnapshots(manifest)
    .slice(0, MOST.snapshots)
    .map((s) => `${s.digest.replace(/^sha256:/, '')}  ${s.file}`);
  const unsaid = manifest.snapshots.length - sums.length;
  const opening = commands.length === 0 ? '' : fenced(commands, 'sh');
  return folded(70, ['Download it, check its digest, open it'], {
    open: `${opening}\n${markdown(text)}\n\n\`\`\`text\n`,
    rows: sums.map((line) => `${line}\n`),
    close: (dropped) =>
      `${unsaid + dropped === 0 ? '' : `… ${unsaid + dropped} more in SHA256SUMS\n`}\`\`\`\n`,
  });
}

export function leftOutBlock(manifest: Manifest, links: SummaryLinks): Block | null {
  const left = manifest.published.left_out;
  if (left.length === 0) return null;
  const rows = left
    .slice(0, MOST.leftOut)
    .map((file) =>
      row([
        [name(file.file, 120)],
        [formatBytes(file.bytes)],
        [shorten(file.reason, 120)],
        [name(file.digest.replace(/^sha256:/, ''))],
      ]),
    );
  const at = links.evidenceDir === null ? null : say` in ${name(links.evidenceDir, 200)}`;
  const whole = !left.some(({ reason }) => /^(changed|vanished) /.test(reason));
  const kept = whole ? ', kept on the runner' : ' as they were collected';
  return folded(40, say`${count(left.length, 'file')} not in the artifact${kept}`, {
    open: `${at === null ? '' : paragraph(say`${whole ? 'They are' : 'What is left of them is'}${at}.`)}${tableHead(['file', 'size', 'why', 'sha256'], ['left', 'right'])}`,
    rows,
    close: moreRows(left.length - rows.length),
  });
}
