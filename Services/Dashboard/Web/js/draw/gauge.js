// A dial for a speed: 0–240, from 30° to 330°, twelve parts of ten divisions each.
export function drawGauge(canvas, value, caption, unit) {
  const ratio = devicePixelRatio || 1;
  const size = Math.min(canvas.clientWidth, canvas.clientHeight) || 200;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const style = getComputedStyle(canvas);
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  context.translate(canvas.clientWidth / 2, canvas.clientHeight / 2);
  const radius = size / 2 - 6;
  const angle = (speed) => ((30 + (Math.min(240, Math.max(0, speed)) / 240) * 300 + 90) * Math.PI) / 180;
  context.strokeStyle = style.color;
  context.fillStyle = style.color;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(0, 0, radius, angle(0), angle(240));
  context.stroke();
  context.font = `${Math.round(size / 16)}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let division = 0; division <= 120; division++) {
    const at = angle(division * 2);
    const isPart = division % 10 === 0;
    const inner = radius - (isPart ? size / 14 : size / 34);
    context.lineWidth = isPart ? 2 : 1;
    context.beginPath();
    context.moveTo(Math.cos(at) * radius, Math.sin(at) * radius);
    context.lineTo(Math.cos(at) * inner, Math.sin(at) * inner);
    context.stroke();
    if (isPart) context.fillText(String(division * 2), Math.cos(at) * (inner - size / 18), Math.sin(at) * (inner - size / 18));
  }
  context.fillText(caption, 0, -size / 7);
  context.font = `600 ${Math.round(size / 9)}px system-ui, sans-serif`;
  context.fillText(value === null ? '--' : String(Math.round(value)), 0, size / 5);
  context.font = `${Math.round(size / 16)}px system-ui, sans-serif`;
  context.fillText(unit, 0, size / 5 + size / 10);
  if (value === null) return;
  const at = angle(value);
  context.strokeStyle = style.getPropertyValue('--high').trim() || 'red';
  context.lineWidth = 4;
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(Math.cos(at) * (radius - size / 9), Math.sin(at) * (radius - size / 9));
  context.stroke();
}
