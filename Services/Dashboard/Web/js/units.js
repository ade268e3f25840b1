// Units of one's own: an account sees and types numbers in them everywhere; what is stored keeps the catalogue's.

/** The catalogue's unit with the units that may stand for it: the own value is `value * scale + offset`. */
export const choices = {
  'mg/dL': { 'mmol/L': { scale: 1 / 18.016, digits: 1 } },
  Cel: { '[degF]': { scale: 1.8, offset: 32, digits: 1 } },
  kg: { '[lb_av]': { scale: 1 / 0.45359237, digits: 1 }, '[stone_av]': { scale: 1 / 6.35029318, digits: 2 } },
  'mm[Hg]': { kPa: { scale: 1 / 7.500615758456564, digits: 1 } },
  cm: { '[in_i]': { scale: 1 / 2.54, digits: 1 } },
};
/** Of what is measured in mg/dL only glucose: another substance has another factor. */
const glucose = new Set(['blood-glucose', 'blood-glucose-minimum', 'blood-glucose-maximum']);

/** The account's units by the catalogue's unit; filled after signing in and by the settings. */
export const chosen = new Map();

export function read(preferences) {
  chosen.clear();
  for (const unit of Object.keys(choices)) {
    const own = preferences?.['unit-' + unit];
    if (choices[unit][own]) chosen.set(unit, own);
  }
}

/** How a metric's numbers become the account's own; nothing where they stay as they are. */
export function conversion(metric, unit) {
  const own = unit === 'mg/dL' && !glucose.has(metric) ? undefined : chosen.get(unit);
  return own ? { unit: own, offset: 0, ...choices[unit][own] } : null;
}
