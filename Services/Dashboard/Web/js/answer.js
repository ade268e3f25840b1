// The page behind a link in a message: shows what the alarm is, and takes one answer. Opening it changes nothing.
import { h, replace } from './dom.js';
import { api } from './api.js';
import { t, local, setLanguage, when } from './i18n.js';

const root = document.getElementById('app');
const token = location.hash.slice(1);
const answers = ['acknowledge', 'going', 'silence'];

const frame = (...content) => replace(root, h('main.door.answer', h('h1', 'Vigil'), ...content));
const note = (key) => h('p', { role: 'status' }, t(key));

function failure(error) {
  const known = { invalid: 'answer.invalid', expired: 'answer.expired', used: 'answer.used', over: 'answer.over', 'not-found': 'answer.off', 'not-confirmed': 'answer.unsure' };
  return t(known[error.code] ?? (error.code === 'refused' ? 'answer.refused' : 'answer.failed'));
}

function facts(alarm) {
  return [
    h('p.quiet', t(`severity.${alarm.severity}`)),
    h('h2', local(alarm.title)),
    h('p', t('answer.about', { person: alarm.participant, time: when(alarm.since) })),
  ];
}

function question(alarm) {
  const problem = h('p.error', { role: 'alert' });
  const buttons = answers.map((name) => h(name === 'acknowledge' ? 'button.primary' : 'button', { type: 'button', onclick: () => send(name) }, t(`answer.${name}`)));
  async function send(name) {
    for (const button of buttons) button.disabled = true;
    problem.textContent = '';
    try {
      await api.post('/answer', { token, answer: name });
      frame(...facts(alarm), note(`answer.done-${name}`), h('p', h('a', { href: '/' }, t('answer.pages'))));
    } catch (error) {
      problem.textContent = failure(error);
      const isOver = ['used', 'over', 'expired', 'invalid', 'not-confirmed'].includes(error.code);
      for (const button of buttons) button.disabled = isOver;
    }
  }
  const known = alarm.state === 'answered' ? h('p', t('answer.answered', { actor: alarm.actor ?? '' })) : null;
  return [...facts(alarm), known, problem, h('div.actions', buttons), h('p.quiet', t('answer.once'))];
}

async function begin() {
  await setLanguage();
  document.title = `${t('answer.title')} – Vigil`;
  if (!token) return frame(note('answer.invalid'));
  try {
    const alarm = await api.post('/answer/look', { token });
    frame(...(alarm.state === 'used' || alarm.state === 'over' ? [...facts(alarm), note(`answer.${alarm.state}`)] : question(alarm)));
  } catch (error) {
    frame(h('p.error', { role: 'alert' }, failure(error)));
  }
}

begin();
