/**
 * What the runner starts as `post`. After a main that came to its end there is nothing to do, and then
 * nothing is loaded: the rest lies in a chunk of its own.
 */
if (process.env.STATE_finished !== 'true') {
  const { environmentRunner, terminalRunner } = await import('../runner/runner.js');
  const runner = (process.argv[2] === '--terminal' ? terminalRunner : environmentRunner)(process.env);
  if (process.env.STATE_job === 'true') {
    const { jobPost } = await import('../job/post.js');
    await jobPost(runner);
  } else {
    const { post } = await import('../post.js');
    await post(runner);
  }
}

export {};
