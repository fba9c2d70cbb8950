/** What the inputs `fixture` and `python` name. Apart from the check itself, which a step that is refused never loads. */
import { statSync } from 'node:fs';
import { fromWorkspace } from '../plan.js';

/** Path of the fixture that the input names, from the workspace; null for the built-in one. */
export const fixturePath = (fixture: string, workspace: string): string | null =>
  fixture === '' ? null : fromWorkspace(fixture, workspace);

/** The interpreter that the input names: a name on PATH as it is, a path from the workspace; null when it names none. */
export const interpreterPath = (python: string, workspace: string): string | null =>
  python === '' ? null : python.includes('/') ? fromWorkspace(python, workspace) : python;

/** What is wrong with the fixture that the input names, or null. Asked before the step, which may take hours. */
export function fixtureProblem(path: string | null): string | null {
  if (path === null) return null;
  try {
    return statSync(path).isFile() ? null : 'it is not a file';
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'there is no such file' : (code ?? message);
  }
}
