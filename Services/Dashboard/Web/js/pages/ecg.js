// A stored electrocardiogram, or another waveform, on millimetre paper; an hour or a day of it as a line a minute; calipers.
import { h, replace, write, attribute, loading } from '../dom.js';
import { api } from '../api.js';
import { t, metricName, unitName, clock, when, date, language } from '../i18n.js';
import { period, knownZone, fromField, toField } from '../calendar.js';
import { pixelsPerMillimetre } from '../calibration.js';
import { Waveform, millivolts, gapsOf, valueAt } from '../waveform.js';
import { Paper, room } from '../draw/paper.js';
import { Disclosure } from '../draw/disclosure.js';
import { marksOf, beatsOf, joined } from '../rhythm.js';

const gains = [5, 10, 20];
const speeds = [25, 50];
const views = ['strip', 'hour', 'day'];
/** Rows of a full disclosure, on screen and on paper: an hour is a page. */
const rows = { screen: 24, print: 14 };
/** Marks that are told in words at once. */
const most = 200;

export async function show(app, main, id) {
  const query = new URLSearchParams(location.search);
  const zone = knownZone(app.zoneOf(id) ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const stored = await api.get(api.of(id, 'metrics?counted=false'));
  const waveforms = stored.filter((metric) => metric.isWaveform).sort((a, b) => rank(a.metric) - rank(b.metric));
  if (!waveforms.length) return void main.append(h('p', t('ecg.none')));
  const page = new Page(app, main, id, zone, stored.filter((metric) => !metric.isWaveform).map((metric) => metric.metric), waveforms);
  page.begin(query);
  return () => page.leave();
}

const rank = (metric) => (metric === 'ecg' ? 0 : metric.startsWith('ecg') ? 1 : 2);
const fine = (seconds, zone) => `${clock(seconds, zone)}${new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(Math.floor((((seconds % 1) + 1) % 1) * 10) / 10).slice(1)}`;
const digits = (value, n) => new Intl.NumberFormat(language, { minimumFractionDigits: n, maximumFractionDigits: n }).format(value);

class Page {
  constructor(app, main, id, zone, metrics, waveforms) {
    Object.assign(this, { app, main, id, zone, metrics, waveforms, rooms: new Map(), marks: [], beats: [], calipers: null, shown: null, hours: [] });
    this.clockOf = (time) => clock(time, zone);
  }

  begin(query) {
    const number = (name) => (query.get(name) === null ? NaN : Number(query.get(name)));
    this.view = views.includes(query.get('view')) ? query.get('view') : 'strip';
    this.build();
    this.choose(this.waveforms.find((entry) => entry.metric === query.get('metric')) ?? this.waveforms[0], query.get('source') ?? '');
    this.alarm = Number.isFinite(number('at')) ? number('at') : null;
    const { from, to } = { from: number('from'), to: number('to') };
    // A time of its own is shown in as many lines as it needs; else one line.
    this.length = to > from && to - from <= 120 ? to - from : null;
    this.from = Number.isFinite(from) ? from : Math.max(this.about.first, this.about.last - this.paper.seconds(this.speed));
    this.refresh();
  }

  build() {
    const button = (text, label, onclick) => h('button', { onclick, 'aria-label': label, title: label }, text);
    this.metricBox = h('select', { onchange: () => { this.choose(this.waveforms[this.metricBox.selectedIndex], ''); this.refresh(); } }, this.waveforms.map((entry) => h('option', metricName(entry.metric))));
    this.sourceBox = h('select', { onchange: () => { this.choose(this.about, this.sourceBox.value); this.refresh(); } });
    this.timeBox = h('input', { type: 'datetime-local', step: 1, onchange: () => this.typed() });
    this.gainBox = h('select', { onchange: () => { this.rooms.clear(); this.draw(); } }, gains.map((gain) => h('option', { value: gain }, `${gain} mm/mV`)));
    this.gainBox.value = 10;
    this.speedBox = h('select', { onchange: () => this.refresh() }, speeds.map((speed) => h('option', { value: speed }, `${speed} mm/s`)));
    this.tabs = views.map((view) => h('button', { onclick: () => { this.view = view; this.refresh(); } }, t('ecg.' + view)));
    this.canvas = h('canvas.paper', { role: 'img', tabindex: 0, 'aria-describedby': 'ecg-said' });
    this.said = h('p#ecg-said.quiet.number', { 'aria-live': 'polite' });
    this.scale = h('p.quiet');
    this.list = h('ul.marks');
    this.measured = h('p.number', { role: 'status' });
    this.sliders = ['ecg.first', 'ecg.second'].map((key, i) => h('input', { type: 'range', step: 'any', 'aria-label': t(key), oninput: () => this.slid(i), onkeydown: (event) => this.nudge(event, i) }));
    this.calipersButton = h('button', { 'aria-pressed': 'false', onclick: () => this.toggleCalipers() }, t('ecg.calipers'));
    this.calipersPanel = h('div.calipers.hidden', h('label', h('span', 'A'), this.sliders[0]), h('label', h('span', 'B'), this.sliders[1]), this.measured);
    this.trouble = h('p.error', { role: 'alert' });
    this.strip = h('figure.panel.ecg', this.canvas, h('figcaption', this.scale, this.said, this.calipersPanel));
    this.disclosure = h('div.disclosure');
    const second = t('ecg.second-unit');
    this.main.append(
      h('div.row.controls', h('div.tabs', { role: 'group', 'aria-label': t('ecg.how') }, this.tabs),
        button('◀◀', t('timeline.back'), () => this.move(-this.step())), button(`◀ 1 ${second}`, t('ecg.second-back'), () => this.move(-1)),
        button(`1 ${second} ▶`, t('ecg.second-on'), () => this.move(1)), button('▶▶', t('timeline.forward'), () => this.move(this.step())),
        h('button', { onclick: () => this.newest() }, t('ecg.newest'))),
      h('h2.print-only', `${this.app.nameOf(this.id)} · ${t('page.ecg')}`), this.trouble, this.strip,
      h('div.row.controls', this.calipersButton, h('button', { onclick: () => print() }, t('ecg.print')), h('label', h('span', t('ecg.time')), this.timeBox),
        h('label', h('span', t('ecg.waveform')), this.metricBox), h('label', h('span', t('ecg.lead')), this.sourceBox),
        h('label', h('span', t('ecg.height')), this.gainBox), h('label', h('span', t('ecg.speed')), this.speedBox)),
      h('section.panel.known', h('h2', t('ecg.known')), this.list), this.disclosure, h('p.quiet.controls', t('ecg.keys')), h('p.quiet', t('timeline.zone', { zone: this.zone })));
    this.paper = new Paper(this.canvas, () => this.refresh());
    this.listen();
  }

  listen() {
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('pointerdown', (event) => this.press(event));
    this.onTheme = () => { this.draw(); this.hours.forEach((hour) => hour.drawing.draw()); };
    addEventListener('theme', this.onTheme);
    this.printing = matchMedia('print');
    this.onPrint = () => this.print(this.printing.matches);
    this.printing.addEventListener('change', this.onPrint);
  }

  leave() {
    this.isLeft = true;
    this.paper.stop();
    this.watcher?.disconnect();
    removeEventListener('theme', this.onTheme);
    this.printing.removeEventListener('change', this.onPrint);
  }

  /** On paper a millimetre is one. */
  print(isPrinting) {
    this.paper.isPrinting = isPrinting;
    this.draw();
    for (const hour of this.hours) hour.drawing.draw(isPrinting ? rows.print : rows.screen, isPrinting ? 4 : undefined);
  }

  get speed() { return Number(this.speedBox.value); }
  get isMillivolt() { return millivolts(this.about.unit) !== null; }
  /** Millimetres a unit. What is no voltage fills about three centimetres. */
  get gain() { return this.isMillivolt ? Number(this.gainBox.value) : this.otherGain ?? 10; }
  get to() { return this.from + (this.length ?? this.paper.seconds(this.speed)); }
  step() { return this.view === 'day' ? 86400 : this.view === 'hour' ? 3600 : this.to - this.from; }

  /** A metric, and one of its sources or all. */
  choose(about, source) {
    this.about = about;
    this.source = source;
    this.metricBox.selectedIndex = this.waveforms.indexOf(about);
    // Whoever may not know who it is sees sources under numbers, by which none can be asked for.
    this.mayAsk = this.app.can('see-identity');
    this.waveform = new Waveform(this.id, about.metric, this.mayAsk && source ? source : undefined, millivolts(about.unit) ?? 1);
    this.known ??= new Map();
    this.rooms.clear();
    this.otherGain = null;
    this.gainBox.disabled = !this.isMillivolt;
    this.fillSources();
  }

  fillSources() {
    const known = this.known.get(this.about.metric) ?? [];
    if (this.source && !known.includes(this.source)) known.push(this.source);
    replace(this.sourceBox, h('option', { value: '' }, t('ecg.all')), known.map((name) => h('option', { value: name }, name)));
    this.sourceBox.value = this.source;
  }

  note(sources) {
    const known = new Set([...(this.known.get(this.about.metric) ?? []), ...sources]);
    if (known.size === (this.known.get(this.about.metric) ?? []).length) return;
    this.known.set(this.about.metric, [...known].sort());
    this.fillSources();
  }

  // Moving

  typed() { const time = fromField(this.timeBox.value, this.zone); if (!Number.isNaN(time)) { this.from = time; this.refresh(); } }
  newest() { this.length = null; this.from = this.about.last - this.paper.seconds(this.speed); this.refresh(); }
  move(seconds) { this.from += seconds; this.refresh(); }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.to - this.from;
    const moves = { ArrowLeft: event.shiftKey ? -step : -1, ArrowRight: event.shiftKey ? step : 1, PageUp: -step, PageDown: step };
    if (event.key in moves) this.move(moves[event.key]);
    else if (event.key === 'Home') { this.from = this.about.first; this.refresh(); } else if (event.key === 'End') this.newest();
    else return;
    event.preventDefault();
  }

  /** Takes a caliper that is near, else the paper. */
  press(event) {
    if (event.button > 0 || !this.shown) return;
    const near = (this.calipers ?? []).map((time) => this.paper.place(time)).map((place) => (place && Math.floor(event.offsetY / this.paper.lineHeight) === place.line ? Math.abs(place.x - event.offsetX) : Infinity));
    const taken = near.length ? near.indexOf(Math.min(...near)) : -1;
    const isCaliper = taken >= 0 && near[taken] < 24;
    const [start, from] = [event.clientX, this.from];
    this.canvas.setPointerCapture(event.pointerId);
    const follow = (moved) => {
      if (isCaliper) this.setCaliper(taken, this.paper.timeAt(moved.offsetX, moved.offsetY));
      else { this.from = from - (moved.clientX - start) / this.paper.millimetre / this.speed; this.refresh(); }
    };
    const end = () => { for (const [name, listener] of ends) this.canvas.removeEventListener(name, listener); };
    const ends = [['pointermove', follow], ['pointerup', end], ['pointercancel', end]];
    for (const [name, listener] of ends) this.canvas.addEventListener(name, listener);
  }

  // Showing

  /** Shows what is chosen, at once where it is known and else as soon as it is. */
  async refresh() {
    this.tabs.forEach((button, i) => button.setAttribute('aria-pressed', String(views[i] === this.view)));
    for (const element of [this.strip, this.list.parentElement, this.calipersButton, this.gainBox.parentElement, this.speedBox.parentElement]) element.classList.toggle('hidden', this.view !== 'strip');
    this.disclosure.classList.toggle('hidden', this.view === 'strip');
    this.timeBox.value = toField(this.from, this.zone, 19);
    const asked = (this.asked = Symbol('asked'));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keepAddress(), 300);
    try {
      if (this.view !== 'strip') return await this.showHours();
      const { from, to } = this;
      const lanes = await loading(this.strip, this.waveform.read(from, to, this.app.live.now()), t('loading'));
      if (asked !== this.asked || this.isLeft) return;
      this.shown = { from, to, lanes };
      this.note([...lanes.keys()]);
      this.draw();
      write(this.trouble, '');
      await this.mark(from, to, asked);
    } catch (error) {
      if (asked === this.asked && !this.isLeft) write(this.trouble, this.app.miss(error));
    }
  }

  keepAddress() {
    if (this.isLeft) return;
    const round = (time) => String(Math.round(time * 10) / 10);
    const values = { metric: this.about.metric, source: this.source, view: this.view === 'strip' ? '' : this.view, from: round(this.from), to: this.length ? round(this.to) : '', at: this.alarm === null ? '' : round(this.alarm) };
    history.replaceState(null, '', '?' + new URLSearchParams(Object.entries(values).filter(([, value]) => value)));
  }

  async mark(from, to, asked) {
    if (!this.app.can('see-identity')) return this.drawList();
    // The hour's marks do for all strips in it.
    const hour = Math.floor(from / 3600);
    if (this.markedHour !== hour || to > (hour + 1) * 3600) {
      const marks = await marksOf(this.id, this.metrics, hour * 3600, Math.max(to, (hour + 1) * 3600));
      if (asked !== this.asked) return;
      [this.marks, this.markedHour] = [marks, hour];
    }
    const beats = await beatsOf(this.id, this.metrics, from - 1, to + 1);
    if (asked !== this.asked || this.isLeft) return;
    this.beats = beats;
    this.draw();
  }

  draw() {
    if (!this.shown || this.view !== 'strip') return;
    const { from, to } = this.shown;
    const names = this.mayAsk || !this.source ? [...this.shown.lanes.keys()] : [...this.shown.lanes.keys()].filter((name) => name === this.source);
    if (!this.isMillivolt) this.otherGain ??= gainFor([...this.shown.lanes.values()].flat());
    const lanes = names.map((name) => {
      const segments = this.shown.lanes.get(name);
      this.rooms.set(name, room(segments, this.gain, this.rooms.get(name)));
      return { name: names.length > 1 ? name : '', segments, room: this.rooms.get(name) };
    });
    if (!lanes.length) lanes.push({ name: '', segments: [], room: this.rooms.get(this.source) ?? { below: 2, above: 3, zero: 0 } });
    const alarm = this.alarm === null ? [] : [{ from: this.alarm, to: this.alarm, isMoment: true, text: t('alarm'), color: '--high' }];
    const marks = [...joined(this.marks), ...(this.marks.some((mark) => mark.isMoment && Math.abs(mark.from - this.alarm) < 2) ? [] : alarm)].filter((mark) => mark.to >= from && mark.from <= to);
    this.paper.show({ from, to, now: this.app.live.now(), speed: this.speed, gain: this.gain, lanes, marks, beats: this.beats, calipers: this.calipers, clock: this.clockOf, noSignal: t('ecg.no-signal') });
    this.lanes = lanes;
    this.drawSaid(lanes, from, to);
    this.drawList(marks);
    this.drawCalipers();
  }

  /** The strip in words, for whoever does not see it. */
  drawSaid(lanes, from, to) {
    const unit = this.isMillivolt ? 'mV' : unitName(this.about.unit);
    const words = { speed: this.speed, gain: this.gain, amount: new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }).format(10 / this.gain), unit: unit || t('ecg.no-unit') };
    const offset = lanes.filter((lane) => lane.room.zero).map((lane) => t('ecg.offset', { amount: digits(lane.room.zero, 0), unit }));
    write(this.scale, [this.isMillivolt ? t('ecg.scale', words) : t('ecg.scale-other', words), ...offset, pixelsPerMillimetre() ? '' : t('ecg.not-measured')].filter(Boolean).join(' '));
    const span = t('ecg.span', { date: date(from, this.zone), from: fine(from, this.zone), to: fine(to, this.zone) });
    const parts = lanes.filter((lane) => lane.segments.length).map((lane) => {
      const values = lane.segments.flatMap((segment) => [...segment.samples].filter((_, i) => inside(segment.start + i * segment.period, from, to)));
      if (!values.length) return '';
      return t('ecg.lane', { name: lane.segments[0].source, rate: digits(1 / lane.segments[0].period, 0), low: digits(least(values), 2), high: digits(-least(values.map((value) => -value)), 2), unit }).replace(' .', '.');
    });
    const gaps = lanes.flatMap((lane) => gapsOf(lane.segments, from, Math.min(to, this.app.live.now())));
    const told = gaps.slice(0, 5).map(([start, stop]) => t('ecg.gap', { seconds: digits(stop - start, 1), time: fine(start, this.zone) }));
    const nothing = parts.some(Boolean) ? '' : t('timeline.nothing');
    attribute(this.canvas, 'aria-label', `${metricName(this.about.metric)}, ${span}`);
    write(this.said, [span, nothing, ...parts, told.length && !nothing ? t('ecg.gaps', { list: told.join('; ') + (gaps.length > 5 ? ' …' : '') }) : ''].filter(Boolean).join(' '));
  }

  drawList(marks = []) {
    replace(this.list, marks.length ? marks.slice(0, most).map((mark) => this.item(mark)) : h('li.quiet', t('ecg.nothing-known')));
  }

  item(mark) {
    const time = mark.isMoment ? clock(mark.from, this.zone) : `${clock(mark.from, this.zone)} – ${clock(mark.to, this.zone)}`;
    // Of an hour it leads to its strip.
    return h('li', this.view === 'strip' ? h('span.number', time) : h('button.number', { onclick: () => this.zoom(mark.from - 3) }, time), ` ${mark.isMoment ? '▲ ' : ''}${mark.text}`);
  }

  // Calipers

  toggleCalipers() {
    const { from, to } = this;
    const width = Math.min(to - from, this.paper.secondsOfLine ?? to - from);
    // As far apart as two beats at rest.
    const half = Math.min(0.4, width * 0.15);
    this.calipers = this.calipers ? null : [from + width / 2 - half, from + width / 2 + half];
    this.calipersButton.setAttribute('aria-pressed', String(Boolean(this.calipers)));
    this.calipersPanel.classList.toggle('hidden', !this.calipers);
    this.draw();
  }

  setCaliper(which, time) {
    this.calipers[which] = Math.min(this.to, Math.max(this.from, time));
    this.draw();
  }

  slid(which) { this.setCaliper(which, this.from + Number(this.sliders[which].value)); }

  /** An arrow is a hundredth of a second, with the shift key a tenth. */
  nudge(event, which) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.setCaliper(which, this.calipers[which] + steps[event.key] * (event.shiftKey ? 0.1 : 0.01));
  }

  drawCalipers() {
    if (!this.calipers) return;
    const { from, to } = this;
    // Those that the paper has left come along.
    if (this.calipers.some((time) => time < from || time > to)) {
      const width = Math.min(to - from, Math.abs(this.calipers[1] - this.calipers[0]));
      this.calipers = [(from + to - width) / 2, (from + to + width) / 2];
      return this.draw();
    }
    const values = this.calipers.map((time) => (this.lanes[0] ? valueAt(this.lanes[0].segments, time) : null));
    this.sliders.forEach((slider, i) => {
      slider.max = to - from;
      slider.value = this.calipers[i] - from;
      attribute(slider, 'aria-valuetext', fine(this.calipers[i], this.zone));
    });
    const between = Math.abs(this.calipers[1] - this.calipers[0]);
    const height = values.includes(null) ? '--' : digits(this.calipers[1] >= this.calipers[0] ? values[1] - values[0] : values[0] - values[1], 2);
    write(this.measured, t('ecg.measured', { ms: digits(between * 1000, 0), bpm: between >= 0.01 ? digits(60 / between, 0) : '--', amount: height, unit: this.isMillivolt ? 'mV' : unitName(this.about.unit) }));
  }

  // Full disclosure

  async showHours() {
    const { from, to } = this.view === 'day' ? period('day', this.from, this.zone) : { from: Math.floor(this.from / 3600) * 3600, to: (Math.floor(this.from / 3600) + 1) * 3600 };
    const key = `${this.about.metric} ${this.source} ${from} ${to}`;
    if (this.hoursShown === key) return;
    this.hoursShown = key;
    this.watcher?.disconnect();
    this.hours = [];
    for (let start = from; start < to; start += 3600) this.hours.push(this.hour(start));
    // One hour is asked for at a time, as it comes into sight.
    this.watcher = new IntersectionObserver((entries) => { for (const entry of entries) if (entry.isIntersecting) this.fill(this.hours.find((hour) => hour.element === entry.target)); }, { rootMargin: '200px' });
    replace(this.disclosure, h('p.quiet', t('ecg.disclosure', { date: date(from, this.zone) })), this.hours.map((hour) => hour.element));
    for (const hour of this.hours) this.watcher.observe(hour.element);
    this.hours.find((hour) => this.from < hour.from + 3600)?.at(this.from);
  }

  hour(from) {
    const canvas = h('canvas', { 'aria-hidden': 'true', onclick: (event) => this.zoom(drawing.timeAt(event.offsetX, event.offsetY) - 3) });
    const drawing = new Disclosure(canvas, from);
    const note = h('p.quiet', { role: 'status' });
    const legend = h('details.hidden');
    // The minutes are one stop of the Tab key; arrows go from one to the next.
    const minutes = Array.from({ length: 60 }, (_, minute) => h('button.plain.number', { tabindex: minute ? -1 : 0, onclick: () => this.zoom(from + minute * 60) }, this.clockOf(from + minute * 60).slice(0, 5)));
    const list = h('div.minutes', { role: 'group', 'aria-label': when(from, this.zone), onkeydown: (event) => {
      const next = minutes.indexOf(event.target) + ({ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key] ?? NaN);
      if (Number.isNaN(next)) return;
      event.preventDefault();
      const chosen = minutes[Math.min(59, Math.max(0, next))];
      for (const button of minutes) button.tabIndex = button === chosen ? 0 : -1;
      chosen.focus();
    } }, minutes);
    /** Brings a moment's minute into sight, where the keyboard finds it. */
    const at = (time) => {
      const chosen = minutes[Math.max(0, Math.floor((time - from) / 60))];
      for (const button of minutes) button.tabIndex = button === chosen ? 0 : -1;
      chosen.setAttribute('aria-current', 'true');
      if (chosen !== minutes[0]) chosen.scrollIntoView({ block: 'center' });
    };
    return { from, drawing, note, minutes, at, legend, element: h('section.panel.ecg', { 'aria-label': when(from, this.zone) }, note, h('div.hour', list, canvas), legend) };
  }

  async fill(hour) {
    if (!hour || hour.isAsked) return;
    hour.isAsked = true;
    const columns = hour.drawing.wanted;
    hour.drawing.show([], 0, []);
    try {
      const waveform = this.source || !this.mayAsk ? this.waveform : new Waveform(this.id, this.about.metric, this.known.get(this.about.metric)?.[0], millivolts(this.about.unit) ?? 1);
      const [runs, marks] = await loading(hour.element, Promise.all([waveform.envelope(hour.from, hour.from + 3600, columns * 60), this.mayAsk ? marksOf(this.id, this.metrics, hour.from, hour.from + 3600) : []]), t('loading'));
      if (this.isLeft) return;
      const all = joined(marks);
      hour.drawing.show(runs, columns, all);
      write(hour.note, runs.length ? '' : t('timeline.nothing'));
      this.describe(hour, runs, columns, all);
      const told = all.filter((mark) => !mark.isQuiet);
      hour.legend.classList.toggle('hidden', !told.length);
      replace(hour.legend, h('summary', `${t('ecg.known')}: ${told.length}`), h('ul.marks', told.slice(0, most).map((mark) => this.item(mark)), told.length > most ? h('li.quiet', '…') : null));
    } catch (error) {
      hour.isAsked = false;
      write(hour.note, this.app.miss(error));
    }
  }

  /** Each minute's button says what its line shows. */
  describe(hour, runs, columns, marks) {
    hour.minutes.forEach((button, minute) => {
      const [from, to] = [hour.from + minute * 60, hour.from + minute * 60 + 60];
      const steps = runs.reduce((sum, run) => sum + Math.max(0, Math.min(run.first + run.low.length, (minute + 1) * columns) - Math.max(run.first, minute * columns)), 0);
      const said = marks.filter((mark) => mark.to >= from && mark.from < to && !mark.isQuiet).map((mark) => mark.text);
      if (steps < columns * 0.98) said.push(steps ? t('ecg.part', { seconds: digits((steps / columns) * 60, 0) }) : t('ecg.no-signal'));
      attribute(button, 'aria-label', [this.clockOf(from).slice(0, 5), ...new Set(said)].join(', '));
    });
  }

  zoom(time) {
    [this.view, this.from, this.length] = ['strip', time, null];
    this.refresh();
    this.canvas.focus();
    this.main.scrollIntoView();
  }
}

const inside = (time, from, to) => time >= from && time < to;
const least = (values) => values.reduce((found, value) => Math.min(found, value), Infinity);

/** Millimetres a unit of a signal that is no voltage: ten are a round number of it, and most of it is some three centimetres high. */
function gainFor(segments) {
  let [low, high] = [Infinity, -Infinity];
  for (const { samples } of segments) for (const value of samples) { low = Math.min(low, value); high = Math.max(high, value); }
  if (!(high > low)) return null;
  const third = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(third));
  return 10 / ([1, 2, 5, 10].find((n) => n * power >= third) * power);
}
