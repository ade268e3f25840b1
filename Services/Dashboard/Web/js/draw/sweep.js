// A waveform that sweeps: the newest sample is drawn behind an erase bar, and only what is new is drawn. Never a line across a gap.

import { pixelsPerMillimetre } from '../calibration.js';

const usualSeconds = 10;
const erase = 0.35;
/** Of an electrocardiogram on a calibrated screen: millimetres a second, and a millivolt; half of it where a signal needs more room. */
const paper = { speed: 25, gains: [10, 5, 2.5] };
/** The least range that is shown, so that noise does not look like a signal. */
const leastRange = { ecg: [-0.6, 1.4], airflow: [-1, 1], respiration: [-1, 1], 'skin-conductance': null, 'blood-volume-pulse': [-1, 1] };

export class Sweep {
  /** @param {{seconds?: number, line?: number}} form a time of its own, whatever the screen's size, and the line's width */
  constructor(canvas, metric, { seconds, line = 2.5 } = {}) {
    this.canvas = canvas;
    this.ownSeconds = seconds;
    this.line = line;
    this.metric = metric;
    this.context = canvas.getContext('2d');
    this.drawn = null;
    this.low = leastRange[metric]?.[0] ?? 0;
    this.high = leastRange[metric]?.[1] ?? 1;
    this.hasRange = Boolean(leastRange[metric]);
    this.delay = 0.3;
    this.seconds = usualSeconds;
    /** Millimetres a millivolt, where the screen is calibrated. */
    this.gain = null;
    this.isFrozen = false;
    this.state = 'none';
    this.resize();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.onTheme = () => this.restyle();
    addEventListener('theme', this.onTheme);
  }

  stop() {
    this.observer.disconnect();
    removeEventListener('theme', this.onTheme);
  }

  restyle() {
    if (this.ratio && this.metric === 'ecg' && !this.ownSeconds && this.millimetre !== pixelsPerMillimetre()) this.measure();
    this.color = getComputedStyle(this.canvas).color;
    this.quiet = getComputedStyle(this.canvas.parentElement).getPropertyValue('--strong-line').trim() || '#888';
    this.drawn = null;
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.ratio = ratio;
    this.measure();
    this.restyle();
  }

  /** Takes the screen's size into account: how many seconds fit on it. */
  measure() {
    const millimetre = this.metric === 'ecg' && !this.ownSeconds ? pixelsPerMillimetre() : null;
    this.millimetre = millimetre;
    this.seconds = millimetre ? Math.min(25, Math.max(2, this.canvas.clientWidth / millimetre / paper.speed)) : this.ownSeconds ?? usualSeconds;
    if (!millimetre) this.gain = null;
    this.hasRange = false;
  }

  x(time) { const { seconds } = this; return ((((time % seconds) + seconds) % seconds) / seconds) * this.canvas.width; }
  y(value) {
    const edge = this.gain ? 0 : 6 * this.ratio;
    return this.canvas.height - edge - ((value - this.low) / (this.high - this.low)) * (this.canvas.height - 2 * edge);
  }

  /** Draws what has come up to now. @param blocks sorted by time @param now the server's time */
  draw(blocks, now) {
    if (this.isFrozen || !this.ratio) return;
    const newest = blocks?.at(-1);
    const own = newest ? blocks.filter((block) => block.source === newest.source) : [];
    this.follow(own, now);
    const head = now - this.delay;
    const silence = newest ? head - newest.end : Infinity;
    this.state = !newest ? 'none' : silence > 1.5 ? 'off' : 'live';
    if (this.fit(own, head)) this.drawn = null;
    let from = this.drawn;
    if (from === null || head - from > this.seconds - erase || head < from) {
      this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      from = head - this.seconds + erase;
    }
    this.clear(from, head);
    this.segment(own, from, head);
    this.drawn = head;
  }

  /** How far behind the picture runs: as much as the blocks' length and their way need, so that it never stutters. */
  follow(blocks, now) {
    let needed = 0.25;
    for (const block of blocks.slice(-8)) {
      const late = block.arrived - block.start;
      if (late < 8 && now - block.arrived < 12) needed = Math.max(needed, late + 0.15);
    }
    // A later start at once, an earlier one slowly: the picture must not jump back and forth.
    if (needed > this.delay + 0.02) { this.delay = needed; this.drawn = null; } else if (needed < this.delay - 0.5) this.delay -= 0.002;
  }

  /** A soft range: it grows at once, so that no peak is hidden, and shrinks after a while. True where it changed. */
  fit(blocks, head) {
    let low = Infinity;
    let high = -Infinity;
    for (const block of blocks) {
      if (block.end < head - this.seconds) continue;
      if (block.low === undefined) {
        block.low = Infinity;
        block.high = -Infinity;
        for (const value of block.samples) { if (value < block.low) block.low = value; if (value > block.high) block.high = value; }
      }
      low = Math.min(low, block.low);
      high = Math.max(high, block.high);
    }
    if (low > high) return false;
    if (this.millimetre) return this.fitPaper(low, high);
    const least = leastRange[this.metric];
    if (least) { low = Math.min(low, least[0]); high = Math.max(high, least[1]); }
    const span = high - low || Math.abs(high) * 0.1 || 1;
    const isOutside = !this.hasRange || low < this.low || high > this.high;
    const isSmall = span < (this.high - this.low) * 0.4;
    this.smallSince = isSmall ? this.smallSince ?? head : undefined;
    if (!isOutside && !(this.smallSince !== undefined && head - this.smallSince > 15)) return false;
    this.low = low - span * 0.12;
    this.high = high + span * 0.12;
    this.hasRange = true;
    this.smallSince = undefined;
    return true;
  }

  /** Millimetres a millivolt as on paper, the largest at which all of the signal is seen. */
  fitPaper(low, high) {
    const height = this.canvas.clientHeight / this.millimetre;
    const isInside = this.hasRange && low >= this.low && high <= this.high;
    if (isInside) return false;
    this.gain = paper.gains.find((gain) => height / gain >= high - low) ?? null;
    // Too large even so: as on a screen that is not calibrated.
    const span = this.gain ? height / this.gain : (high - low) * 1.24;
    this.low = (low + high - span) / 2;
    this.high = this.low + span;
    this.hasRange = true;
    return true;
  }

  /** The erase bar before the newest sample; after a slow frame also what lies behind the bar's last place. */
  clear(from, head) {
    const { width, height } = this.canvas;
    const first = Math.min(head, from + erase);
    const start = this.x(first);
    const length = ((head + erase - first) / this.seconds) * width;
    this.context.clearRect(start, 0, Math.min(length, width - start), height);
    if (start + length > width) this.context.clearRect(0, 0, start + length - width, height);
  }

  segment(blocks, from, to) {
    const { context } = this;
    context.lineWidth = this.line * this.ratio;
    context.lineJoin = 'round';
    context.lineCap = 'round';
    context.strokeStyle = this.color;
    let end = from;
    let previous = null;
    for (const block of blocks) {
      if (block.end <= from - 0.001 || block.start > to) { if (block.end <= from) { previous = block; } continue; }
      const isJoined = previous && Math.abs(block.start - previous.end) < 2.5 * block.period + 0.02;
      if (!isJoined && block.start > end + 0.001) this.missing(end, Math.min(block.start, to));
      this.stroke(block, from, to, isJoined ? previous : null);
      end = Math.max(end, Math.min(block.end, to));
      previous = block;
    }
    // Still to come, or never: only what cannot come in time any more is drawn as missing.
    const newest = blocks.at(-1);
    if (newest && to - newest.end > 1.2) this.dashed(Math.max(from, newest.end), to);
  }

  stroke(block, from, to, previous) {
    const { context } = this;
    const first = Math.max(0, Math.floor((from - block.start) / block.period) - 1);
    const last = Math.min(block.samples.length - 1, Math.floor((to - block.start) / block.period));
    if (last < first) return;
    context.beginPath();
    let before = null;
    if (previous && first === 0) {
      before = this.x(previous.end - previous.period);
      context.moveTo(before, this.y(previous.samples.at(-1)));
    }
    for (let i = first; i <= last; i++) {
      const x = this.x(block.start + i * block.period);
      const y = this.y(block.samples[i]);
      if (before === null || x < before) context.moveTo(x, y); else context.lineTo(x, y);
      before = x;
    }
    context.stroke();
  }

  /** Hatched: samples that were never received. */
  missing(from, to) {
    if (to - from < 0.05) return;
    const { context, canvas } = this;
    context.save();
    context.strokeStyle = this.quiet;
    context.lineWidth = this.ratio;
    const start = this.x(from);
    const stop = this.x(to) < start ? canvas.width : this.x(to);
    context.beginPath();
    context.rect(start, 0, stop - start, canvas.height);
    context.clip();
    context.beginPath();
    for (let x = start - canvas.height; x < stop; x += 10 * this.ratio) { context.moveTo(x, canvas.height); context.lineTo(x + canvas.height, 0); }
    context.stroke();
    context.restore();
  }

  /** Dashed: the sensor is off. */
  dashed(from, to) {
    const { context } = this;
    const middle = this.canvas.height / 2;
    const [start, stop] = [this.x(from), this.x(to)];
    context.save();
    context.strokeStyle = this.quiet;
    context.lineWidth = 2 * this.ratio;
    context.setLineDash([6 * this.ratio, 8 * this.ratio]);
    context.lineDashOffset = start;
    context.beginPath();
    if (stop >= start) { context.moveTo(start, middle); context.lineTo(stop, middle); }
    context.stroke();
    context.restore();
  }
}
