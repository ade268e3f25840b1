// The alarm banner: the worst that stands, what may be done about it, and that it is read out.
import { h, replace, write, attribute, announcer } from './dom.js';
import { t, local, elapsed } from './i18n.js';
import { isActive, isPressing, priorityOf } from './live.js';
import { symbol } from './alarms.js';

/** Milliseconds for which a button that has taken another's place does nothing. */
const rest = 700;

/** It is always there, so that nothing moves when an alarm comes. */
export class Banner {
  constructor(app) {
    this.app = app;
    this.announced = new Set();
  }

  /** Makes it anew, in the present language. What was said in the former is no longer read. */
  build() {
    this.key = null;
    this.sign = h('span.sign');
    this.text = h('span.what');
    this.actions = h('span.row');
    this.element = h('section.banner', { 'aria-label': t('shell.alarms') }, this.sign, this.text, this.actions);
    write(announcer(), '');
    return this.element;
  }

  /** @returns the alarms that nobody has acknowledged or silenced, the worst first. */
  draw() {
    const { live } = this.app;
    const standing = live.alerts().filter(({ alert }) => isActive(alert) && !alert.silenced);
    const pressing = standing.filter(({ alert }) => isPressing(alert));
    const worst = pressing[0] ?? standing[0];
    const priority = pressing.length ? priorityOf(worst.alert) : 'none';
    attribute(this.element, 'data-priority', priority);
    attribute(this.element, 'data-new', pressing.length > 0);
    write(this.sign, worst ? symbol(worst.alert) : '✓');
    write(this.text, worst ? this.sentence(worst) : live.state === 'live' ? (this.app.can('see-health') ? t('banner.none') : '') : t('banner.unknown'));
    for (const line of document.querySelectorAll('dialog .standing')) {
      write(line, pressing.length ? `${symbol(worst.alert)} ${this.text.textContent}` : '');
      attribute(line, 'data-priority', priority);
    }
    this.drawActions(worst, standing.length);
    this.announce(pressing);
    return pressing;
  }

  sentence({ participant, alert }) {
    const what = `${this.app.nameOf(participant)}: ${local(alert.title)} · ${elapsed(this.app.live.now() - alert.since)}`;
    return alert.acknowledged ? `${what} · ${t('alert.acknowledged-by', { actor: alert.actor ?? '' })}` : what;
  }

  /** Acknowledging is for the alarm that was read: a button that has only just taken another's place does nothing yet. */
  drawActions(worst, count) {
    const alarm = worst ? `${worst.participant} ${worst.alert.rule}` : '';
    const key = worst ? `${alarm} ${worst.alert.acknowledged} ${count}` : 'none';
    if (key === this.key) return;
    const hasFocus = this.actions.contains(document.activeElement);
    if (alarm !== this.alarm) this.since = performance.now();
    Object.assign(this, { key, alarm });
    const acknowledge = (button) => { if (performance.now() - this.since > rest) this.app.acknowledge(worst, button); };
    replace(this.actions,
      worst && !worst.alert.acknowledged && this.app.can('answer-alerts') ? h('button', { onclick: (event) => acknowledge(event.currentTarget) }, t('alert.acknowledge')) : null,
      worst ? h('a.button', { href: '/alerts' }, t('banner.all', { n: count })) : null);
    if (hasFocus) this.actions.firstElementChild?.focus();
  }

  /** Tells screen readers each new alarm once. */
  announce(pressing) {
    const identity = ({ participant, alert }) => `${participant} ${alert.rule} ${alert.since}`;
    const fresh = pressing.filter((entry) => !this.announced.has(identity(entry)));
    this.announced = new Set(pressing.map(identity));
    if (!fresh.length) return;
    const sentences = fresh.map(({ participant, alert }) => `${t('alarm')}: ${this.app.nameOf(participant)}, ${local(alert.message) || local(alert.title)}`);
    write(announcer(), sentences.map((sentence) => sentence.replace(/[.\s]+$/, '')).join('. ') + '.');
  }
}
