// What a number is worth: fresh, late (struck, with its age), or no longer known (`--` with the reason).
import { h, write, attribute } from './dom.js';
import { t, number, unitName, metricShort, age } from './i18n.js';

/** Seconds after which a value is late, and after which nobody may rely on it any more. */
const continuous = { late: 60, gone: 300 };
const spot = { late: 4 * 3600, gone: 24 * 3600 };
/** What changes over weeks, and what is counted by the day: still true the day after, and told with its age. */
const lasting = { late: 8 * 86400, gone: 366 * 86400 };
const measured = new Set(['body-temperature', 'systolic-pressure', 'diastolic-pressure', 'blood-glucose', 'body-weight', 'consciousness', 'news2-score', 'news2-at-least', 'pain', 'mood', 'energy-level']);
const slow = new Set(['body-weight', 'body-height', 'body-mass-index', 'body-fat', 'body-water', 'fat-mass', 'muscle-mass', 'bone-mass', 'lean-body-mass', 'visceral-fat', 'basal-metabolic-rate', 'waist-circumference', 'hip-circumference', 'steps', 'distance', 'floors', 'energy', 'active-energy', 'basal-energy', 'active-minutes', 'sedentary-minutes', 'sleep-minutes', 'resting-heart-rate', 'vo2-max', 'maximal-oxygen-uptake']);
export const limitsOf = (metric) => (slow.has(metric) ? lasting : measured.has(metric) ? spot : continuous);

/** @returns {{text: string, state: 'fresh'|'late'|'gone', reason: string, age: number}} */
export function reading(live, value, metric) {
  if (!value) return { text: '--', state: 'gone', reason: t('value.never'), age: Infinity };
  const seconds = live.now() - value.t;
  const { late, gone } = limitsOf(metric);
  if (live.state === 'lost') return { text: '--', state: 'gone', reason: t('value.no-connection'), age: seconds };
  if (seconds > gone) return { text: '--', state: 'gone', reason: t('value.gone', { age: age(seconds) }), age: seconds };
  const text = value.v === undefined ? value.x : number(value.v, metric);
  return { text, state: seconds > late ? 'late' : 'fresh', reason: seconds > late ? t('value.late', { age: age(seconds) }) : '', age: seconds };
}

/** ↑ or ↓ where a metric has clearly changed within ten minutes. */
export function trend(person, metric) {
  const past = person.history.get(metric);
  if (!past || past.length < 4 || past.at(-1)[0] - past[0][0] < 60) return '';
  const third = Math.max(1, Math.floor(past.length / 3));
  const mean = (list) => list.reduce((sum, [, value]) => sum + value, 0) / list.length;
  const before = mean(past.slice(0, third));
  const change = mean(past.slice(-third)) - before;
  return Math.abs(change) < Math.max(Math.abs(before) * 0.06, 0.05) ? '' : change > 0 ? '↑' : '↓';
}

/** A number with its name and unit, whose element stays while its text changes. */
export class Vital {
  /** @param {boolean} tellsWhy there is room for the reason where the value is not known, and for the age of one that is not of today */
  constructor(metric, label = metricShort(metric), tellsWhy = false) {
    this.metric = metric;
    this.tellsWhy = tellsWhy;
    this.value = h('span.value.number');
    this.unit = h('span.unit');
    this.element = h('li.vital', h('span.name', label), this.value, this.unit);
  }

  draw(live, person, unit) {
    const value = person?.values.get(this.metric);
    const now = reading(live, value, this.metric);
    write(this.value, now.text + (now.state === 'fresh' ? trend(person, this.metric) : ''));
    write(this.unit, now.state === 'late' || (this.tellsWhy && now.state === 'gone') ? now.reason : [unitName(value?.u ?? unit ?? '', this.metric), this.aged(now)].filter(Boolean).join(' · '));
    attribute(this.element, 'data-state', now.state);
    attribute(this.element, 'title', now.reason || null);
    return now;
  }

  aged(now) { return this.tellsWhy && now.age > 12 * 3600 ? t('value.late', { age: age(now.age) }) : ''; }
}
