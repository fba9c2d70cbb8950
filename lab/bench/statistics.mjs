/** Median and spread of a handful of samples, and one line that compares them. */

/** Median and quartiles. @param {number[]} samples */
export function statistics(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share) => {
    const place = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return low + (high - low) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** `name  12.3 ms (11.9 to 13.0)  1.02x` against a base line. */
export function ratioLine(name, value, base, unit, digits = 1) {
  const show = (n) => n.toFixed(digits);
  return `${name.padEnd(44)} ${show(value.median).padStart(9)} ${unit} (${show(value.low)} to ${show(value.high)})  ${(value.median / base.median).toFixed(2)}x`;
}
