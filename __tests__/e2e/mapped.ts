/**
 * Programs in which torch is loaded, as far as anybody can see from outside: a library of that name is mapped. They live until
 * main has told that it saw them, so nobody sleeps for as long as the watch may take. With OA_LONG=1 it is real torch instead.
 */
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cudaPython, freshFolder, plainPython } from './kit.js';
import { REAL } from './recorded.js';

/** A folder for RUNNER_TEMP, whose files programs look into. */
export const temporary = (): string => join(freshFolder(), 'temp');

/** The interpreter of these programs. */
export const mappedPython = (): string => (REAL ? cudaPython() : plainPython());

/** Puts a library with the name of one of torch's into a folder. @returns its path */
export function torchLibrary(folder: string): string {
  const from = ['/lib', '/lib64', '/usr/lib']
    .filter((path) => existsSync(path))
    .flatMap((path) => [
      join(path, 'libm.so.6'),
      ...readdirSync(path).map((name) => join(path, name, 'libm.so.6')),
    ])
    .find((path) => existsSync(path));
  if (from === undefined) throw new Error('no libm.so.6 to copy');
  const path = join(folder, 'libtorch_cpu.so');
  copyFileSync(from, path);
  return path;
}

/** Where main's state is, for a shell. */
export const stateFiles = (temp: string): string => `'${temp}'/_runner_file_commands/save_state_*`;

/**
 * Lines of Python: loads the library and waits until main has told that it saw this process. Main tells of the first it sees, and then
 * when they have doubled, so a process among others waits for two looks at most.
 * @param folder that the library is put in @param temp RUNNER_TEMP of the step
 */
export function mapTorch(folder: string, temp: string, among = false): string {
  return `
import ctypes, glob, os, re, time
ctypes.CDLL(${JSON.stringify(torchLibrary(folder))})
told = re.compile('"pid":%d,"startTicks":[0-9]+,"innerPid"' % os.getpid())
until = time.time() + ${among ? 1.5 : 30}
while time.time() < until and not any(
    told.search(open(name).read()) for name in glob.glob(glob.escape(${JSON.stringify(temp)}) + '/_runner_file_commands/save_state_*')
):
    time.sleep(0.02)
`;
}

/** A program that loads torch and lives until it was seen. */
export const seenProgram = (folder: string, temp: string, among = false): string =>
  REAL ? 'import time, torch\ntime.sleep(1.5)\n' : mapTorch(folder, temp, among);
