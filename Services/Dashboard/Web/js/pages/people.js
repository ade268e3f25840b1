// Accounts: who may sign in, as what, and whose data each may see.
import { h, replace, write, dialog } from '../dom.js';
import { api } from '../api.js';
import { t } from '../i18n.js';
import { personForm } from './profile.js';

const roles = ['patient', 'carer', 'analyst', 'operator'];

export async function show(app, main) {
  const list = h('tbody');
  const link = h('div');
  main.append(link, h('section.panel', h('div.scroll', h('table.cards', h('thead', h('tr', ['people.name', 'people.roles', 'people.participants'].map((name) => h('th', t(name))), h('th', h('span.visually-hidden', t('alert.do'))))), list))),
    h('section.panel', h('h2', t('people.add')), form(app, link, refresh)));
  main.prepend(await persons(app));
  await refresh();

  async function refresh() {
    replace(list, (await api.get('/people')).map((account) => h('tr',
      h('td', h('strong', account.name), account.hasPassword ? null : h('div.quiet', t('people.no-password'))),
      h('td', account.roles.map((role) => t('role.' + role)).join(', '), account.kiosk ? ` (${t('people.kiosk')})` : ''),
      h('td', account.participants.map((name) => (name === '*' ? t('people.everybody') : app.nameOf(name))).join(', ')),
      h('td', h('div.row',
        h('button', { onclick: () => change(account) }, t('people.roles')),
        h('button', { onclick: async () => { try { showLink(link, account.name, (await api.post(`/people/${account.name}/link`)).link); } catch (error) { app.fail(error); } } }, t('people.link')),
        h('button', { onclick: () => remove(account) }, t('remove')))))));
  }

  function remove(account) {
    const box = dialog(t('people.sure', { name: account.name }), h('div.row',
      h('button.primary', { onclick: async () => { box.close(); try { await api.remove('/people/' + account.name); } catch (error) { app.fail(error); } refresh(); } }, t('remove')),
      h('button', { onclick: () => box.close() }, t('cancel'))));
  }

  function change(account) {
    const fields = fieldsOf(app, account);
    const said = h('p.error', { role: 'alert' });
    const box = dialog(account.name, h('form.form', {
      onsubmit: async (event) => {
        event.preventDefault();
        try { await api.patch('/people/' + account.name, fields.read()); box.close(); refresh(); } catch (error) { write(said, error.message); }
      },
    }, fields.elements, said, h('div.row', h('button.primary', { type: 'submit' }, t('save')), h('button', { type: 'button', onclick: () => box.close() }, t('cancel')))));
  }
}

function fieldsOf(app, account) {
  const boxes = roles.map((role) => h('input', { type: 'checkbox', value: role, checked: account?.roles.includes(role) ?? role === 'carer' }));
  const isEverybody = account?.participants.includes('*') ?? false;
  const everybody = h('input', { type: 'checkbox', checked: isEverybody, onchange: () => follow() });
  // Those whom this account may not see itself stay chosen.
  const names = [...new Set([...app.participants.map((person) => person.id), ...(account?.participants ?? [])])].filter((name) => name !== '*');
  const people = names.map((name) => h('input', { type: 'checkbox', value: name, checked: account?.participants.includes(name) ?? false }));
  const other = h('input', { autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off', pattern: '[A-Za-z0-9_.\\-, ]*' });
  const list = h('div.checks', people.map((box) => h('label.check', box, app.nameOf(box.value), app.nameOf(box.value) === box.value ? null : h('span.quiet', ` ${box.value}`))));
  const follow = () => { for (const box of [...people, other]) box.disabled = everybody.checked; };
  follow();
  const kiosk = h('input', { type: 'checkbox', checked: account?.kiosk ?? false });
  return {
    elements: [h('fieldset', h('legend', t('people.roles')), boxes.map((box) => h('label.check', box, h('span', h('strong', t('role.' + box.value)), h('span.quiet', ` – ${t('role.what.' + box.value)}`))))),
      h('fieldset', h('legend', t('people.participants')), h('label.check', everybody, h('strong', t('people.everybody'))), list, h('label', h('span', t('people.others')), other)), h('label.check', kiosk, t('people.kiosk'))],
    read: () => ({ roles: boxes.filter((box) => box.checked).map((box) => box.value), participants: everybody.checked ? ['*'] : [...people.filter((box) => box.checked).map((box) => box.value), ...other.value.split(',').map((name) => name.trim()).filter(Boolean)], kiosk: kiosk.checked }),
  };
}

/** The persons whom accounts are about: each with the way to the profile, the archived ones behind a fold, and a form for a new one. */
async function persons(app) {
  const section = h('section.panel', h('h2', t('people.persons')));
  if (!app.can('operate')) return section;
  const shown = new Set(app.participants.map((person) => person.id));
  const all = app.can('see-health') ? await api.get('/participants', { archived: true }) : [];
  const archived = all.filter((person) => !shown.has(person.id));
  const profile = (person) => `/p/${encodeURIComponent(person.id)}/profile`;
  const id = h('input', { required: true, maxlength: 64, pattern: '[A-Za-z0-9_.\\-]+', autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  const back = (person) => h('button', { 'aria-label': `${t('profile.unarchive')}: ${person.name || person.id}`, onclick: async () => { try { await api.put(api.of(person.id, 'archived'), { archived: false }); await app.refreshParticipants(); app.show(); } catch (error) { app.fail(error); } } }, t('profile.unarchive'));
  section.append(h('ul.marks', app.participants.map((person) => h('li.row', h('a.grow', { href: profile(person) }, person.name || person.id), h('span.quiet', person.group ?? '')))));
  if (archived.length) section.append(h('details', h('summary', t('people.archived', { n: archived.length })), h('ul.marks', archived.map((person) => h('li.row', h('span.grow', person.name || person.id), back(person))))));
  section.append(h('details', h('summary', t('people.add-person')), personForm(app, {}, true, async (facts) => {
    await api.post('/participants', { id: id.value.trim(), ...facts });
    await app.refreshParticipants();
    app.go(`/p/${encodeURIComponent(id.value.trim())}/summary`);
  }, h('label', h('span', t('people.id')), id))));
  return section;
}

function form(app, link, refresh) {
  const name = h('input', { required: true, maxlength: 64, pattern: '[A-Za-z0-9_.\\-]+', autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  const fields = fieldsOf(app, null);
  const said = h('p.error', { role: 'alert' });
  return h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      write(said, '');
      try {
        showLink(link, name.value, (await api.post('/people', { name: name.value, ...fields.read() })).link);
        name.value = '';
        refresh();
      } catch (error) { write(said, error.message); }
    },
  }, h('label', h('span', t('people.name')), name), fields.elements, said, h('button.primary', { type: 'submit' }, t('people.add')));
}

function showLink(box, name, path) {
  const address = location.origin + path;
  replace(box, h('div.note', { role: 'status' }, h('p', t('people.link-once', { name })), h('p.why', address), h('button', { onclick: () => navigator.clipboard?.writeText(address) }, t('people.copy'))));
  box.scrollIntoView({ block: 'center' });
}
