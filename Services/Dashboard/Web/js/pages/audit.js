// Who saw or changed what of whom, newest first.
import { h, replace } from '../dom.js';
import { api } from '../api.js';
import { t, has, date, moment, metricName, state } from '../i18n.js';

/** Rows that a press shows more, and the lines that are fetched at once and at most for them. */
const step = 60;
const batch = 500;
const mostBatches = 8;

export async function show(app, main) {
  const body = h('tbody');
  const more = h('button', { onclick: () => load() }, t('audit.more'));
  const entries = [];
  main.append(h('section.panel', h('div.scroll', h('table.cards', h('thead', h('tr', ['time', 'actor', 'action', 'person', 'detail', 'from'].map((name) => h('th', t('audit.' + name))))), body)), h('p', more)));
  await load();

  async function load() {
    const wanted = body.childElementCount + step;
    for (let fetched = 0; fetched < mostBatches; fetched += 1) {
      const some = await api.get('/audit', { before: entries.at(-1)?.id, limit: batch });
      entries.push(...some);
      more.disabled = some.length < batch;
      if (more.disabled || folded(entries).length >= wanted) break;
    }
    replace(body, folded(entries).map(row));
  }
}

const did = (action) => (has('audit.did.' + action) ? t('audit.did.' + action) : action);
const row = (entry) => h('tr', h('td.number', entry.count > 1 ? date(entry.time) : moment(entry.time)), h('td', entry.actor), h('td', { title: entry.action }, did(entry.action), entry.count > 1 ? ` (${entry.count} ×)` : ''),
  h('td', entry.participant), h('td', { title: entry.detail || null }, named(entry.detail)), h('td', entry.address));

/** Looks at live pictures come every few seconds: those of an account from an address on a day are one row. */
function folded(entries) {
  const days = new Map();
  const rows = [];
  for (const entry of entries) {
    const key = `${entry.actor} ${entry.address} ${date(entry.time)}`;
    const known = entry.action === 'see-live' ? days.get(key) : null;
    if (known) {
      known.count += 1;
      known.detail = [...new Set([...known.detail.split(','), ...entry.detail.split(',')])].filter(Boolean).join(', ');
      continue;
    }
    rows.push({ ...entry, count: 1 });
    if (entry.action === 'see-live') days.set(key, rows.at(-1));
  }
  return rows;
}

/** A detail with metrics by their names. */
const named = (detail) => (detail ?? '').replace(/[a-z0-9]+(?:-[a-z0-9]+)+/g, (name) => (state.catalogue.has(name) ? metricName(name) : name));
