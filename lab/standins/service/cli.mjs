// node lab/standins/service/cli.mjs --dir DIR [--port N] [--fault CALL=KIND[:ARG][@AFTER][xTIMES]]…
// [--max-seconds N] Starts the artifact service stand-in. The first line on stdout is {"url","token","env"};
// DIR gets blobs/, calls.jsonl and artifacts.jsonl. Ends on SIGINT, SIGTERM or when its time is up.
import { parseArgs } from 'node:util';
import { parseFaultArgs } from './faults.mjs';
import { startService } from './service.mjs';

try {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      port: { type: 'string', default: '0' },
      fault: { type: 'string', multiple: true, default: [] },
      'max-seconds': { type: 'string', default: '1800' },
    },
  });
  if (!values.dir) throw new TypeError('--dir is required');
  const seconds = Number(values['max-seconds']);
  if (!(seconds > 0))
    throw new TypeError(`--max-seconds ${values['max-seconds']} is not a number of seconds`);
  const service = await startService({
    dir: values.dir,
    port: Number(values.port),
    faults: parseFaultArgs(values.fault),
    maxSeconds: seconds,
  });
  console.log(JSON.stringify({ url: service.url, token: service.token, env: service.env }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void service.close());
  await service.closed;
} catch (error) {
  console.error(`artifact service: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
}
