/** A cancel is heard, and says when to give up. */
import { expect, it } from '@jest/globals';
import { CANCEL_SIGNALS, watchCancel } from '../../src/step/cancel.js';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

it.each(CANCEL_SIGNALS)('%s asks; the second signal ends all waiting', (name) => {
  const watch = watchCancel(60_000);
  expect([watch.asked.aborted, watch.overdue.aborted]).toEqual([false, false]);
  process.emit(name, name);
  expect([watch.asked.aborted, watch.overdue.aborted]).toEqual([true, false]);
  process.emit('SIGTERM', 'SIGTERM');
  expect(watch.overdue.aborted).toBe(true);
  watch.stop();
});

it('is overdue after its time too, and gives the signals back', async () => {
  const before = CANCEL_SIGNALS.map((name) => process.listenerCount(name));
  const watch = watchCancel(10);
  process.emit('SIGINT', 'SIGINT');
  // The timer keeps no process alive: this one does until it has fired.
  const hold = setInterval(() => undefined, 1000);
  await aborted(watch.overdue);
  clearInterval(hold);
  watch.stop();
  expect(CANCEL_SIGNALS.map((name) => process.listenerCount(name))).toEqual(before);
});
