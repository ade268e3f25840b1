// What people can type in, in which units, what looks mistyped, and what waits for a connection.
import { api, newId } from './api.js';

/** Each kind with its fields; the first unit of a field is the catalogue's. */
export const kinds = [
  { name: 'weight', fields: [{ metric: 'body-weight', units: ['kg', '[lb_av]', '[stone_av]'] }] },
  {
    name: 'pressure', fields: [
      { metric: 'systolic-pressure', units: ['mm[Hg]', 'kPa'] }, { metric: 'diastolic-pressure', units: ['mm[Hg]', 'kPa'] },
      { metric: 'pulse-rate', units: ['/min'], isOptional: true }],
  },
  { name: 'glucose', fields: [{ metric: 'blood-glucose', units: ['mg/dL', 'mmol/L'] }] },
  { name: 'temperature', fields: [{ metric: 'body-temperature', units: ['Cel', '[degF]'] }] },
  { name: 'saturation', fields: [{ metric: 'oxygen-saturation', units: ['%'] }, { metric: 'pulse-rate', units: ['/min'], isOptional: true }] },
  { name: 'pulse', fields: [{ metric: 'pulse-rate', units: ['/min'] }] },
  { name: 'waist', fields: [{ metric: 'waist-circumference', units: ['cm', '[in_i]'] }] },
  { name: 'carbohydrates', fields: [{ metric: 'carbohydrates', units: ['g'] }] },
  { name: 'insulin', fields: [{ metric: 'insulin', units: ['[iU]'] }] },
  { name: 'dose', fields: [{ metric: 'medication-dose', isText: true }] },
];

/** A number as people write it: with a comma or a point. */
export function typed(text) {
  const plain = text.trim().replace(',', '.');
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}

/** In whose unit a number is likelier; nothing where it looks right. */
export function doubt(metric, value, unit) {
  if (metric === 'blood-glucose' && unit === 'mg/dL' && value < 36) return 'mmol/L';
  if (metric === 'blood-glucose' && unit === 'mmol/L' && value > 36) return 'mg/dL';
  if (metric === 'body-temperature' && unit === 'Cel' && value > 80) return '[degF]';
  if (metric === 'body-temperature' && unit === '[degF]' && value < 50) return 'Cel';
  if (/pressure$/.test(metric) && unit === 'mm[Hg]' && value < 30) return 'kPa';
  if (/pressure$/.test(metric) && unit === 'kPa' && value > 40) return 'mm[Hg]';
  if (metric === 'waist-circumference' && unit === 'cm' && value < 45) return '[in_i]';
  return null;
}

/** Whether a change may have been carried out, or can be a little later: then it waits, under its id, rather than being typed in again. */
export const isOpen = (error) => [0, 401, 408, 429].includes(error.status) || error.status >= 500 || error.code === 'other-account';

/** Changes that could not be sent, of one account, in the order in which they were made. */
export class Waiting {
  constructor(account) { this.key = `waiting-${account}`; }

  get all() { try { return JSON.parse(localStorage.getItem(this.key)) ?? []; } catch { return []; } }
  set all(list) { if (list.length) localStorage.setItem(this.key, JSON.stringify(list)); else localStorage.removeItem(this.key); }

  /** Keeps a request: a measurement, a correction or a removal. @param id the one that it was sent under before */
  keep(method, path, content, id) { this.all = [...this.all, { id, method, path, content }]; }

  /** Sends what waits, in one tab at a time; what had arrived after all is known by its id. @returns the refusals. */
  async send() {
    if (navigator.locks) return navigator.locks.request(this.key, { ifAvailable: true }, (lock) => (lock ? this.sendAll() : []));
    // Without TLS there are no locks: then at least once in this page.
    this.sending ??= this.sendAll().finally(() => { this.sending = null; });
    return this.sending;
  }

  async sendAll() {
    // Versions before gave no ids, and the first kept measurements only.
    this.all = this.all.map((one) => ({ id: newId(), method: 'post', path: one.readings && api.of(one.participant, 'measurements'), content: one.readings && { readings: one.readings }, ...one }));
    const refusals = [];
    for (let next = this.all[0]; next; next = this.all[0]) {
      try {
        await (next.method === 'remove' ? api.remove(next.path, next.id) : api[next.method](next.path, next.content, next.id));
      } catch (error) {
        if (isOpen(error)) break;
        // What is to be removed may be gone already.
        if (next.method !== 'remove' || error.status !== 404) refusals.push(error);
      }
      const { id } = next;
      this.all = this.all.filter((one) => one.id !== id);
    }
    return refusals;
  }
}
