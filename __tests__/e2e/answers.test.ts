/** Each story of answers.ts is told right: what, who, which line, what to do first. Goldens as in stories.test.ts. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { ANSWERS } from './answers.js';
import { cleanUp } from './kit.js';
import { golden, run } from './stories-kit.js';

afterAll(cleanUp);

describe('answers', () => {
  it.each(Object.entries(ANSWERS))(
    '%s',
    async (name, { program, command, file, verdict, headline, who, line, first }) => {
      const step = await run(name, program, {
        ...(command === undefined ? {} : { command }),
        ...(file === undefined ? {} : { file }),
      });
      const text = golden(name, step);
      const [title] = text.split('\n');
      const advice = /^> \*\*Do this first\*\*: (.*)$/m.exec(text)?.[1] ?? null;
      const places = step.report.annotations.map(({ file, line: at }) => `${file}:${at}`);
      expect({
        verdict: step.outputs['verdict'],
        title: title?.replace(/^## \S+ /, ''),
        unsaid: who.filter((owner) => !text.includes(`\`${owner}\``)),
        first: first === null ? advice : advice?.replace(first, 'TOLD').includes('TOLD') ? 'told' : advice,
        at: line === null || places.includes(line) ? line : places,
      }).toEqual({ verdict, title: headline, unsaid: [], first: first === null ? null : 'told', at: line });
    },
    60_000,
  );
});
