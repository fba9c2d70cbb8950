/** What the runner starts as `post`. */
import { post } from './post.js';

await post();
