// Full disclosure: an hour of a waveform as sixty lines, a line a minute, drawn from the extremes of each step.

const minutes = 60;
/** Lines run into their neighbours so far, as a high beat must not be cut. */
const over = 1.1;

export class Disclosure {
  /** @param from the hour's beginning */
  constructor(canvas, from) {
    Object.assign(this, { canvas, from, runs: [], marks: [], columns: 0, row: 24 });
  }

  /** The steps of a line. */
  get wanted() { return Math.min(600, Math.max(120, Math.floor(this.canvas.clientWidth))); }

  /** @param columns the steps of a line that the runs were asked for with */
  show(runs, columns, marks) {
    Object.assign(this, { runs, columns, marks, span: spanOf(runs) });
    this.draw();
  }

  timeAt(x, y) {
    const line = Math.min(minutes - 1, Math.max(0, Math.floor(y / this.row)));
    return this.from + line * 60 + Math.min(59.9, Math.max(0, (x / this.canvas.clientWidth) * 60));
  }

  draw(row = this.row, ratio = Math.min(2, devicePixelRatio || 1)) {
    const { canvas, columns } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    this.row = row;
    canvas.style.height = `${row * minutes}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(row * minutes * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    context.strokeStyle = color('--line');
    context.beginPath();
    for (let second = 0; second <= 60; second += 10) { const x = (second / 60) * width; context.moveTo(x, 0); context.lineTo(x, row * minutes); }
    context.stroke();
    if (!columns) return;
    for (const mark of this.marks.filter((mark) => !mark.isMoment && !mark.isQuiet)) this.interval(context, mark, width, color);
    this.traces(context, width, color('--text'));
    for (const mark of this.marks.filter((mark) => mark.isMoment)) this.moment(context, mark, width, color);
  }

  traces(context, width, color) {
    const { row, columns, span } = this;
    context.strokeStyle = color;
    context.lineWidth = 1;
    context.lineJoin = 'round';
    const scale = (row * 0.8) / (span.high - span.low);
    for (const { first, low, high } of this.runs) {
      for (let i = 0; i < low.length; ) {
        const line = Math.floor((first + i) / columns);
        const middle = row * (line + 0.5);
        const y = (value) => middle - Math.max(-over * row, Math.min(over * row, (value - span.middle) * scale));
        context.beginPath();
        for (let begin = true; i < low.length && Math.floor((first + i) / columns) === line; i++, begin = false) {
          const x = (((first + i) % columns) + 0.5) * (width / columns);
          context[begin ? 'moveTo' : 'lineTo'](x, y(low[i]));
          context.lineTo(x, y(high[i]) - 0.5);
        }
        context.stroke();
      }
    }
  }

  /** A bar below each line that it reaches into, and a tint behind it. */
  interval(context, mark, width, color) {
    const { row, from } = this;
    const [start, stop] = [Math.max(0, mark.from - from), Math.min(3600, mark.to - from)];
    context.fillStyle = color(mark.color);
    for (let line = Math.floor(start / 60); line * 60 < stop; line++) {
      const left = (Math.max(0, start - line * 60) / 60) * width;
      const length = Math.max(3, (Math.min(60, stop - line * 60) / 60) * width - left);
      context.globalAlpha = 0.16;
      context.fillRect(left, line * row, length, row);
      context.globalAlpha = 1;
      context.fillRect(left, line * row + row - 3, length, 2);
    }
  }

  moment(context, mark, width, color) {
    const { row, from } = this;
    const line = Math.floor((mark.from - from) / 60);
    if (line < 0 || line >= minutes) return;
    const x = ((mark.from - from - line * 60) / 60) * width;
    context.fillStyle = color(mark.color);
    context.fillRect(x - 1, line * row, 2, row);
    context.beginPath();
    context.moveTo(x - 6, line * row);
    context.lineTo(x + 6, line * row);
    context.lineTo(x, line * row + 9);
    context.fill();
  }
}

/** The range that nearly all of the hour keeps within; not that of a single artefact. */
function spanOf(runs) {
  const lows = [];
  const highs = [];
  for (const run of runs) for (let i = 0; i < run.low.length; i += 5) { lows.push(run.low[i]); highs.push(run.high[i]); }
  if (!lows.length) return { low: -1, high: 1, middle: 0 };
  lows.sort((a, b) => a - b);
  highs.sort((a, b) => a - b);
  const [low, high] = [lows[Math.floor(lows.length * 0.02)], highs[Math.floor(highs.length * 0.98)]];
  const middle = (low + high) / 2;
  const half = Math.max(high - low, Math.abs(middle) * 0.05, 0.2) / 2;
  return { low: middle - half, high: middle + half, middle };
}
