// A module's chart as SVG: lines over time, hours, weekdays or numbers, with a shaded band for what is aimed at.
import { language, local, date, unitName } from '../i18n.js';

const space = 'http://www.w3.org/2000/svg';
const size = { width: 640, height: 240, left: 52, right: 12, top: 10, bottom: 26 };
const colors = ['var(--accent)', 'var(--c-pulse)', 'var(--c-temp)', 'var(--c-ecg)', 'var(--c-other)'];

/**
 * @param chart with `range`, the first and the last x that are shown, where that is more than the points; lines with `gap`, beyond which no line is drawn
 * @returns {SVGElement} an element that says in words what it shows */
export function lineChart(chart, zone) {
  const points = chart.lines.flatMap((line) => line.points);
  const xs = points.map(([x]) => x);
  const band = chart.band ?? [];
  const ys = [...points.map(([, y]) => y), ...band].filter(Number.isFinite);
  const svg = shape('svg', { viewBox: `0 0 ${size.width} ${size.height}`, class: 'lines', role: 'img', 'aria-label': words(chart, ys) });
  if (!xs.length || !ys.length) return svg;
  const across = scale(...(chart.range ?? [Math.min(...xs), Math.max(...xs)]), size.left, size.width - size.right, 0);
  const up = scale(Math.min(...ys), Math.max(...ys), size.height - size.bottom, size.top, 0.08);
  if (band.length === 2) svg.append(shape('rect', { x: size.left, width: size.width - size.left - size.right, y: up.at(band[1]), height: Math.max(1, up.at(band[0]) - up.at(band[1])), class: 'band' }));
  for (const y of ticks(up.low, up.high, 4)) {
    svg.append(shape('line', { x1: size.left, x2: size.width - size.right, y1: up.at(y), y2: up.at(y), class: 'grid' }), label(size.left - 6, up.at(y) + 4, format(y), 'end'));
  }
  for (const x of xTicks(chart.axis, across)) svg.append(label(across.at(x), size.height - 8, xLabel(chart.axis, x, zone), 'middle'));
  chart.lines.forEach((line, index) => draw(svg, line, across, up, colors[index % colors.length]));
  return svg;
}

/** The names of the lines with their colours, where there is more than one. */
export function legend(chart) {
  return chart.lines.length < 2 ? [] : chart.lines.map((line, index) => ({ name: local(line.label), color: colors[index % colors.length] }));
}

function draw(svg, line, across, up, color) {
  if (!line.points.length) return;
  const parts = [];
  line.points.forEach(([x, y], place) => {
    if (place === 0 || x - line.points[place - 1][0] > (line.gap ?? Infinity)) parts.push([]);
    parts.at(-1).push([across.at(x).toFixed(1), up.at(y).toFixed(1)]);
  });
  for (const part of parts) {
    svg.append(shape('polyline', { points: part.join(' '), fill: 'none', stroke: color, 'stroke-width': 2.5 }));
    // A point that stands alone has no line.
    if (line.points.length <= 40 || part.length === 1) for (const [cx, cy] of part) svg.append(shape('circle', { cx, cy, r: 3, fill: color }));
  }
}

function shape(name, attributes) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function label(x, y, text, anchor) {
  const element = shape('text', { x, y, 'text-anchor': anchor });
  element.textContent = text;
  return element;
}

function scale(low, high, from, to, margin) {
  const span = high - low || Math.abs(high) * 0.1 || 1;
  const [start, end] = high === low ? [low - span / 2, high + span / 2] : [low - span * margin, high + span * margin];
  return { low: start, high: end, at: (value) => from + ((value - start) / (end - start)) * (to - from) };
}

function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= raw);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, index) => first + index * step);
}

function xTicks(axis, { low, high }) {
  if (axis === 'time') return [0.08, 0.36, 0.64, 0.92].map((part) => low + part * (high - low));
  return ticks(low, high, axis === 'weekday' ? 6 : 5);
}

function xLabel(axis, x, zone) {
  if (axis === 'time') return date(x, zone);
  if (axis === 'hour') return `${Math.round(x)}:00`;
  // 1 January 2024 was a Monday.
  if (axis === 'weekday') return new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + Math.round(x)));
  return format(x);
}

const format = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);

function words(chart, ys) {
  const range = ys.length ? `${format(Math.min(...ys))} – ${format(Math.max(...ys))} ${unitName(chart.unit ?? '')}` : '';
  return `${local(chart.title)} ${range}`.trim();
}
