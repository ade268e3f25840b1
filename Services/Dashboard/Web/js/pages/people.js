// Accounts: who may sign in, as what, and whose data each may see.
import { h, replace, write, dialog } from '../dom.js';
import { api } from '../api.js';
import { t } from '../i18n.js';

const roles = ['patient', 'carer', 'analyst', 'operator'];

export async function show(app, main) {
  const list = h('tbody');
  const link = h('div');
  main.append(link, h('section.panel', h('div.scroll', h('table.cards', h('thead', h('tr', ['people.name', 'people.roles', 'people.participants'].map((name) => h('th', t(name))), h('th', h('span.visually-hidden', t('alert.do'))))), list))),
    h('section.panel', h('h2', t('people.add')), form(app, link, refresh)));
  await refresh();

  async function refresh() {
    replace(list, (await api.get('/people')).map((account) => h('tr',
      h('td', h('strong', account.name), account.hasPassword ? null : h('div.quiet', t('people.no-password'))),
      h('td', account.roles.map((role) => t('role.' + role)).join(', '), account.kiosk ? ` (${t('people.kiosk')})` : ''),
      h('td', account.participants.join(', ')),
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
    const fields = fieldsOf(account);
    const said = h('p.error', { role: 'alert' });
    const box = dialog(account.name, h('form.form', {
      onsubmit: async (event) => {
        event.preventDefault();
        try { await api.patch('/people/' + account.name, fields.read()); box.close(); refresh(); } catch (error) { write(said, error.message); }
      },
    }, fields.elements, said, h('div.row', h('button.primary', { type: 'submit' }, t('save')), h('button', { type: 'button', onclick: () => box.close() }, t('cancel')))));
  }
}

function fieldsOf(account) {
  const boxes = roles.map((role) => h('input', { type: 'checkbox', value: role, checked: account?.roles.includes(role) ?? role === 'carer' }));
  const participants = h('input', { value: account?.participants.join(', ') ?? '', placeholder: 'anna, ben', autocapitalize: 'none', spellcheck: 'false' });
  const kiosk = h('input', { type: 'checkbox', checked: account?.kiosk ?? false });
  return {
    elements: [h('fieldset', h('legend', t('people.roles')), boxes.map((box) => h('label.check', box, t('role.' + box.value)))),
      h('label', h('span', `${t('people.participants')} – ${t('people.participants-form')}`), participants), h('label.check', kiosk, t('people.kiosk'))],
    read: () => ({ roles: boxes.filter((box) => box.checked).map((box) => box.value), participants: participants.value.split(',').map((name) => name.trim()).filter(Boolean), kiosk: kiosk.checked }),
  };
}

function form(app, link, refresh) {
  const name = h('input', { required: true, maxlength: 64, pattern: '[A-Za-z0-9_.\\-]+', autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  const fields = fieldsOf(null);
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
