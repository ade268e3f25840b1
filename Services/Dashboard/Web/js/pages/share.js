// A link for somebody without an account: chosen metrics of a day or a week, until it ends or is revoked.
import { h, replace, write } from '../dom.js';
import { api } from '../api.js';
import { midnight } from '../calendar.js';
import { t, language, date, moment, metricName, state } from '../i18n.js';
import { sentence } from '../errors.js';

const usual = ['heart-rate', 'oxygen-saturation', 'systolic-pressure', 'diastolic-pressure', 'blood-glucose', 'body-temperature', 'body-weight', 'steps'];
const lives = [1, 24, 72, 168, 720];
const duration = (hours) => new Intl.NumberFormat(language, { style: 'unit', unit: hours < 24 ? 'hour' : 'day', unitDisplay: 'long' }).format(hours < 24 ? hours : hours / 24);

export async function show(app, main, id) {
  const list = h('div');
  const made = h('div');
  const stored = (await api.get(api.of(id, 'metrics?counted=false'))).filter((item) => !item.isWaveform && state.catalogue.get(item.metric)?.kind !== 'text' && state.catalogue.has(item.metric)).map((item) => item.metric);
  main.append(h('p.quiet', t('share.what')), made, h('section.panel', h('h2', t('share.new')), form(app, id, stored, made, draw)), h('section.panel', h('h2', t('share.open')), list));
  await draw();

  async function draw() {
    const links = await api.get(api.of(id, 'share-links'));
    replace(list, links.length ? h('ul.marks', links.map((link) => h('li.row',
      h('span.grow', h('strong', link.metrics.map(metricName).join(', ')), h('div.quiet', `${date(link.from, app.zoneOf(id))} – ${date(link.to - 1, app.zoneOf(id))} · ${link.account} · ${t('share.until', { time: moment(link.expires, app.zoneOf(id)) })}`)),
      h('button', { 'aria-label': `${t('share.revoke')}: ${link.metrics.map(metricName).join(', ')}`, onclick: async () => { try { await api.remove(api.of(id, 'share-links/' + link.id)); } catch (error) { app.fail(error); } draw(); } }, t('share.revoke'))))) : h('p.quiet', t('share.none')));
  }
}

function form(app, id, stored, made, draw) {
  const names = [...stored].sort((a, b) => (usual.includes(b) - usual.includes(a)) || metricName(a).localeCompare(metricName(b)));
  const boxes = names.map((metric) => h('input', { type: 'checkbox', value: metric, checked: usual.includes(metric) && usual.filter((name) => stored.includes(name)).indexOf(metric) < 4 }));
  const span = h('select', [1, 7].map((days) => h('option', { value: days }, t(days === 1 ? 'share.day' : 'share.week'))));
  const last = h('input', { type: 'date', value: new Intl.DateTimeFormat('en-CA', { timeZone: app.zoneOf(id) }).format(Date.now()), required: true });
  const life = h('select', lives.map((hours) => h('option', { value: hours, selected: hours === 24 }, duration(hours))));
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 200 });
  const said = h('p.error', { role: 'alert' });
  return h('form.form', {
    novalidate: true,
    onsubmit: async (event) => {
      event.preventDefault();
      const metrics = boxes.filter((box) => box.checked).map((box) => box.value);
      if (!metrics.length || metrics.length > 8) return write(said, t('share.choose'));
      if (!last.value) { write(said, t('share.last')); return last.focus(); }
      if (!password.value) { write(said, t('share.password')); return password.focus(); }
      write(said, '');
      const [year, month, day] = last.value.split('-').map(Number);
      const [from, to] = [1 - Number(span.value), 1].map((later) => midnight(year, month, day + later, app.zoneOf(id)));
      try {
        present(made, await api.post(api.of(id, 'share-links'), { metrics, from, to, hours: Number(life.value), password: password.value }));
        password.value = '';
        await draw();
      } catch (error) { write(said, error.code === 'refused' ? t('passkey.password') : sentence(error)); }
    },
  }, h('fieldset', h('legend', t('share.metrics')), h('div.checks', boxes.map((box) => h('label.check', box, metricName(box.value))))),
  h('label', h('span', t('share.span')), span), h('label', h('span', t('share.last')), last), h('label', h('span', t('share.ends')), life),
  h('label', h('span', t('settings.old')), password), said, h('button.primary', { type: 'submit' }, t('share.make')));
}

function present(box, { path, code }) {
  const address = location.origin + path;
  replace(box, h('div.panel', { role: 'status' }, h('p', t('share.once')), picture(code), h('p.why', address),
    h('div.row', h('button', { onclick: () => navigator.clipboard?.writeText(address) }, t('people.copy')), navigator.share ? h('button', { onclick: () => navigator.share({ url: address }).catch(() => {}) }, t('share.send')) : null)));
  box.scrollIntoView({ block: 'center' });
}

/** A QR code: rows of 0 and 1 as squares, with the quiet zone that readers need; black on white in every theme. */
function picture(rows) {
  const size = rows.length + 8;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, class: 'code', role: 'img', 'aria-label': t('share.code'), 'shape-rendering': 'crispEdges' })) svg.setAttribute(name, value);
  const add = (name, attributes) => { const part = document.createElementNS('http://www.w3.org/2000/svg', name); for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value); svg.append(part); };
  add('rect', { width: size, height: size, fill: '#fff' });
  add('path', { d: rows.flatMap((row, y) => [...row].map((dark, x) => (dark === '1' ? `M${x + 4} ${y + 4}h1v1h-1z` : ''))).join(''), fill: '#000' });
  return svg;
}
