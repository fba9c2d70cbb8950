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
const LIMIT_FILE = v2 ? 'memory.max' : 'memory.limit_in_bytes';

/** Whether a child gets a limit: in v2 only below a parent that hands memory on (systemd's does; a container's holds processes). */
function makesLimits(): boolean {
  const probe = join(parent, `oom-autopsy-probe-${process.pid}`);
  try {
    if (v2) {
      const control = join(parent, 'cgroup.subtree_control');
      if (!readFileSync(control, 'utf8').split(/\s/).includes('memory')) writeFileSync(control, '+memory');
    }
    mkdirSync(probe);
    return existsSync(join(probe, LIMIT_FILE));
  } catch {
    return false;
  } finally {
    removed(probe);
  }
}

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

export const possible = process.getuid?.() === 0 && makesLimits();

let serial = 0;

/** Makes the control group with `limit` bytes, hands over its folder and a way to make a node inside, and removes it. */
export async function inSmallMemory(
  limit: number,
  use: (group: { readonly node: () => string; readonly folder: string }) => Promise<void>,
): Promise<void> {
  const folder = join(parent, `oom-autopsy-test-${process.pid}-${serial++}`);
  mkdirSync(folder);
  try {
    writeFileSync(join(folder, LIMIT_FILE), String(limit));
    const swap = join(folder, v2 ? 'memory.swap.max' : 'memory.swappiness');
    if (existsSync(swap)) writeFileSync(swap, '0');
    await use({ node: () => confinedNode(folder), folder });
  } finally {
    await until(() => removed(folder), 'an empty control group');
  }
}
