/**
 * The tables of inputs and outputs in the README, made from action.yml. `node lab/scripts/tables.mjs`
 * rewrites them in place; a test holds the README to them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './lib.mjs';

const cell = (text) => text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');

/** Markdown table of the inputs. @param action action.yml as parsed */
export function inputsTable(action) {
  const rows = Object.entries(action.inputs).map(([name, { description, required, default: value }]) => {
    const shown = required
      ? 'required'
      : value === undefined || value === ''
        ? ''
        : `\`${cell(String(value))}\``;
    return `| \`${name}\` | ${shown} | ${cell(description)} |`;
  });
  return ['| input | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Markdown table of the outputs. */
export function outputsTable(action) {
  const rows = Object.entries(action.outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return ['| output | what it is |', '| --- | --- |', ...rows].join('\n');
}

/** A document with a table put between its markers. */
export function withTable(text, name, table) {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`there is no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`;
}

/** The README with both tables put between their markers. */
export function withTables(readme, action) {
  return withTable(withTable(readme, 'inputs', inputsTable(action)), 'outputs', outputsTable(action));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { parse } = await import('yaml');
  const path = join(ROOT, 'README.md');
  const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));
  writeFileSync(path, withTables(readFileSync(path, 'utf8'), action));
}
