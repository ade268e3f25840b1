// Stored waveforms, fetched in short pieces that are kept for a while: whoever moves back and forth asks for nothing twice.
import { api } from './api.js';

/** The seconds of a piece: twelve leads of it are less than an answer may have. */
const length = 20;
const most = 90;
/** What is younger than so many seconds may still be coming in. */
const young = 120;
/** Voltages in millivolts. */
const volts = { mV: 1, uV: 0.001, V: 1000 };

export const millivolts = (unit) => volts[unit] ?? null;

/** Whether a segment goes on where the one before it ends: the timeline's own rule for gaps. */
export function isJoined(before, next) {
  const between = next.start - (before.end - before.period);
  return between > 0 && between <= 2.5 * before.period + 0.02;
}

export class Waveform {
  /** @param source one source's name; nothing for all of them */
  constructor(id, metric, source, factor = 1) {
    Object.assign(this, { id, metric, source, factor, pieces: new Map() });
  }

  /** The sources that were seen. */
  get sources() { return [...new Set([...this.pieces.values()].flatMap((piece) => piece.sources))].sort(); }

  /** The segments of a time by source, each `{ start, end, period, samples }`. @returns {Promise<Map<string, object[]>>} */
  async read(from, to, now) {
    const numbers = [];
    for (let n = Math.floor(from / length); n * length < to; n++) numbers.push(n);
    const pieces = await Promise.all(numbers.map((n) => this.piece(n, now)));
    const lanes = new Map();
    for (const segment of pieces.flatMap((piece) => piece.segments)) {
      if (segment.end <= from || segment.start >= to) continue;
      if (!lanes.has(segment.source)) lanes.set(segment.source, []);
      lanes.get(segment.source).push(segment);
    }
    for (const segments of lanes.values()) segments.sort((a, b) => a.start - b.start);
    return new Map([...lanes].sort(([a], [b]) => a.localeCompare(b)));
  }

  async piece(n, now) {
    const known = this.pieces.get(n);
    const end = (n + 1) * length;
    if (known && (known.asked > end + young || now - known.asked < 5)) return known;
    const answer = await api.get(api.of(this.id, 'waveform'), { metric: this.metric, source: this.source, from: n * length, to: end });
    const segments = answer.map(({ source, time, period, samples }) => ({
      source, period, start: time, end: time + samples.length * period, samples: Float32Array.from(samples, (value) => value * this.factor),
    }));
    const piece = { segments, asked: now, sources: [...new Set(segments.map((segment) => segment.source))] };
    this.pieces.delete(n);
    this.pieces.set(n, piece);
    if (this.pieces.size > most) this.pieces.delete(this.pieces.keys().next().value);
    return piece;
  }

  /** The smallest and largest sample of each of `width` steps of a time, as runs `{ first, low, high }` of one source. */
  async envelope(from, to, width) {
    const answer = await api.get(api.of(this.id, 'waveform/envelope'), { metric: this.metric, source: this.source, from, to, width });
    const source = answer[0]?.source;
    return answer.filter((run) => run.source === source).map(({ time, step, low, high }) => ({
      first: Math.round((time - from) / step), low: low.map((value) => value * this.factor), high: high.map((value) => value * this.factor),
    }));
  }
}

/** The sample of a lane at a moment, between two of them by the line that is drawn; nothing in a gap. */
export function valueAt(segments, time) {
  for (let i = 0; i < segments.length; i++) {
    const { start, end, period, samples } = segments[i];
    const place = (time - start) / period;
    if (place < 0 || time >= end) continue;
    const before = Math.floor(place);
    const next = before + 1 < samples.length ? samples[before + 1] : segments[i + 1] && isJoined(segments[i], segments[i + 1]) ? segments[i + 1].samples[0] : samples[before];
    return samples[before] + (next - samples[before]) * (place - before);
  }
  return null;
}

/** The times within a range in which a lane has no samples. @returns {[number, number][]} */
export function gapsOf(segments, from, to) {
  const gaps = [];
  let last = null;
  let end = from;
  for (const segment of segments) {
    const isGap = last ? !isJoined(last, segment) && segment.start > last.end : segment.start - from > 2.5 * segment.period + 0.02;
    if (isGap) gaps.push([end, Math.min(segment.start, to)]);
    if (!last || segment.end > last.end) last = segment;
    end = Math.max(end, Math.min(segment.end, to));
  }
  if (to - end > (last ? 2.5 * last.period + 0.02 : 0)) gaps.push([end, to]);
  return gaps;
}

const having = new Map();
/** Whether an electrocardiogram of somebody is stored; asked for once in a while. @returns {Promise<boolean>} */
export function hasElectrocardiogram(id) {
  const known = having.get(id);
  if (known && Date.now() - known.asked < 300000) return known.answer;
  const answer = api.get(api.of(id, 'metrics?counted=false')).then((metrics) => metrics.some((metric) => metric.isWaveform && metric.metric.startsWith('ecg')), () => { having.delete(id); return false; });
  having.set(id, { asked: Date.now(), answer });
  return answer;
}

/** The address of the electrocardiogram around a moment: ten seconds before it, twenty after. */
export const around = (id, time) => `/p/${encodeURIComponent(id)}/ecg?${new URLSearchParams({ from: (time - 10).toFixed(1), to: (time + 20).toFixed(1), at: time.toFixed(1) })}`;
