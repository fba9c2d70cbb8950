// Publishing against plain calls of @actions/artifact, as actions/upload-artifact makes them, on the same
// files: time, peak resident memory of every process that takes part, and the peak of all of them together by
// proportional set size, which counts a page that two Node processes share (their binary, most of all) once.
// Prints a table; asserts nothing.
//
//   node lab/bench/publish.mjs [--mib 1024] [--levels 0,6] [--rounds 1]
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node24 } from '../scripts/lib.mjs';
import { startService } from '../standins/service/service.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const STEP = '0123456789ab';
const MIB = 2 ** 20;
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
/** The sources compiled, in an ignored folder below the root, where packages are found. */
const COMPILED = join(ROOT, '.setup', 'bench-publish');
const built = (path) => pathToFileURL(join(COMPILED, path)).href;

function compile() {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  if (!existsSync(tsc)) throw new Error('the packages are missing: npm ci');
  rmSync(COMPILED, { recursive: true, force: true });
  const args = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', COMPILED];
  const { status } = spawnSync(tsc, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sources do not compile');
}

/** Snapshots compress well: 64 KiB of noise, then 192 KiB of text that repeats. */
function writeSnapshots(dir, bytes) {
  const text = Buffer.alloc(192 * 1024, 'frames: train.py:48 train_step; model.py:112 forward; ');
  const count = 4;
  for (let seq = 1; seq <= count; seq += 1) {
    const fd = openSync(join(dir, `gpu-07-rank0-4242-deadbeef-${seq}-oom.pickle`), 'wx');
    for (let done = 0; done < bytes / count; done += 256 * 1024) {
      writeSync(fd, randomBytes(64 * 1024));
      writeSync(fd, text);
    }
    closeSync(fd);
  }
}

/** What is measured, each in a process of its own: prints one line of JSON. */
const CHILDREN = {
  async plain(dir, level, name) {
    // Loading the client is a part of it: an action does it each time, and so does our uploading process.
    const started = performance.now();
    const { DefaultArtifactClient } = await import('@actions/artifact');
    const loaded = performance.now();
    const files = readdirSync(dir).map((file) => join(dir, file));
    const write = process.stdout.write;
    process.stdout.write = () => true;
    const { size } = await new DefaultArtifactClient().uploadArtifact(name, files, dir, {
      compressionLevel: level,
    });
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write = write;
    const load = (loaded - started) / 1000;
    return { seconds, size, parts: { load, upload: seconds - load } };
  },
  async ours(dir, level, name) {
    const started = performance.now();
    const { collect } = await import(built('evidence/collect.js'));
    const { publish } = await import(built('publish/publish.js'));
    const loaded = performance.now();
    const evidence = await collect({ dir, step: STEP });
    const digested = performance.now();
    const published = await publish({
      evidence,
      name,
      retentionDays: null,
      compressionLevel: level,
      maxUploadBytes: Number.MAX_SAFE_INTEGER,
      deadlineMs: 3600_000,
      worker: join(ROOT, 'dist/upload/index.js'),
      env: process.env,
      manifest: (plan) => JSON.stringify(plan),
    });
    if (published.state !== 'uploaded' || !published.complete) throw new Error(JSON.stringify(published));
    const seconds = (performance.now() - started) / 1000;
    return {
      seconds,
      size: published.size,
      parts: {
        load: (loaded - started) / 1000,
        digest: (digested - loaded) / 1000,
        upload: published.seconds,
      },
    };
  },
};

/** A process and its children, as ids. */
function family(pid) {
  const children = readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    });
  return [String(pid), ...children];
}

/**
 * An amount in bytes from a file of /proc that has lines as `Pss:  123 kB`; null when the process has ended.
 */
function amount(id, file, name) {
  try {
    const match = new RegExp(`^${name}:\\s+([0-9]+)`, 'm').exec(
      readFileSync(`/proc/${id}/${file}`, 'latin1'),
    );
    return match ? Number(match[1]) * 1024 : null;
  } catch {
    return null;
  }
}

/** Runs one of CHILDREN and watches its memory. @param node its binary, which nobody else runs */
function measure(node, what, dir, level, name, env) {
  return new Promise((done, fail) => {
    const child = spawn(
      node,
      [import.meta.filename, '--child', what, '--dir', dir, '--levels', String(level), '--name', name],
      {
        env: { ...process.env, GITHUB_SERVER_URL: 'https://github.com', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const seen = new Map();
    let together = 0;
    const watch = setInterval(() => {
      const ids = family(child.pid);
      for (const id of ids) {
        const mark = amount(id, 'status', 'VmHWM');
        if (mark !== null) seen.set(id, Math.max(mark, seen.get(id) ?? 0));
      }
      // Pss has no high-water mark: this is the highest of the samples, and the samples are read one after
      // the other.
      const sum = ids.reduce((all, id) => all + (amount(id, 'smaps_rollup', 'Pss') ?? 0), 0);
      together = Math.max(together, sum);
    }, 200);
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('close', (code) => {
      clearInterval(watch);
      if (code !== 0) return fail(new Error(`${what} ended with ${code}`));
      const memory = [...seen].map(([id, mark]) => [Number(id) === child.pid ? 'main' : 'worker', mark]);
      done({ ...JSON.parse(out.trim().split('\n').at(-1)), memory: Object.fromEntries(memory), together });
    });
  });
}

async function main() {
  const bytes = Number(option('mib', '1024')) * MIB;
  const levels = option('levels', '0,6').split(',').map(Number);
  const root = mkdtempSync(join(tmpdir(), 'bench-publish-'));
  const dir = join(root, 'evidence');
  const service = await startService({ dir: join(root, 'service'), maxSeconds: 3600 });
  try {
    compile();
    // A binary of their own: what they shared with this process would be missing in their proportional sizes.
    const node = join(root, 'node');
    copyFileSync(node24(), node);
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
    mkdirSync(dir);
    writeSnapshots(dir, bytes);
    console.log(`${bytes / MIB} MiB in 4 files, Node ${version}`);
    console.log(
      '| level | what | seconds | of which | uploaded MiB | peak resident MiB | peak Pss together MiB |\n| --- | --- | ---: | --- | ---: | --- | ---: |',
    );
    for (const level of levels) {
      for (let round = 1; round <= Number(option('rounds', '1')); round += 1) {
        for (const what of ['plain', 'ours']) {
          const name = `bench-${what}-${level}-${round}`;
          const { seconds, parts, size, memory, together } = await measure(
            node,
            what,
            dir,
            level,
            name,
            service.env,
          );
          const list = (table, unit) =>
            Object.entries(table)
              .map(([k, v]) => `${k} ${unit(v)}`)
              .join(', ');
          const mib = (n) => (n / MIB).toFixed(0);
          console.log(
            `| ${level} | ${what} | ${seconds.toFixed(2)} | ${list(parts, (s) => s.toFixed(2))} | ${mib(size)} | ${list(memory, mib)} | ${mib(together)} |`,
          );
          rmSync(service.download(name), { force: true });
        }
      }
    }
  } finally {
    await service.close();
    rmSync(root, { recursive: true, force: true });
  }
}

const child = option('child', '');
if (child === '') await main();
else {
  const result = await CHILDREN[child](
    option('dir', ''),
    Number(option('levels', '6')),
    option('name', 'bench'),
  );
  console.log(JSON.stringify(result));
  process.exit(0);
}
