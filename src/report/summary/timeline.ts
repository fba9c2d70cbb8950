/** The timeline that was asked for, in the summary: the peak of each category over the steps. Pure. */
import type { Manifest } from '../../evidence/manifest.js';
import { CATEGORY_NAMES } from '../../evidence/receipt.js';
import { formatBytes } from '../../lib/bytes.js';
import { count } from '../../lib/text.js';
import type { Block } from '../blocks.js';
import { row, tableHead } from '../markdown.js';
import { say, shorten } from '../rich.js';
import { type TimelinePoint, timelines } from '../timeline.js';
import { folded, MOST, moreRows, paragraph } from './kit.js';

const total = (point: TimelinePoint): number => point.bytes.reduce((a, b) => a + b, 0);

/** Null where no process has a timeline. One without a point says why. */
export function timelineBlock(manifest: Manifest): Block | null {
  const all = timelines(manifest);
  const series = all.flatMap((t) => t.series).sort((a, b) => b.peak - a.peak);
  const [first] = all;
  if (first === undefined) return null;
  const steps = all.reduce((most, t) => Math.max(most, t.steps), 0);
  const title = say`Memory by category over ${count(steps, 'optimizer step')}`;
  if (series.length === 0) {
    const why = shorten(first.reason ?? first.state, 200);
    return folded(50, title, { open: paragraph(say`No timeline: ${why}.`), rows: [], close: () => '' });
  }
  const shown = series.slice(0, MOST.lines);
  const rows = shown.map(({ label, peak, points }) => {
    const fullest = points.reduce((most, point) => (total(point) > total(most) ? point : most));
    const when = `step ${fullest.step}${fullest.phase === '' ? '' : `, ${shorten(fullest.phase, 30)}`}`;
    const peaks = CATEGORY_NAMES.map((_, k) =>
      points.reduce((most, point) => Math.max(most, point.bytes[k] ?? 0), 0),
    );
    return row([
      [shorten(label, 60)],
      [`${formatBytes(peak)} (${when})`],
      ...peaks.map((n) => [n === 0 ? '' : formatBytes(n)]),
    ]);
  });
  const names = ['process, device', 'peak of all', ...CATEGORY_NAMES];
  const head = tableHead(
    names,
    names.map((_, i) => (i === 0 ? 'left' : 'right')),
  );
  return folded(
    50,
    title,
    {
      open: `${paragraph(['The peak of each category by itself: they need not fall on one moment. The chart is in the report.'])}${head}`,
      rows,
      close: moreRows(series.length - shown.length),
    },
    true,
  );
}
