/**
 * Byte amounts: reading the ones people write (`2GiB`) and writing the ones people read (`10.00 MiB`). Not by
 * pretty-bytes: with a fixed number of digits it goes through `toLocaleString`, whose first call loads ICU
 * data, 10 ms of a budget of 65 ms for all of a green run.
 */

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};

/** Bytes of a text such as `2GiB`, `500 MB`, `1.5g` (= GiB) or `1048576`; null when it is not an amount. */
export function parseBytes(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match ? UNITS[(match[2] ?? '').toLowerCase()] : undefined;
  if (!match || unit === undefined) return null;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `10.00 MiB`, with GiB = 2^30; plain `512 B` below 1 KiB. */
export function formatBytes(bytes: number): string {
  let step = 0;
  let amount = Math.abs(bytes);
  // 1023.995 KiB would be written as 1024.00 KiB: what rounds up to 1024 belongs to the next unit.
  while (step < STEPS.length - 1 && Number(amount.toFixed(step === 0 ? 0 : 2)) >= 1024) {
    amount /= 1024;
    step++;
  }
  return `${bytes < 0 ? '-' : ''}${amount.toFixed(step === 0 ? 0 : 2)} ${STEPS[step]}`;
}
