// What an account sets about itself, and what carers set for a person.
import { h, replace, write, toast } from '../dom.js';
import { api } from '../api.js';
import { t, local, when, unitName } from '../i18n.js';
import { themePicker, languagePicker } from '../pickers.js';
import { sentence } from '../errors.js';
import { choices, chosen } from '../units.js';
import { addPasskey } from '../passkey.js';
import { pixelsPerMillimetre, calibrate, card, usual, range } from '../calibration.js';

export async function show(app, main) {
  const sound = h('input', { type: 'checkbox', checked: app.sound.wanted, onchange: () => app.toggleSound() });
  main.append(
    h('section.panel', h('h2', t('settings.me')), h('div.form',
      h('label', h('span', t('settings.language')), languagePicker(app)), h('label', h('span', t('settings.theme')), themePicker(app)),
      h('label.check', sound, t('settings.sound')), h('label.check', h('input', { type: 'checkbox', checked: app.preference('simple', false), onchange: (event) => app.savePreference('simple', event.target.checked) }), t('settings.simple')),
      h('div.row', ['low', 'medium', 'high'].map((priority) => h('button', { onclick: async () => { await app.sound.unlock(); app.sound.play(priority); } }, `${t('settings.test')}: ${t('priority.' + priority)}`))))));
  main.append(units(app));
  main.append(h('section.panel', h('h2', t('settings.password')), passwordForm(app)));
  if (!app.me.kiosk) main.append(passkeys());
  const sessions = h('section.panel', h('h2', t('settings.sessions')));
  main.append(sessions);
  if (app.can('set-thresholds') && app.participants.length) main.append(thresholds(app));
  if (app.can('calibrate') && app.participants.length) main.append(stress(app));
  main.append(screen());
  if (app.can('operate')) main.append(servers());
  if (!app.me.kiosk) main.append(tokens());
  await listSessions(app, sessions);
}

/** In which units numbers are shown and typed. */
function units(app) {
  return h('section.panel', h('h2', t('settings.units')), h('p.quiet', t('settings.units-form')), h('div.form', Object.entries(choices).map(([unit, others]) => {
    const select = h('select', { 'aria-label': t('settings.unit.' + unit), onchange: () => app.savePreference('unit-' + unit, select.value) }, [unit, ...Object.keys(others)].map((code) => h('option', { value: code }, unitName(code))));
    select.value = chosen.get(unit) ?? unit;
    return h('label', h('span', t('settings.unit.' + unit)), select);
  })));
}

function passwordForm(app) {
  const old = h('input', { type: 'password', autocomplete: 'current-password', required: true });
  const fresh = h('input', { type: 'password', autocomplete: 'new-password', required: true, minlength: 10, maxlength: 200 });
  const said = h('p', { role: 'status' });
  return h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await api.post('/me/password', { old: old.value, new: fresh.value });
        old.value = fresh.value = '';
        said.className = '';
        write(said, t('settings.changed'));
      } catch (error) { said.className = 'error'; write(said, error.message); }
    },
  }, h('label', h('span', t('settings.old')), old), h('label', h('span', t('settings.new')), fresh), said, h('button', { type: 'submit' }, t('settings.change')));
}

/** The devices whose signature is asked for after the password. */
function passkeys() {
  const list = h('ul.marks');
  const label = h('input', { required: true, maxlength: 100 });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 200 });
  const said = h('p', { role: 'status' });
  const doing = async (action) => {
    said.className = '';
    write(said, '');
    try {
      await action();
      password.value = label.value = '';
      write(said, t('settings.stored'));
      await draw();
    } catch (error) {
      said.className = 'error';
      write(said, error.code === 'refused' ? t('passkey.password') : error.code === 'no-host-name' ? t('passkey.no-host-name') : error.message);
    }
  };
  const remove = (item) => {
    if (!password.value) { said.className = 'error'; write(said, t('passkey.password')); password.focus(); return; }
    doing(() => api.post(`/me/passkeys/${item.id}/remove`, { password: password.value }));
  };
  const draw = async () => replace(list, (await api.get('/me/passkeys')).map((item) => h('li.row',
    h('span.grow', `${item.label} · ${item.host} · ${item.used ? when(item.used) : t('passkey.unused')}`), h('button', { onclick: () => remove(item) }, t('passkey.remove')))));
  draw().catch((error) => write(said, error.message));
  return h('section.panel', h('h2', t('passkey.title')), h('p.quiet', t('passkey.what')), list, h('form.form', {
    onsubmit: (event) => { event.preventDefault(); doing(() => addPasskey(label.value, password.value)); },
  }, h('label', h('span', t('people.name')), label), h('label', h('span', t('settings.old')), password), said, h('button', { type: 'submit' }, t('passkey.add'))));
}

async function listSessions(app, box) {
  const sessions = await api.get('/me/sessions');
  box.append(h('ul.marks', sessions.map((session) => h('li.row', h('span.grow', `${session.address} · ${session.agent.slice(0, 80)} · ${when(session.seen)}`),
    session.isThis ? h('strong', t('settings.this')) : h('button', { onclick: async (event) => { const item = event.currentTarget.closest('li'); try { await api.remove('/me/sessions/' + session.id); item.remove(); } catch (error) { app.fail(error); } } }, t('settings.end'))))));
}

function people(app) {
  return h('select', app.participants.map((person) => h('option', { value: person.id }, person.name || person.id)));
}

function thresholds(app) {
  const person = people(app);
  const rule = h('select');
  const severity = h('select', ['notice', 'warning', 'critical'].map((name) => h('option', { value: name }, t('severity.' + name))));
  const value = h('input', { type: 'number', step: 'any' });
  const said = h('p', { role: 'status' });
  api.get('/rules').then((answer) => replace(rule, (answer.rules ?? []).map((item) => h('option', { value: item.id }, local(item.title) || item.id)))).catch((error) => write(said, sentence(error)));
  return h('section.panel', h('h2', t('settings.thresholds')), h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      write(said, t('alert.sending'));
      try {
        await api.post(api.of(person.value, `alerts/${encodeURIComponent(rule.value)}/set-threshold`), { severity: severity.value, ...(value.value === '' ? {} : { value: Number(value.value) }) });
        write(said, t('settings.stored'));
      } catch (error) { write(said, sentence(error)); }
    },
  }, h('label', h('span', t('shell.person')), person), h('label', h('span', t('settings.rule')), rule), h('label', h('span', t('settings.severity')), severity),
    h('label', h('span', t('settings.limit')), value, h('p.quiet', t('settings.limit-unit'))), said, h('button', { type: 'submit' }, t('save'))));
}

function stress(app) {
  const person = people(app);
  const mode = h('select', ['default', 'base', 'built', 'enhanced'].map((name) => h('option', { value: name }, name)));
  const said = h('p', { role: 'status' });
  const send = async (command) => {
    try { await api.post(api.of(person.value, 'stress'), command); write(said, t('settings.stored')); } catch (error) { write(said, sentence(error)); }
  };
  return h('section.panel', h('h2', t('settings.stress')), h('div.form', h('label', h('span', t('shell.person')), person), h('label', h('span', t('settings.mode')), mode), said,
    h('div.row', h('button', { onclick: () => send({ command: 'mode', mode: mode.value }) }, t('save')), h('button', { onclick: () => send({ command: 'calibrate' }) }, t('monitor.calibrate')))));
}

/** How large this screen is, told by a bank card that is held against it. */
function screen() {
  const known = pixelsPerMillimetre();
  const size = h('input', { type: 'range', min: range[0], max: range[1], step: 0.01, value: known ?? usual, oninput: () => draw() });
  const shape = h('div.card-size', { 'aria-hidden': 'true' });
  const said = h('p', { role: 'status' }, known ? t('settings.calibrated') : t('settings.not-calibrated'));
  const draw = () => { shape.style.width = `${card * Number(size.value)}px`; };
  draw();
  return h('section.panel', h('h2', t('settings.screen')), h('p', t('settings.screen-form')), h('div.scroll', shape), h('div.form', h('label', h('span', t('settings.width')), size), said, h('div.row',
    h('button', { onclick: () => { calibrate(Number(size.value)); write(said, t('settings.calibrated')); } }, t('save')),
    h('button', { onclick: () => { calibrate(null); write(said, t('settings.not-calibrated')); } }, t('settings.uncalibrate')))));
}

/** The servers that vigil-ingest asks for readings. */
function servers() {
  const form = (name) => {
    const fields = ['url', 'participant', 'interval'].map((part) => [part, h('input', { autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off', inputmode: part === 'url' ? 'url' : 'text' })]);
    const said = h('p', { role: 'status' });
    const path = (part) => `/modules/vigil-ingest/parameters/${name}-${part}`;
    const answer = (value) => { if (value.error) throw new Error(value.error); return value.value; };
    Promise.all(fields.map(async ([part, input]) => { input.value = answer(await api.get(path(part))); })).catch((error) => write(said, sentence(error)));
    return h('form.form', {
      onsubmit: async (event) => {
        event.preventDefault();
        write(said, '');
        const address = fields[0][1].value.trim();
        if (address && !/^https?:\/\//i.test(address)) { said.className = 'error'; write(said, t('settings.servers-form')); fields[0][1].focus(); return; }
        try {
          // The address last: by then it is known whose readings they are.
          for (const [part, input] of [...fields].reverse()) answer(await api.put(path(part), { value: input.value.trim() }));
          said.className = '';
          write(said, t('settings.stored'));
        } catch (error) { said.className = 'error'; write(said, sentence(error)); }
      },
    }, h('h3', t('settings.server.' + name)), fields.map(([part, input]) => h('label', h('span', t('settings.server-' + part)), input)), said, h('button', { type: 'submit' }, t('save')));
  };
  return h('section.panel', h('h2', t('settings.servers')), h('p.quiet', t('settings.servers-form')), ['ehealth', 'vehicle'].map(form));
}

/** The tokens of programs: what there is can be ended, and a new one is shown once. */
function tokens() {
  const list = h('ul.marks');
  const label = h('input', { required: true, maxlength: 100 });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 200 });
  const said = h('p.why', { role: 'status' });
  const doing = async (action) => {
    write(said, '');
    try {
      write(said, await action());
      password.value = label.value = '';
      await draw();
    } catch (error) { write(said, error.code === 'refused' ? t('passkey.password') : error.message); }
  };
  const end = (item) => doing(async () => { await api.remove('/me/tokens/' + item.id); return t('settings.stored'); });
  const draw = async () => replace(list, (await api.get('/me/tokens')).map((item) => h('li.row',
    h('span.grow', `${item.label} · ${when(item.created)}`), h('button', { 'aria-label': `${t('settings.end')}: ${item.label}`, onclick: () => end(item) }, t('settings.end')))));
  draw().catch((error) => write(said, error.message));
  return h('section.panel', h('h2', t('settings.token')), list, h('form.form', {
    onsubmit: (event) => {
      event.preventDefault();
      doing(async () => t('settings.token-once', { token: (await api.post('/me/tokens', { label: label.value, password: password.value })).token }));
    },
  }, h('label', h('span', t('people.name')), label), h('label', h('span', t('settings.old')), password), said, h('button', { type: 'submit' }, t('settings.make-token'))));
}
