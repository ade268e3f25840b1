// Where a line must not be drawn: between values that are further apart than values of their kind usually are.

/** The seconds between two values above which nothing is known of what was between them; two values alone tell of none. */
export function gapOf(times, least) {
  const steps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  const usual = steps.length > 1 ? steps[Math.floor((steps.length - 1) / 2)] : 0;
  return Math.max(usual * 3.5, least);
}
