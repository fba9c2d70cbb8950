/**
 * The page's section on reference cycles: each kind as a graph, with what it held and where that was
 * allocated. Pure.
 */

import type { Manifest } from '../../evidence/manifest.js';
import type { Cycle, CycleGraph } from '../../evidence/receipt.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { mergedCycles } from '../cycles.js';
import { type Html, html, raw } from '../html.js';
import { shorten } from '../rich.js';
import { MOST, more, type Section, scrolling, stack } from './kit.js';

/** Sizes of the drawing, in its own units, which are pixels where there is room. */
const ROW = 46;
const BOX = 26;
/** Advance of one character of the drawing's monospaced 12 px. */
const CHAR = 7.3;
/** Room at the left for the reference that closes the ring. */
const LEFT = 40;
/** The last of a long dotted name is what tells. */
const nameOf = (text: string): string =>
  shorten(text.length > 44 ? (text.split('.').at(-1) ?? text) : text, 44);
const widthOf = (text: string): number => text.length * CHAR + 16;

const px = (n: number): string => n.toFixed(0);

function box(x: number, y: number, text: string, full: string, held: boolean): Html {
  return html`<rect class="node${held ? ' hold' : null}" x="${px(x)}" y="${y}" width="${px(widthOf(text))}" height="${BOX}" rx="5"><title>${full}</title></rect><text class="code" x="${px(x + 8)}" y="${y + 17}">${text}</text>`;
}

const label = (x: number, y: number, text: string): Html | null =>
  text === '' ? null : html`<text class="code label" x="${px(x)}" y="${px(y)}">${shorten(text, 40)}</text>`;

/**
 * The ring as a column, each box referring to the one below it and the last to the first, by the edge at the
 * left; what the ring holds to the right of it, with the way down to each tensor. `key` tells the drawings of
 * a page apart.
 */
export function drawCycle(graph: CycleGraph, key: string): Html {
  const { ring, held } = graph;
  const column = Math.max(...ring.map(({ name }) => widthOf(nameOf(name))));
  const arrow = `url(#arrow-${key})`;
  const boxes: Html[] = [];
  const edges: (Html | null)[] = [];
  for (const [i, step] of ring.entries()) {
    const y = i * ROW + 2;
    boxes.push(box(LEFT, y, nameOf(step.name), step.name, false));
    if (i < ring.length - 1) {
      edges.push(
        html`<path class="edge back" d="M${LEFT + 16} ${y + BOX}v${ROW - BOX - 1}" marker-end="${arrow}"/>`,
        label(LEFT + 24, y + BOX + 14, step.label),
      );
    } else {
      const top = 2 + BOX / 2;
      edges.push(
        html`<path class="edge back" d="M${LEFT} ${y + BOX / 2}H12V${top}H${LEFT - 1}" marker-end="${arrow}"/>`,
        label(LEFT + 24, y + BOX + 14, `${step.label} ↑`.trim()),
      );
    }
  }
  let rows = 0;
  let width = LEFT + column + 20;
  for (const { at, path, bytes, device } of held) {
    const line = Math.max(at, rows);
    rows = line + 1;
    const middle = line * ROW + 2 + BOX / 2;
    let x = LEFT + widthOf(nameOf(ring[at]?.name ?? ''));
    let from = at * ROW + 2 + BOX / 2;
    for (const [i, step] of path.entries()) {
      const last = i === path.length - 1;
      const text = last ? `${nameOf(step.name)}  ${formatBytes(bytes)} ${device}` : nameOf(step.name);
      const turn = i === 0 ? LEFT + column + 14 : x + 8;
      const to = turn + Math.max(40, Math.min(step.label.length, 40) * CHAR + 16);
      edges.push(
        html`<path class="edge" d="M${px(x)} ${from}H${px(turn)}V${middle}H${px(to - 1)}" marker-end="${arrow}"/>`,
        label(turn + 6, middle - 5, step.label),
      );
      boxes.push(box(to, middle - BOX / 2, text, step.name, last));
      x = to + widthOf(text);
      from = middle;
    }
    width = Math.max(width, x + 10);
  }
  const height = Math.max(ring.length, rows) * ROW + 8;
  return html`<svg class="cycle" role="img" aria-label="${spoken(graph)}" width="${px(width)}" height="${height}" viewBox="0 0 ${px(width)} ${height}"><defs><marker id="arrow-${key}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>${edges}${boxes}</svg>`;
}

/** The ring in words, for who does not see the drawing. */
const spoken = ({ ring }: CycleGraph): string =>
  `${ring.map(({ name, label }) => `${name} refers by ${label || 'a reference'} to`).join(' ')} ${ring[0]?.name}`;

const types = ({ types: list }: Cycle): string =>
  list.map(({ name, count: n }) => (n > 1 ? `${name} ×${n}` : name)).join(', ');

function picture(cycle: Cycle, key: string): Html {
  if (cycle.graph === null) return html`<p>On the cycle: <code>${types(cycle)}</code>.</p>`;
  const { ring_cut: ring, held_cut: held } = cycle.graph;
  const cut = [
    ...(ring > 0 ? [`${count(ring, 'object')} more on the way round`] : []),
    ...(held > 0 ? [`${count(held, 'tensor')} more held the first time it was seen`] : []),
  ];
  return html`${scrolling(`The cycle: ${types(cycle)}`, drawCycle(cycle.graph, key))}${cut.length === 0 ? null : html`<p class="fold">${cut.join('; ')}.</p>`}`;
}

export function cyclesSection(manifest: Manifest): Section | null {
  const all = mergedCycles(manifest);
  if (all.length === 0) return null;
  const shown = all.slice(0, MOST.cycles);
  const held = Object.entries(manifest.cycles.bytes).map(([device, n]) => `${formatBytes(n)} on ${device}`);
  return {
    id: 'cycles',
    title: 'Reference cycles',
    body: html`<p>${count(manifest.cycles.count, 'kind')} of cycles held ${count(manifest.cycles.tensors, 'GPU tensor')}${held.length > 0 ? `: ${held.join(', ')}` : ''}. No variable of the program reached them any more; Python frees such objects only when its collector runs. Break one of the references of the ring when the object is done, or make it a weak one.</p>${shown.map(
      ({ cycle, seen, bytes: n, processes }, i) =>
        html`<details${i === 0 ? raw(' open') : null}><summary><strong>${formatBytes(n)}</strong> in ${count(cycle.tensors, 'tensor')}, seen ${count(seen, 'time')}, ${[...processes].slice(0, 4).join(', ')}</summary>${picture(cycle, String(i))}<h3>Its tensors were allocated at</h3>${cycle.frames.length === 0 ? html`<p class="fold">No frames: recording was off or they were made in backward.</p>` : stack(cycle.frames, manifest.step.workspace)}</details>`,
    )}${more(all.length - shown.length, 'kinds')}`,
  };
}
