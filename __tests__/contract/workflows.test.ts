/** The repository's own workflows and the examples: rights, pins, time limits, no text of others in a script. And the canary's issue. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => parse(readFileSync(join(root, path), 'utf8'));
const all = ['.github/workflows', 'examples/workflows'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly permissions?: object;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

describe.each(all)('%s', (path) => {
  const workflow = read(path);
  const jobs = Object.entries(workflow.jobs as Record<string, Job>);
  const steps = jobs.flatMap(([, job]) => job.steps);

  it('has no rights but those that a job names, and a limit for each job', () => {
    expect(workflow.permissions).toEqual({});
    for (const [name, job] of jobs)
      expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)]);
  });

  it('uses what is pinned', () => {
    for (const { uses } of steps)
      if (uses !== undefined)
        expect(uses).toMatch(/^\.\/$|^OWNER\/oom-autopsy@v1$|^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/);
  });

  it('has no expression in a script: what stands there could be code of somebody else', () => {
    for (const { run, with: given } of steps)
      for (const text of [run, given?.['run'], given?.['script']]) expect(text ?? '').not.toContain('${{');
  });

  it('leaves no token behind in a checkout', () => {
    for (const { uses, with: given } of steps)
      if (uses?.startsWith('actions/checkout@')) expect(given?.['persist-credentials']).toBe(false);
  });
});

describe('the issue of the canary', () => {
  const script = read('.github/workflows/canary.yml').jobs.tell.steps[0].with.script as string;
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

  /** Runs the script with a client that keeps one list of issues. @returns what it failed with */
  async function tell(
    issues: { title: string; state: string; number: number; body: string }[],
    results: object,
  ) {
    const open = () => issues.filter(({ state }) => state === 'open');
    const rest = {
      listForRepo: () => open(),
      create: async ({ title, body }: { title: string; body: string }) =>
        issues.push({ title, body, state: 'open', number: issues.length + 1 }),
      update: async ({ issue_number: number, ...more }: { issue_number: number }) =>
        Object.assign(issues.find((issue) => issue.number === number) as object, more),
    };
    const github = { rest: { issues: rest }, paginate: async (call: () => unknown) => call() };
    const failed: string[] = [];
    process.env['RESULTS'] = JSON.stringify(results);
    await new AsyncFunction('github', 'context', 'core', script)(
      github,
      { repo: { owner: 'o', repo: 'r' }, serverUrl: 'https://github.com', runId: 9 },
      { setFailed: (message: string) => failed.push(message) },
    );
    return failed;
  }
  const job = (found: readonly string[] | null, result = 'success') => ({
    result,
    outputs: found === null ? {} : { found: JSON.stringify(found) },
  });

  it('is opened once, written anew, and closed when all holds again', async () => {
    const issues: { title: string; state: string; number: number; body: string }[] = [];
    expect(await tell(issues, { 'newest-torch': job([]), viewer: job([]) })).toEqual([]);
    expect(issues).toEqual([]);
    expect(
      await tell(issues, { 'newest-torch': job(['parity drifted: `x`']), viewer: job(null, 'failure') }),
    ).toEqual(['parity drifted: `x`\nthe job viewer ended with failure']);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.body).toBe(
      '- parity drifted:  x \n- the job viewer ended with failure\n\n[The run](https://github.com/o/r/actions/runs/9)',
    );
    await tell(issues, { 'newest-torch': job(['another']), viewer: job([]) });
    expect(issues).toHaveLength(1);
    expect(issues[0]?.body).toMatch(/^- another\n/);
    expect(await tell(issues, { 'newest-torch': job([]), viewer: job([]) })).toEqual([]);
    expect(issues[0]?.state).toBe('closed');
  });
});
