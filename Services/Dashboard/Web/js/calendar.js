// The wearer's calendar in the wearer's zone: periods that follow one another without a gap, also where the clock changes.

const formats = new Map();
function partsIn(zone, seconds) {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]));
  return parts;
}

/** The zone, or UTC where the browser does not know it. */
export function knownZone(zone) {
  try { new Intl.DateTimeFormat('en', { timeZone: zone }); return zone || 'UTC'; } catch { return 'UTC'; }
}

/** The seconds that a zone is ahead of UTC at a moment. */
function ahead(zone, seconds) {
  const p = partsIn(zone, seconds);
  return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) / 1000 - Math.floor(seconds);
}

/** When the local clock shows what UTC's shows at `wanted`, or, where that is skipped, a moment beside it. In Unix seconds. */
function shown(wanted, zone) {
  const near = wanted - ahead(zone, wanted);
  return wanted - ahead(zone, near);
}

/** When the local clock shows this date's midnight, or, where that is skipped, the first moment after. In Unix seconds. */
export const midnight = (year, month, day, zone) => shown(Date.UTC(year, month - 1, day) / 1000, zone);

/** When the local clock shows a text of a `datetime-local` field; not a number where it is none. */
export const fromField = (text, zone) => { const wanted = Date.parse(text + 'Z') / 1000; return Number.isNaN(wanted) ? NaN : shown(wanted, zone); };

/** What the local clock shows, as the text of a `datetime-local` field; 19 letters are to the second. */
export const toField = (seconds, zone, letters = 16) => new Date((seconds + ahead(zone, seconds)) * 1000).toISOString().slice(0, letters);

/** The period of the span that holds the moment. @returns {{from: number, to: number}} */
export function period(span, seconds, zone) {
  const { year, month, day } = partsIn(zone, seconds);
  const at = (y, m, d) => midnight(y, m, d, zone);
  switch (span) {
    case 'day': return { from: at(year, month, day), to: at(year, month, day + 1) };
    case 'week': {
      const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
      return { from: at(year, month, day - weekday), to: at(year, month, day - weekday + 7) };
    }
    case 'month': return { from: at(year, month, 1), to: at(year, month + 1, 1) };
    case 'year': return { from: at(year, 1, 1), to: at(year + 1, 1, 1) };
    default: {
      const start = Math.floor(year / 10) * 10;
      return { from: at(start, 1, 1), to: at(start + 10, 1, 1) };
    }
  }
}
export const before = (span, now, zone) => period(span, now.from - 1, zone);
export const after = (span, now, zone) => period(span, now.to + 1, zone);
