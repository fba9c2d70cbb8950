/** A control group with little memory, so that the kernel's OOM killer is met for real. Needs root and a writable hierarchy. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node24, plainPython } from './kit.js';
import { scratch, until } from './replay.js';

const v2 =
  existsSync('/sys/fs/cgroup/cgroup.controllers') &&
  readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8').includes('memory');
const parent = v2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';

export const version = v2 ? 'v2' : 'v1';
export const possible =
  process.getuid?.() === 0 &&
  existsSync(join(parent, v2 ? 'cgroup.subtree_control' : 'memory.limit_in_bytes'));

/** Its last process may still be on its way out. */
function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * A node that moves itself into the control group first, as a container's would be in one. Not by way of `sh`: dash
 * drops environment variables with a hyphen in their name, and INPUT_if-no-torch is one.
 */
function confinedNode(folder: string): string {
  const path = join(scratch(), 'node');
  const enter = `open(${JSON.stringify(join(folder, 'cgroup.procs'))}, 'w').write(str(os.getpid()))`;
  const node = JSON.stringify(node24());
  writeFileSync(
    path,
    `#!${plainPython()}\nimport os, sys\n${enter}\nos.execv(${node}, [${node}, *sys.argv[1:]])\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

let serial = 0;

/** Makes the control group with `limit` bytes, hands over its folder and a way to make a node inside, and removes it. */
export async function inSmallMemory(
  limit: number,
  use: (group: { readonly node: () => string; readonly folder: string }) => Promise<void>,
): Promise<void> {
  const folder = join(parent, `oom-autopsy-test-${process.pid}-${serial++}`);
  mkdirSync(folder);
  try {
    writeFileSync(join(folder, v2 ? 'memory.max' : 'memory.limit_in_bytes'), String(limit));
    const swap = join(folder, v2 ? 'memory.swap.max' : 'memory.swappiness');
    if (existsSync(swap)) writeFileSync(swap, '0');
    await use({ node: () => confinedNode(folder), folder });
  } finally {
    await until(() => removed(folder), 'an empty control group');
  }
}
