/**
 * What the inputs `fixture` and `python` name. Apart from the check itself, which a step that is refused
 * never loads.
 */
import { fromWorkspace } from '../plan.js';

/** Path of the fixture that the input names, from the workspace; null for the built-in one. */
export const fixturePath = (fixture: string, workspace: string): string | null =>
  fixture === '' ? null : fromWorkspace(fixture, workspace);

/**
 * The interpreter that the input names: a name on PATH as it is, a path from the workspace; null when it
 * names none.
 */
export const interpreterPath = (python: string, workspace: string): string | null =>
  python === '' ? null : python.includes('/') ? fromWorkspace(python, workspace) : python;
