/**
 * Sections of the summary about all else: what was not seen, GPUs, cycles, parity, processes, remarks. Pure.
 */

import type { Manifest, ManifestProcess } from '../../evidence/manifest.js';
import { stepName } from '../../job/words.js';
import { endedByOom } from '../../judge/outside.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { type Block, plainBlock } from '../blocks.js';
import { mergedCycles } from '../cycles.js';
import { placeOf, userFrame } from '../frames.js';
import { escapeText, markdown, row, tableHead } from '../markdown.js';
import { code, joinRich, type Rich, say, shorten, strong } from '../rich.js';
import { disarmOf, endingOf, fatalStories, peakOf } from '../story.js';
import { hostOwnerRich } from '../words/memory.js';
import { disarmWords, endingWords } from '../words/process.js';
import { notSeenSentences, rejectedLine } from '../words/unseen.js';
import { name, processName, rankWords } from '../words/words.js';
import { folded, heading, MOST, moreRows, paragraph } from './kit.js';

/** Who else held GPU memory, where it was not said at the top. */
export function gpuBlock(manifest: Manifest): Block | null {
  const { before = null, after = null, holders = [] } = manifest.gpu ?? {};
  const rowsOf = (when: 'before' | 'after', words: string): string[] =>
    holders.flatMap((one) => {
      const held = one[when];
      if (held === null || one.whose !== 'stranger') return [];
      return row([
        [words],
        [one.device === null ? '' : `GPU ${one.device}`],
        [String(one.pid)],
        one.name === null ? [] : [name(one.name, 60)],
        [held.used === null ? '' : formatBytes(held.used)],
      ]);
    });
  const rows = [...rowsOf('before', 'before the step'), ...rowsOf('after', 'after it')];
  if (rows.length === 0) return null;
  const tool = before?.state === 'seen' ? before.tool : after?.state === 'seen' ? after.tool : '';
  return folded(35, say`Who else was on the GPUs, by ${tool}`, {
    open: tableHead(['when', 'device', 'pid', 'program', 'held'], ['left', 'left', 'right', 'left', 'right']),
    rows: rows.slice(0, MOST.processes),
    close: moreRows(Math.max(0, rows.length - MOST.processes)),
  });
}

/** Who of the step held the host's memory, where the kernel has ended something for it. */
export function hostBlock({ host }: Manifest): Block | null {
  const use = host?.use;
  if (!use) return null;
  const rows = use.owners.map((owner) =>
    row([hostOwnerRich(owner), [formatBytes(owner.own)], [formatBytes(owner.shared)]]),
  );
  const shm =
    use.shm === null
      ? ''
      : `\n${markdown(say`${code('/dev/shm')} held ${formatBytes(use.shm.used)} of ${formatBytes(use.shm.total)}.`)}\n`;
  return {
    weight: 90,
    open: tableHead(
      ["Who held the host's memory, when most was seen", 'of its own', 'shared'],
      ['left', 'right', 'right'],
    ),
    rows,
    close: () => `${shm}\n`,
  };
}

export function cyclesBlock(manifest: Manifest): Block | null {
  if (manifest.cycles.count === 0) return null;
  const held = Object.values(manifest.cycles.bytes).reduce((sum, n) => sum + n, 0);
  const all = mergedCycles(manifest);
  const rows = all.slice(0, MOST.cycles).map(({ cycle, seen, bytes }) => {
    const types = joinRich(
      cycle.types.slice(0, 4).map((t) => say`${name(t.name, 60)}${t.count > 1 ? ` ×${t.count}` : null}`),
      ', ',
    );
    const frame = userFrame(cycle.frames, manifest.step.workspace) ?? cycle.frames[0];
    return row([
      types,
      [String(seen)],
      [String(cycle.tensors)],
      [formatBytes(bytes)],
      frame ? say`${name(placeOf(frame, manifest.step.workspace))} in ${name(frame.function, 60)}` : [],
    ]);
  });
  const kinds = manifest.cycles.count;
  return folded(
    45,
    say`Reference cycles: ${count(kinds, 'kind')} held ${count(manifest.cycles.tensors, 'GPU tensor')}, ${formatBytes(held)}`,
    {
      open: tableHead(
        ['types on the cycle', 'seen', 'tensors', 'held', 'its tensors were allocated at'],
        ['left', 'right', 'right', 'right', 'left'],
      ),
      rows,
      close: (dropped) => `${moreRows(Math.max(0, kinds - rows.length))(dropped)}`,
    },
  );
}

export function parityBlock(manifest: Manifest): Block | null {
  const { state, reason, result } = manifest.parity;
  if (state === 'off') return null;
  const version = (value: unknown): string | null => (typeof value === 'string' ? shorten(value, 60) : null);
  const torch = version(result?.environment.torch);
  const facts = [
    torch === null ? null : `torch ${torch}`,
    result?.earlier
      ? 'checked earlier in this job'
      : result?.seconds == null
        ? null
        : `${result.seconds.toFixed(1)} s`,
  ].filter((f) => f !== null);
  const title = say`Parity with the frozen fixture: ${strong(state)}${facts.length === 0 ? null : ` (${facts.join(', ')})`}`;
  const why = reason === null ? null : say`${shorten(reason, 500)}`;
  if (!result)
    return state === 'match'
      ? null
      : folded(44, title, { open: why ? paragraph(why) : '', rows: [], close: () => '' });
  const lines: Rich[] = [
    say`Rebuilt view: ${result.view.status}. Torch's own categorizer: ${result.oracle.status}${result.oracle.reason ? say` (${result.oracle.reason})` : null}. Migration table: ${result.migration.status}${result.migration.reason ? say` (${result.migration.reason})` : null}.`,
  ];
  const differences = [
    ...result.view.differences,
    ...result.oracle.differences,
    ...result.migration.differences,
  ];
  const table = result.migration.rows;
  const rows = table
    .slice(0, MOST.migration)
    .map((r) =>
      row([[name(r.from, 40)], [name(r.to, 40)], [r.count.toLocaleString('en-US')], [formatBytes(r.bytes)]]),
    );
  const head =
    rows.length === 0
      ? ''
      : tableHead(["torch's category", 'here', 'tensors', 'bytes'], ['left', 'left', 'right', 'right']);
  const said = result.migration.lines;
  const notes = said
    .slice(0, MOST.notes)
    .map((line) => `- ${escapeText(line)}\n`)
    .join('');
  return folded(state === 'drift' ? 75 : 44, title, {
    open: `${why ? paragraph(why) : ''}${differences
      .slice(0, MOST.lines)
      .map((line) => `- ${escapeText(line)}\n`)
      .join('')}\n${lines.map(paragraph).join('')}${head}`,
    rows,
    close: (dropped) =>
      `${moreRows(table.length - rows.length)(dropped)}\n${notes}${moreRows(Math.max(0, said.length - MOST.notes))(0)}\n`,
  });
}

/** One line where torch has something new that may make a snapshot readable; on a green run and a red one. */
export function triggerBlock(manifest: Manifest): Block | null {
  const fresh = manifest.parity.result?.trigger?.new ?? [];
  if (fresh.length === 0) return null;
  const more = fresh.length > 5 ? ` and ${fresh.length - 5} more` : null;
  return plainBlock(
    30,
    paragraph(
      say`${strong('Review trigger')}: ${joinRich(
        fresh.slice(0, 5).map((one) => [shorten(one, 120)]),
        ', ',
      )}${more} in torch is new. Tell the maintainers of this action, who look again at what a snapshot may be read for.`,
    ),
  );
}

interface ProcessGroup {
  readonly first: ManifestProcess;
  readonly members: readonly ManifestProcess[];
}

/**
 * Processes that ended alike on one host, together: `0, 2 to 7`. The first failure on top and on its own; the
 * others that ran out of memory as well, where there is one host only.
 */
export function processGroups(manifest: Manifest): readonly ProcessGroup[] {
  const firstFailure = fatalStories(manifest)[0]?.process;
  const oneHost = new Set(manifest.processes.map((p) => p.host)).size === 1;
  const groups = new Map<string, ManifestProcess[]>();
  for (const process of manifest.processes) {
    const alone = process.rank === null || process === firstFailure || (oneHost && process.oom_count > 0);
    const key = alone
      ? `${process.host}.${process.pid}.${process.token}`
      : [
          process.host,
          process.github_action,
          endingWords(manifest, process),
          disarmWords(manifest, process),
          process.program,
        ].join('\n');
    const group = groups.get(key);
    if (group) group.push(process);
    else groups.set(key, [process]);
  }
  const weight = (p: ManifestProcess): number =>
    (p === firstFailure ? 16 : 0) +
    (endingOf(manifest, p) === 'oom' ? 8 : 0) +
    (p.oom_count > 0 ? 4 : 0) +
    (['armed-still', 'unproven', 'not-armed'].includes(disarmOf(p)) ? 2 : 0) +
    (p.rank === null ? 0 : 1);
  return [...groups.values()]
    .map((members) => ({ first: members[0] as ManifestProcess, members }))
    .sort((a, b) => weight(b.first) - weight(a.first) || (a.first.rank ?? 0) - (b.first.rank ?? 0));
}

/** Lowest to highest of some amounts. */
function span(amounts: readonly number[]): string {
  if (amounts.length === 0) return '';
  let [low, high] = [amounts[0] as number, amounts[0] as number];
  for (const n of amounts) {
    if (n < low) low = n;
    if (n > high) high = n;
  }
  return low === high ? formatBytes(low) : `${formatBytes(low)} to ${formatBytes(high)}`;
}

/** `Rank 37 peaked at 78.00 GiB; the others at 70.10 GiB to 71.40 GiB`: the rank that stands apart, if one does. */
export function spreadSentence(manifest: Manifest): string | null {
  const peaks = manifest.processes.flatMap((p) => {
    const peak = peakOf(p)?.peak_allocated ?? null;
    return p.rank === null || peak === null ? [] : [{ rank: p.rank, peak }];
  });
  const [top, ...others] = [...peaks].sort((a, b) => b.peak - a.peak);
  const [second, last] = [others[0], others.at(-1)];
  if (top === undefined || second === undefined || last === undefined || others.length < 2) return null;
  // Apart: further from the next one than all the others are from each other, and by a hundredth at least.
  const gap = top.peak - second.peak;
  if (gap <= second.peak - last.peak || gap < top.peak / 100) return null;
  return `Rank ${top.rank} peaked at ${formatBytes(top.peak)}; the others at ${span(others.map((o) => o.peak))}.`;
}

export function processesBlock(manifest: Manifest): Block | null {
  const { processes } = manifest;
  if (processes.length === 0) return null;
  const groups = processGroups(manifest);
  const hosts = new Set(processes.map((p) => p.host)).size > 1;
  const job = manifest.step.scope === 'job';
  const shown = groups.slice(0, MOST.processes);
  const rows = shown.map(({ first, members }) => {
    const ranks = members.flatMap((p) => (p.rank === null ? [] : [p.rank]));
    const peaks = members.map(peakOf).filter((d) => d !== null);
    return row([
      [ranks.length === 0 ? '' : rankWords(ranks)],
      ...(job ? [[stepName(first, manifest.step.workspace) ?? ''].map((text) => name(text, 60))] : []),
      ...(hosts ? [[name(first.host, 40)]] : []),
      [members.length === 1 ? String(first.pid) : `${members.length} processes`],
      first.program === null ? [] : [name(first.program, 40)],
      [endingWords(manifest, first)],
      [span(peaks.flatMap((d) => (d.peak_allocated === null ? [] : [d.peak_allocated])))],
      [span(peaks.flatMap((d) => (d.peak_reserved === null ? [] : [d.peak_reserved])))],
      [disarmWords(manifest, first)],
    ]);
  });
  const names = [
    'rank',
    ...(job ? ['step'] : []),
    ...(hosts ? ['host'] : []),
    'pid',
    'program',
    'ended',
    'peak allocated',
    'peak reserved',
    'disarmed',
  ];
  const rights = new Set(['peak allocated', 'peak reserved']);
  const spread = spreadSentence(manifest);
  const head = tableHead(
    names,
    names.map((n) => (rights.has(n) ? 'right' : 'left')),
  );
  return folded(55, processesTitle(manifest), {
    open: `${spread === null ? '' : paragraph([spread])}${head}`,
    rows,
    close: moreRows(groups.length - shown.length),
  });
}

function processesTitle(manifest: Manifest): Rich {
  const { processes } = manifest;
  const number = (test: (p: ManifestProcess) => boolean): number => processes.filter(test).length;
  const oom = number(endedByOom);
  const sigterm = number((p) => endingOf(manifest, p) === 'sigterm');
  const disarmed = number((p) => disarmOf(p) === 'disarmed');
  const open = processes.filter((p) => disarmOf(p) === 'armed-still');
  const [running, elsewhere] = (['running', 'elsewhere'] as const).map(
    (ending) => open.filter((p) => endingOf(manifest, p) === ending).length,
  ) as [number, number];
  const early = open.length - running - elsewhere;
  const never = number((p) => disarmOf(p) === 'not-armed');
  const unproven = number((p) => disarmOf(p) === 'unproven');
  const idle = number((p) => disarmOf(p) === 'idle');
  const how = [
    oom > 0 ? `${oom} out of memory` : null,
    sigterm > 0 ? `${sigterm} ended by SIGTERM` : null,
  ].filter((x) => x !== null);
  const proof = [
    `recording disarmed in ${disarmed}`,
    running > 0 ? `still armed in ${running} that still ${running === 1 ? 'runs' : 'run'}` : null,
    elsewhere > 0 ? `not seen disarmed in ${elsewhere} under another host name` : null,
    early > 0 ? `ended before disarming in ${early}` : null,
    unproven > 0 ? `not proven off in ${unproven}` : null,
    never > 0 ? `never armed in ${never}` : null,
    idle > 0 ? `no GPU used in ${idle}` : null,
  ].filter((x) => x !== null);
  return [
    `${count(processes.length, 'process', 'processes')}${how.length > 0 ? `: ${how.join(', ')}` : ''} · ${proof.join(', ')}`,
  ];
}

/** What was not seen, each with its remedy. Not folded: no evidence is not a pass. */
export function notSeenBlock(manifest: Manifest): Block | null {
  const lines = notSeenSentences(manifest);
  if (lines.length === 0) return null;
  const shown = lines.slice(0, MOST.lines);
  return {
    weight: 82,
    open: heading('Not seen'),
    rows: shown.map((line) => `- ${markdown(line)}\n`),
    close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
  };
}

export function survivorsBlock(manifest: Manifest): Block | null {
  const list = (all: Manifest['killed']): Rich => {
    const shown = all
      .slice(0, MOST.lines)
      .map((s) => say`pid ${s.pid}${s.program === null ? null : say` ${name(s.program, 40)}`}`);
    const hidden = all.length - shown.length;
    return say`${joinRich(shown, ', ')}${hidden > 0 ? ` and ${hidden} more` : null}`;
  };
  const lines: Rich[] = [];
  const { still_running: running, killed } = manifest;
  if (running.length > 0) {
    lines.push(
      say`${strong('Still running')}: ${list(running)}. Evidence that ${running.length === 1 ? 'it writes' : 'they write'} later is collected at the end of the job.`,
    );
  }
  if (killed.length > 0)
    lines.push(say`${strong('Ended by SIGKILL')} after the grace period: ${list(killed)}.`);
  return lines.length === 0 ? null : plainBlock(48, lines.map(paragraph).join(''));
}

export function troublesBlock(manifest: Manifest): Block | null {
  const lines: Rich[] = [];
  const reasons = rejectedLine(manifest);
  if (reasons !== null) lines.push([shorten(reasons, 1000)]);
  for (const fault of manifest.faults) lines.push([shorten(fault, 300)]);
  for (const process of manifest.processes) {
    for (const fault of process.faults) lines.push(say`${processName(process)}: ${shorten(fault, 300)}`);
    for (const note of process.notes)
      lines.push(say`receipt of ${processName(process)}: ${shorten(note, 200)}`);
  }
  for (const rejected of manifest.rejected)
    lines.push(say`not accepted as evidence: ${name(rejected.name)}, ${shorten(rejected.reason, 200)}`);
  if (lines.length === 0) return null;
  const total = lines.length + Math.max(0, manifest.rejected_count - manifest.rejected.length);
  const shown = lines.slice(0, MOST.rejected * 2);
  return folded(20, say`${count(total, 'remark')} on the recording itself`, {
    open: '',
    rows: shown.map((line) => `- ${markdown(line)}\n`),
    close: moreRows(total - shown.length),
  });
}

export function dumpTrouble(manifest: Manifest): Block | null {
  const lines: Rich[] = [];
  for (const process of manifest.processes) {
    // One that was taken and gave way to a newer one is no failure.
    const failed = process.ooms.find(
      (oom) => oom.snapshot_error !== null && !oom.snapshot_error.startsWith('removed'),
    );
    if (failed)
      lines.push(
        say`No snapshot of an out-of-memory on ${processName(process)}: ${shorten(failed.snapshot_error ?? '', 300)}`,
      );
  }
  if (lines.length === 0) return null;
  const shown = lines.slice(0, MOST.lines);
  return {
    weight: 84,
    open: '',
    rows: shown.map((line) => `- ${markdown(line)}\n`),
    close: (dropped) => `${moreRows(lines.length - shown.length)(dropped)}\n`,
  };
}
