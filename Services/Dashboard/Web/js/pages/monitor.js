// The last ten seconds of every waveform, sweeping, with the numbers beside them.
import { h, replace, write, attribute, toast } from '../dom.js';
import { api } from '../api.js';
import { t, said, number, unitName, metricName, metricShort, local, clock, age } from '../i18n.js';
import { Sweep } from '../draw/sweep.js';
import { drawGauge } from '../draw/gauge.js';
import { Vital, reading, trend } from '../vitals.js';
import { isActive, priorityOf } from '../live.js';

const order = ['ecg', 'blood-volume-pulse', 'airflow', 'respiration', 'skin-conductance'];
const colors = { ecg: '--c-ecg', 'blood-volume-pulse': '--c-pulse', airflow: '--c-air', respiration: '--c-air', 'skin-conductance': '--c-skin' };
/** The number that belongs to a waveform. */
const numbers = { ecg: 'heart-rate', 'blood-volume-pulse': 'pulse-rate', airflow: 'respiration-rate', respiration: 'respiration-rate', 'skin-conductance': 'skin-conductance-level' };
const themes = ['auto', 'light', 'dark'];

class Trace {
  constructor(app, page, metric) {
    Object.assign(this, { app, page, metric });
    this.canvas = h('canvas', { role: 'img', 'aria-label': metricName(metric) });
    this.state = h('span.state');
    this.value = h('span.value.number');
    this.unit = h('span.unit');
    this.limits = h('span.limits');
    const name = numbers[metric];
    this.number = name;
    this.themeButton = h('button', { onclick: () => this.nextTheme() }, t('monitor.theme'));
    this.freezeButton = h('button', { 'aria-pressed': 'false', onclick: () => this.freeze() }, t('monitor.freeze'));
    this.paper = h('span.paper.hidden', h('span.millivolt'), h('span'));
    const wave = h('div.wave', this.canvas, h('span.title', metricName(metric)), this.paper, this.state);
    this.element = h('section.trace', { 'aria-label': metricName(metric) }, wave,
      h('div.readout', h('span.name.quiet', name ? metricName(name) : ''), h('span', this.value, ' ', this.unit), this.limits),
      h('div.tools', this.themeButton, this.freezeButton, h('button', { onclick: () => this.picture() }, 'PNG')));
    this.element.style.setProperty('--c', `var(${colors[metric] ?? '--c-other'})`);
    wave.style.background = 'linear-gradient(color-mix(in srgb, var(--c) 12%, var(--trace-back)), var(--trace-back) 45% 55%, color-mix(in srgb, var(--c) 12%, var(--trace-back)))';
    this.canvas.style.color = 'var(--c)';
    this.value.style.color = 'var(--c)';
    this.setTheme(app.preference('chart-' + metric, 'auto'));
  }

  start() { this.sweep = new Sweep(this.canvas, this.metric); }
  stop() { this.sweep?.stop(); }

  nextTheme() {
    const next = themes[(themes.indexOf(this.theme) + 1) % themes.length];
    this.setTheme(next);
    this.app.savePreference('chart-' + this.metric, next);
  }

  setTheme(theme) {
    this.theme = theme;
    // The theme's variables hold for this chart alone.
    if (theme === 'auto') this.element.removeAttribute('data-chart'); else this.element.setAttribute('data-chart', theme);
    this.sweep?.restyle();
  }

  freeze() {
    this.sweep.isFrozen = !this.sweep.isFrozen;
    this.freezeButton.setAttribute('aria-pressed', String(this.sweep.isFrozen));
  }

  picture() {
    const copy = h('canvas', { width: this.canvas.width, height: this.canvas.height + 40 });
    const context = copy.getContext('2d');
    context.fillStyle = getComputedStyle(this.element).getPropertyValue('--trace-back');
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 40);
    context.fillStyle = getComputedStyle(this.element).color;
    context.font = '20px system-ui, sans-serif';
    context.fillText(`${this.app.nameOf(this.page.id)} · ${metricName(this.metric)} · ${clock(this.app.live.now(), this.app.zoneOf(this.page.id))}`, 10, 27);
    copy.toBlob((blob) => {
      const link = h('a', { href: URL.createObjectURL(blob), download: `${this.page.id}-${this.metric}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  draw(person, now) {
    this.sweep.draw(person?.waves.get(this.metric), now);
    attribute(this.element, 'data-signal', this.sweep.state);
    const { gain, millimetre } = this.sweep;
    if (gain === this.gain) return;
    // The height of a millivolt, beside the words for it.
    this.gain = gain;
    this.paper.classList.toggle('hidden', !gain);
    if (!gain) return;
    this.paper.firstChild.style.height = `${gain * millimetre}px`;
    write(this.paper.lastChild, t('monitor.paper', { gain: number(gain) }));
  }

  drawNumber(person) {
    const { live } = this.app;
    const blocks = person?.waves.get(this.metric);
    const silence = blocks?.length ? live.now() - blocks.at(-1).end : Infinity;
    const technical = [...(person?.alerts.values() ?? [])].find((alert) => isActive(alert) && alert.kind === 'technical' && (alert.metric === this.metric || alert.metric === this.number));
    write(this.state, live.state === 'lost' ? t('value.no-connection') : silence > 3 ? (technical ? local(technical.title) : t('monitor.off', { age: age(silence) })) : this.sweep?.isFrozen ? t('monitor.frozen') : '');
    if (!this.number) return;
    const value = person?.values.get(this.number);
    const shown = reading(live, value, this.number);
    write(this.value, silence > 10 && shown.age > 15 ? '--' : shown.text + (shown.state === 'fresh' ? trend(person, this.number) : ''));
    write(this.unit, unitName(value?.u ?? '', this.number));
    const alert = [...(person?.alerts.values() ?? [])].find((alert) => isActive(alert) && alert.metric === this.number && alert.threshold !== undefined);
    write(this.limits, alert ? `${t('alert.limit')} ${number(alert.threshold, this.number)}` : shown.reason || this.page.limits?.get(this.number) || '');
    attribute(this.value, 'class', 'value number' + (alert ? ` p-${priorityOf(alert)}` : ''));
  }
}

class StressBar {
  constructor(app, id) {
    this.app = app;
    this.segments = Array.from({ length: 10 }, () => h('span'));
    this.value = h('span.big.number');
    this.words = h('span.quiet');
    this.bar = h('div.segments', { role: 'meter', 'aria-valuemin': 0, 'aria-valuemax': 1, 'aria-label': metricName('stress-level') }, this.segments);
    const turn = h('button', { onclick: () => { const up = this.bar.dataset.way !== 'up'; this.bar.dataset.way = up ? 'up' : 'across'; app.savePreference('stress-way', up ? 'up' : 'across'); } }, t('monitor.turn'));
    const calibrate = app.can('calibrate') ? h('button', { onclick: () => this.calibrate(id) }, t('monitor.calibrate')) : null;
    this.bar.dataset.way = app.preference('stress-way', 'across');
    this.element = h('section.panel', { 'aria-label': metricName('stress-level') }, h('div.stress', h('strong', metricName('stress-level')), this.bar, this.value, this.words, h('span.grow'), turn, calibrate));
  }

  async calibrate(id) {
    try {
      await api.post(api.of(id, 'stress'), { command: 'calibrate' });
      toast(t('monitor.calibrating'));
    } catch (error) { this.app.fail(error); }
  }

  draw(person) {
    const now = reading(this.app.live, person?.values.get('stress-level'), 'stress-level');
    const level = now.state === 'fresh' ? person.values.get('stress-level').v : null;
    const lit = level === null ? 0 : Math.max(1, Math.round(level * 10));
    this.segments.forEach((segment, i) => attribute(segment, 'data-on', i < lit ? (i < 6 ? 'green' : i < 8 ? 'yellow' : 'red') : null));
    write(this.value, now.state === 'fresh' ? now.text : '--');
    attribute(this.bar, 'aria-valuenow', level ?? 0);
    attribute(this.bar, 'aria-valuetext', level === null ? t('value.never') : now.text);
    const status = person?.values.get('stress-status')?.x;
    const calibrated = person?.values.get('stress-calibrated')?.v;
    const reasons = (status ?? '').split('; ').filter((reason) => reason !== 'not calibrated' || calibrated !== 0).map(said).join('; ');
    const words = [calibrated === 0 ? t('monitor.not-calibrated') : '', reasons, now.reason];
    write(this.words, words.filter(Boolean).join(' · '));
  }
}

export async function show(app, main, id) {
  const page = { id };
  // How far a number may go before somebody is told, beside it as on any monitor.
  const askLimits = async () => {
    try {
      const { limits } = await api.get(api.of(id, 'alerts/all/why'));
      page.limits = new Map(limits.map(({ metric, low, high }) => [metric, low === undefined ? `≤ ${number(high, metric)}` : high === undefined ? `≥ ${number(low, metric)}` : `${number(low, metric)}–${number(high, metric)}`]));
    } catch { /* Without the alarms' service there are no limits to be shown. */ }
  };
  const limitsTimer = setInterval(askLimits, 60000);
  askLimits();
  const traces = new Map();
  const traceBox = h('div.monitor');
  const readouts = h('div.readouts');
  const numerics = new Map();
  const stress = new StressBar(app, id);
  const gauge = h('canvas', { role: 'img', 'aria-label': metricName('vehicle-speed') });
  const gaugeBox = h('section.panel.hidden', gauge);
  gauge.style.width = '100%';
  gauge.style.height = '16rem';
  const waiting = h('p.quiet', { role: 'status' }, t('monitor.waiting'));
  const links = h('div.tabs',
    app.can('see-identity') ? [h('a.button', { href: `/p/${encodeURIComponent(id)}/summary` }, t('page.summary')), h('a.button', { href: `/p/${encodeURIComponent(id)}/timeline` }, t('page.timeline'))] : null,
    h('button', { onclick: () => main.requestFullscreen?.() }, t('monitor.full')));
  main.append(links, waiting, traceBox, stress.element, readouts, gaugeBox);
  const person = () => app.live.people.get(id);

  function arrange() {
    const metrics = [...(person()?.waves.keys() ?? [])].sort((a, b) => (order.indexOf(a) + 99) % 99 - (order.indexOf(b) + 99) % 99);
    for (const metric of metrics) {
      if (traces.has(metric)) continue;
      const trace = new Trace(app, page, metric);
      traces.set(metric, trace);
      const before = [...traces.values()].find((other) => other !== trace && (order.indexOf(other.metric) + 99) % 99 > (order.indexOf(metric) + 99) % 99 && other.element.isConnected);
      traceBox.insertBefore(trace.element, before?.element ?? null);
      trace.start();
    }
    waiting.classList.toggle('hidden', traces.size > 0);
  }

  const shown = new Set(['heart-rate', 'respiration-rate', 'stress-level', 'skin-conductance-level', 'stress-calibrated', 'vehicle-speed']);
  function drawNumbers() {
    const now = person();
    for (const trace of traces.values()) trace.drawNumber(now);
    stress.draw(now);
    for (const [metric, value] of now?.values ?? []) {
      if (value.v === undefined || (shown.has(metric) && traces.size) || /quality|component|missing|highest|at-least|^lf-|^hf-|pnn50|dfa|baevsky|sdnn|rmssd|^scr-|supplemental|calibrated/.test(metric)) continue;
      if (!numerics.has(metric) && app.live.now() - value.t < 86400) {
        const vital = new Vital(metric, metricName(metric), true);
        numerics.set(metric, vital);
        readouts.append(h('a.tile', { href: `/p/${encodeURIComponent(id)}/metric/${encodeURIComponent(metric)}` }, h('ul.vitals', vital.element)));
      }
    }
    for (const vital of numerics.values()) vital.draw(app.live, now);
    const speed = now?.values.get('vehicle-speed');
    gaugeBox.classList.toggle('hidden', !speed);
    if (speed) drawGauge(gauge, reading(app.live, speed, 'vehicle-speed').state === 'fresh' ? speed.v : null, metricName('vehicle-speed'), 'km/h');
  }

  let frame = requestAnimationFrame(function draw() {
    frame = requestAnimationFrame(draw);
    const now = app.live.now();
    for (const trace of traces.values()) trace.draw(person(), now);
  });
  const onWaves = () => arrange();
  const onValues = () => drawNumbers();
  app.live.addEventListener('waves', onWaves);
  for (const what of ['values', 'tick', 'snapshot', 'alerts']) app.live.addEventListener(what, onValues);
  arrange();
  drawNumbers();
  return () => {
    clearInterval(limitsTimer);
    cancelAnimationFrame(frame);
    for (const trace of traces.values()) trace.stop();
    app.live.removeEventListener('waves', onWaves);
    for (const what of ['values', 'tick', 'snapshot', 'alerts']) app.live.removeEventListener(what, onValues);
  };
}
