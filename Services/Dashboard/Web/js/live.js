// What is live: one stream of events, kept as a model that the pages draw from. Pages are told what changed, at most ten times a second.

import { Stream } from './stream.js';

/** @typedef {{values: Map, alerts: Map, waves: Map, last: number, history: Map}} Person */

export class Live extends EventTarget {
  constructor() {
    super();
    /** @type {Map<string, Person>} */
    this.people = new Map();
    this.modules = new Map();
    /** Milliseconds by which the server's clock is ahead of this one's. */
    this.skew = 0;
    this.heard = 0;
    this.opened = Infinity;
    this.state = 'connecting';
    /** The account that is signed in: tabs of one share a stream. */
    this.account = '';
    this.stream = new Stream({ take: (name, data) => this.take(name, data), refused: () => this.dispatchEvent(new Event('refused')), snapshot: () => this.snapshot() });
    this.watch = setInterval(() => this.check(), 1000);
  }

  /** The server's time in Unix seconds. */
  now() { return (Date.now() + this.skew) / 1000; }

  /** Opens the stream, with the waveforms of these participants. */
  open(waves = []) {
    if (this.opened === Infinity) this.opened = Date.now();
    this.stream.open(this.account, waves);
  }

  close() {
    this.stream.close();
    this.heard = 0;
    this.opened = Infinity;
    this.setState('connecting');
  }

  /** Since when nothing was heard. */
  get since() { return this.heard || this.opened; }

  take(name, data) {
    this.heard = Date.now();
    switch (name) {
      case 'snapshot': this.takeSnapshot(data); break;
      case 'values': this.takeValues(data); break;
      case 'waves':
        for (const block of data.w) this.takeWave(data.p, block);
        this.changed('waves', data.p);
        break;
      case 'gap': this.changed('gap', data.p); break;
      case 'alert': this.takeAlert(data); break;
      case 'module':
        this.modules.set(`${data.service}/${data.instance}`, data);
        this.changed('modules');
        break;
      case 'beat':
        this.skew = data.now * 1000 - Date.now();
        this.setState('live');
        break;
      case 'end':
        this.close();
        this.dispatchEvent(new Event('end'));
        break;
    }
  }

  /** All that is known, as the server tells it to a tab that begins. */
  snapshot() {
    const people = [...this.people].map(([p, person]) => ({
      p, v: [...person.values.values()], alerts: [...person.alerts.values()], w: [...person.waves.values()].flat().map((block) => block.raw),
    }));
    return { now: this.now(), people, modules: [...this.modules.values()] };
  }

  /** After ten seconds without a heartbeat nothing that is shown can be trusted to be new. */
  check() {
    if (Date.now() - this.since > 10000) this.setState('lost');
    this.changed('tick');
  }

  setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.changed('state');
  }

  person(name) {
    let person = this.people.get(name);
    if (!person) {
      person = { values: new Map(), alerts: new Map(), waves: new Map(), history: new Map(), last: 0 };
      this.people.set(name, person);
    }
    return person;
  }

  takeSnapshot(data) {
    this.skew = data.now * 1000 - Date.now();
    const seen = new Set();
    for (const entry of data.people) {
      seen.add(entry.p);
      const person = this.person(entry.p);
      person.alerts.clear();
      person.values.clear();
      person.last = 0;
      person.waves.clear();
      for (const value of entry.v) this.takeValue(person, value);
      for (const alert of entry.alerts) person.alerts.set(alert.rule, alert);
      for (const block of entry.w) this.takeWave(entry.p, block);
    }
    for (const name of [...this.people.keys()]) if (!seen.has(name)) this.people.delete(name);
    this.modules = new Map(data.modules.map((module) => [`${module.service}/${module.instance}`, module]));
    this.setState('live');
    for (const what of ['snapshot', 'values', 'alerts', 'waves', 'modules']) this.changed(what);
  }

  takeValue(person, value) {
    person.values.set(value.m, value);
    if (value.t > person.last) person.last = value.t;
    if (value.v === undefined) return;
    const past = person.history.get(value.m) ?? [];
    past.push([value.t, value.v]);
    while (past.length > 60 || (past.length && value.t - past[0][0] > 600)) past.shift();
    person.history.set(value.m, past);
  }

  takeValues(data) {
    const person = this.person(data.p);
    for (const value of data.v) this.takeValue(person, value);
    this.changed('values', data.p);
  }

  takeAlert(data) {
    const alerts = this.person(data.p).alerts;
    if (data.alert) alerts.set(data.rule, data.alert);
    else alerts.delete(data.rule);
    this.changed('alerts', data.p);
  }

  takeWave(name, block) {
    const person = this.person(name);
    const bytes = Uint8Array.from(atob(block.d), (c) => c.charCodeAt(0));
    const whole = new Int16Array(bytes.buffer);
    const samples = new Float32Array(whole.length);
    for (let i = 0; i < whole.length; i++) samples[i] = block.o + block.k * whole[i];
    const blocks = person.waves.get(block.m) ?? [];
    blocks.push({ start: block.t, period: block.dt, end: block.t + block.dt * samples.length, samples, unit: block.u, source: block.s, arrived: this.now(), raw: block });
    while (blocks.length > 1 && blocks[0].end < block.t - 30) blocks.shift();
    person.waves.set(block.m, blocks);
    if (block.t > person.last) person.last = block.t + block.dt * samples.length;
  }

  /** Every alert that stands, worst first. */
  alerts() {
    const all = [];
    for (const [participant, person] of this.people) for (const alert of person.alerts.values()) all.push({ participant, alert });
    return all.sort((a, b) => rank(b.alert) - rank(a.alert) || a.alert.since - b.alert.since);
  }

  changed(what, participant) { this.dispatchEvent(new CustomEvent(what, { detail: participant })); }
}

const priorities = { high: 3, medium: 2, low: 1 };
export const priorityOf = (alert) => (priorities[alert.priority] ? alert.priority : 'low');

/** How much an alert presses: unacknowledged before acknowledged, then by priority, medical before technical. */
export function rank(alert) {
  if (alert.state !== 'active' || alert.silenced || alert.inhibited) return 0;
  return (alert.acknowledged ? 0 : 10) + (priorities[priorityOf(alert)] ?? 1) * 2 + (alert.kind === 'technical' ? 0 : 1);
}
export const isActive = (alert) => alert.state === 'active' && !alert.inhibited;
export const isPressing = (alert) => isActive(alert) && !alert.silenced && !alert.acknowledged;
