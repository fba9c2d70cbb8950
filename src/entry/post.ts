/**
 * What the runner starts as `post`. After a main that came to its end there is nothing to do, and then
 * nothing is loaded: the rest lies in a chunk of its own.
 */
if (process.env.STATE_finished !== 'true') {
  const { post } = await import('../post.js');
  const { environmentRunner, terminalRunner } = await import('../runner/runner.js');
  await post((process.argv[2] === '--terminal' ? terminalRunner : environmentRunner)(process.env));
}

export {};
