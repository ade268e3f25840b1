// What people typed in lately, which who typed it in corrects and removes: also without a connection, when it waits in the browser.
import { h, replace, write, toast, dialog } from './dom.js';
import { api, newId } from './api.js';
import { t, number, unitName, metricName, when } from './i18n.js';
import { typed, isOpen } from './measuring.js';
import { conversion } from './units.js';
import { sentence } from './errors.js';

/** A section that fills itself. @returns {{element: HTMLElement, draw: Function}} */
export function typedList(app, id, waiting, changed) {
  const body = h('div');
  const element = h('section.panel', h('h2', t('typed.title')), body);
  const path = (item) => api.of(id, `measurements/${item.metric}/${item.time}?account=${encodeURIComponent(item.account)}`);

  async function draw() {
    try {
      const items = await api.get(api.of(id, 'measurements'));
      replace(body, items.length ? h('ul.marks.typed', items.map(row)) : h('p.quiet', t('typed.none')));
    } catch (error) { replace(body, h('p.quiet', sentence(error))); }
  }

  function row(item) {
    const name = `${metricName(item.metric)}, ${when(item.time, app.zoneOf(id))}`;
    return h('li.row', h('span.grow', h('strong', metricName(item.metric)), ' ', shown(item), h('div.quiet', `${when(item.time, app.zoneOf(id))} · ${item.account}`)),
      item.mine ? h('span.row', h('button', { 'aria-label': `${t('typed.correct')}: ${name}`, onclick: () => correct(item) }, t('typed.correct')),
        h('button', { 'aria-label': `${t('remove')}: ${name}`, onclick: () => remove(item, name) }, t('remove'))) : null);
  }

  /** Does it now, or keeps it until there is a connection. */
  async function run(method, item, content) {
    const request = newId();
    try {
      await (method === 'put' ? api.put(path(item), content, request) : api.remove(path(item), request));
      toast(t(method === 'put' ? 'measure.corrected' : 'typed.removed'));
      await draw();
    } catch (error) {
      if (!isOpen(error)) throw error;
      waiting.keep(method, path(item), content, request);
      changed();
      toast(t('measure.kept'));
    }
  }

  function correct(item) {
    const own = conversion(item.metric, item.unit);
    const isText = item.value === undefined;
    const present = isText ? item.text : String(Number((own ? item.value * own.scale + own.offset : item.value).toFixed(own?.digits ?? 3)));
    const input = h('input', { value: present, inputmode: isText ? 'text' : 'decimal', autocomplete: 'off', maxlength: isText ? 200 : 12, 'aria-label': metricName(item.metric) });
    const said = h('p.error', { role: 'alert' });
    const box = dialog(`${t('typed.correct')}: ${metricName(item.metric)}`, h('form.form', {
      novalidate: true,
      onsubmit: async (event) => {
        event.preventDefault();
        const value = typed(input.value);
        if (isText ? !input.value.trim() : !Number.isFinite(value)) return write(said, t('measure.number', { name: metricName(item.metric) }));
        try {
          await run('put', item, isText ? { text: input.value.trim() } : { value, unit: own?.unit ?? item.unit });
          box.close();
        } catch (error) { write(said, sentence(error)); }
      },
    }, h('p.quiet', when(item.time, app.zoneOf(id))), h('label', h('span', metricName(item.metric)), h('span.amount', input, h('span.unit', isText ? '' : unitName(item.unit, item.metric)))), said,
    h('div.row', h('button.primary', { type: 'submit' }, t('save')), h('button', { type: 'button', onclick: () => box.close() }, t('cancel')))));
    input.select();
  }

  function remove(item, name) {
    const said = h('p.error', { role: 'alert' });
    const box = dialog(t('typed.sure'), [h('p', `${name}: `, shown(item)), said, h('div.row',
      h('button.primary', { onclick: async () => { try { await run('remove', item); box.close(); } catch (error) { write(said, sentence(error)); } } }, t('remove')),
      h('button', { onclick: () => box.close() }, t('cancel')))]);
  }

  draw();
  return { element, draw };
}

const shown = (item) => (item.value === undefined ? item.text : `${number(item.value, item.metric)} ${unitName(item.unit, item.metric)}`.trim());
