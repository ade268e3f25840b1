// Everybody whom the account may see, the worst first. The order changes only when a severity does, and never under a finger.
import { h, replace, write, attribute } from '../dom.js';
import { t, local, number, elapsed, when, age, metricName, metricShort } from '../i18n.js';
import { rank, isActive, isPressing, priorityOf } from '../live.js';
import { line, sign, worst } from '../alarms.js';
import { Vital, reading } from '../vitals.js';
import { Strips } from '../draw/strips.js';

const shownMetrics = ['heart-rate', 'oxygen-saturation', 'respiration-rate', 'body-temperature', 'stress-level'];

class Card {
  constructor(app, id) {
    this.app = app;
    this.id = id;
    this.who = h('span.who', h('a', { href: `/p/${encodeURIComponent(id)}/live` }, app.nameOf(id)));
    this.state = h('span.quiet');
    this.vitals = shownMetrics.map((metric) => new Vital(metric));
    this.pressure = new Pressure();
    this.score = h('span.chip');
    this.missing = h('span.quiet.missing');
    this.strip = h('li.strip.hidden', h('canvas', { role: 'img', 'aria-label': metricName('ecg') }));
    this.list = h('ul.vitals', this.vitals.map((vital) => vital.element), this.pressure.element, this.strip);
    this.alarm = h('div.alarm');
    this.actions = h('div.act', this.score, this.missing);
    this.button = h('span');
    this.actions.append(this.button);
    this.element = h('article.person', { 'aria-label': app.nameOf(id) }, h('div', this.who, ' ', h('span.quiet', app.groupOf(id)), ' ', this.state), this.list, this.actions, this.alarm);
    this.draw();
  }

  draw() {
    const { app } = this;
    const { live } = app;
    const person = live.people.get(this.id);
    for (const vital of this.vitals) {
      const now = vital.draw(live, person);
      // What was never measured leaves the row to what was.
      vital.element.classList.toggle('hidden', !person?.values.has(vital.metric) && vital.metric !== 'heart-rate');
      void now;
    }
    this.pressure.draw(live, person);
    this.drawScore(live, person);
    const alert = person ? worst(person.alerts.values()) : null;
    const priority = alert ? (isPressing(alert) ? priorityOf(alert) : 'none') : 'none';
    attribute(this.element, 'data-priority', priority);
    const silence = person?.last ? live.now() - person.last : Infinity;
    attribute(this.element, 'data-silent', silence > 60);
    write(this.state, !person?.last ? t('overview.never') : silence > 60 ? t('overview.silent', { age: age(silence), time: when(person.last, app.zoneOf(this.id)) }) : '');
    const key = alert ? `${alert.rule} ${alert.acknowledged} ${alert.value} ${alert.transition} ${Math.floor(live.now() - alert.since)}` : '';
    if (key !== this.alarmKey) {
      this.alarmKey = key;
      replace(this.alarm, alert ? [sign(alert), ' ', line(alert), ' ', h('span.quiet.number', elapsed(live.now() - alert.since)), alert.acknowledged ? h('span.quiet', ' ', t('alert.acknowledged-by', { actor: alert.actor ?? '' })) : null] : null);
    }
    const action = alert && !alert.acknowledged && app.can('answer-alerts') ? alert.rule : '';
    if (action !== this.action) {
      this.action = action;
      replace(this.button, action ? h('button', { onclick: (event) => app.acknowledge({ participant: this.id, alert: person.alerts.get(action) ?? alert }, event.currentTarget) }, t('alert.acknowledge')) : null);
    }
    this.rank = alert ? rank(alert) : silence > 60 ? 0.5 : 0;
    if (!alert) {
      const score = person?.values.get('news2-score')?.v;
      if (score >= 5) this.rank = 0.9;
    }
  }

  drawScore(live, person) {
    const full = reading(live, person?.values.get('news2-score'), 'news2-score');
    const least = reading(live, person?.values.get('news2-at-least'), 'news2-at-least');
    const missing = person?.values.get('news2-missing')?.x;
    const isFull = full.state === 'fresh' && full.age <= least.age + 1;
    write(this.score, isFull ? `NEWS2 ${full.text}` : least.state === 'fresh' ? `NEWS2 ≥${least.text}` : 'NEWS2 --');
    const isPartial = !isFull && least.state === 'fresh' && missing;
    write(this.missing, isPartial ? t('overview.news2-missing', { what: missing.split(/, */).map(metricShort).join(', ') }) : '');
    attribute(this.score, 'title', isFull || isPartial ? null : t('value.never'));
  }
}

/** Blood pressure: two numbers that belong together. */
class Pressure {
  constructor() {
    this.value = h('span.value.number');
    this.element = h('li.vital', h('span.name', t('short.pressure')), this.value, h('span.unit', 'mmHg'));
  }

  draw(live, person) {
    const [high, low] = ['systolic-pressure', 'diastolic-pressure'].map((metric) => reading(live, person?.values.get(metric), metric));
    this.element.classList.toggle('hidden', high.age === Infinity);
    write(this.value, high.state === 'gone' ? '--' : `${high.text}/${low.text}`);
    attribute(this.element, 'data-state', high.state);
    attribute(this.element, 'title', high.reason || null);
  }
}

export async function show(app, main) {
  const cards = new Map();
  const isTiles = app.preference('overview', 'list') === 'tiles';
  const list = h('div.people' + (isTiles ? '.tiles' : ''));
  const filter = h('input', { type: 'search', 'aria-label': t('overview.filter'), placeholder: t('overview.filter'), oninput: () => { clearTimeout(typing); typing = setTimeout(sift, 80); } });
  // What is typed shows at once; a list of a thousand follows when the fingers rest.
  let typing;
  const views = ['list', 'tiles'].map((view) => h('button', {
    'aria-pressed': String((view === 'tiles') === isTiles),
    onclick: () => { app.savePreference('overview', view); list.classList.toggle('tiles', view === 'tiles'); strips.look(); views.forEach((button, i) => button.setAttribute('aria-pressed', String(['list', 'tiles'][i] === view))); },
  }, t('overview.' + view)));
  const empty = h('p.quiet');
  main.append(h('div.row.views', h('span.grow', filter), h('div.row', views)), empty, list);
  let held = 0;
  const strips = new Strips(app.live, {
    hasRoom: () => !list.classList.contains('tiles'), mayBeSeen: (id) => app.byIdentifier.has(id), ask: (ids) => app.live.open(ids),
  });
  let order_ = '';
  for (const kind of ['pointerdown', 'pointermove', 'focusin', 'touchstart']) list.addEventListener(kind, () => { held = Date.now(); }, { passive: true });

  // Whose cards are to be drawn.
  const due = new Set();
  let frame = 0;
  let finished = 0;

  /** Draws cards that are due, for no longer than somebody who types or clicks may wait; the others in the next frames. */
  function work(milliseconds = 10) {
    frame = 0;
    const end = performance.now() + milliseconds;
    for (const id of due) {
      due.delete(id);
      if (cards.has(id)) cards.get(id).draw();
      else { cards.set(id, new Card(app, id)); held = 0; }
      if (performance.now() > end) break;
    }
    if (due.size) frame = requestAnimationFrame(() => work());
    // Where more comes than can be drawn, the worst still come first.
    if (!due.size || performance.now() - finished > 500) finish();
  }

  function finish() {
    finished = performance.now();
    drop();
    write(empty, !cards.size ? t('overview.nobody') : app.isListCut ? t('overview.cut', { count: number(app.participants.length) }) : '');
    sift();
    order();
  }

  const isModule = (id) => id.startsWith('_module.');
  const seen = () => new Set([...app.participants.map((person) => person.id), ...[...app.live.people.keys()].filter((id) => !isModule(id))]);

  /** Takes away whom the account may no longer see. */
  function drop() {
    const ids = seen();
    for (const id of [...cards.keys()]) if (!ids.has(id)) { cards.get(id).element.remove(); cards.delete(id); }
  }

  /** Only whom the typed name fits, or the family's. */
  function sift() {
    const wanted = filter.value.trim().toLowerCase();
    for (const card of cards.values()) card.element.classList.toggle('hidden', wanted !== '' && !`${card.id} ${app.nameOf(card.id)} ${app.byIdentifier.get(card.id)?.group ?? ''}`.toLowerCase().includes(wanted));
  }

  /** Worst first; a family together where nothing presses. Waits while somebody points at the list or works in it. */
  function order() {
    const sorted = [...cards.values()].sort((a, b) => b.rank - a.rank || app.placeOf(a.id) - app.placeOf(b.id) || a.id.localeCompare(b.id));
    const next = sorted.map((card) => `${card.id}:${card.rank}`).join();
    if (next === order_ || (Date.now() - held < 3000 && list.childElementCount === cards.size)) return;
    order_ = next;
    strips.choose(sorted);
    const focused = document.activeElement;
    sorted.forEach((card, index) => { if (list.children[index] !== card.element) list.insertBefore(card.element, list.children[index] ?? null); });
    if (focused && list.contains(focused)) focused.focus({ preventScroll: true });
  }

  const listeners = ['values', 'alerts', 'snapshot', 'tick', 'state'];
  const later = (event) => {
    // As time makes values old, all are drawn anew.
    const who = event.detail ? [event.detail].filter((id) => !isModule(id)) : seen();
    for (const id of who) due.add(id);
    if (due.size) frame ||= requestAnimationFrame(() => work());
  };
  for (const what of listeners) app.live.addEventListener(what, later);
  const refresh = setInterval(() => app.refreshParticipants(), 30000);
  const looking = setInterval(() => strips.look(), 2000);
  const ask = () => app.refreshParticipants();
  app.live.addEventListener('refused', ask);
  for (const id of seen()) due.add(id);
  work(200);
  return () => { cancelAnimationFrame(frame); clearInterval(refresh); clearInterval(looking); app.live.removeEventListener('refused', ask); strips.stop(); clearTimeout(typing); for (const what of listeners) app.live.removeEventListener(what, later); };
}
