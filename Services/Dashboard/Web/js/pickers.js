// Choosing colours and language, in the menu, at the door and among the settings.
import { h } from './dom.js';
import { t, setLanguage, languages } from './i18n.js';

export function themePicker(app) {
  const select = h('select', { onchange: () => { app.theme(select.value); app.savePreference('theme', select.value); } },
    ['system', 'light', 'dark', 'night', 'safe'].map((name) => h('option', { value: name }, t('theme.' + name))));
  select.value = document.documentElement.dataset.theme;
  return select;
}

export function languagePicker(app) {
  const select = h('select', {
    onchange: async () => {
      await setLanguage(select.value);
      localStorage.setItem('language', select.value);
      if (!app.me) return app.showDoor();
      await app.savePreference('language', select.value);
      document.querySelectorAll('dialog').forEach((box) => box.close());
      app.buildShell();
      app.show();
    },
  }, Object.entries(languages).map(([code, name]) => h('option', { value: code, lang: code }, name)));
  select.value = document.documentElement.lang;
  return select;
}
