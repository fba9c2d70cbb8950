// Reads an action.yml and resolves the inputs of one step, as GitHub's runner does.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { interpolate } from './expressions.mjs';

/**
 * @typedef {object} Action
 * @property {string} name
 * @property {Record<string, {required: boolean, default: string | null, deprecated: string | null}>} inputs
 * @property {string[]} outputs
 * @property {string} using e.g. node24
 * @property {string} main path from the action's folder
 * @property {string | null} post
 * @property {string} postIf
 */

/** @param {string} dir @returns {Promise<Action>} */
export async function loadAction(dir) {
  const file = ['action.yml', 'action.yaml'].map((n) => join(dir, n)).find((f) => existsSync(f));
  if (!file) throw new Error(`no action.yml in ${dir}`);
  const { parse } = await import('yaml').catch(() => {
    throw new Error('the npm package "yaml" is missing; install it with: npm install');
  });
  return readAction(parse(readFileSync(file, 'utf8')), file);
}

/** @param {any} data parsed YAML @param {string} file for messages @returns {Action} */
export function readAction(data, file) {
  const runs = data?.runs ?? {};
  const using = String(runs.using ?? '');
  if (!/^node\d+$/i.test(using))
    throw new Error(`${file}: runs.using is "${using}"; this runner knows node20, node24, …`);
  if (!runs.main) throw new Error(`${file}: runs.main is missing`);
  if (runs.pre) throw new Error(`${file}: runs.pre is not supported by this runner`);
  /** @type {Action['inputs']} */
  const inputs = {};
  for (const [name, input] of Object.entries(data.inputs ?? {})) {
    inputs[name] = {
      required: input?.required === true,
      default: input?.default === undefined || input.default === null ? null : String(input.default),
      deprecated: input?.deprecationMessage ?? null,
    };
  }
  return {
    name: String(data.name ?? ''),
    inputs,
    outputs: Object.keys(data.outputs ?? {}),
    using,
    main: String(runs.main),
    post: runs.post ? String(runs.post) : null,
    postIf: String(runs['post-if'] ?? 'always()'),
  };
}

/**
 * The inputs of a step: what the workflow gives (names ignore case), else the default, evaluated; an input
 * without either is empty. As the real runner, `required` is not enforced here, and an unknown input only
 * warns.
 * @param {Action} action
 * @param {Record<string, unknown>} given
 * @param {import('./expressions.mjs').Scope} scope
 * @returns {{values: Record<string, string>, warnings: string[]}}
 */
export function resolveInputs(action, given, scope) {
  /** @type {Record<string, string>} */
  const values = {};
  const warnings = [];
  const known = new Map(Object.keys(action.inputs).map((n) => [n.toLowerCase(), n]));
  for (const [name, input] of Object.entries(action.inputs))
    values[name] = input.default === null ? '' : interpolate(input.default, scope);
  const unexpected = [];
  for (const [name, value] of Object.entries(given)) {
    const own = known.get(name.toLowerCase());
    if (own === undefined) unexpected.push(name);
    else if (action.inputs[own]?.deprecated)
      warnings.push(`Input '${own}' has been deprecated with message: ${action.inputs[own]?.deprecated}`);
    values[own ?? name] = String(value);
  }
  if (unexpected.length > 0) {
    const list = (/** @type {string[]} */ names) => names.map((n) => `'${n}'`).join(', ');
    warnings.push(
      `Unexpected input(s) ${list(unexpected)}, valid inputs are [${list(Object.keys(action.inputs))}]`,
    );
  }
  return { values, warnings };
}

/** Name of an input's variable: upper case, spaces to underscores, hyphens kept. @param {string} name */
export const inputVariable = (name) => `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
