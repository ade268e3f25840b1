// A measurement typed in: what, the number, and done. Without a connection it is kept in the browser and sent once it is back.
import { h, replace, write, toast, dialog } from '../dom.js';
import { api, newId } from '../api.js';
import { t, unitName, metricName } from '../i18n.js';
import { kinds, typed, doubt, isOpen, Waiting } from '../measuring.js';
import { sentence } from '../errors.js';
import { typedList } from '../typed.js';

export async function show(app, main, id) {
  const waiting = new Waiting(app.me.name);
  const box = h('div');
  const note = h('p.note', { role: 'status' });
  const buttons = kinds.map((kind) => h('button', { onclick: () => choose(kind) }, t('measure.' + kind.name)));
  main.append(h('div.measures', { role: 'group', 'aria-label': t('measure.what') }, buttons), note, box);
  const list = typedList(app, id, waiting, () => drawWaiting());
  main.append(list.element, h('p', h('a.button', { href: `/p/${encodeURIComponent(id)}/health` }, t('page.health'))));

  const drawWaiting = () => {
    const count = waiting.all.length;
    note.classList.toggle('hidden', !count);
    write(note, count ? t('measure.waiting', { n: count }) : '');
  };

  function choose(kind) {
    buttons.forEach((button, index) => button.setAttribute('aria-pressed', String(kinds[index] === kind)));
    replace(box, form(app, id, kind, waiting, drawWaiting, list.draw));
    box.querySelector('input')?.focus();
  }

  const onTick = async () => {
    // Another tab may have sent it.
    drawWaiting();
    if (app.live.state !== 'live' || !waiting.all.length) return;
    for (const error of await waiting.send()) app.fail(error);
    drawWaiting();
    list.draw();
  };
  app.live.addEventListener('tick', onTick);
  drawWaiting();
  return () => app.live.removeEventListener('tick', onTick);
}

function form(app, id, kind, waiting, drawWaiting, stored) {
  const fields = kind.fields.map((field) => entryField(app, field));
  const time = h('input', { type: 'datetime-local', 'aria-label': t('measure.time') });
  const said = h('p', { role: 'status' });
  const submit = h('button.primary', { type: 'submit' }, t('save'));
  return h('form.form.panel', {
    novalidate: true,
    onsubmit: async (event) => {
      event.preventDefault();
      said.className = '';
      write(said, '');
      const moment = time.value ? new Date(time.value).getTime() / 1000 : Math.round(Date.now()) / 1000;
      if (!Number.isFinite(moment) || moment > Date.now() / 1000 + 60) return refuse(said, t('measure.future'), time);
      const readings = [];
      for (const field of fields) {
        const reading = await field.reading();
        if (reading === 'wrong') return refuse(said, t('measure.number', { name: metricName(field.metric) }), field.input);
        if (reading) readings.push({ ...reading, time: moment });
      }
      await send(readings);
    },
  }, h('h2', t('measure.' + kind.name)), fields.map((field) => field.element), h('label', h('span', t('measure.time')), time), said, submit);

  async function send(readings) {
    submit.disabled = true;
    const [path, request] = [api.of(id, 'measurements'), newId()];
    try {
      const answer = await api.post(path, { readings }, request);
      for (const field of fields) field.input.value = '';
      time.value = '';
      write(said, t(answer.corrections ? 'measure.corrected' : 'measure.stored'));
      toast(said.textContent);
      stored();
    } catch (error) {
      if (!isOpen(error)) return refuse(said, sentence(error), fields[0].input);
      waiting.keep('post', path, { readings }, request);
      drawWaiting();
      for (const field of fields) field.input.value = '';
      write(said, t('measure.kept'));
    } finally { submit.disabled = false; }
  }
}

function refuse(said, text, input) {
  said.className = 'error';
  write(said, text);
  input.focus();
}

/** A number with the account's own unit, or a text. */
function entryField(app, { metric, units = [], isOptional, isText }) {
  const own = app.preference('unit-' + units[0]);
  const input = h('input', { inputmode: isText ? 'text' : 'decimal', autocomplete: 'off', maxlength: isText ? 200 : 12, 'aria-label': metricName(metric) });
  const unit = h('select', { 'aria-label': `${metricName(metric)}: ${t('measure.unit')}`, onchange: () => app.savePreference('unit-' + units[0], unit.value) },
    units.map((name) => h('option', { value: name }, unitName(name))));
  unit.value = units.includes(own) ? own : units[0];
  const element = h('label', h('span', metricName(metric), isOptional ? ` (${t('measure.optional')})` : ''), h('span.amount', input, units.length > 1 ? unit : h('span.unit', unitName(units[0] ?? ''))));
  return {
    metric, input, element,
    async reading() {
      const text = input.value.trim();
      if (!text) return isOptional ? null : 'wrong';
      if (isText) return { metric, text };
      const value = typed(text);
      if (!Number.isFinite(value)) return 'wrong';
      const other = doubt(metric, value, unit.value);
      if (other && units.includes(other) && await ask(`${text} ${unitName(unit.value)}`, `${text} ${unitName(other)}`)) unit.value = other;
      return { metric, value, unit: unit.value };
    },
  };
}

/** Whether the second is meant rather than the first. */
function ask(written, meant) {
  return new Promise((answer) => {
    let isOther = false;
    const box = dialog(t('measure.sure'), [h('p', t('measure.did-you-mean', { written, meant })),
      h('div.row', h('button.primary', { onclick: () => { isOther = true; box.close(); } }, meant), h('button', { onclick: () => box.close() }, written))]);
    box.addEventListener('close', () => answer(isOther));
  });
}
