/** Fails when the checked-in dist/ is not what the sources build: deletes it, rebuilds it, and asks git. */
import { build } from './build.mjs';
import { capture, runMain, say } from './lib.mjs';

await runMain(async () => {
  await build();
  const status = capture('git', ['status', '--porcelain', '--', 'dist']);
  if (status.status !== 0) throw new Error(status.stderr);
  if (status.stdout === '') {
    say('dist/ matches the sources');
    return 0;
  }
  say(`dist/ is not what the sources build. Run \`npm run build\` and commit dist/:\n${status.stdout}`);
  return 1;
});
