/**
 * Which frames of a stack are the user's own. A stack taken inside the allocator's observer ends in frames of
 * the shim and of torch: the shim's are never shown, torch's and other libraries' are folded, the user's come
 * first. Pure.
 */
import type { Frame } from '../evidence/receipt.js';

export type FrameKind = 'user' | 'library' | 'torch' | 'shim';

/** Frames as the report shows them, outermost first as Python prints them. */
export interface FrameGroup {
  readonly kind: 'user' | 'library';
  readonly frames: readonly Frame[];
  /** Names of the packages in it, in order, once each: `torch`, `transformers`. */
  readonly packages: readonly string[];
}

const LIBRARY = /(^|\/)(site-packages|dist-packages)\//;
const STANDARD = /(^|\/)lib(64)?\/(python|pypy)[\d.]+\//;

/**
 * What torch.compile generates lies where the inductor's cache does, perhaps in the workspace: `ab/cab….py`, of the hash of its
 * text. The shim tells it by the same rule (heap/places.py).
 */
const GENERATED = /(^|\/)([a-z0-9]{2})\/c\2[a-z0-9]{40,}\.py$/;

const slashes = (path: string): string => path.replace(/\\/g, '/');

/** Does `file` lie in `folder`? */
export function liesIn(file: string, folder: string | null): boolean {
  if (folder === null || folder === '') return false;
  const base = slashes(folder).replace(/\/+$/, '');
  const path = slashes(file);
  return path.startsWith(`${base}/`) && !path.split('/').includes('..');
}

/** Whose code a frame is. A virtual environment inside the workspace is still a library. */
export function frameKind(frame: Frame): FrameKind {
  const file = slashes(frame.file);
  if (/(^|\/)_oom_autopsy\//.test(file) || /\/oom-autopsy-[0-9a-f]{12}\/path\//.test(file)) return 'shim';
  if (/(^|\/)(site-packages|dist-packages)\/torch\//.test(file)) return 'torch';
  // Frozen and made-up files (`<frozen importlib>`, `<string>`, `<eval_with_key>.3`) are nobody's file.
  if (LIBRARY.test(file) || STANDARD.test(file)) return 'library';
  if (/^<(frozen |__array_function__)/.test(file)) return 'library';
  if (/^<eval_with_key>/.test(file) || GENERATED.test(file)) return 'torch';
  return 'user';
}

/** The package that a library's file belongs to, such as `torch`; `python` for the standard library. */
export function packageOf(frame: Frame): string {
  const file = slashes(frame.file);
  if (file.startsWith('<eval_with_key>') || GENERATED.test(file)) return 'torch';
  const inside = /(?:site-packages|dist-packages)\/([^/]+)/.exec(file)?.[1];
  return inside === undefined ? 'python' : inside.replace(/\.py$/, '');
}

/**
 * The innermost frame of the user's own code: where the program stood. Frames in the workspace come before
 * others that look like the user's (a trainer outside of it). null when there is none.
 * @param stack innermost last
 */
export function userFrame(stack: readonly Frame[], workspace: string | null): Frame | null {
  const own = stack.filter((frame) => frameKind(frame) === 'user');
  return own.findLast((frame) => liesIn(frame.file, workspace)) ?? own.at(-1) ?? null;
}

/** A stack in groups, library frames folded, the shim's left out. Order as given: innermost last. */
export function foldStack(stack: readonly Frame[]): readonly FrameGroup[] {
  const groups: { kind: 'user' | 'library'; frames: Frame[]; packages: string[] }[] = [];
  for (const frame of stack) {
    const kind = frameKind(frame);
    if (kind === 'shim') continue;
    const side = kind === 'user' ? 'user' : 'library';
    let group = groups.at(-1);
    if (group?.kind !== side) {
      group = { kind: side, frames: [], packages: [] };
      groups.push(group);
    }
    group.frames.push(frame);
    const name = side === 'library' ? packageOf(frame) : null;
    if (name !== null && !group.packages.includes(name)) group.packages.push(name);
  }
  return groups;
}

/** What ipykernel compiles a notebook's cell as. */
const CELL = /(^|\/)ipykernel_\d+\/\d+\.py$|^<ipython-input-\d+-[0-9a-f]+>$/;

/** `train.py:48`, the path as short as it stays telling: from the workspace, or its last two parts. */
export function placeOf(frame: Frame, workspace: string | null): string {
  const file = slashes(frame.file);
  if (CELL.test(file)) return `notebook cell, line ${frame.line}`;
  let shown = file;
  if (liesIn(file, workspace))
    shown = file.slice(slashes(workspace as string).replace(/\/+$/, '').length + 1);
  else if (file.startsWith('/')) {
    const inside = /(?:site-packages|dist-packages)\/(.+)$/.exec(file)?.[1];
    shown = inside ?? file.split('/').slice(-2).join('/');
  }
  return frame.line > 0 ? `${shown}:${frame.line}` : shown;
}
