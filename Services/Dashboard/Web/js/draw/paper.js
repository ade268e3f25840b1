// An electrocardiogram on millimetre paper: 25 mm a second, 10 mm a millivolt, a lane a lead, in as many lines as a time needs.
import { pixelsPerMillimetre, usual } from '../calibration.js';
import { gapsOf, isJoined, valueAt } from '../waveform.js';

/** Millimetres of paper before each line, for the calibration mark. */
const calibration = 10;
const box = 5;
/** Boxes above and below the zero line at the least and at the most. */
const least = { below: 2, above: 3 };
const largest = 8;
/** Above the paper: a track for each of some marks that overlap, and one for moments. */
const track = 17;
const tracks = 3;
const labels = 16;

/**
 * How many boxes a lead needs, never less than before: the paper must not jump while one moves along it.
 * @param before what it had, or nothing @param gain millimetres a unit
 */
export function room(segments, gain, before) {
  let [low, high] = [Infinity, -Infinity];
  for (const { samples } of segments) for (const value of samples) { if (value < low) low = value; if (value > high) high = value; }
  if (low > high) return before ?? { ...least, zero: 0 };
  // A signal that lies wholly on one side of zero, as without a filter, is drawn about its own middle.
  const zero = before?.zero ?? (low > 15 / gain || high < -15 / gain ? Math.round((low + high) / 2) : 0);
  const boxes = (value, side) => Math.min(largest, Math.max(least[side], before?.[side] ?? 0, Math.ceil((value * gain) / box) + 1));
  return { below: boxes(zero - low, 'below'), above: boxes(high - zero, 'above'), zero };
}

export class Paper {
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.isPrinting = false;
    this.view = null;
    this.observer = new ResizeObserver(() => { if (this.width !== canvas.clientWidth) changed(); });
    this.observer.observe(canvas);
  }

  stop() { this.observer.disconnect(); }

  get millimetre() { return this.isPrinting ? usual : pixelsPerMillimetre() ?? usual; }

  /** The seconds on a line. */
  seconds(speed) { return Math.max(1, (Math.floor(this.canvas.clientWidth / this.millimetre / box) * box - calibration) / speed); }

  /**
   * @param view `from`, `to`, `now`, `speed` (mm/s), `gain` (mm a unit), `lanes` (`{ source, segments, room }`), `marks`
   *   (`{ from, to, text, color, isMoment }`), `beats`, `calipers` (two times, or nothing), `clock` (a time in words), `noSignal`
   */
  show(view) {
    this.view = view;
    this.draw();
  }

  draw() {
    const { canvas, view } = this;
    this.width = canvas.clientWidth;
    if (!view || !this.width) return;
    const millimetre = this.millimetre;
    const seconds = this.seconds(view.speed);
    const lines = Math.max(1, Math.ceil((view.to - view.from) / seconds - 1e-6));
    const lanes = view.lanes.map((lane) => ({ ...lane, height: (lane.room.below + lane.room.above) * box * millimetre }));
    // Chromium's printing rounds a canvas' scale to 64ths: of a third it would make 2 % less.
    const ratio = this.isPrinting ? 4 : devicePixelRatio || 1;
    const context = canvas.getContext('2d');
    this.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    context.font = this.font;
    const marks = this.placed(context, view.speed * millimetre);
    const band = Math.max(1, ...marks.map((mark) => mark.track + 1)) * track + 2;
    const lineHeight = band + lanes.reduce((sum, lane) => sum + lane.height, 0) + labels + 4;
    Object.assign(this, { lines, lanes, lineHeight, band, placedMarks: marks, secondsOfLine: seconds });
    canvas.style.height = `${lines * lineHeight}px`;
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round(lines * lineHeight * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(canvas);
    this.color = (name) => style.getPropertyValue(name).trim();
    for (let line = 0; line < lines; line++) this.line(context, line, millimetre);
    this.calipers(context, millimetre);
  }

  /** The marks with their tracks: none stands on another as long as there are tracks. */
  placed(context, second) {
    const ends = [];
    return this.view.marks.map((mark) => {
      const text = (mark.isMoment ? '▲ ' : '') + mark.text;
      const from = Math.max(mark.from, this.view.from);
      const free = ends.findIndex((end) => end <= from);
      const place = free >= 0 ? free : Math.min(ends.length, tracks - 1);
      ends[place] = Math.max(ends[place] ?? 0, mark.to, from + (context.measureText(text).width + 10) / second);
      return { ...mark, text, track: place };
    });
  }

  line(context, line, millimetre) {
    const { view, lanes, lineHeight, band, secondsOfLine: seconds } = this;
    const start = view.from + line * seconds;
    const stop = start + seconds;
    const width = (calibration + seconds * view.speed) * millimetre;
    let y = line * lineHeight + band;
    const top = y;
    for (const lane of lanes) {
      this.grid(context, y, width, lane, millimetre);
      this.trace(context, y, width, lane, start, stop, millimetre);
      y += lane.height;
    }
    this.times(context, start, seconds, y, millimetre);
    this.marks(context, start, stop, line * lineHeight, top, y, width, millimetre);
  }

  x(time, start, millimetre) { return (calibration + (time - start) * this.view.speed) * millimetre; }

  grid(context, y, width, lane, millimetre) {
    context.fillStyle = this.color('--paper');
    context.fillRect(0, y, width, lane.height);
    const lines = (step, color, thickness) => {
      context.strokeStyle = this.color(color);
      context.lineWidth = thickness;
      context.beginPath();
      for (let x = 0; x <= width + 0.01; x += step * millimetre) { context.moveTo(x, y); context.lineTo(x, y + lane.height); }
      for (let down = 0; down <= lane.height + 0.01; down += step * millimetre) { context.moveTo(0, y + down); context.lineTo(width, y + down); }
      context.stroke();
    };
    // Closer than this they would be an area.
    if (millimetre >= 2) lines(1, '--paper-fine', 0.5);
    lines(box, '--paper-bold', 1);
  }

  /** The samples of a line of a lane, with the calibration mark before them: 10 mm high, 5 mm wide. */
  trace(context, top, width, lane, start, stop, millimetre) {
    const { view } = this;
    const zero = top + lane.room.above * box * millimetre;
    const y = (value) => zero - (value - lane.room.zero) * view.gain * millimetre;
    context.save();
    context.beginPath();
    context.rect(0, top, width, lane.height);
    context.clip();
    context.strokeStyle = this.color('--text');
    context.lineWidth = 1.4;
    context.lineJoin = 'round';
    context.beginPath();
    [[1, 0], [2.5, 0], [2.5, 10], [7.5, 10], [7.5, 0], [9, 0]].forEach(([right, up], i) => context[i ? 'lineTo' : 'moveTo'](right * millimetre, zero - up * millimetre));
    context.stroke();
    context.beginPath();
    context.rect(calibration * millimetre, top, width - calibration * millimetre, lane.height);
    context.clip();
    for (const [from, to] of gapsOf(lane.segments, start, Math.min(stop, view.to, view.now))) this.gap(context, this.x(from, start, millimetre), this.x(to, start, millimetre), top, lane.height);
    context.strokeStyle = this.color('--text');
    context.lineWidth = 1.4;
    context.beginPath();
    let last = null;
    for (const segment of lane.segments) {
      if (segment.end < start - 1 || segment.start > stop) continue;
      const first = Math.max(0, Math.floor((start - segment.start) / segment.period) - 1);
      const end = Math.min(segment.samples.length, Math.ceil((stop - segment.start) / segment.period) + 1);
      for (let i = first; i < end; i++) {
        const isNew = i === first && !(last && first === 0 && isJoined(last, segment));
        context[isNew ? 'moveTo' : 'lineTo'](this.x(segment.start + i * segment.period, start, millimetre), y(segment.samples[i]));
      }
      last = segment;
    }
    context.stroke();
    context.restore();
    if (lane.name) {
      context.font = this.font;
      const length = context.measureText(lane.name).width;
      context.fillStyle = this.color('--paper');
      context.fillRect(calibration * millimetre + 2, top + lane.height - 17, length + 6, 15);
      context.fillStyle = this.color('--quiet');
      context.fillText(lane.name, calibration * millimetre + 5, top + lane.height - 5);
    }
  }

  /** Hatched, and said where there is room: nothing is known of what was. */
  gap(context, from, to, top, height) {
    context.save();
    context.beginPath();
    context.rect(from, top, to - from, height);
    context.clip();
    context.strokeStyle = this.color('--strong-line');
    context.lineWidth = 1;
    context.beginPath();
    for (let x = from - height; x < to; x += 10) { context.moveTo(x, top + height); context.lineTo(x + height, top); }
    context.stroke();
    const text = this.view.noSignal;
    context.font = this.font;
    const width = context.measureText(text).width;
    if (to - from > width + 12) {
      const middle = (from + to) / 2;
      context.fillStyle = this.color('--paper');
      context.fillRect(middle - width / 2 - 5, top + height / 2 - 11, width + 10, 20);
      context.fillStyle = this.color('--text');
      context.fillText(text, middle - width / 2, top + height / 2 + 4);
    }
    context.restore();
  }

  times(context, start, seconds, y, millimetre) {
    const { speed, clock } = this.view;
    const second = speed * millimetre;
    const step = [1, 2, 5, 10].find((n) => n * second > 64) ?? 10;
    context.fillStyle = this.color('--quiet');
    context.font = this.font;
    context.textAlign = 'center';
    for (let time = Math.ceil(start - 1e-6); time <= start + seconds + 1e-6; time++) {
      const x = this.x(time, start, millimetre);
      if (time % step || x > this.width - 24) continue;
      context.fillText(clock(time), Math.max(26, x), y + 13);
      context.fillRect(x - 0.5, y, 1, 3);
    }
    context.textAlign = 'start';
  }

  /** What is known of the time: intervals as bars above the paper, moments as lines through it, beats as ticks at its upper edge. */
  marks(context, start, stop, top, paper, bottom, width, millimetre) {
    const edge = calibration * millimetre;
    const at = (time) => Math.min(width, Math.max(edge, this.x(time, start, millimetre)));
    context.save();
    context.beginPath();
    context.rect(0, top, width, bottom - top);
    context.clip();
    context.font = this.font;
    for (const mark of this.placedMarks) {
      if (mark.to < start || mark.from >= stop) continue;
      const [from, to] = [at(mark.from), at(mark.to)];
      const y = paper - 3 - mark.track * track;
      context.fillStyle = this.color(mark.color);
      if (mark.isMoment) {
        context.globalAlpha = 0.75;
        context.fillRect(from - 1, paper, 2, bottom - paper);
        context.globalAlpha = 1;
      } else context.fillRect(from, y, Math.max(3, to - from - 1), 3);
      const length = context.measureText(mark.text).width;
      context.fillText(mark.text, Math.max(2, Math.min(mark.isMoment ? from - 6 : from, width - length - 2)), y - 3);
    }
    context.fillStyle = this.color('--quiet');
    for (const time of this.view.beats) {
      if (time < start || time > stop) continue;
      const x = this.x(time, start, millimetre);
      context.beginPath();
      context.moveTo(x - 4, paper + 1);
      context.lineTo(x + 4, paper + 1);
      context.lineTo(x, paper + 8);
      context.fill();
    }
    context.restore();
  }

  calipers(context, millimetre) {
    const { view } = this;
    (view.calipers ?? []).forEach((time, i) => {
      const place = this.place(time);
      if (!place) return;
      const top = place.line * this.lineHeight + this.band;
      const bottom = top + this.lineHeight - this.band - labels - 4;
      context.strokeStyle = context.fillStyle = this.color('--accent');
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(place.x, top);
      context.lineTo(place.x, bottom);
      context.stroke();
      context.beginPath();
      context.arc(place.x, bottom, 9, 0, 7);
      context.fill();
      const lane = this.lanes[0];
      const value = lane ? valueAt(lane.segments, time) : null;
      if (value !== null) {
        context.beginPath();
        context.arc(place.x, top + lane.room.above * box * millimetre - (value - lane.room.zero) * view.gain * millimetre, 4, 0, 7);
        context.fill();
      }
      context.fillStyle = this.color('--on-accent');
      context.textAlign = 'center';
      context.fillText('AB'[i], place.x, bottom + 4);
      context.textAlign = 'start';
    });
  }

  /** Where a moment stands; nothing where it is not shown. */
  place(time) {
    const { view, secondsOfLine: seconds } = this;
    const line = Math.floor((time - view.from) / seconds + 1e-9);
    if (!view || line < 0 || line >= this.lines) return null;
    return { line, x: this.x(time, view.from + line * seconds, this.millimetre) };
  }

  /** The moment at a point of the canvas, in CSS pixels. */
  timeAt(x, y) {
    const line = Math.min(this.lines - 1, Math.max(0, Math.floor(y / this.lineHeight)));
    const second = (x / this.millimetre - calibration) / this.view.speed;
    return this.view.from + line * this.secondsOfLine + Math.min(this.secondsOfLine, Math.max(0, second));
  }
}
