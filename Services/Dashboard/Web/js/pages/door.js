// Before anybody is signed in: the door, and the page behind a one-time link.
import { h, replace } from '../dom.js';
import { APIError } from '../api.js';
import { signIn } from '../passkey.js';
import { t } from '../i18n.js';
import { languagePicker } from '../pickers.js';

/** The server's refusal in the reader's language. */
function words(error, known, code = error.code) {
  if (known[code]) return t(known[code]);
  const isSaid = code === 'passkey-elsewhere' || (error.status === 0 && code !== 'no-connection');
  return isSaid ? error.message : t('error.no-connection');
}

export function door(app) {
  const problem = h('p.error', { role: 'alert' });
  const name = h('input', { name: 'name', autocomplete: 'username', required: true, maxlength: 64, autocapitalize: 'none', spellcheck: 'false' });
  const password = h('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: true, maxlength: 200 });
  const button = h('button.primary', { type: 'submit' }, t('door.sign-in'));
  const form = h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      problem.textContent = '';
      try {
        // Else the cookie of the session before would come and go under the new one.
        if (!await app.finishSignOut()) throw new APIError(0, 'no-connection', '');
        await app.enter(await signIn('/session', { name: name.value, password: password.value }));
      } catch (error) {
        problem.textContent = words(error, { refused: 'door.refused', busy: 'door.busy', 'accounts-away': 'error.accounts-away', 'passkey-refused': 'passkey.refused' });
        password.value = '';
        password.focus();
      } finally {
        button.disabled = false;
      }
    },
  }, h('label', h('span', t('door.name')), name), h('label', h('span', t('door.password')), password), problem, button);
  document.title = `${t('door.sign-in')} – Vigil`;
  replace(app.root, h('main.door', h('h1', 'Vigil'), h('p.quiet', t('door.what')), form, h('p', h('label', h('span', t('settings.language')), languagePicker(app)))));
  name.focus();
}

export function welcome(app) {
  const token = location.hash.slice(1);
  const problem = h('p.error', { role: 'alert' });
  const first = h('input', { type: 'password', name: 'new', autocomplete: 'new-password', required: true, minlength: 10, maxlength: 200 });
  const second = h('input', { type: 'password', name: 'again', autocomplete: 'new-password', required: true, maxlength: 200 });
  const button = h('button.primary', { type: 'submit' }, t('welcome.go'));
  const form = h('form.form', {
    onsubmit: async (event) => {
      event.preventDefault();
      problem.textContent = '';
      if (first.value !== second.value) { problem.textContent = t('welcome.differ'); return; }
      button.disabled = true;
      try {
        if (!await app.finishSignOut()) throw new APIError(0, 'no-connection', '');
        await app.enter(await signIn('/session/link', { token, password: first.value }));
      } catch (error) {
        const code = error.status === 400 ? 'weak' : error.code;
        problem.textContent = words(error, { refused: 'welcome.used', weak: 'welcome.weak', 'accounts-away': 'error.accounts-away', 'passkey-refused': 'passkey.refused' }, code);
      } finally {
        button.disabled = false;
      }
    },
  }, h('label', h('span', t('welcome.password')), first), h('label', h('span', t('welcome.again')), second), problem, button);
  document.title = `${t('welcome.title')} – Vigil`;
  replace(app.root, h('main.door', h('h1', t('welcome.title')), h('p.quiet', t('welcome.what')), form));
  first.focus();
}
