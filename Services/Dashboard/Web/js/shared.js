// The page behind a share link: one person's chosen metrics of some days, to look at. It needs no account and changes nothing.
import { h, replace } from './dom.js';
import { api } from './api.js';
import { t, has, setLanguage, date, moment, number, unitName } from './i18n.js';
import { lineChart } from './draw/lines.js';

const root = document.getElementById('app');
const token = location.hash.slice(1);
const frame = (...content) => replace(root, h('main.shared', h('h1', 'Vigil'), ...content));

/** Three times what usually lies between two steps: beyond that nothing was measured. */
function gapOf(steps) {
  const between = steps.slice(1).map(([time], place) => time - steps[place][0]).sort((a, b) => a - b);
  return between.length ? 3 * between[Math.floor(between.length / 2)] : Infinity;
}

function figure(course, view, zone) {
  const name = has('metric.' + course.metric) ? t('metric.' + course.metric) : course.title;
  const title = h('figcaption', h('strong', name), ' ', h('span.quiet', unitName(course.unit)));
  if (!course.steps.length) return h('figure.panel', title, h('p.quiet', t('share.nothing')));
  const values = course.steps.map(([, low, mean, high]) => ({ low, mean, high }));
  const least = Math.min(...values.map(({ low }) => low));
  const most = Math.max(...values.map(({ high }) => high));
  const chart = { title: { en: name }, unit: course.unit, axis: 'time', range: [view.from, view.to], lines: [{ label: { en: name }, gap: gapOf(course.steps), points: course.steps.map(([time, , mean]) => [time, mean]) }] };
  return h('figure.panel', title, h('p', t('share.figures', { last: number(values.at(-1).mean, course.metric), low: number(least, course.metric), high: number(most, course.metric) })), lineChart(chart, zone));
}

async function begin() {
  await setLanguage();
  document.title = `${t('share.title')} – Vigil`;
  if (!token) return frame(h('p', { role: 'alert' }, t('share.invalid')));
  try {
    const view = await api.post('/shared', { token });
    const zone = view.zone || undefined;
    frame(h('h2', view.name), h('p', `${date(view.from, zone)} – ${date(view.to - 1, zone)}`), h('p.quiet', t('share.until', { time: moment(view.expires, zone) })), view.metrics.map((course) => figure(course, view, zone)), h('p.quiet', t('share.no-advice')));
  } catch (error) {
    const known = { invalid: 'share.invalid', expired: 'share.expired', busy: 'door.busy', 'share-used-up': 'door.busy' };
    frame(h('p.error', { role: 'alert' }, t(known[error.code] ?? 'error.no-connection')));
  }
}

begin();
