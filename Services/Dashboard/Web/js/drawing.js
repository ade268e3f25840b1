// A module's icon. Modules may come from others, so only plain shapes are taken over, and of them only plain attributes.
const shapes = new Set(['svg', 'g', 'path', 'line', 'circle', 'ellipse', 'rect', 'polyline', 'polygon']);
const attributes = new Set(['viewBox', 'd', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'width', 'height', 'points', 'fill', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'transform', 'opacity']);

/** @returns {SVGElement|null} nothing where the text is no drawing */
export function drawing(text) {
  const source = new DOMParser().parseFromString(text ?? '', 'image/svg+xml').documentElement;
  if (source.localName !== 'svg') return null;
  const svg = copied(source);
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'drawing');
  return svg;
}

function copied(source) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', source.localName);
  for (const { name, value } of source.attributes) if (attributes.has(name) && !/url|:/i.test(value)) element.setAttribute(name, value);
  for (const child of source.children) if (shapes.has(child.localName)) element.append(copied(child));
  return element;
}
