/** What the runner starts as `main`. */
import { main } from '../main.js';

await main();
