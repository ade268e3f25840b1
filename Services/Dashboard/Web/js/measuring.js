// What people can type in, in which units, what looks mistyped, and what waits for a connection.
import { api } from './api.js';

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

/** Measurements that could not be sent, of one account, in the order in which they were typed in. */
export class Waiting {
  constructor(account) {
    this.key = `waiting-${account}`;
    this.isSending = false;
  }

  get all() { try { return JSON.parse(localStorage.getItem(this.key)) ?? []; } catch { return []; } }
  set all(list) { if (list.length) localStorage.setItem(this.key, JSON.stringify(list)); else localStorage.removeItem(this.key); }

  add(participant, readings) { this.keep({ method: 'post', path: api.of(participant, 'measurements'), content: { readings } }); }
  /** Keeps a request: a measurement, a correction or a removal, each of which may be sent twice. */
  keep(request) { this.all = [...this.all, request]; }

  /** Sends what waits. Each carries its time, so that what had arrived after all changes nothing. @returns the refusals. */
  async send() {
    if (this.isSending) return [];
    this.isSending = true;
    const refusals = [];
    try {
      for (let next = this.all[0]; next; next = this.all[0]) {
        try {
          // A version before kept measurements only.
          if (next.readings) await api.post(api.of(next.participant, 'measurements'), { readings: next.readings });
          else await api[next.method](next.path, next.content);
        } catch (error) {
          if (error.status === 0 || error.status === 401 || error.status >= 500) break;
          // What is to be removed may be gone already.
          if (next.method !== 'remove' || error.status !== 404) refusals.push(error);
        }
        this.all = this.all.slice(1);
      }
    } finally { this.isSending = false; }
    return refusals;
  }
}
