/** Where the page's viewer comes from, as the environment says; nothing odd gets into the page's content policy. */
import { expect, it } from '@jest/globals';
import { viewerFrom } from '../../src/deliver/report.js';
import { DEFAULT_VIEWER } from '../../src/report/page/page.js';

it.each([
  [undefined, DEFAULT_VIEWER],
  ['', DEFAULT_VIEWER],
  ['off', null],
  ['not an address', null],
  ['javascript:alert(1)', null],
  ['file:///etc/passwd', null],
  [
    'https://viz.example.test/MemoryViz.js',
    { url: 'https://viz.example.test/MemoryViz.js', origins: ['https://viz.example.test'] },
  ],
])('%j', (address, viewer) => {
  expect(viewerFrom(address === undefined ? {} : { OOM_AUTOPSY_VIEWER_URL: address })).toEqual(viewer);
});
