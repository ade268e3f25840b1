// Words in the person's language, from one file a language. Numbers, dates and units by `Intl`.
import { conversion } from './units.js';

export const languages = { en: 'English', de: 'Deutsch', ru: 'Русский' };
let words = {};
let english = {};
export let language = 'en';

export async function setLanguage(code) {
  const chosen = languages[code] ? code : languages[navigator.language?.slice(0, 2)] ? navigator.language.slice(0, 2) : 'en';
  const load = async (name) => (await fetch(`/lang/${name}.json`)).json();
  const [basis, own] = await Promise.all([Object.keys(english).length ? english : load('en'), chosen === 'en' ? null : load(chosen)]);
  english = basis;
  words = own ?? basis;
  language = chosen;
  document.documentElement.lang = chosen;
}

/** The words of a key, with `{name}`s filled in. */
export function t(key, values = {}) {
  const text = words[key] ?? english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** What a service has said, in the person's language where it is one of the sentences known by `said.…`; else as it is. */
export function said(text) {
  if (language === 'en' || !text) return text ?? '';
  sentences ??= Object.entries(english).filter(([key]) => key.startsWith('said.')).map(([key, words]) => [key, new RegExp('^' + words.split(/\{(\w+)\}/).map((part, place) => (place % 2 ? `(?<${part}>.+)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))).join('') + '$')]);
  return text.split('\n').map((line) => {
    for (const [key, pattern] of sentences) {
      const found = line.trim().match(pattern);
      if (found) return t(key, found.groups);
    }
    return line;
  }).join('\n');
}
let sentences;

/** Whether there are words for a key. */
export const has = (key) => key in words || key in english;

/** One of an object's texts by language. */
export const local = (texts) => texts?.[language] ?? texts?.en ?? Object.values(texts ?? {})[0] ?? '';

export const metricName = (metric) => (has('metric.' + metric) ? t('metric.' + metric) : state.catalogue.get(metric)?.title ?? metric);
export const metricShort = (metric) => (has('short.' + metric) ? t('short.' + metric) : metricName(metric));

/** The metrics that the suite knows, by name; filled after signing in. */
export const state = { catalogue: new Map() };

const units = { Cel: '°C', 'mm[Hg]': 'mmHg', '1': '', '{score}': '', '{steps}': '', '{floors}': '', uS: 'µS', 'kg/m2': 'kg/m²', 'm/s2': 'm/s²', Ohm: 'Ω', ms2: 'ms²', 'm[IU]/L': 'mIU/L', '10*3/uL': '10³/µL' };
/** A unit as people write it; of a metric the account's own. */
export function unitName(code, metric) {
  const unit = (metric && conversion(metric, code)?.unit) || code;
  if (has('unit.' + unit)) return t('unit.' + unit);
  return units[unit] ?? unit;
}

const digitsOf = { 'body-temperature': 1, 'skin-temperature': 1, 'stress-level': 2, 'skin-conductance': 2, 'skin-conductance-level': 2, 'blood-glucose': 0, 'body-weight': 1 };
/** A number as people write it; of a metric in the account's own unit. */
export function number(value, metric) {
  const own = metric ? conversion(metric, state.catalogue.get(metric)?.unit) : null;
  if (own) return new Intl.NumberFormat(language, { minimumFractionDigits: own.digits, maximumFractionDigits: own.digits }).format(value * own.scale + own.offset);
  const digits = digitsOf[metric] ?? (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
  const fixed = metric in digitsOf ? digits : 0;
  const whole = /rate$|pressure$|saturation|score|steps/.test(metric ?? '');
  return new Intl.NumberFormat(language, whole ? { maximumFractionDigits: 0 } : { minimumFractionDigits: fixed, maximumFractionDigits: digits }).format(value);
}

// Around the clock in every language: at night 03:10 must not be taken for the afternoon.
const zoned = (zone) => ({ hourCycle: 'h23', ...(zone ? { timeZone: zone } : {}) });
export const time = (seconds, zone) => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', ...zoned(zone) }).format(seconds * 1000);
export const clock = (seconds, zone) => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit', ...zoned(zone) }).format(seconds * 1000);
export const date = (seconds, zone) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric', ...zoned(zone) }).format(seconds * 1000);
export const moment = (seconds, zone) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', ...zoned(zone) }).format(seconds * 1000);

/** A time, with its day where that is not today. */
export function when(seconds, zone) {
  const day = (value) => new Intl.DateTimeFormat('en-CA', zoned(zone)).format(value);
  return day(seconds * 1000) === day(Date.now()) ? time(seconds, zone) : moment(seconds, zone);
}

/** How long ago, in its largest part. */
export function age(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return t('age.s', { n: s });
  if (s < 3600) return t('age.min', { n: Math.floor(s / 60) });
  if (s < 172800) return t('age.h', { n: Math.floor(s / 3600) });
  return t('age.d', { n: Math.floor(s / 86400) });
}

/** How long something stands: 0:42, 1:05:10. */
export function elapsed(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  const pad = (n) => String(n).padStart(2, '0');
  return s < 3600 ? `${Math.floor(s / 60)}:${pad(s % 60)}` : `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
}
