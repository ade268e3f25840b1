// A person at a glance: name, age, and the tiles that this account has chosen, each opening its page.
import { h, replace } from '../dom.js';
import { api } from '../api.js';
import { t, local, metricName, language } from '../i18n.js';
import { Vital } from '../vitals.js';
import { glance } from '../glance.js';
import { due } from './questions.js';

const usual = ['heart-rate', 'oxygen-saturation', 'respiration-rate', 'body-temperature', 'systolic-pressure', 'diastolic-pressure', 'blood-glucose', 'body-weight', 'steps', 'stress-level', 'news2-score', 'pain', 'mood', 'energy-level'];

export async function show(app, main, id) {
  const person = app.byIdentifier.get(id);
  const key = 'tiles-' + id;
  const tiles = h('div.tiles-summary');
  const empty = h('p.quiet');
  const chooser = h('details.panel', h('summary', t('summary.choose')));
  const birth = person?.birthDate ? Math.floor((Date.now() - Date.parse(person.birthDate)) / 31557600000) : null;
  main.append(h('section.panel.row', h('span.big', { 'aria-hidden': 'true' }, (person?.name ?? id).slice(0, 1).toUpperCase()), h('div.grow', h('h2', person?.name ?? id), h('p.quiet', [birth === null ? '' : t('summary.years', { n: birth }), person?.group].filter(Boolean).join(' · '))),
    app.can('enter') ? h('a.button.primary', { href: `/p/${encodeURIComponent(id)}/measure` }, t('measure.add')) : null,
    h('a.button', { href: `/p/${encodeURIComponent(id)}/health` }, t('page.health')), h('a.button', { href: `/p/${encodeURIComponent(id)}/live` }, t('page.monitor')), h('a.button', { href: `/p/${encodeURIComponent(id)}/timeline` }, t('page.timeline'))), app.can('see-identity') ? glance(app, id) : null, app.can('see-identity') ? report(app, id) : null, app.can('enter') ? h('div.row.panel', ['profile', 'questions', 'share', 'simple'].map((page) => h('a.button', { href: `/p/${encodeURIComponent(id)}/${page}` }, t('page.' + page)))) : null, empty, tiles, chooser);
  if (app.can('enter')) remind(app, id, empty);
  let vitals = [];
  const stored = (await api.get(api.of(id, 'metrics?counted=false'))).filter((metric) => !metric.isWaveform).map((metric) => metric.metric);
  const available = [...new Set([...stored, ...(app.live.people.get(id)?.values.keys() ?? [])])].filter((metric) => !/quality|component/.test(metric)).sort((a, b) => metricName(a).localeCompare(metricName(b)));
  let chosen = app.preference(key) ?? usual.filter((metric) => available.includes(metric));

  function build() {
    vitals = chosen.filter((metric) => available.includes(metric)).map((metric) => new Vital(metric, metricName(metric), true));
    empty.textContent = vitals.length ? '' : t('summary.nothing');
    replace(tiles, vitals.map((vital) => h('a.tile', { href: `/p/${encodeURIComponent(id)}/metric/${encodeURIComponent(vital.metric)}` }, h('ul.vitals', vital.element))));
    draw();
  }

  function draw() { for (const vital of vitals) vital.draw(app.live, app.live.people.get(id)); }

  async function choose(next) {
    chosen = next;
    build();
    drawChooser();
    await app.savePreference(key, chosen);
  }

  function drawChooser() {
    const rest = available.filter((metric) => !chosen.includes(metric));
    replace(chooser, h('summary', t('summary.choose')), h('ul.marks', [...chosen, ...rest].map((metric) => {
      const at = chosen.indexOf(metric);
      const box = h('input', { type: 'checkbox', checked: at >= 0, onchange: () => choose(at >= 0 ? chosen.filter((name) => name !== metric) : [...chosen, metric]) });
      return h('li.row', h('label.check.grow', box, metricName(metric)), at > 0 ? h('button.icon', { 'aria-label': `↑ ${metricName(metric)}`, onclick: () => choose(chosen.toSpliced(at, 1).toSpliced(at - 1, 0, metric)) }, '↑') : null);
    })));
  }

  build();
  drawChooser();
  for (const what of ['values', 'tick', 'snapshot']) app.live.addEventListener(what, draw);
  return () => { for (const what of ['values', 'tick', 'snapshot']) app.live.removeEventListener(what, draw); };
}

/** A note above the tiles for each questionnaire that is due. */
async function remind(app, id, before) {
  const list = await due(app, id).catch(() => []);
  if (list.length && before.isConnected) before.before(h('p.note', `${t('questions.due')}: ${list.map((one) => local(one.title)).join(', ')} `, h('a', { href: `/p/${encodeURIComponent(id)}/questions` }, t('questions.answer'))));
}

/** A PDF for a visit, of a time that is chosen by a link. */
function report(app, id) {
  const link = (days) => h('a.button', { href: `/api/v1${api.of(id, 'report')}?from=${Math.round(app.live.now() - days * 86400)}&to=${Math.round(app.live.now())}&language=${language}`, download: '' }, t('report.days', { n: days }));
  return h('details.panel', h('summary', t('report.for-the-doctor')), h('p.quiet', t('report.what')), h('div.row', [7, 30, 90, 365].map(link)));
}
