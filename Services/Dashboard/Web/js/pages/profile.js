// The facts known of a person: for the alarm rules, the modules and everybody's eyes; changed, archived and erased by operators.
import { h, append, replace, write, toast, dialog } from '../dom.js';
import { api } from '../api.js';
import { t, when, number } from '../i18n.js';
import { typed } from '../measuring.js';
import { sentence } from '../errors.js';

const sexes = ['female', 'male', 'other', 'unknown'];

export async function show(app, main, id) {
  const [profile, conditions] = await Promise.all(['profile', 'conditions'].map((name) => api.get(api.of(id, name))));
  const isOperator = app.can('operate');
  append(main, [isOperator ? null : h('p.note', t('profile.read-only')),
    h('section.panel', h('h2', t('profile.person')), personForm(app, profile, isOperator, async (changed) => {
      // What is empty is taken away; what the form does not show stays.
      await api.put(api.of(id, 'profile'), Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value ?? null])));
      await app.refreshParticipants();
    })),
    h('section.panel', h('h2', t('profile.conditions')), h('p.quiet', t('profile.conditions-form')), conditionsForm(id, conditions, isOperator))]);
  if (!isOperator) return;
  const devices = h('div');
  main.append(h('section.panel', h('h2', t('devices.devices')), devices), end(app, id));
  await drawDevices(app, id, devices);
}

const dated = (value) => h('input', { type: 'date', value: value ?? '' });
const field = (key, input) => h('label', h('span', t('profile.' + key)), input);

/** A form for the facts. @param store takes the changed facts */
export function personForm(app, profile, isOperator, store, extra = null) {
  const input = (value, options = {}) => h('input', { value: value ?? '', maxlength: 100, autocomplete: 'off', ...options });
  const zones = h('datalist#zones', (Intl.supportedValuesOf?.('timeZone') ?? []).map((zone) => h('option', { value: zone })));
  const fields = {
    first: input(profile.first), last: input(profile.last), birthDate: dated(profile.birthDate),
    sex: h('select', h('option', { value: '' }, '–'), sexes.map((sex) => h('option', { value: sex }, t('sex.' + sex)))),
    height: input(profile.height === undefined ? '' : String(profile.height), { inputmode: 'decimal' }),
    timeZone: input(profile.timeZone, { list: 'zones' }), group: input(profile.group), order: input(profile.order === undefined ? '' : String(profile.order), { inputmode: 'numeric' }),
  };
  fields.sex.value = profile.sex ?? '';
  for (const one of Object.values(fields)) one.disabled = !isOperator;
  const said = h('p', { role: 'status' });
  const text = (name) => fields[name].value.trim() || undefined;
  return h('form.form', {
    novalidate: true,
    onsubmit: async (event) => {
      event.preventDefault();
      const [height, order] = [text('height'), text('order')].map((value) => (value === undefined ? undefined : typed(value)));
      said.className = 'error';
      if (Number.isNaN(height)) return write(said, t('measure.number', { name: t('profile.height') }));
      if (Number.isNaN(order) || (order !== undefined && !Number.isInteger(order))) return write(said, t('measure.number', { name: t('profile.order') }));
      try {
        await store({ ...Object.fromEntries(['first', 'last', 'birthDate', 'sex', 'timeZone', 'group'].map((name) => [name, text(name)])), height, order });
        said.className = '';
        write(said, t('settings.stored'));
        toast(t('settings.stored'));
      } catch (error) { write(said, sentence(error)); }
    },
  }, extra, Object.entries(fields).map(([name, one]) => field(name, one)), zones, said, isOperator ? h('button.primary', { type: 'submit' }, t('save')) : null);
}

function conditionsForm(id, known, isOperator) {
  const check = (name) => h('input', { type: 'checkbox', checked: known[name] === true, disabled: !isOperator, onchange: () => follow() });
  const boxes = Object.fromEntries(['diabetes', 'copd', 'scale2', 'pregnant'].map((name) => [name, check(name)]));
  const dates = { due: dated(known.due), delivered: dated(known.delivered) };
  const labels = { scale2: h('label.check', boxes.scale2, t('condition.scale2')), due: field('due', dates.due), delivered: field('delivered', dates.delivered) };
  const follow = () => {
    labels.scale2.classList.toggle('hidden', !boxes.copd.checked);
    labels.due.classList.toggle('hidden', !boxes.pregnant.checked);
    labels.delivered.classList.toggle('hidden', boxes.pregnant.checked);
  };
  for (const input of Object.values(dates)) input.disabled = !isOperator;
  follow();
  const said = h('p', { role: 'status' });
  return h('form.form', {
    novalidate: true,
    onsubmit: async (event) => {
      event.preventDefault();
      const { diabetes, copd, scale2, pregnant } = boxes;
      try {
        await api.put(api.of(id, 'conditions'), {
          diabetes: diabetes.checked, copd: copd.checked, scale2: copd.checked && scale2.checked, pregnant: pregnant.checked,
          due: pregnant.checked ? dates.due.value || undefined : undefined, delivered: pregnant.checked ? undefined : dates.delivered.value || undefined,
        });
        said.className = '';
        write(said, t('profile.rules-told'));
        toast(t('settings.stored'));
      } catch (error) { said.className = 'error'; write(said, sentence(error)); }
    },
  }, ['diabetes', 'copd'].map((name) => h('label.check', boxes[name], t('condition.' + name))), labels.scale2, h('label.check', boxes.pregnant, t('condition.pregnancy')), labels.due, labels.delivered, said,
  isOperator ? h('button.primary', { type: 'submit' }, t('save')) : null);
}

async function drawDevices(app, id, box) {
  try {
    const answer = await api.get('/modules/vigil-ingest/parameters/devices');
    const own = JSON.parse(answer.value ?? '[]').filter((device) => device.participant === id);
    replace(box, own.length ? h('ul.marks', own.map((device) => h('li.row', h('strong.grow', device.device), h('span.quiet', device.lastSeen ? when(device.lastSeen) : '--', typeof device.clockOffset === 'number' ? ` · ${t('devices.clock')} ${number(device.clockOffset)} s` : ''))))
      : h('p.quiet', t('devices.none')), h('p', h('a', { href: '/devices' }, t('page.devices'))));
  } catch (error) { replace(box, h('p.note', app.miss(error))); }
}

/** Archiving and erasing. */
function end(app, id) {
  return h('section.panel', h('h2', t('profile.end')), h('p.quiet', t('profile.end-form')), h('div.row',
    h('button', { onclick: () => archive(app, id) }, t('profile.archive')),
    h('button', { onclick: () => erase(app, id) }, t('profile.erase'))));
}

function archive(app, id) {
  const said = h('p.error', { role: 'alert' });
  const box = dialog(t('profile.archive-sure', { name: app.nameOf(id) }), [h('p', t('profile.archive-what')), said, h('div.row',
    h('button.primary', { onclick: async () => { try { await api.put(api.of(id, 'archived'), { archived: true }); box.close(); await app.refreshParticipants(); app.go('/people'); } catch (error) { write(said, sentence(error)); } } }, t('profile.archive')),
    h('button', { onclick: () => box.close() }, t('cancel')))]);
}

function erase(app, id) {
  const confirm = h('input', { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 200 });
  const said = h('p.error', { role: 'alert' });
  const button = h('button.primary', { type: 'submit' }, t('profile.erase'));
  const box = dialog(t('profile.erase-sure', { name: app.nameOf(id) }), h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      if (confirm.value.trim() !== id) return write(said, t('profile.erase-confirm', { id }));
      button.disabled = true;
      write(said, t('loading'));
      try {
        const { removed, problems } = await api.post(api.of(id, 'erase'), { confirm: id, password: password.value });
        const count = Object.values(removed).reduce((sum, value) => sum + value, 0);
        const left = Object.entries(problems).map(([service, reason]) => `vigil-${service}: ${reason}`);
        replace(box, h('h2', t('profile.erased', { n: count })), left.length ? [h('p.error', t('profile.erase-left')), h('p.why', left.join('\n'))] : null, h('p', t('profile.erase-rest', { id })),
          h('button', { onclick: async () => { box.close(); await app.refreshParticipants(); app.go('/people'); } }, t('close')));
      } catch (error) { write(said, error.code === 'refused' ? t('passkey.password') : sentence(error)); button.disabled = false; }
    },
  }, h('p', t('profile.erase-what')), h('label', h('span', t('profile.erase-confirm', { id })), confirm), h('label', h('span', t('settings.old')), password), said,
  h('div.row', button, h('button', { type: 'button', onclick: () => box.close() }, t('cancel')))));
}
