// Any metric over any time: minimum, mean and maximum at each zoom, its distribution, several charts in one stack, and exports.
import { h, replace, write, loading } from '../dom.js';
import { api } from '../api.js';
import { t, metricName, number, unitName, moment, language, state } from '../i18n.js';
import { bundle } from '../fhir.js';
import { knownZone, fromField, toField } from '../calendar.js';
import { conversion } from '../units.js';
import { gapOf } from '../draw/gaps.js';
import { colorOf } from '../draw/rows.js';

let dygraphs;
/** Debian's dygraphs, loaded with the first chart. */
function loadDygraphs() {
  dygraphs ??= new Promise((resolve, reject) => {
    const script = h('script', { src: '/vendor/dygraph.min.js', onload: () => resolve(withoutLegend(globalThis.Dygraph)), onerror: () => { dygraphs = null; reject(Object.assign(new Error('dygraphs'), { code: 'no-connection' })); } });
    document.head.append(script);
  });
  return dygraphs;
}

/** Its legend writes style attributes, which the page's policy forbids; the text above each chart says the same. */
function withoutLegend(Dygraph) {
  Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);
  return Dygraph;
}

/** What charts need is fetched before it may be out of reach. */
export const prepare = () => loadDygraphs();

export async function show(app, main, id, first) {
  const zone = knownZone(app.zoneOf(id) ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const query = new URLSearchParams(location.search);
  const now = app.live.now();
  let range = { from: Number(query.get('from')) || now - 86400, to: Math.min(Number(query.get('to')) || now, now + 3600) };
  const Dygraph = await loadDygraphs();
  const all = await api.get(api.of(id, 'metrics?counted=false'));
  const stored = all.filter((metric) => !metric.isWaveform);
  const waveform = all.find((metric) => metric.isWaveform && metric.metric === first) ?? all.find((metric) => metric.isWaveform && metric.metric === 'ecg');
  const stack = h('div');
  const charts = [];
  const from = h('input', { type: 'datetime-local', 'aria-label': t('metric.from'), onchange: () => typed() });
  const to = h('input', { type: 'datetime-local', 'aria-label': t('metric.to'), onchange: () => typed() });
  const add = h('select', { 'aria-label': t('metric.add'), onchange: () => { if (add.value) { addChart(add.value); add.value = ''; } } },
    h('option', { value: '' }, t('metric.add')), stored.map((metric) => h('option', { value: metric.metric }, metricName(metric.metric))));
  const quick = [['day', 1], ['week', 7], ['month', 30], ['year', 365]].map(([name, days]) => h('button', { onclick: () => setRange({ from: app.live.now() - days * 86400, to: app.live.now() }) }, t('timeline.' + name)));
  const everything = h('button', { onclick: () => { const metric = stored.find((entry) => entry.metric === first); if (metric) setRange({ from: metric.first, to: metric.last + 1 }); } }, t('metric.all'));
  const { element: bins, changed } = histogram(app, id, first, zone, () => range);
  main.append(h('div.row', quick, everything, h('label', h('span', t('metric.from')), from), h('label', h('span', t('metric.to')), to), add, waveform ? h('button', { onclick: () => app.go(paper()) }, metricName(waveform.metric)) : null), h('p.quiet', t('timeline.zone', { zone })), stack, bins);

  /** The stored waveform of the time that is shown; of its end where that is a long one. */
  function paper() {
    const from = Math.max(waveform.first, range.to - range.from > 86400 ? Math.min(range.to, waveform.last) - 12 : range.from);
    return `/p/${encodeURIComponent(id)}/ecg?${new URLSearchParams({ metric: waveform.metric, from: Math.round(from) })}`;
  }

  function typed() {
    const [start, stop] = [fromField(from.value, zone), fromField(to.value, zone)];
    if (start < stop) setRange({ from: start, to: stop });
  }

  let timer;
  // What comes after the page was left draws on no chart that is gone.
  let isGone = false;
  function setRange(next) {
    range = next;
    from.value = toField(range.from, zone);
    to.value = toField(range.to, zone);
    history.replaceState(null, '', `?from=${Math.round(range.from)}&to=${Math.round(range.to)}`);
    clearTimeout(timer);
    timer = setTimeout(() => { charts.forEach((chart) => chart.load()); changed(); }, 120);
  }

  function addChart(metric) {
    const box = h('div.chart' + (charts.length ? '.low' : ''), { role: 'img', 'aria-label': metricName(metric) });
    const legend = h('p.quiet.number', { 'aria-live': 'off' });
    const unit = unitName(stored.find((entry) => entry.metric === metric)?.unit ?? '', metric);
    const own = conversion(metric, state.catalogue.get(metric)?.unit);
    const drawn = (value) => (own ? value * own.scale + own.offset : value);
    const chart = { graph: null, points: [] };
    const exports_ = h('div.row', h('button', { onclick: () => savePicture(box, id, metric) }, 'PNG'), h('button', { onclick: () => saveAll(app, id, metric, range, 'csv') }, 'CSV'), h('button', { onclick: () => saveAll(app, id, metric, range, 'json') }, 'JSON'),
      h('button', { onclick: () => saveAll(app, id, metric, range, 'fhir') }, 'FHIR'));
    stack.append(h('section.panel', h('div.row', h('h2.grow', `${metricName(metric)}${unit ? ` (${unit})` : ''}`), exports_), legend, box));
    chart.load = async () => {
      let points;
      try { points = await api.get(api.of(id, 'series'), { metric, from: range.from, to: range.to, width: Math.max(100, Math.min(2000, box.clientWidth)) }); } catch (error) { write(legend, app.miss(error)); return; }
      if (isGone) return;
      chart.points = points;
      const gap = gapOf(points.map((point) => point.time), (range.to - range.from) / Math.max(1, box.clientWidth) * 12);
      const rows = [];
      points.forEach((point, i) => {
        const last = points[i - 1];
        if (last && point.time - last.time > gap) rows.push([new Date((last.time + 0.001) * 1000), [null, null, null]]);
        rows.push([new Date(point.time * 1000), [drawn(point.min), drawn(point.mean), drawn(point.max)]]);
      });
      write(legend, points.length ? summary(points, metric, unit) : t('timeline.nothing'));
      const options = { file: rows.length ? rows : [[new Date(range.from * 1000), [null, null, null]], [new Date(range.to * 1000), [null, null, null]]], dateWindow: [range.from * 1000, range.to * 1000] };
      if (chart.graph) chart.graph.updateOptions(options);
      else chart.graph = make(Dygraph, box, options.file, options, metric, zone, (window) => setRange({ from: window[0] / 1000, to: window[1] / 1000 }), (time) => highlight(time));
      chart.legend = legend;
      chart.metric = metric;
      chart.unit = unit;
    };
    charts.push(chart);
    chart.load();
  }

  function highlight(time) {
    for (const chart of charts) {
      if (!chart.points.length) continue;
      if (time === null) { write(chart.legend, summary(chart.points, chart.metric, chart.unit)); continue; }
      const nearest = chart.points.reduce((best, point) => (Math.abs(point.time - time) < Math.abs(best.time - time) ? point : best));
      write(chart.legend, `${moment(nearest.time, zone)} · ${number(nearest.mean, chart.metric)} (${number(nearest.min, chart.metric)} – ${number(nearest.max, chart.metric)}) ${chart.unit} · ${t('timeline.count', { n: nearest.count })}`);
    }
  }

  setRange(range);
  addChart(first);
  const onTheme = () => charts.forEach((chart) => chart.graph?.updateOptions({ colors: [colour(stack, chart.metric)] }));
  addEventListener('theme', onTheme);
  return () => {
    isGone = true;
    clearTimeout(timer);
    removeEventListener('theme', onTheme);
    charts.forEach((chart) => chart.graph?.destroy());
  };
}

const colour = (element, metric) => getComputedStyle(element).getPropertyValue(colorOf(metric)).trim();

function make(Dygraph, box, file, options, metric, zone, zoomed, pointed) {
  const style = getComputedStyle(box);
  return new Dygraph(box, file, {
    labels: ['time', metric], customBars: true, connectSeparatedPoints: false, drawPoints: file.length < 60, pointSize: 3, strokeWidth: 2, fillAlpha: 0.22, colors: [colour(box, metric)],
    legend: 'never', dateWindow: options.dateWindow, gridLineColor: style.getPropertyValue('--grid').trim(), axisLineColor: style.getPropertyValue('--strong-line').trim(), animatedZooms: false,
    axes: { x: { axisLabelFormatter: (value, granularity) => label(value, granularity, zone) }, y: { axisLabelFormatter: (value) => new Intl.NumberFormat(language, { maximumSignificantDigits: 4 }).format(value) } },
    zoomCallback: (least, most) => zoomed([least, most]),
    highlightCallback: (event, x) => pointed(x / 1000), unhighlightCallback: () => pointed(null),
  });
}

function label(value, granularity, zone) {
  // Granularities above 20 are days and more.
  const options = granularity >= 20 ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' };
  const range = granularity >= 24 ? { month: 'short', year: 'numeric' } : options;
  return new Intl.DateTimeFormat(language, { timeZone: zone, hourCycle: 'h23', ...range }).format(value);
}

function summary(points, metric, unit) {
  const count = points.reduce((sum, point) => sum + point.count, 0);
  const mean = points.reduce((sum, point) => sum + point.mean * point.count, 0) / count;
  return `${t('metric.mean')} ${number(mean, metric)} · ${t('metric.least')} ${number(points.reduce((least, point) => Math.min(least, point.min), Infinity), metric)} · ${t('metric.most')} ${number(points.reduce((most, point) => Math.max(most, point.max), -Infinity), metric)} ${unit} · ${t('timeline.count', { n: count })}`;
}

/** How the values are spread over weekdays, hours and so on, of the last months or of what the charts show. */
function histogram(app, id, metric, zone, shown) {
  const by = h('select', ['weekday', 'hour', 'day', 'week', 'month'].map((name) => h('option', { value: name }, t('metric.' + name))));
  const months = h('select', [1, 3, 6, 12].map((n) => h('option', { value: n }, t('metric.months', { n }))), h('option', { value: 'shown' }, t('metric.shown')));
  const box = h('div');
  months.value = 3;
  const draw = async () => {
    const now = app.live.now();
    const { from, to } = months.value === 'shown' ? shown() : { from: now - months.value * 30.44 * 86400, to: now };
    try {
      const bins = await loading(box, api.get(api.of(id, 'histogram'), { metric, by: by.value, from, to, zone }), t('loading'));
      const isTotal = /steps|distance|floors|energy$|minutes/.test(metric);
      const most = bins.reduce((found, bin) => Math.max(found, (isTotal ? bin.sum : bin.mean) ?? 0), 0);
      const name = (key) => (by.value === 'weekday' ? weekday(key) : key);
      replace(box, h('div.scroll', h('table.bins', h('thead', h('tr', h('th', t('metric.' + by.value)), h('th', isTotal ? t('metric.value') : t('metric.mean')), h('th', t('metric.least')), h('th', t('metric.most')), h('th', t('metric.readings')))),
        h('tbody', bins.map((bin) => {
          const value = isTotal ? bin.sum : bin.mean;
          return h('tr', h('td', name(bin.key)), h('td.number', h('progress', { value: value ?? 0, max: most || 1, 'aria-hidden': 'true' }), ' ', value === null || value === undefined ? '--' : number(value, metric)), h('td.number', bin.min === undefined ? '--' : number(bin.min, metric)), h('td.number', bin.max === undefined ? '--' : number(bin.max, metric)), h('td.number', bin.count));
        })))));
    } catch (error) { replace(box, h('p.note', app.miss(error))); }
  };
  by.addEventListener('change', draw);
  months.addEventListener('change', draw);
  draw();
  const element = h('section.panel', h('div.row', h('h2.grow', t('metric.histogram')), h('label', h('span', t('metric.by')), by), h('label', h('span', t('metric.months', { n: '' })), months)), box);
  return { element, changed: () => { if (months.value === 'shown') draw(); } };
}

function weekday(key) {
  const at = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].indexOf(key);
  return at < 0 ? key : new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + at));
}

function save(name, type, content) {
  const link = h('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 2000);
}

function savePicture(box, id, metric) {
  const canvases = [...box.querySelectorAll('canvas')];
  const copy = h('canvas', { width: canvases[0].width, height: canvases[0].height });
  const context = copy.getContext('2d');
  context.fillStyle = getComputedStyle(box).getPropertyValue('--panel');
  context.fillRect(0, 0, copy.width, copy.height);
  for (const canvas of canvases) context.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => save(`${id}-${metric}.png`, 'image/png', blob));
}

/** Every reading of the range, page by page, in a file. */
async function saveAll(app, id, metric, range, form) {
  const rows = [];
  try {
    let after;
    do {
      const page = await api.get(api.of(id, 'readings'), { metric, from: range.from, to: range.to, limit: 10000, after });
      rows.push(...page.readings);
      after = page.next ? (typeof page.next === 'string' ? page.next : JSON.stringify(page.next)) : null;
    } while (after && rows.length < 1000000);
  } catch (error) { return app.fail(error); }
  if (form === 'json') return save(`${id}-${metric}.json`, 'application/json', JSON.stringify(rows));
  if (form === 'fhir') {
    const known = { name: metric, title: metric, unit: rows[0]?.unit ?? '1', ...state.catalogue.get(metric) };
    return save(`${id}-${metric}-fhir.json`, 'application/fhir+json', JSON.stringify(bundle(id, known, rows)));
  }
  const cell = (value) => { const text = value === undefined || value === null ? '' : String(value); return /^[=+\-@\t]/.test(text) && typeof value === 'string' ? `"'${text.replaceAll('"', '""')}"` : /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
  const names = ['time', 'metric', 'value', 'text', 'unit', 'source'];
  save(`${id}-${metric}.csv`, 'text/csv', names.join() + '\r\n' + rows.map((row) => names.map((name) => cell(name === 'time' ? new Date(row.time * 1000).toISOString() : row[name])).join()).join('\r\n') + '\r\n');
}
