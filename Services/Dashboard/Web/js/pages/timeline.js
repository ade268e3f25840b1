// A day, week, month, year or decade on the wearer's calendar: a row a metric, with what people entered and what alarms there were.
import { h, replace, write, toast, loading } from '../dom.js';
import { api } from '../api.js';
import { t, metricName, number, unitName, moment, when, date, clock, language } from '../i18n.js';
import { period, before, after, knownZone } from '../calendar.js';
import { RowChart, colorOf } from '../draw/rows.js';
import { line, sign, paperLink } from '../alarms.js';
import { ending } from '../glance.js';
import { hasElectrocardiogram } from '../waveform.js';

const spans = ['day', 'week', 'month', 'year', 'decade'];
const lists = ['notes', 'timeline_medications', 'regimens', 'conditions', 'allergies', 'encounters', 'immunizations', 'procedures', 'results'];
const kindOf = { notes: 'note', timeline_medications: 'medication', regimens: 'regimen', conditions: 'condition', allergies: 'allergy', encounters: 'encounter', immunizations: 'immunization', procedures: 'procedure', results: 'result' };

export async function show(app, main, id) {
  const zone = knownZone(app.zoneOf(id) ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const query = new URLSearchParams(location.search);
  let span = spans.includes(query.get('span')) ? query.get('span') : 'day';
  let shown = period(span, Number(query.get('to')) || app.live.now(), zone);
  const title = h('strong.grow', { 'aria-live': 'polite' });
  const buttons = spans.map((name) => h('button', { onclick: () => move(name, period(name, Math.min(app.live.now(), shown.to - 1), zone)) }, t('timeline.' + name)));
  const forward = h('button', { 'aria-label': t('timeline.forward'), onclick: () => move(span, after(span, shown, zone)) }, '▶');
  const paper = h('button.hidden', { onclick: () => app.go(`/p/${encodeURIComponent(id)}/ecg?view=${span === 'day' ? 'day' : 'strip'}&from=${Math.round(Math.min(shown.from + (span === 'day' ? 43200 : 0), app.live.now()))}`) }, t('page.ecg'));
  hasElectrocardiogram(id).then((has) => paper.classList.toggle('hidden', !has));
  const rows = h('div.panel');
  const entries = h('div');
  main.append(h('div.spans', h('div.tabs', { role: 'group' }, buttons), h('button', { 'aria-label': t('timeline.back'), onclick: () => move(span, before(span, shown, zone)) }, '◀'), title, forward,
    h('button', { onclick: () => move(span, period(span, app.live.now(), zone)) }, t('timeline.now')), paper), rows, entries);
  if (app.can('enter')) main.append(entryForm(app, id, () => move(span, shown)), levelForm(app, id, () => move(span, shown)));
  let charts = [];
  const onResize = () => charts.forEach(({ chart }) => chart.draw());
  addEventListener('resize', onResize);
  addEventListener('theme', onResize);
  // What is the next day's is there as soon as that begins.
  const onTick = () => { forward.disabled = shown.to > app.live.now(); };
  app.live.addEventListener('tick', onTick);

  /** Goes to another period, or stays where it is if that cannot be had. */
  async function move(name, to) {
    const before = [span, shown];
    [span, shown] = [name, to];
    try {
      await draw();
      if (shown === to) history.replaceState(null, '', `?span=${span}&to=${Math.round(shown.to)}`);
    } catch (error) {
      if (shown !== to) return;
      [span, shown] = before;
      mark();
      app.fail(error);
    }
  }

  function mark() {
    spans.forEach((name, i) => buttons[i].setAttribute('aria-pressed', String(name === span)));
    forward.disabled = shown.to > app.live.now();
    write(title, label(span, shown, zone));
  }

  async function draw() {
    mark();
    const wanted = shown;
    const page = await loading(rows, fetchPage(id, span, shown), t('loading'));
    if (wanted !== shown) return;
    drawRows(page);
    drawEntries(page);
  }

  function drawRows(page) {
    const alarms = alarmPeriods(page.alerts ?? [], shown.to);
    const marks = lists.flatMap((name) => (page[name] ?? []).map((item) => item.date));
    const all = [...page.vitals, ...Object.values(page.levels)].filter((vital) => vital.values.length && !/quality|component/.test(vital.metric));
    all.sort((a, b) => place(a.metric) - place(b.metric) || metricName(a.metric).localeCompare(metricName(b.metric)));
    charts = [];
    if (!all.length) return drawNothing();
    replace(rows, h('p.quiet', t('timeline.zone', { zone })), all.map((vital) => {
      const canvas = h('canvas', { role: 'img', 'aria-label': `${metricName(vital.metric)}: ${number(Math.min(...vital.minimums.slice(0, 10000)), vital.metric)} – ${number(Math.max(...vital.maximums.slice(0, 10000)), vital.metric)} ${unitName(vital.units, vital.metric)}` });
      const chart = new RowChart(canvas, colorOf(vital.metric));
      const value = h('span.value.number');
      const about = h('div.quiet.number');
      charts.push({ chart, vital, value, about });
      canvas.addEventListener('pointermove', (event) => cross(chart.timeAt(event.offsetX)));
      canvas.addEventListener('pointerleave', () => cross(null));
      return h('div.line-row', h('div.name', h('a', { href: `/p/${encodeURIComponent(id)}/metric/${encodeURIComponent(vital.metric)}?from=${Math.round(shown.from)}&to=${Math.round(shown.to)}` }, metricName(vital.metric))), h('div.plot', canvas),
        h('div.last', value, ' ', h('span.unit', unitName(vital.units, vital.metric)), about));
    }));
    for (const { chart, vital } of charts) chart.set(vital, shown.from, shown.to, alarms.filter((alarm) => !alarm.metric || alarm.metric === vital.metric).map(({ from, to }) => [from, to]), marks);
    cross(null);
  }

  /** All rows show the value at one moment: under the pointer, else the last. */
  function cross(time) {
    for (const { chart, vital, value, about } of charts) {
      const at = time === null ? vital.times.length - 1 : chart.nearest(time);
      write(value, number(vital.values[at], vital.metric));
      // A year's values are means of days, whose beginning is no time at which something was measured.
      const mean = vital.counts[at] > 1 && !/steps|distance|floors|energy$|minutes/.test(vital.metric) ? 'Ø ' : '';
      write(about, mean + (span === 'day' ? when(vital.times[at], zone) : span === 'week' || span === 'month' ? moment(vital.times[at], zone) : date(vital.times[at], zone)));
      chart.cross = time === null ? null : vital.times[at];
      chart.draw();
    }
  }

  async function drawNothing() {
    const last = h('span');
    replace(rows, h('p', t('timeline.nothing'), ' ', last));
    const metrics = await api.get(api.of(id, 'metrics?counted=false')).catch(() => []);
    const times = metrics.map((metric) => metric.last).filter((time) => time < shown.from);
    if (times.length) replace(last, h('button', { onclick: () => move(span, period(span, Math.max(...times), zone)) }, t('timeline.last-on', { date: date(Math.max(...times), zone) }) + ' →'));
  }

  function drawEntries(page) {
    const items = lists.flatMap((name) => (page[name] ?? []).map((item) => ({ ...item, kind: kindOf[name] }))).sort((a, b) => b.date - a.date);
    const alerts = (page.alerts ?? []).slice().reverse().slice(0, 100);
    replace(entries,
      items.length ? h('section.panel', h('h2', t('timeline.entries')), h('ul.marks', items.map((item) => h('li.row', h('span.grow', h('span.chip', t('kind.' + item.kind)), ' ', h('strong', item.description), item.detail ? ` – ${item.detail}` : '', h('div.quiet.number', moment(item.date, zone), item.endDate ? ` – ${moment(item.endDate, zone)}` : stands(item) ? ` – ${t('glance.ongoing')}` : '')),
        stands(item) ? ending(app, id, item, () => move(span, shown)) : null,
        app.can('remove-entries') ? h('button', { 'aria-label': `${t('remove')}: ${item.description}`, onclick: async () => { try { await api.remove(api.of(id, 'entries/' + encodeURIComponent(item.id))); move(span, shown); } catch (error) { app.fail(error); } } }, t('remove')) : null)))) : null,
      alerts.length ? h('section.panel', h('h2', t('timeline.alerts')), h('ul.marks', alerts.map((event) => h('li', h('span.number', moment(event.time, zone)), ' ', sign(event), ' ', line(event), ' · ', t('transition.' + event.transition), event.actor ? ` (${event.actor})` : '', ' ', paperLink(id, event, event.time))))) : null);
  }

  function leave() {
    removeEventListener('resize', onResize);
    removeEventListener('theme', onResize);
    app.live.removeEventListener('tick', onTick);
  }

  try { await draw(); } catch (error) { leave(); throw error; }
  return leave;
}

/** The page of a period. A page reaches a fixed time back from its end; where the clock changed, the hour before it is asked for too. */
async function fetchPage(id, span, { from, to }) {
  const page = await api.get(api.of(id, 'page'), { span, to });
  const cut = (vital) => {
    const first = vital.times.findIndex((time) => time >= from);
    const start = first < 0 ? vital.times.length : first;
    return { ...vital, ...Object.fromEntries(['values', 'times', 'minimums', 'maximums', 'counts'].map((name) => [name, vital[name].slice(start)])) };
  };
  page.vitals = page.vitals.map(cut);
  page.levels = Object.fromEntries(Object.entries(page.levels).map(([name, vital]) => [name, cut(vital)]));
  if (page.start_date <= from) return page;
  const missing = await api.get(api.of(id, 'page'), { span: 'day', to: page.start_date });
  for (const vital of missing.vitals.map(cut)) {
    const known = page.vitals.find((other) => other.metric === vital.metric);
    if (!known) page.vitals.push(vital);
    else for (const name of ['values', 'times', 'minimums', 'maximums', 'counts']) known[name] = [...vital[name], ...known[name]];
  }
  return page;
}

/** What is looked at first stands first; blood pressure last, systolic first. */
const first = ['heart-rate', 'pulse-rate', 'oxygen-saturation', 'respiration-rate', 'body-temperature', 'blood-glucose', 'body-weight', 'steps', 'sleep-minutes', 'stress-level', 'news2-score'];
const last = ['systolic-pressure', 'diastolic-pressure'];
const place = (metric) => (first.includes(metric) ? first.indexOf(metric) : last.includes(metric) ? 100 + last.indexOf(metric) : 50);

const stands = (item) => ['allergy', 'condition', 'medication'].includes(item.kind) && !item.endDate;

function alarmPeriods(events, end) {
  const open = new Map();
  const periods = [];
  for (const event of events) {
    if (event.state === 'active' && !open.has(event.rule)) open.set(event.rule, event);
    if (event.state !== 'active' && open.has(event.rule)) { periods.push({ from: open.get(event.rule).since, to: event.time, metric: event.metric }); open.delete(event.rule); }
  }
  for (const event of open.values()) periods.push({ from: event.since, to: Math.min(end, Date.now() / 1000), metric: event.metric });
  return periods;
}

function label(span, { from, to }, zone) {
  const format = (options, seconds) => new Intl.DateTimeFormat(language, { timeZone: zone, ...options }).format(seconds * 1000);
  switch (span) {
    case 'day': return format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, from + 43200);
    case 'week': return `${format({ day: 'numeric', month: 'short' }, from)} – ${format({ day: 'numeric', month: 'short', year: 'numeric' }, to - 1)}`;
    case 'month': return format({ month: 'long', year: 'numeric' }, from + 86400);
    case 'year': return format({ year: 'numeric' }, from + 86400 * 2);
    default: return `${format({ year: 'numeric' }, from + 86400 * 2)} – ${format({ year: 'numeric' }, to - 86400)}`;
  }
}

function entryForm(app, id, stored) {
  const kind = h('select', ['note', 'medication', 'regimen', 'condition', 'allergy', 'encounter', 'immunization', 'procedure', 'result'].map((name) => h('option', { value: name }, t('kind.' + name))));
  const kept = h('select', ['none', 'less', 'as-directed', 'more'].map((name) => h('option', { value: name }, t('regimen.' + name))));
  const description = h('input', { required: true, maxlength: 500 });
  const detail = h('input', { maxlength: 4000 });
  const keptRow = h('label.hidden', h('span', t('regimen.kept')), kept);
  const ends = h('input', { type: 'date' });
  const endsRow = h('label.hidden', h('span', t('glance.ends')), ends);
  kind.addEventListener('change', () => {
    keptRow.classList.toggle('hidden', kind.value !== 'regimen');
    endsRow.classList.toggle('hidden', !['medication', 'condition', 'allergy'].includes(kind.value));
  });
  kept.value = 'as-directed';
  return h('section.panel', h('h2', t('timeline.add')), h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const last = ends.value && !endsRow.classList.contains('hidden') ? { ends: Date.parse(`${ends.value}T23:59:59`) / 1000 } : {};
        await api.post(api.of(id, 'entries'), { kind: kind.value, description: description.value, ...last, ...(kind.value === 'regimen' ? { detail: `${t('regimen.' + kept.value)}${detail.value ? ': ' + detail.value : ''}` } : detail.value ? { detail: detail.value } : {}) });
        description.value = detail.value = ends.value = '';
        toast(t('timeline.stored'));
        stored();
      } catch (error) { app.fail(error); }
    },
  }, h('label', h('span', t('timeline.kind')), kind), h('label', h('span', t('timeline.description')), description), keptRow, endsRow, h('label', h('span', t('timeline.detail')), detail), h('button.primary', { type: 'submit' }, t('add'))));
}

function levelForm(app, id, stored) {
  const sliders = ['pain', 'mood', 'energy'].map((name) => {
    const output = h('output.number', '5');
    const input = h('input', { type: 'range', min: 0, max: 10, step: 1, 'aria-label': t('level.' + name), oninput: () => write(output, input.value) });
    input.value = 5;
    return { name, input, element: h('label', h('span', t('level.' + name), ' ', output), input) };
  });
  return h('section.panel', h('h2', t('timeline.levels')), h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await api.post(api.of(id, 'levels'), { levels: Object.fromEntries(sliders.map(({ name, input }) => [name, Number(input.value)])) });
        toast(t('timeline.stored'));
        stored();
      } catch (error) { app.fail(error); }
    },
  }, h('div.sliders', sliders.map(({ element }) => element)), h('button.primary', { type: 'submit' }, t('add'))));
}
