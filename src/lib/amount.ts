/** An amount of memory as an input gives it: bytes (`20GiB`), or a share of a whole (`90%`). Pure. */
import { formatBytes, parseBytes } from './bytes.js';

export type Amount = { readonly bytes: number } | { readonly share: number };

/** The amount in `text`; null when it is none. A share is above 0 and at most 100 %, growth may be more. */
export function parseAmount(text: string, mostPercent = 100): Amount | null {
  const percent = /^(\d{1,4}(?:\.\d{1,4})?)\s*%$/.exec(text.trim());
  if (percent) {
    const value = Number(percent[1]);
    return value > 0 && value <= mostPercent ? { share: value / 100 } : null;
  }
  const bytes = parseBytes(text);
  return bytes === null ? null : { bytes };
}

/** Bytes of an amount; null for a share of what is not known. */
export const bytesOfAmount = (amount: Amount, whole: number | null): number | null =>
  'bytes' in amount ? amount.bytes : whole === null ? null : Math.floor(amount.share * whole);

/** `20.00 GiB`, `90 %`. */
export const formatAmount = (amount: Amount): string =>
  'bytes' in amount ? formatBytes(amount.bytes) : `${Number((amount.share * 100).toFixed(4))} %`;
