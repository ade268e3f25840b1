// What the health modules say of a person: a card a module, and behind each its page with values, charts and settings.
import { h, replace, write, toast } from '../dom.js';
import { api } from '../api.js';
import { t, local, age, unitName, number } from '../i18n.js';
import { lineChart, legend } from '../draw/lines.js';
import { drawing } from '../drawing.js';
import { sentence } from '../errors.js';

export async function show(app, main, id, chosen) {
  const path = (rest = '') => api.of(id, 'modules' + rest);
  const modules = await api.get(path());
  if (chosen) {
    const module = modules.find((item) => item.id === chosen);
    if (!module) return void main.append(h('p', { role: 'alert' }, t('error.not-found')));
    return await showModule(app, main, id, module, path);
  }
  main.append(h('div.row', h('p.grow.quiet', t('health.what')), app.can('enter') ? h('a.button.primary', { href: `/p/${encodeURIComponent(id)}/measure` }, t('measure.add')) : null));
  const list = h('div.modules');
  main.append(list);
  const shown = modules.filter((module) => module.available);
  if (!shown.length) list.append(h('p', t('health.none')));
  let isOpen = true;
  await Promise.all(shown.map(async (module) => {
    const card = h('a.panel.module', { href: `/p/${encodeURIComponent(id)}/health/${module.id}` }, head(module), h('p.quiet', t('loading')));
    list.append(card);
    try {
      const page = await api.get(path('/' + module.id));
      if (isOpen) fill(card, module, page);
    } catch (error) { replace(card, head(module), h('p.error', sentence(error))); }
  }));
  return () => { isOpen = false; };
}

const head = (module) => h('div.row', drawing(module.icon), h('h2.grow', local(module.name)));

/** A module's newest message and its first rows; where nothing is known yet, what it would need. */
function fill(card, module, page) {
  const unknown = page.values.find((value) => value.unknown)?.unknown;
  replace(card, head(module), page.message ? message(page.message) : null,
    page.rows.length ? rows(page.rows.slice(0, 3), false) : h('p.quiet', unknown ? local(unknown) : t('health.nothing-yet')),
    h('p.quiet', evaluated(page)));
  card.dataset.kind = page.message?.kind ?? '';
}

const message = (item) => h('p.module-message', { 'data-kind': item.kind }, local(item.text));
const evaluated = (page) => (page.evaluated ? t('health.evaluated', { age: age(Date.now() / 1000 - page.evaluated) }) : '');
const rows = (list, withNotes = true) => h('dl.facts', list.flatMap((row) => [h('dt', local(row.label)), h('dd', local(row.value), withNotes && row.note ? h('div.quiet', local(row.note)) : null)]));

async function showModule(app, main, id, module, path) {
  const back = h('a.button', { href: `/p/${encodeURIComponent(id)}/health` }, '← ' + t('page.health'));
  const body = h('div');
  main.append(h('div.row', drawing(module.icon), h('h2.grow', local(module.name)), back), h('p.quiet', local(module.description)), body);
  const draw = async () => {
    const page = await api.get(path('/' + module.id));
    replace(body,
      page.message ? message(page.message) : null,
      page.rows.length ? h('section.panel', rows(page.rows), h('p.quiet', evaluated(page))) : h('section.panel', h('p', t('health.nothing-yet'))),
      page.charts.map((chart) => figure(chart, app.zoneOf(id))),
      values(page),
      app.can('enter') ? settings(module, path, draw) : null);
  };
  await draw();
}

function figure(chart, zone) {
  const marks = legend(chart).map(({ name, color }) => {
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    mark.setAttribute('class', 'legend-mark');
    mark.setAttribute('viewBox', '0 0 10 10');
    const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
    for (const [key, value] of Object.entries({ cx: 5, cy: 5, r: 4, fill: color })) dot.setAttribute(key, value);
    mark.append(dot);
    return h('li.row', mark, name);
  });
  return h('figure.panel', h('figcaption', h('strong', local(chart.title)), ' ', h('span.quiet', unitName(chart.unit ?? ''))), lineChart(chart, zone), marks.length ? h('ul.legend', marks) : null);
}

/** All values; what is not known stands with its reason. */
function values(page) {
  const written = (value) => (value.unknown ? h('span.quiet', `-- (${local(value.unknown)})`) : text(value));
  return h('details.panel', h('summary', t('health.values')), h('dl.facts', page.values.flatMap((value) => [h('dt', local(value.description)), h('dd', written(value))])));
}

function text({ value, unit }) {
  if (value === undefined || value === null) return '--';
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  return typeof value === 'number' ? `${number(value)} ${unitName(unit ?? '')}`.trim() : value;
}

/** A form for everything that a person may set, made of the exchange list. */
function settings(module, path, redraw) {
  const fields = module.parameters.filter((parameter) => !parameter.readonly);
  if (!fields.length) return null;
  return h('section.panel', h('h2', t('page.settings')), fields.map((parameter) => field(module, parameter, path, redraw)));
}

function field(module, parameter, path, redraw) {
  const address = path(`/${module.id}/${parameter.name}`);
  const input = control(parameter);
  const said = h('p', { role: 'status' });
  // Not set yet is no error: the field stays empty.
  api.get(address).then((answer) => { if (answer.value !== undefined && answer.value !== null) assign(input, answer.value); }).catch((error) => write(said, sentence(error)));
  return h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      said.className = '';
      write(said, '');
      try {
        await api.put(address, { value: read(input, parameter) });
        toast(t('settings.stored'));
        await redraw();
      } catch (error) { said.className = 'error'; write(said, sentence(error)); }
    },
  }, h('label', h('span', local(parameter.description), parameter.unit ? ` (${unitName(parameter.unit)})` : ''), input), said, h('button', { type: 'submit' }, t('save')));
}

function control(parameter) {
  if (parameter.type === 'boolean') return h('input', { type: 'checkbox' });
  const choices = parameter.accepts?.startsWith('one of ') ? parameter.examples : null;
  if (choices) return h('select', h('option', { value: '' }, '–'), choices.map((name) => h('option', { value: name }, name)));
  return h('input', { inputmode: parameter.type === 'number' || parameter.type === 'integer' ? 'decimal' : 'text', autocomplete: 'off' });
}

function assign(input, value) {
  if (input.type === 'checkbox') input.checked = value === true;
  else input.value = String(value);
}

function read(input, parameter) {
  if (input.type === 'checkbox') return input.checked;
  const text = input.value.trim();
  const isNumber = parameter.type === 'number' || parameter.type === 'integer';
  return isNumber && text !== '' && Number.isFinite(Number(text.replace(',', '.'))) ? Number(text.replace(',', '.')) : text;
}
