// Questionnaires: which there are and when they are due, one question below the other, the score with its meaning, and its course.
import { h, replace, write } from '../dom.js';
import { api } from '../api.js';
import { t, local, date, number } from '../i18n.js';
import { lineChart } from '../draw/lines.js';
import { sentence } from '../errors.js';

const every = [0, 7, 14, 30];
const scheduleOf = (id, one) => `questions-${one.id}-${id}`;

/** The questionnaires that this account has scheduled for the person and that are due, with their last scores. */
export async function due(app, id) {
  const wanted = Object.keys(app.me.preferences).some((name) => name.startsWith('questions-') && name.endsWith('-' + id) && app.me.preferences[name] > 0);
  if (!wanted || !app.can('enter')) return [];
  const all = await api.get('/questionnaires');
  const courses = await Promise.all(all.map((one) => scores(app, id, one)));
  return all.filter((one, place) => isDue(app, id, one, courses[place]));
}

function isDue(app, id, one, course) {
  const days = app.preference(scheduleOf(id, one), 0);
  return days > 0 && (!course.length || app.live.now() - course.at(-1)[0] > (days - 0.5) * 86400);
}

const scores = async (app, id, one) => (await api.get(api.of(id, 'readings'), { metric: one.metric, from: app.live.now() - 2 * 31557600, to: app.live.now() + 60, limit: 500 })).readings.map((reading) => [reading.time, reading.value]);

export async function show(app, main, id) {
  const all = await api.get('/questionnaires');
  const box = h('div');
  main.append(box);
  const list = async () => {
    const courses = await Promise.all(all.map((one) => scores(app, id, one)));
    replace(box, h('p.quiet', t('questions.what')), all.map((one, place) => card(app, id, one, courses[place], () => fill(one))));
  };
  const fill = (one) => { replace(box, form(id, one, list)); box.querySelector('input')?.focus(); };
  await list();
}

function card(app, id, one, course, begin) {
  const last = course.at(-1);
  const days = h('select', { onchange: () => app.savePreference(scheduleOf(id, one), Number(days.value)) }, every.map((n) => h('option', { value: n }, n ? t('questions.every', { n }) : t('questions.never'))));
  days.value = String(app.preference(scheduleOf(id, one), 0));
  return h('section.panel', h('div.row', h('h2.grow', local(one.title)), isDue(app, id, one, course) ? h('span.chip', t('questions.due')) : null, app.can('enter') ? h('button.primary', { onclick: begin, 'aria-label': `${t('questions.answer')}: ${local(one.title)}` }, t('questions.answer')) : null),
    h('p', last ? t('questions.last', { score: number(last[1]), most: most(one), band: local(bandOf(one, last[1]).text), date: date(last[0], app.zoneOf(id)) }) : t('questions.none')),
    course.length > 1 ? lineChart({ title: one.title, unit: '1', axis: 'time', lines: [{ label: one.title, points: course }] }, app.zoneOf(id)) : null,
    h('label.amount', h('span', t('questions.remind')), days), h('p.quiet', one.source));
}

const most = (one) => one.questions.length * Math.max(...one.choices.map((choice) => choice.points));
const bandOf = (one, score) => one.bands.findLast((band) => band.from <= score) ?? one.bands[0];

function form(id, one, back) {
  const said = h('p.error', { role: 'alert' });
  const button = h('button.primary', { type: 'submit' }, t('questions.finish'));
  const sets = one.questions.map((question, place) => h('fieldset.question', h('legend', `${place + 1}. ${local(question.text)}`), one.choices.map((choice) => h('label.check', h('input', { type: 'radio', name: `q${place}`, value: choice.points }), local(choice.text)))));
  return h('form.form', {
    novalidate: true,
    onsubmit: async (event) => {
      event.preventDefault();
      const answers = sets.map((set) => set.querySelector('input:checked'));
      const missing = answers.indexOf(null);
      if (missing >= 0) { write(said, t('questions.missing', { n: missing + 1 })); return sets[missing].querySelector('input').focus(); }
      button.disabled = true;
      try {
        const result = await api.post(api.of(id, 'questionnaires/' + one.id), { answers: answers.map((input) => Number(input.value)) });
        replace(event.target.parentElement, outcome(one, result, back));
        document.querySelector('.outcome')?.focus();
      } catch (error) { write(said, sentence(error)); button.disabled = false; }
    },
  }, h('h2', local(one.title)), h('p', local(one.introduction)), sets, said, h('div.row', button, h('button', { type: 'button', onclick: back }, t('cancel'))));
}

function outcome(one, result, back) {
  return h('section.panel.outcome', { tabindex: '-1', role: 'status' }, h('h2', local(one.title)), result.urgent ? h('p.error', local(result.urgent)) : null,
    h('p.big', `${number(result.score)} / ${result.most}`), h('p', `${local(result.band.text)}. ${local(result.band.advice)}`), h('p.quiet', t('questions.no-diagnosis')), h('button', { onclick: back }, t('close')));
}
