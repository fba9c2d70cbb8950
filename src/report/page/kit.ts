/**
 * What the sections of the page share: bounds, tables, bars, stacks. Every text goes through the template of
 * html.ts. Pure.
 */

import type { Frame } from '../../evidence/receipt.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import { foldStack, placeOf } from '../frames.js';
import { type Html, html, raw } from '../html.js';
import type { Part } from '../story.js';
import { PART_NAMES } from '../words/memory.js';

/** Bounds of what the page holds; all of it is in manifest.json. */
export const MOST = {
  processes: 1024,
  events: 64,
  stacks: 24,
  cycles: 32,
  peaks: 256,
  lines: 200,
  frames: 100,
} as const;

export const more = (hidden: number, what: string): Html | null =>
  hidden > 0 ? html`<p class="fold">and ${hidden} more ${what}, in manifest.json.</p>` : null;

export const bytes = (n: number | null): string => (n === null ? '' : formatBytes(n));

export interface Column {
  readonly name: string;
  readonly number?: true;
}
export type Cell = Html | string | number | null;

/** Something wide that scrolls by itself on a narrow screen, by keyboard too. */
export const scrolling = (label: string, inside: Html): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${inside}</div>`;

/** A table that scrolls by itself on a narrow screen; its first column heads the rows. */
export function table(
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

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

export const HATCHED = new Set<Part['name']>(['gradient', 'unknown', 'unused', 'others']);

/** Patterns that tell neighbours apart where colours do not. */
export const PATTERNS = raw(
  '<svg width="0" height="0" aria-hidden="true" class="visually-hidden"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs></svg>',
);

export const chip = (name: Part['name']): Html =>
  html`<svg class="chip" viewBox="0 0 16 16" aria-hidden="true"><rect class="block f-${name}" x="1" y="1" width="14" height="14"/>${HATCHED.has(name) ? raw('<rect x="1" y="1" width="14" height="14" fill="url(#hatch)"/>') : null}</svg>`;

/** Parts of a device as one bar. `width` units for `whole` bytes. */
export function bar(
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

export const sum = (parts: readonly Part[]): number => parts.reduce((total, part) => total + part.bytes, 0);

export const legend = (names: readonly Part['name'][]): Html =>
  html`<ul class="legend">${names.map((name) => html`<li>${chip(name)}${PART_NAMES[name]}</li>`)}</ul>`;

export function stack(frames: readonly Frame[], workspace: string | null): Html {
  const groups = foldStack(frames);
  if (groups.length === 0) return html`<p class="fold">No Python frame.</p>`;
  const line = (frame: Frame): string => `${placeOf(frame, workspace)}  ${frame.function}`;
  return html`<div>${groups.map((group) =>
    group.kind === 'user'
      ? html`<pre class="own"><code>${group.frames.map(line).join('\n')}</code></pre>`
      : html`<details><summary class="fold">${count(group.frames.length, 'frame')} of ${group.packages.slice(0, 6).join(', ')}</summary><pre><code>${group.frames.map(line).join('\n')}</code></pre></details>`,
  )}</div>`;
}
