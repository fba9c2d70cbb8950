// Runs the action of a folder as one step of a job, as GitHub's runner does: inputs, environment, main, the
// files and commands it speaks by, cancel and timeout, post, and the end of orphans. Small, for tests and the
// demo; node actions only.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { inputVariable, loadAction, resolveInputs } from './action.mjs';
import { Masker, StepLog } from './commands.mjs';
import { condition } from './expressions.mjs';
import { fileVariables, makeFiles, readFiles } from './files.mjs';
import { GRACES, processesWith, runProcess } from './process.mjs';

/**
 * @typedef {object} StageReport main or post
 * @property {number | null} code @property {NodeJS.Signals | null} signal
 * @property {number} ms @property {number | null} cpuMs see process.mjs
 * @property {NodeJS.Signals[]} sent @property {boolean} heldOpen see process.mjs
 * @property {import('./process.mjs').Output} stdout @property {import('./process.mjs').Output} stderr
 * @property {string} log @property {import('./commands.mjs').Annotation[]} annotations
 * @property {{error: number, warning: number, notice: number}} annotationCounts raised, kept or not
 * @property {string} summary @property {Record<string, string>} outputs
 * @property {boolean} failed
 */
/**
 * @typedef {object} RunReport
 * @property {StageReport} main
 * @property {StageReport | null} post null where there is none, or `post-if` did not hold
 * @property {'success'|'failure'|'cancelled'} conclusion of the step (main)
 * @property {'success'|'failure'|'cancelled'} jobConclusion a post that fails turns the job red
 * @property {Record<string, string>} outputs @property {Record<string, string>} state
 * @property {Record<string, string>} env what GITHUB_ENV and GITHUB_PATH left for later steps
 * @property {string} summary of main and post, masked
 * @property {import('./commands.mjs').Annotation[]} annotations of main and post; at most 10 of a level from
 *   each
 * @property {string[]} masks
 * @property {string} log both streams of both stages, in the order they were read, masked
 * @property {string} stdoutSha256 of main's raw stdout @property {number} stdoutBytes
 * @property {{pid: number, command: string}[]} survivors processes of the step that lived on after main
 * @property {{pid: number, command: string}[]} orphans processes still there after post; the runner ends them
 * @property {string[]} problems what a user of the real runner would have to look up in its own log
 * @property {string} temp @property {string} trackingId
 */

/** Variables of a surrounding job or test run that must not reach the step. */
const FOREIGN =
  /^(GITHUB|RUNNER|INPUT|STATE|ACTIONS|JEST|npm|NODE_V8)_|^(CI|NODE_OPTIONS|NODE_ENV|INIT_CWD)$/;

/** @param {NodeJS.ProcessEnv} env */
export const cleanEnv = (env) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN.test(name)));

/**
 * @param {object} options
 * @param {string} options.actionDir the folder of action.yml
 * @param {Record<string, unknown>} [options.inputs] the step's `with:`
 * @param {Record<string, string | null | undefined>} [options.env] the step's `env:`; null takes a variable
 *   away
 * @param {NodeJS.ProcessEnv} [options.baseEnv] environment of the runner itself (this process's, without what
 *   belongs to a job)
 * @param {string} [options.workspace] @param {string} [options.temp] RUNNER_TEMP; made when not given
 * @param {string} [options.node] the node that `runs.using` names (this one)
 * @param {{github?: object, strategy?: object, job?: object, runner?: object, matrix?: object}}
 *   [options.jobContext]
 * @param {string} [options.name] of the step
 * @param {string[]} [options.secrets] masked from the start
 * @param {boolean} [options.debug] ACTIONS_STEP_DEBUG
 * @param {boolean} [options.keepOutput] false: raw output is counted and hashed, and the log holds its newest
 *   MiB of lines that can be commands. For large outputs.
 * @param {number | ((line: string) => boolean) | AbortSignal} [options.cancelAfter] milliseconds, or the
 *   first raw line of main for which it is true, or a signal
 * @param {'github'|'act'} [options.cancelStyle] act: SIGKILL at once, for cancel and timeout
 * @param {number} [options.timeoutMs] the step's timeout-minutes
 * @param {number} [options.postTimeoutMs] a bound for post, so that a test ends (300000)
 * @param {Partial<import('./process.mjs').Graces>} [options.graces] milliseconds
 * @param {(env: Record<string, string>) => Promise<'success'|'failure'|'cancelled'>} [options.between] the
 *   steps of the job after this one, with their environment, which belong to the same job; gives its status
 * @param {boolean} [options.cleanOrphans] end orphans after post (true)
 * @param {(stage: 'main' | 'post', pid: number) => void} [options.onStart]
 * @param {(line: string) => void} [options.onLog] hears each line of the log, masked, as it is written
 * @returns {Promise<RunReport>}
 */
export async function runAction(options) {
  const action = await loadAction(options.actionDir);
  const workspace = resolve(options.workspace ?? process.cwd());
  const temp = resolve(options.temp ?? mkdtempSync(join(tmpdir(), 'runner-temp-')));
  mkdirSync(temp, { recursive: true });
  const name = options.name ?? (action.name || 'step');
  const trackingId = `github_${randomUUID()}`;
  const graces = { ...GRACES, ...options.graces };
  /** @type {string[]} */
  const problems = [];

  const contexts = makeContexts(options.jobContext, workspace, temp);
  const masker = new Masker();
  for (const secret of options.secrets ?? []) masker.add(secret);
  const token = options.env?.ACTIONS_RUNTIME_TOKEN;
  if (token) masker.add(token);

  let { values, warnings } = resolveInputs(action, options.inputs ?? {}, { contexts });
  /** what GITHUB_ENV and GITHUB_PATH set for the rest of the job @type {Record<string, string>} */
  const jobEnv = {};
  /** @type {string[]} */
  const jobPath = [];
  /** @type {string[]} */
  const fullLog = [];

  /**
   * @param {'main'|'post'} stage @param {string} script @param {Record<string, string>} state
   * @param {{stop: AbortSignal, onRawLine?: (line: string) => void, style?: 'github'|'act', first?:
   *   string[]}} how
   * @returns {Promise<StageReport & {state: Record<string, string>}>}
   */
  const runStage = async (stage, script, state, how) => {
    const log = new StepLog({
      ...{ masker, workspace, debug: options.debug ?? false },
      maxLogBytes: options.keepOutput === false ? 1 << 20 : Number.POSITIVE_INFINITY,
      ...(options.onLog === undefined ? {} : { onWrite: options.onLog }),
    });
    for (const warning of how.first ?? []) log.issue('warning', warning);
    const files = makeFiles(temp);
    /** @type {Record<string, string | null | undefined>} */
    const env = {
      ...(options.baseEnv ?? cleanEnv(process.env)),
      ...jobEnv,
      ...options.env,
      ...contextVariables(contexts),
      ...fileVariables(files),
      ...Object.fromEntries(Object.entries(values).map(([n, v]) => [inputVariable(n), v])),
      ...Object.fromEntries(Object.entries(state).map(([n, v]) => [`STATE_${n}`, v])),
      RUNNER_TRACKING_ID: trackingId,
      GITHUB_ACTIONS: 'true',
    };
    env.CI ??= 'true';
    if (jobPath.length > 0)
      env.PATH = [...jobPath]
        .reverse()
        .concat(env.PATH ?? [])
        .join(delimiter);
    const path = join(resolve(options.actionDir), script);
    if (!existsSync(path)) throw new Error(`${stage} of the action is not there: ${path}`);
    const ended = await runProcess({
      file: options.node ?? process.execPath,
      args: [path],
      cwd: workspace,
      env: /** @type {NodeJS.ProcessEnv} */ (
        Object.fromEntries(Object.entries(env).filter(([, v]) => typeof v === 'string'))
      ),
      onLine: (line) => {
        how.onRawLine?.(line);
        log.line(line);
      },
      keep: options.keepOutput ?? true,
      everyLine: options.keepOutput !== false || how.onRawLine !== undefined,
      ...{ stop: how.stop, style: how.style ?? 'github', graces },
      onStart: (pid) => options.onStart?.(stage, pid),
    });
    if (ended.heldOpen)
      problems.push(`${stage} ended, but its output was held open; let go after ${graces.streams} ms`);
    const left = readFiles(files, log);
    Object.assign(jobEnv, left.env);
    for (const dir of left.path) {
      if (jobPath.includes(dir)) jobPath.splice(jobPath.indexOf(dir), 1);
      jobPath.push(dir);
    }
    const failed = ended.code !== 0 || log.failed;
    fullLog.push(log.log);
    return {
      ...ended,
      ...{ failed, outputs: log.outputs, state: log.state, summary: left.summary },
      ...{ log: log.log, annotations: log.annotations, annotationCounts: log.counts },
    };
  };

  // ---- main
  const stop = new AbortController();
  /** @type {'cancelled' | 'timeout' | null} */
  let stopped = null;
  const stopFor = (/** @type {'cancelled' | 'timeout'} */ why) => {
    if (stopped !== null) return;
    stopped = why;
    stop.abort();
  };
  const cancel = options.cancelAfter;
  const timers = [
    ...(typeof cancel === 'number' ? [setTimeout(stopFor, cancel, 'cancelled')] : []),
    ...(options.timeoutMs === undefined ? [] : [setTimeout(stopFor, options.timeoutMs, 'timeout')]),
  ];
  const onAbort = () => stopFor('cancelled');
  if (cancel instanceof AbortSignal) {
    if (cancel.aborted) onAbort();
    else cancel.addEventListener('abort', onAbort, { once: true });
  }
  const watch =
    typeof cancel === 'function'
      ? { onRawLine: (/** @type {string} */ l) => void (cancel(l) && onAbort()) }
      : {};
  let main;
  try {
    main = await runStage(
      'main',
      action.main,
      {},
      {
        ...{ stop: stop.signal, style: options.cancelStyle ?? 'github', first: warnings },
        ...watch,
      },
    );
  } finally {
    for (const timer of timers) clearTimeout(timer);
    if (cancel instanceof AbortSignal) cancel.removeEventListener('abort', onAbort);
  }
  const why = /** @type {'cancelled' | 'timeout' | null} */ (stopped);
  if (why !== null) {
    const minutes = Math.round((options.timeoutMs ?? 0) / 600) / 100;
    const message =
      why === 'timeout'
        ? `The action '${name}' has timed out after ${minutes} minutes.`
        : 'The operation was canceled.';
    const line = `##[error]${message}\n`;
    options.onLog?.(line.trimEnd());
    main.annotations.push({ level: 'error', message });
    main.log += line;
    fullLog.push(line);
  }
  /** @type {RunReport['conclusion']} */
  const conclusion =
    why === 'cancelled' ? 'cancelled' : why === 'timeout' || main.failed ? 'failure' : 'success';
  const survivors = processesWith('RUNNER_TRACKING_ID', trackingId);

  // ---- the steps after it
  /** @type {RunReport['conclusion']} */
  let jobStatus = conclusion;
  if (options.between !== undefined && conclusion === 'success') {
    const base = options.baseEnv ?? cleanEnv(process.env);
    const given = { ...base, ...jobEnv, ...options.env, ...contextVariables(contexts) };
    jobStatus = await options.between(
      /** @type {Record<string, string>} */ ({
        ...Object.fromEntries(
          Object.entries({ ...given, ...jobEnv }).filter(([, v]) => typeof v === 'string'),
        ),
        RUNNER_TRACKING_ID: trackingId,
        GITHUB_ACTIONS: 'true',
      }),
    );
  }

  // ---- post
  const status = {
    always: () => true,
    success: () => jobStatus === 'success',
    failure: () => jobStatus === 'failure',
    cancelled: () => jobStatus === 'cancelled',
  };
  let post = null;
  const scope = {
    contexts: { ...contexts, job: { ...contexts.job, status: jobStatus } },
    functions: status,
  };
  if (action.post !== null && condition(action.postIf, scope)) {
    // As the real runner, which loads the inputs anew at each stage.
    ({ values, warnings } = resolveInputs(action, options.inputs ?? {}, { contexts: scope.contexts }));
    const bound = new AbortController();
    const timer = setTimeout(() => bound.abort(), options.postTimeoutMs ?? 300_000);
    try {
      post = await runStage('post', action.post, main.state, { stop: bound.signal, style: 'act' });
    } finally {
      clearTimeout(timer);
    }
    if (bound.signal.aborted) problems.push(`post was ended after ${options.postTimeoutMs ?? 300_000} ms`);
  }

  // ---- the end of the job
  const orphans = processesWith('RUNNER_TRACKING_ID', trackingId);
  if (options.cleanOrphans ?? true) {
    for (const { pid } of orphans) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
    }
  }
  const { state, ...mainReport } = main;
  return {
    main: mainReport,
    post: post && (({ state: _state, ...rest }) => rest)(post),
    ...{ conclusion, jobConclusion: jobStatus === 'success' && post?.failed ? 'failure' : jobStatus },
    ...{ outputs: main.outputs, state },
    env: { ...jobEnv, ...(jobPath.length > 0 ? { PATH: [...jobPath].reverse().join(delimiter) } : {}) },
    summary: [main.summary, post?.summary ?? ''].filter(Boolean).join('\n'),
    annotations: [...main.annotations, ...(post?.annotations ?? [])],
    masks: [...masker.values],
    log: fullLog.join(''),
    ...{ stdoutSha256: main.stdout.sha256, stdoutBytes: main.stdout.bytes },
    ...{ survivors, orphans, problems, temp, trackingId },
  };
}

/**
 * The contexts an action.yml may use, completed with what every job has.
 * @param {{github?: object, strategy?: object, job?: object, runner?: object, matrix?: object} | undefined}
 *   given
 * @param {string} workspace @param {string} temp
 */
function makeContexts(given, workspace, temp) {
  const os = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };
  return {
    github: {
      ...{
        action: '__self',
        actor: 'octocat',
        event_name: 'push',
        job: 'job',
        ref: 'refs/heads/main',
        ref_name: 'main',
      },
      ...{
        repository: 'octocat/hello-world',
        repository_owner: 'octocat',
        run_attempt: '1',
        run_id: '1',
        run_number: '1',
      },
      ...{
        server_url: 'https://github.com',
        api_url: 'https://api.github.com',
        sha: '0'.repeat(40),
        workflow: 'workflow',
      },
      ...{ retention_days: '90', workspace },
      ...given?.github,
    },
    strategy: { 'fail-fast': true, 'job-index': 0, 'job-total': 1, 'max-parallel': 1, ...given?.strategy },
    job: { status: 'success', ...given?.job },
    runner: {
      ...{
        name: 'stand-in',
        os: os[/** @type {'linux'} */ (platform())] ?? platform(),
        arch: arch().toUpperCase(),
      },
      ...{ environment: 'self-hosted', temp, tool_cache: join(temp, '_tool'), ...given?.runner },
    },
    ...(given?.matrix ? { matrix: given.matrix } : {}),
  };
}

/** GITHUB_* and RUNNER_* of a step. @param {ReturnType<typeof makeContexts>} contexts */
function contextVariables(contexts) {
  /** @type {Record<string, string>} */
  const out = {};
  for (const [prefix, context] of [
    ['GITHUB', contexts.github],
    ['RUNNER', contexts.runner],
  ]) {
    for (const [name, value] of Object.entries(/** @type {object} */ (context)))
      if (typeof value !== 'object') out[`${prefix}_${name.toUpperCase()}`] = String(value);
  }
  return out;
}
