/** Sections of the page about the out-of-memory: what was alive, hints, stacks, every event. Pure. */

import type { Manifest, ManifestProcess } from '../../evidence/manifest.js';
import type { Oom } from '../../evidence/receipt.js';
import { adviceFor } from '../../judge/advice.js';
import { hintsFor } from '../../judge/hints.js';
import { hostAdvice } from '../../judge/host-advice.js';
import { isFatal } from '../../judge/outcomes.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { type Html, html, rich } from '../html.js';
import {
  accountOf,
  censusOf,
  fatalStories,
  mainStory,
  type OomStory,
  type Outcome,
  outcomeOf,
  type Part,
  partsOf,
} from '../story.js';
import { amount, ownersRich, PART_NAMES, partRich, share } from '../words/memory.js';
import { poolsRich } from '../words/pools.js';
import { OUTCOME_WORDS } from '../words/process.js';
import { verdictParagraphs } from '../words/verdict.js';
import { processName } from '../words/words.js';
import {
  bar,
  bytes,
  type Cell,
  type Column,
  chip,
  legend,
  MOST,
  more,
  type Section,
  scrolling,
  stack,
  sum,
  table,
} from './kit.js';

/** The largest owners of a part; the rest of those that are known folded. */
function under(part: Part): Html | null {
  const [first, rest] = [ownersRich(part, 3), ownersRich(part, 20, 3)];
  if (first.length === 0) return null;
  if (rest.length === 0) return html`<br><span class="owners">${rich(first)}</span>`;
  return html`<br><span class="owners">${rich(first)}</span><details><summary class="fold">more</summary>${rich(rest)}</details>`;
}

/** What happened, and after its first sentence what to do first. */
export function lead(manifest: Manifest): readonly Html[] {
  const advice = hostAdvice(manifest) ?? adviceFor(manifest)?.text ?? null;
  const [first, ...rest] = verdictParagraphs(manifest).map((p) => html`<p class="lead">${rich(p)}</p>`);
  const told =
    advice === null ? [] : [html`<p class="lead first"><strong>Do this first</strong>: ${rich(advice)}</p>`];
  return [...(first === undefined ? [] : [first]), ...told, ...rest];
}

export function memorySection(manifest: Manifest, story: OomStory): Section | null {
  const account = accountOf(manifest, story);
  const census = censusOf(story.oom.census, story.oom.device);
  const parts = partsOf(account, story.oom);
  const whole = sum(parts);
  if (whole === 0) return null;
  // Owners under their category: a column of their own is off the screen of a telephone.
  const rows = parts.map((part): readonly Cell[] => [
    html`${chip(part.name)}${rich(part.name === 'free' ? ['free'] : partRich(part))}${under(part)}`,
    amount(part),
    part.bytes === 0 ? '' : share(part.bytes, whole),
    part.count === null ? '' : part.count.toLocaleString('en-US'),
  ]);
  const pools = poolsRich(census);
  const title = `GPU ${story.oom.device ?? 0} of ${processName(story.process)} when it failed: ${formatBytes(whole)} in all`;
  const body = html`<svg class="bar" viewBox="0 0 1000 64" preserveAspectRatio="none" role="img" aria-label="${title}: ${parts.map((p) => `${PART_NAMES[p.name]} ${formatBytes(p.bytes)}`).join(', ')}">${bar(parts, whole, 0, 0, 1000, 64)}</svg>
${table(title, [{ name: 'what' }, { name: 'bytes', number: true }, { name: 'share', number: true }, { name: 'storages', number: true }], rows)}
${census ? html`<p>${share(census.attributed, census.allocated)} of the ${formatBytes(census.allocated)} allocated is attributed to what it was observed to be, in ${story.oom.census?.seconds ?? '?'} s.${story.oom.census?.complete === false ? ` The look was cut short: ${story.oom.census.cut ?? 'no reason given'}.` : ''}</p>` : null}${pools === null ? null : html`<p>${rich(pools)}</p>`}`;
  return { id: 'memory', title: 'What was alive', body };
}

interface Event {
  readonly process: ManifestProcess;
  readonly oom: Oom;
  readonly outcome: Outcome;
  readonly fatal: boolean;
}

function eventsOf(manifest: Manifest): readonly Event[] {
  return manifest.processes.flatMap((process) =>
    process.ooms.map((oom, index) => {
      const outcome = outcomeOf(manifest, process, index);
      return { process, oom, outcome, fatal: outcome === 'process' || isFatal(oom) };
    }),
  );
}

/** Memory by category at each out-of-memory. */
export function eventsSection(manifest: Manifest): Section | null {
  const all = eventsOf(manifest);
  if (all.length < 2) return null;
  const order = [...all].sort(
    (a, b) => Number(b.fatal) - Number(a.fatal) || (a.oom.time ?? 0) - (b.oom.time ?? 0),
  );
  const shown = order.slice(0, MOST.events).sort((a, b) => (a.oom.time ?? 0) - (b.oom.time ?? 0));
  const lines = shown.map((event) => {
    const account = accountOf(manifest, event);
    return { event, account, parts: partsOf(account, event.oom) };
  });
  const whole = Math.max(...lines.map(({ parts }) => sum(parts)), 1);
  const height = 26;
  const start = manifest.step.started;
  const names = [...new Set(lines.flatMap(({ parts }) => parts.map((p) => p.name)))];
  const chart = html`<svg class="chart" viewBox="0 0 1000 ${lines.length * height + 4}" role="img" aria-label="Memory by category at each of ${lines.length} out-of-memory errors; the table below has the numbers">${lines.map(
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
    OUTCOME_WORDS[event.outcome],
    event.oom.dump_seconds === null ? '' : `${event.oom.dump_seconds.toFixed(2)} s`,
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
    { name: 'dump took', number: true },
    { name: 'snapshot' },
  ];
  const dropped = manifest.oom_count - shown.length;
  return {
    id: 'events',
    title: 'Every out-of-memory',
    body: html`${legend(names)}${scrolling('Memory at each out-of-memory', chart)}${table(`${shown.length} of ${count(manifest.oom_count, 'out-of-memory error')}; ✕ ended its process`, columns, rows)}${more(dropped, 'events')}`,
  };
}

export function hintsSection(manifest: Manifest): Section | null {
  const hints = hintsFor(manifest);
  if (hints.length === 0) return null;
  return {
    id: 'hints',
    title: 'What the numbers suggest',
    body: html`<ul class="hints">${hints.map((h) => html`<li>${rich(h.text)}</li>`)}</ul>`,
  };
}

export function stacksSection(manifest: Manifest): Section | null {
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
