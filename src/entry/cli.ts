#!/usr/bin/env node
/** What `npx` starts: the action's pipeline on a workstation. */
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`oom-autopsy: Node 20.11 or newer is needed; this is ${process.version}`);
  process.exit(2);
}
const { cli } = await import('../cli/cli.js');
await cli(process.argv.slice(2));

export {};
