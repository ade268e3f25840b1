// What the timeline knows of the heart's rhythm in a time: intervals and minutes of it, pauses, beats, and the alarms about it.
import { api } from './api.js';
import { t, has, local, metricName, number, unitName } from './i18n.js';
import { priorityOf } from './live.js';
import { isOfHeart } from './alarms.js';

/** Metrics that speak of a rhythm for a time, or of what happened in it; not the sums of a day. */
const speaks = /rhythm|pause|standstill|asystole|arrhythm|(ventricular|bradycardia|tachycardia|fibrillation|flutter)-(run|episode|interval)|-run$/;
const isOther = /respiration|breath|apnoea/;
const quiet = /^(regular|sinus|sinus-rhythm|normal|unknown|not-known)$/;
const severe = /(^|-)ventricular-(run|tachycardia|flutter|fibrillation)|asystole|standstill|wave-without-beats|long-pause/;
const most = 10000;
/** Seconds before a time from which something may still reach into it: a minute's rhythm, and an interval of one. */
const reach = { minute: 3600, interval: 86400 };
/** Seconds without a beat that are a pause; what is shorter is the distance of two beats. */
const pause = 2;
const minute = 60;

/** A stranger's text is cut. */
export const rhythmName = (name) => (has('rhythm.' + name) ? t('rhythm.' + name) : name.slice(0, 60).replaceAll('-', ' '));

/**
 * The marks of a time, earliest first: `{ from, to, text, color, isMoment, isQuiet }`.
 * @param metrics the names of what is stored of the person
 */
export async function marksOf(id, metrics, from, to) {
  const asked = metrics.filter((metric) => speaks.test(metric) && !isOther.test(metric));
  const before = (metric) => reach[metric.endsWith('-interval') ? 'interval' : 'minute'];
  const answers = await Promise.all(asked.map((metric) => api.get(api.of(id, 'readings'), { metric, from: from - before(metric), to, limit: most })));
  const readings = unrepeated(new Map(asked.map((metric, i) => [metric, withEnds(metric, answers[i].readings).map(mark).filter(Boolean)])));
  const events = (await api.get(api.of(id, 'alerts/history'), { from, to })).filter((event) => ['raised', 'escalated'].includes(event.transition) && isOfHeart(event));
  const alarms = events.map((event) => ({ from: event.time, to: event.time, isMoment: true, text: local(event.title), color: `--${priorityOf(event)}` }));
  return [...readings.filter((found) => found.to >= from), ...alarms].sort((a, b) => a.from - b.from);
}

/** A rhythm that began is told at least once a minute, until it is another. */
function withEnds(metric, readings) {
  if (metric !== 'heart-rhythm') return readings;
  return readings.map((reading, i) => ({ ...reading, period: Math.min(minute, (readings[i + 1]?.time ?? Infinity) - reading.time) || 1 }));
}

/** What an interval has told is not told again by its beginning, its minutes and the seconds without a beat. */
function unrepeated(marks) {
  const overlaps = (list, { from, to }) => list.some((other) => other.from < to && other.to > from);
  const intervals = marks.get('heart-rhythm-interval') ?? [];
  const current = (marks.get('heart-rhythm') ?? []).filter((found) => !overlaps(intervals, found));
  const known = [...intervals, ...current];
  return [...marks].flatMap(([metric, list]) => (metric === 'heart-rhythm-interval' ? list : metric === 'heart-rhythm' ? current : list.filter((found) => !overlaps(known, found))));
}

function mark({ metric, time, value, text, period, unit }) {
  if (text === undefined || text === null) {
    // A number of seconds up to now: how long nothing has been heard of the heart.
    if (!(value >= pause) || unit !== 's') return null;
    return { from: period ? time : time - value, to: period ? time + period : time, text: `${metricName(metric)} ${number(value)} ${unitName('s')}`, color: '--high' };
  }
  const isQuiet = quiet.test(text);
  return { from: time, to: time + (period ?? 0), isMoment: !period, isQuiet, text: rhythmName(text), color: isQuiet ? '--strong-line' : severe.test(text) ? '--high' : '--medium' };
}

/** Marks that follow one another and say the same, as one. */
export function joined(marks) {
  const out = [];
  const open = new Map();
  for (const next of marks) {
    const last = next.isMoment ? null : open.get(next.text);
    if (last && next.from <= last.to + 1) { last.to = Math.max(last.to, next.to); continue; }
    const copy = { ...next };
    out.push(copy);
    if (!next.isMoment) open.set(next.text, copy);
  }
  return out;
}

/** The times of beats whose intervals are stored. */
export async function beatsOf(id, metrics, from, to) {
  if (!metrics.includes('rr-interval')) return [];
  return (await api.get(api.of(id, 'readings'), { metric: 'rr-interval', from, to, limit: most })).readings.map((reading) => reading.time);
}
