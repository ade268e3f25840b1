// How alarms look: shape, word and colour together, so that each alone would do.
import { h } from './dom.js';
import { t, has, local, number, unitName, metricShort, state } from './i18n.js';
import { priorityOf, isActive, isPressing } from './live.js';
import { around, hasElectrocardiogram } from './waveform.js';

export function symbol(alert) {
  const priority = priorityOf(alert);
  const shape = alert.kind === 'technical' ? '◇' : priority === 'high' ? '▲' : priority === 'medium' ? '◆' : '●';
  return `${alert.acknowledged ? '✓' : shape} ${t('sign.' + priority)}`;
}

/** The sign of an alert: its shape and its priority in a word. */
export function sign(alert) {
  return h(`span.sign.p-${priorityOf(alert)}${isPressing(alert) && priorityOf(alert) === 'high' ? '.flash' : ''}`, symbol(alert));
}

/** Events, whose value is that they happened. */
const calls = new Set(['help-call', 'fall-detected', 'bed-exit', 'door-exit']);

/** In a line: what, the value and the limit that it is compared with; of a signal's quality, which is no value for anybody, what to do. */
export function line(alert) {
  if (alert.kind === 'technical' && has('todo.' + alert.metric)) return `${local(alert.title)}: ${t('todo.' + alert.metric)}`;
  if (calls.has(alert.metric)) return local(alert.title);
  const known = state.catalogue.get(alert.metric);
  // A slope or a share is no value of the metric: it is not turned into another unit.
  const metric = known && alert.value >= (known.low ?? -Infinity) && alert.value <= (known.high ?? Infinity) ? alert.metric : undefined;
  const unit = unitName(known?.unit ?? '', metric);
  const value = alert.value === undefined ? '' : ` ${number(alert.value, metric)} ${unit}`;
  const limit = alert.threshold === undefined ? '' : ` (${t('alert.limit')} ${number(alert.threshold, metric)})`;
  return `${local(alert.title)}${value}${limit}`;
}

/** Whether an alert is about what an electrocardiogram shows. */
export const isOfHeart = (alert) => alert.kind !== 'technical' && (alert.group === 'rhythm' || /^(heart-rate$|pulse-rate$|rr-interval$|rhythm|heart-rhythm|ecg|ventricular|supraventricular|fibrillation)/.test(alert.metric ?? ''));

/** A link to the electrocardiogram around an alert, which appears where there is one; nothing for other alerts. */
export function paperLink(id, alert, time, spec = 'a') {
  if (!isOfHeart(alert)) return null;
  const link = h(`${spec}.hidden`, { href: around(id, time) }, t('ecg.around'));
  hasElectrocardiogram(id).then((has) => link.classList.toggle('hidden', !has));
  return link;
}

/** The worst of a participant's alerts. */
export function worst(alerts) {
  const score = (alert) => (isActive(alert) && !alert.silenced ? (alert.acknowledged ? 0 : 10) + { high: 6, medium: 4, low: 2 }[priorityOf(alert)] + (alert.kind === 'technical' ? 0 : 1) : -1);
  let found = null;
  for (const alert of alerts) if (score(alert) >= 0 && (!found || score(alert) > score(found))) found = alert;
  return found;
}
