// Elements from code: texts become text nodes, so nothing that anybody wrote is ever taken for markup.

/** @param {string} spec tag, classes and id, as in `div.row#x` */
export function h(spec, ...rest) {
  const [, tag, id, classes] = spec.match(/^([\w-]+)(?:#([\w-]+))?((?:\.[\w-]+)*)$/);
  const element = document.createElement(tag);
  if (id) element.id = id;
  if (classes) element.className = classes.slice(1).replaceAll('.', ' ');
  if (rest.length && rest[0] !== null && typeof rest[0] === 'object' && !(rest[0] instanceof Node) && !Array.isArray(rest[0])) {
    for (const [name, value] of Object.entries(rest.shift())) set(element, name, value);
  }
  append(element, rest);
  // What scrolls sideways must be reached by the keyboard too.
  if (element.classList.contains('scroll')) element.tabIndex = 0;
  return element;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'selected') element[name] = value;
  else element.setAttribute(name, value === true ? '' : value);
}

export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** Writes a text only where it differs, so that screen readers and layout are left alone. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** A drawing of the page's own: not in any file, so that it takes the theme's colour. */
export function icon(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [name, value] of Object.entries({ viewBox: '0 0 24 24', width: 22, height: 22, fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true' })) svg.setAttribute(name, value);
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

let toastTimer;
/** A short message at the lower edge. */
export function toast(text) {
  document.querySelector('.toast')?.remove();
  const box = h('div.toast', { role: 'status' }, text);
  document.body.append(box);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.remove(), 6000);
}

/** What screen readers read out at once. */
export const announcer = () => document.getElementById('announce');

/** A dialog that closes with Escape and goes when it is closed. */
export function dialog(title, content, { classes = '', label } = {}) {
  const box = h('dialog' + classes, { 'aria-label': label ?? title }, h('p.standing'), title ? h('h2', title) : null, content);
  document.body.append(box);
  // What is outside an open dialog is out of a screen reader's reach, alarms too.
  box.append(announcer());
  box.addEventListener('close', () => { document.body.append(announcer()); box.remove(); });
  box.addEventListener('click', (event) => { if (event.target === box) box.close(); });
  box.showModal();
  return box;
}

/** A word of waiting while work goes on; only after 300 ms, so that quick answers do not flicker. What was there keeps its place, unseen. */
export async function loading(element, work, words) {
  const note = h('p.quiet.waiting', { role: 'status' }, words);
  const timer = setTimeout(() => { element.prepend(note); element.setAttribute('aria-busy', 'true'); }, 300);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    note.remove();
    element.removeAttribute('aria-busy');
  }
}
