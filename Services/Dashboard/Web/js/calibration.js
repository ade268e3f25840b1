// A screen of which it is known how large it is: an electrocardiogram then runs at 25 mm/s and 10 mm/mV, as on paper.
// Kept in the browser, not in the account: it belongs to this screen.

/** A bank card is 85.60 mm wide everywhere. */
export const card = 85.6;
export const usual = 96 / 25.4;
export const range = [1.5, 16];

/** CSS pixels a millimetre on this screen; null where nobody has measured it. */
export function pixelsPerMillimetre() {
  const value = Number(localStorage.getItem('px-per-mm'));
  return value >= range[0] && value <= range[1] ? value : null;
}

export function calibrate(value) {
  if (value === null) localStorage.removeItem('px-per-mm'); else localStorage.setItem('px-per-mm', String(value));
  dispatchEvent(new Event('theme'));
}
