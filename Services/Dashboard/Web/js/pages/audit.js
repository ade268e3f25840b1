// Who saw or changed what of whom, newest first.
import { h, append } from '../dom.js';
import { api } from '../api.js';
import { t, has, moment, metricName, state } from '../i18n.js';

export async function show(app, main) {
  const body = h('tbody');
  const more = h('button', { onclick: () => load() }, t('audit.more'));
  let before;
  main.append(h('section.panel', h('div.scroll', h('table.cards', h('thead', h('tr', ['time', 'actor', 'action', 'person', 'detail', 'from'].map((name) => h('th', t('audit.' + name))))), body)), h('p', more)));
  await load();

  async function load() {
    const entries = await api.get('/audit', { before, limit: 100 });
    before = entries.at(-1)?.id;
    more.disabled = entries.length < 100;
    append(body, entries.map((entry) => h('tr', h('td.number', moment(entry.time)), h('td', entry.actor), h('td', { title: entry.action }, has('audit.did.' + entry.action) ? t('audit.did.' + entry.action) : entry.action), h('td', entry.participant), h('td', { title: entry.detail || null }, named(entry.detail)), h('td', entry.address))));
  }
}

/** A detail with metrics by their names. */
const named = (detail) => (detail ?? '').replace(/[a-z0-9]+(?:-[a-z0-9]+)+/g, (name) => (state.catalogue.has(name) ? metricName(name) : name));
