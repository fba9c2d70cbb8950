/** Writing HTML in which foreign text stays text: the one place of the page that escapes. */
import { escape as escapeText } from 'html-escaper';
import { INVISIBLE, type Rich, unbroken } from './rich.js';

/** HTML that is safe to write as it is. Only `html` and `raw` make it. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** Text as HTML, usable in an element and in a quoted attribute. */
export const escapeHtml = (text: string): string => escapeText(text.toWellFormed().replace(INVISIBLE, ''));

/** Of our own making: constants and what `html` made. */
export const raw = (text: string): Html => new Html(text);

function show(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(show).join('');
  return escapeHtml(String(value));
}

/** Template for HTML: every value is escaped unless it is Html itself. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.map((part, i) => part + show(values[i])).join(''));

/** A sentence of the report. */
export const rich = (sentence: Rich): Html =>
  html`${sentence.map((piece) => {
    if (typeof piece === 'string') return unbroken(piece);
    if ('code' in piece) return html`<code>${piece.code}</code>`;
    if ('strong' in piece) return html`<strong>${rich(piece.strong)}</strong>`;
    return html`<a href="${piece.href}" rel="noreferrer noopener">${rich(piece.link)}</a>`;
  })}`;

/** A value as JSON inside a script element: nothing in it can end the element or start a comment. */
export const scriptJson = (value: unknown): Html =>
  raw(
    JSON.stringify(value)
      .replace(/</g, '\\u003c')
      .replace(/>/g, '\\u003e')
      .replace(/&/g, '\\u0026')
      .replace(/\u2028/g, '\\u2028')
      .replace(/\u2029/g, '\\u2029'),
  );
