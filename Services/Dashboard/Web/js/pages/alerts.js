// Alerts: active, pending, silenced, and what was. What is commanded shows only when the suite has confirmed it.
import { h, replace, write, dialog, loading } from '../dom.js';
import { api } from '../api.js';
import { t, local, elapsed, when, moment, number } from '../i18n.js';
import { isActive, rank } from '../live.js';
import { line, sign, paperLink } from '../alarms.js';
import { sentence } from '../errors.js';

const tabs = {
  active: ({ alert }) => isActive(alert) && !alert.silenced,
  pending: ({ alert }) => alert.state === 'pending',
  silenced: ({ alert }) => alert.silenced || alert.inhibited,
};

/** The number of people whose history is asked for at once. */
const shownHistories = 50;

export async function show(app, main) {
  let tab = 'active';
  const chosen = new Set();
  const body = h('tbody');
  const table = h('div.scroll', h('table.cards', h('thead', h('tr', h('th', h('span.visually-hidden', t('alert.choose'))), h('th', t('alert.what')), h('th', t('alert.whose')), h('th', t('alert.since')), h('th', t('alert.state')), h('th', h('span.visually-hidden', t('alert.do'))))), body));
  const buttons = Object.fromEntries(['active', 'pending', 'silenced', 'history'].map((name) => [name, h('button', { role: 'tab', onclick: () => { tab = name; chosen.clear(); draw(true); } })]));
  const acknowledge = h('button.primary', { onclick: () => acknowledgeChosen() }, t('alert.acknowledge-chosen'));
  const empty = h('p.quiet');
  const past = h('div');
  main.append(h('div.row', h('div.tabs.grow', { role: 'tablist', 'aria-label': t('page.alerts') }, Object.values(buttons)), app.can('answer-alerts') ? acknowledge : null), empty, table, past);
  const rows = new Map();

  function draw(now) {
    const all = app.live.alerts();
    for (const [name, button] of Object.entries(buttons)) {
      write(button, name === 'history' ? t('alerts.history') : `${t('alerts.' + name)} ${all.filter(tabs[name]).length}`);
      button.setAttribute('aria-selected', String(name === tab));
    }
    acknowledge.disabled = !chosen.size;
    table.classList.toggle('hidden', tab === 'history');
    if (tab === 'history') { if (now) drawHistory(); write(empty, ''); return; }
    const shown = all.filter(tabs[tab]);
    const isQuiet = tab === 'active' && !shown.length;
    if (!isQuiet) replace(past);
    // Where nothing stands, what was lately is what people look for.
    else if (now || !past.childElementCount) drawHistory(1);
    write(empty, shown.length ? '' : t('alerts.none'));
    table.classList.toggle('hidden', !shown.length);
    drawRows(shown);
    for (const cell of body.querySelectorAll('[data-since]')) write(cell, elapsed(app.live.now() - Number(cell.dataset.since)));
  }

  /** A row is made anew only where what can be done with it has changed: a new value leaves the button that somebody is about to press. */
  function drawRows(shown) {
    const focused = body.contains(document.activeElement) ? document.activeElement : null;
    const kept = new Set();
    shown.forEach(({ participant, alert }, index) => {
      const id = `${participant} ${alert.rule}`;
      const key = JSON.stringify([tab, alert.since, alert.acknowledged, alert.silenced, alert.silencedUntil, alert.escalatedTo, alert.recovered, alert.dataLost, alert.unconfirmed]);
      const known = rows.get(id);
      if (known?.key !== key) {
        rows.set(id, { key, ...row({ participant, alert }) });
        known?.element.replaceWith(rows.get(id).element);
        if (focused && known?.element.contains(focused)) rows.get(id).element.querySelector('button, a').focus();
      }
      const { element, about } = rows.get(id);
      const words = `${line(alert)} ${local(alert.message)}`;
      if (about.dataset.words !== words) {
        about.dataset.words = words;
        about.dataset.severity = isActive(alert) ? alert.severity : '';
        replace(about, sign(alert), ' ', line(alert), h('div.quiet', local(alert.message)));
      }
      kept.add(id);
      if (body.children[index] !== element) body.insertBefore(element, body.children[index] ?? null);
    });
    for (const [id, { element }] of rows) if (!kept.has(id)) { element.remove(); rows.delete(id); }
    if (focused?.isConnected && document.activeElement !== focused && document.activeElement === document.body) focused.focus({ preventScroll: true });
  }

  /** @returns the row, and its cell with what is the matter, which changes with each value. */
  function row({ participant, alert }) {
    const id = `${participant} ${alert.rule}`;
    const path = `alerts/${encodeURIComponent(alert.rule)}/`;
    const status = h('span.error', { role: 'status' });
    const send = async (button, name, values) => {
      button.disabled = true;
      write(status, t('alert.sending'));
      try { await api.post(api.of(participant, path + name), values); write(status, ''); } catch (error) { write(status, sentence(error)); } finally { button.disabled = false; }
    };
    const box = h('input', { type: 'checkbox', 'aria-label': `${t('alert.choose')}: ${app.nameOf(participant)}, ${local(alert.title)}`, checked: chosen.has(id), disabled: alert.acknowledged, onchange: (event) => { if (event.target.checked) chosen.add(id); else chosen.delete(id); acknowledge.disabled = !chosen.size; } });
    const words = alert.acknowledged ? t('alert.acknowledged-by', { actor: alert.actor ?? '' }) : alert.silenced ? t('alert.silenced-until', { time: when(alert.silencedUntil ?? 0) }) : alert.recovered ? t('alert.recovered') : alert.dataLost ? t('alert.data-lost') : alert.unconfirmed ? t('alert.unconfirmed') : t('alert.new');
    const about = h('td');
    const element = h('tr',
      h('td', app.can('answer-alerts') && tab === 'active' ? box : null),
      about,
      h('td', h('a', { href: `/p/${encodeURIComponent(participant)}/live` }, app.nameOf(participant))),
      h('td.number', { 'data-label': t('alert.since') }, h('span', { 'data-since': alert.since, title: moment(alert.since) })),
      h('td', words, alert.escalatedTo ? h('div.quiet', t('alert.escalated', { to: alert.escalatedTo })) : null, h('div', status)),
      h('td', h('div.row',
        app.can('answer-alerts') && !alert.acknowledged && tab === 'active' ? h('button', { onclick: (event) => send(event.currentTarget, 'acknowledge', seen(about)) }, t('alert.acknowledge')) : null,
        app.can('answer-alerts') && tab !== 'silenced' ? h('button', { onclick: () => silence(participant, alert, seen(about), send) }, t('alert.silence')) : null,
        app.can('answer-alerts') && alert.silenced ? h('button', { onclick: (event) => send(event.currentTarget, 'unsilence') }, t('alert.unsilence')) : null,
        app.can('see-identity') ? h('button', { onclick: () => why(participant, alert) }, t('alert.why')) : null,
        paperLink(participant, alert, alert.since, 'a.button'))));
    return { element, about };
  }

  async function acknowledgeChosen() {
    const wanted = app.live.alerts().filter(({ participant, alert }) => chosen.has(`${participant} ${alert.rule}`) && !alert.acknowledged);
    chosen.clear();
    acknowledge.disabled = true;
    await Promise.all(wanted.map((entry) => app.acknowledge(entry)));
  }

  /** @returns what the row shows of the alert: it may be worse by now, and that is not what is answered. */
  function seen(about) {
    return about.dataset.severity ? { severity: about.dataset.severity } : {};
  }

  function silence(participant, alert, shown, send) {
    const reason = h('input', { required: true, maxlength: 300 });
    const minutes = h('select', [5, 15, 30, 60, 240, 720].map((n) => h('option', { value: n }, n < 60 ? t('age.min', { n }) : t('age.h', { n: n / 60 }))));
    const button = h('button.primary', { type: 'submit' }, t('alert.silence-now'));
    const box = dialog(`${t('alert.silence')} ${app.nameOf(participant)}, ${local(alert.title)}`,
      h('form.form', { onsubmit: (event) => { event.preventDefault(); box.close(); send(button, 'silence', { minutes: Number(minutes.value), reason: reason.value, ...shown }); } },
        h('label', h('span', t('alert.how-long')), minutes), h('label', h('span', t('alert.reason')), reason),
        h('div.row', button, h('button', { type: 'button', onclick: () => box.close() }, t('cancel')))));
  }

  async function why(participant, alert) {
    const text = h('p.why', t('loading'));
    const events = h('ul.marks');
    const box = dialog(`${t('alert.why')} ${app.nameOf(participant)}, ${local(alert.title)}`, [text, events, h('p.quiet', alert.source ?? ''), h('button', { onclick: () => box.close() }, t('close'))]);
    try {
      const [answer, history] = await Promise.all(['why', 'history'].map((name) => api.get(api.of(participant, `alerts/${encodeURIComponent(alert.rule)}/${name}`))));
      write(text, (answer.lines ?? []).map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n'));
      replace(events, (history.events ?? []).slice(-12).reverse().map((event) => h('li', h('span.number', moment(event.time)), ' ', transition(event), event.reason ? `: ${event.reason}` : '')));
    } catch (error) {
      write(text, sentence(error));
    }
  }

  /** The transitions of some days. */
  async function drawHistory(days = 7) {
    const asked = tab;
    const to = app.live.now();
    const lists = await loading(past, Promise.allSettled(app.participants.slice(0, shownHistories).map(async (person) => (await api.get(api.of(person.id, 'alerts/history'), { from: to - days * 86400, to })).map((event) => ({ ...event, person: person.id })))), t('loading'));
    // An alarm may have come meanwhile.
    if (tab !== asked || (asked === 'active' && app.live.alerts().some(tabs.active))) return;
    const events = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])).sort((a, b) => b.time - a.time).slice(0, 300);
    replace(past, asked === 'active' ? h('h2', t('alerts.last-day')) : null, lists.some((list) => list.status === 'rejected') ? h('p.note', t('error.unavailable')) : null,
      app.participants.length > shownHistories ? h('p.note', t('alerts.history-part', { n: shownHistories })) : null,
      events.length ? h('div.scroll', h('table.cards', h('thead', h('tr', ['alert.when', 'alert.whose', 'alert.what', 'alert.state'].map((name) => h('th', t(name))))),
        h('tbody', events.map((event) => h('tr', h('td.number', moment(event.time)), h('td', app.nameOf(event.person)), h('td', sign(event), ' ', line(event)), h('td', transition(event), event.reason ? h('div.quiet', event.reason) : null, h('div', paperLink(event.person, event, event.time)))))))) : h('p.quiet', t('alerts.no-history')));
  }

  const transition = (event) => t('transition.' + event.transition) + (event.actor ? ` (${event.actor})` : '');
  const listener = () => draw(false);
  for (const what of ['alerts', 'snapshot', 'tick']) app.live.addEventListener(what, listener);
  draw(true);
  return () => { for (const what of ['alerts', 'snapshot', 'tick']) app.live.removeEventListener(what, listener); };
}
