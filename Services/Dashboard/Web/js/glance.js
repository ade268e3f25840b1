// What must be known of a person before anything else: allergies, conditions and medicines that stand, vaccinations, newest results.
import { h, replace } from './dom.js';
import { api } from './api.js';
import { t, has, date, number, unitName } from './i18n.js';
import { sentence } from './errors.js';

const standing = ['allergy', 'condition', 'medication'];
const newest = { immunization: 10, result: 8 };

/** A panel that fills itself. @param redraw called after something was ended */
export function glance(app, id) {
  const panel = h('section.panel.glance', { 'aria-label': t('glance.title') }, h('p.quiet', t('loading')));
  const zone = app.zoneOf(id);
  const draw = async () => {
    try {
      // What was ended just now is over: the two clocks may be seconds apart.
      const now = app.live.now();
      const [stands, others] = await Promise.all([
        api.get(api.of(id, 'entries'), { from: now + 5, to: now + 6, kinds: standing.join() }),
        api.get(api.of(id, 'entries'), { from: now - 20 * 31557600, to: now + 1, kinds: Object.keys(newest).join() })]);
      replace(panel, h('h2', t('glance.title')), h('div.glances',
        standing.map((kind) => list(kind, stands.filter((entry) => entry.kind === kind), (entry) => (entry.id.startsWith('profile-') ? null : ending(app, id, entry, draw)))),
        Object.entries(newest).map(([kind, most]) => list(kind, latest(others.filter((entry) => entry.kind === kind)).slice(0, most), () => null))));
    } catch (error) { replace(panel, h('h2', t('glance.title')), h('p', { role: 'alert' }, sentence(error))); }
  };

  function list(kind, entries, action) {
    // That no allergy is known is said: an empty place would read as "none".
    if (!entries.length && kind !== 'allergy') return null;
    return h('div', { 'data-kind': kind }, h('h3', t('glance.' + kind)), entries.length
      ? h('ul', entries.map((entry) => h('li.row', h('span.grow', h('strong', described(entry)), value(entry), detailed(entry),
        h('span.quiet.number', ' ', t(standing.includes(kind) ? 'glance.since' : 'glance.on', { date: date(entry.time, zone) }), entry.ends ? ` ${t('glance.until', { date: date(entry.ends, zone) })}` : '')), action(entry))))
      : h('p.quiet', t('glance.no-allergy')));
  }
  draw();
  return panel;
}

/** What the profile says of a person is said in the reader's language. */
const described = (entry) => (has('condition.' + entry.id.replace('profile-', '')) && entry.id.startsWith('profile-') ? t('condition.' + entry.id.replace('profile-', '')) : entry.description);
function detailed(entry) {
  if (!entry.detail) return '';
  if (entry.id === 'profile-copd') return ` – ${t('condition.scale2')}`;
  return ` – ${entry.id === 'profile-pregnancy' ? `${t('profile.due')} ${date(Date.parse(entry.detail) / 1000, 'UTC')}` : entry.detail}`;
}

const value = (entry) => (entry.value !== undefined ? ` ${number(entry.value)} ${unitName(entry.unit ?? '')}`.trimEnd() : entry.text ? ` ${entry.text}` : '');

/** The newest of each description, newest first. */
export function latest(entries) {
  const known = new Map();
  for (const entry of [...entries].sort((a, b) => b.time - a.time)) {
    const name = entry.description.toLowerCase();
    if (!known.has(name)) known.set(name, entry);
  }
  return [...known.values()];
}

/** A button that says that something no longer stands: nothing is removed. */
export function ending(app, id, entry, done) {
  if (!app.can('enter') || entry.ends) return null;
  return h('button', {
    'aria-label': `${t('glance.end')}: ${entry.description}`,
    onclick: async () => {
      try { await api.post(api.of(id, `entries/${encodeURIComponent(entry.id)}/end`)); await done(); } catch (error) { app.fail(error); }
    },
  }, t('glance.end'));
}
