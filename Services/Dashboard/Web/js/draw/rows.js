// Small charts of a timeline's rows: a band from minimum to maximum, the mean as a line, gaps left open, and marks.
import { gapOf } from './gaps.js';

export class RowChart {
  constructor(canvas, color) {
    this.canvas = canvas;
    this.color = color;
    this.series = null;
    this.cross = null;
  }

  set(series, from, to, shaded = [], marks = []) {
    Object.assign(this, { series, from, to, shaded, marks });
    this.draw();
  }

  timeAt(x) { return this.from + (x / this.canvas.clientWidth) * (this.to - this.from); }

  /** The point nearest to a moment. */
  nearest(time) {
    const times = this.series?.times ?? [];
    if (!times.length) return null;
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] < time) low = middle; else high = middle; }
    return Math.abs(times[low] - time) < Math.abs(times[high] - time) ? low : high;
  }

  draw() {
    const { canvas, series } = this;
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(canvas);
    const color = style.getPropertyValue(this.color).trim();
    const x = (time) => ((time - this.from) / (this.to - this.from)) * width;
    context.fillStyle = style.getPropertyValue('--high-back').trim();
    for (const [start, stop] of this.shaded ?? []) context.fillRect(x(start), 0, Math.max(2, x(stop) - x(start)), height);
    if (series?.values.length) this.line(context, x, height, color);
    context.fillStyle = style.getPropertyValue('--accent').trim();
    for (const time of this.marks ?? []) { context.beginPath(); context.arc(x(time), height - 5, 4, 0, 7); context.fill(); }
    if (this.cross !== null) {
      context.strokeStyle = style.getPropertyValue('--strong-line').trim();
      context.beginPath();
      context.moveTo(x(this.cross), 0);
      context.lineTo(x(this.cross), height);
      context.stroke();
    }
  }

  line(context, x, height, color) {
    const { values, times, minimums, maximums } = this.series;
    let low = Math.min(...sampled(minimums));
    let high = Math.max(...sampled(maximums));
    const span = high - low || Math.abs(high) * 0.2 || 1;
    low -= span * 0.1;
    high += span * 0.1;
    const y = (value) => height - 3 - ((value - low) / (high - low)) * (height - 6);
    const gap = gapOf(times, (this.to - this.from) / 150);
    const runs = [];
    for (let i = 0; i < times.length; i++) {
      if (!i || times[i] - times[i - 1] > gap) runs.push([]);
      runs.at(-1).push(i);
    }
    context.fillStyle = color;
    context.strokeStyle = color;
    for (const run of runs) {
      context.globalAlpha = 0.22;
      context.beginPath();
      run.forEach((i, k) => (k ? context.lineTo(x(times[i]), y(maximums[i])) : context.moveTo(x(times[i]), y(maximums[i]))));
      for (const i of [...run].reverse()) context.lineTo(x(times[i]), y(minimums[i]));
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 2;
      context.beginPath();
      run.forEach((i, k) => (k ? context.lineTo(x(times[i]), y(values[i])) : context.moveTo(x(times[i]), y(values[i]))));
      context.stroke();
      if (run.length < 40) for (const i of run) { context.beginPath(); context.arc(x(times[i]), y(values[i]), run.length === 1 ? 3.5 : 2, 0, 7); context.fill(); }
    }
  }
}

/** All of a list's values; `Math.min` of a hundred thousand would overflow the stack. */
function sampled(list) {
  if (list.length < 20000) return list;
  const parts = [];
  for (let i = 0; i < list.length; i += 10000) { const part = list.slice(i, i + 10000); parts.push(Math.min(...part), Math.max(...part)); }
  return parts;
}

export function colorOf(metric) {
  if (/heart|pulse-rate|rr-interval/.test(metric)) return '--c-pulse';
  if (/respiration|airflow/.test(metric)) return '--c-air';
  if (/temperature/.test(metric)) return '--c-temp';
  if (/oxygen/.test(metric)) return '--c-spo2';
  if (/pressure/.test(metric)) return '--c-bp';
  if (/skin|scr|stress/.test(metric)) return '--c-skin';
  if (/steps|distance|energy|active/.test(metric)) return '--c-ecg';
  return '--c-other';
}
