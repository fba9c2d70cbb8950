/**
 * What the runner starts as `post`. After a main that came to its end there is nothing to do, and then
 * nothing is loaded: the rest lies in a chunk of its own.
 */
import { join } from 'node:path';

if (process.env.STATE_finished !== 'true') {
  if (process.env.STATE_job === 'true') {
    const { jobPost } = await import('../job/post.js');
    await jobPost(join(import.meta.dirname, '..', '..'));
  } else {
    const { post } = await import('../post.js');
    await post();
  }
}
