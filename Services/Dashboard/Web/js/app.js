// The application: signs in, keeps the shell (menu, picker, alarm banner, connection), and shows the page that the address names.
import { read as readUnits } from './units.js';
import { h, replace, write, attribute, icon, dialog, toast, loading } from './dom.js';
import { api, whenSignedOut, setAccount } from './api.js';
import { t, setLanguage, state as words, age, when } from './i18n.js';
import { Live, priorityOf } from './live.js';
import { AlarmSound } from './sound.js';
import { Banner } from './banner.js';
import { themePicker, languagePicker } from './pickers.js';
import { sentence, isPassing, asAway } from './errors.js';
import { door, welcome } from './pages/door.js';

const pages = [
  { pattern: /^\/$/, name: 'overview', load: () => import('./pages/overview.js') },
  { pattern: /^\/p\/([^/]+)\/live$/, name: 'monitor', load: () => import('./pages/monitor.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/timeline$/, name: 'timeline', load: () => import('./pages/timeline.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/summary$/, name: 'summary', load: () => import('./pages/summary.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/health(?:\/([^/]+))?$/, name: 'health', load: () => import('./pages/health.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/measure$/, name: 'measure', load: () => import('./pages/measure.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/profile$/, name: 'profile', load: () => import('./pages/profile.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/share$/, name: 'share', load: () => import('./pages/share.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/questions$/, name: 'questions', load: () => import('./pages/questions.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/simple$/, name: 'simple', load: () => import('./pages/simple.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/metric\/([^/]+)$/, name: 'metric', load: () => import('./pages/metric.js'), person: true },
  { pattern: /^\/p\/([^/]+)\/ecg$/, name: 'ecg', load: () => import('./pages/ecg.js'), person: true },
  { pattern: /^\/alerts$/, name: 'alerts', load: () => import('./pages/alerts.js') },
  { pattern: /^\/devices$/, name: 'devices', load: () => import('./pages/devices.js') },
  { pattern: /^\/import$/, name: 'import', load: () => import('./pages/import.js') },
  { pattern: /^\/settings$/, name: 'settings', load: () => import('./pages/settings.js') },
  { pattern: /^\/people$/, name: 'people', load: () => import('./pages/people.js') },
  { pattern: /^\/audit$/, name: 'audit', load: () => import('./pages/audit.js') },
];

/** Stands in the browser from signing out until the server knows. */
const leaving = 'signing-out';
const menuIcon = 'M4 6h16M4 12h16M4 18h16';
const soundOn = 'M11 5 6 9H3v6h3l5 4zM15 9a4 4 0 0 1 0 6M18 6a8 8 0 0 1 0 12';
const soundOff = 'M11 5 6 9H3v6h3l5 4zM16 9l6 6M22 9l-6 6';

class App {
  constructor() {
    this.live = new Live();
    this.sound = new AlarmSound();
    this.me = null;
    this.participants = [];
    this.root = document.getElementById('app');
    this.banner = new Banner(this);
  }

  can(permission) { return this.me?.permissions.includes(permission) ?? false; }
  preference(name, otherwise) { return this.me?.preferences[name] ?? otherwise; }

  async savePreference(name, value) {
    this.me.preferences[name] = value;
    readUnits(this.me.preferences);
    try { this.me = await api.patch('/me', { preferences: { [name]: value } }); } catch (error) { this.fail(error); }
  }

  get participants() { return this.listed; }

  /** Whom the account may see, and each by identifier with the place in the list: what many cards ask for. */
  set participants(people) {
    this.listed = people;
    this.byIdentifier = new Map(people.map((person, place) => [person.id, { ...person, place }]));
    this.hasGroups = new Set(people.map((person) => person.group ?? '')).size > 1;
  }

  /** Whether there may be more people than the server lists. */
  get isListCut() { return this.listed.length >= 1000; }

  /** How a participant is called. */
  nameOf(id) { return this.byIdentifier.get(id)?.name || id.replace(/^_module\./, '').replace(/\.main$/, ''); }
  zoneOf(id) { return this.byIdentifier.get(id)?.timeZone; }
  /** The family or ward that a participant belongs to; nothing where all that are listed belong to one. */
  groupOf(id) { return this.hasGroups ? this.byIdentifier.get(id)?.group ?? '' : ''; }
  placeOf(id) { return this.byIdentifier.get(id)?.place ?? Infinity; }

  fail(error) {
    toast(sentence(error));
  }

  /** Shows the page again when what it lacks may be there. @returns what is said meanwhile. */
  miss(error) {
    if (isPassing(error)) {
      this.isLacking = true;
      clearTimeout(this.again);
      this.again = setTimeout(() => this.showIfBack(error), 10000);
    }
    return sentence(error) + (error.code === 'no-connection' ? ' ' + t('error.comes-back') : '');
  }

  showIfBack(error) {
    if (this.live.state === 'live' && this.isLacking) this.show();
    else if (this.isLacking) this.miss(error);
  }

  async start() {
    this.theme(localStorage.getItem('theme') ?? 'system');
    whenSignedOut(() => this.showDoor());
    this.spoken = setLanguage(localStorage.getItem('language') ?? navigator.language?.slice(0, 2));
    // Asked beside the words, so that the first picture waits for one of the two only.
    const isLeaving = localStorage.getItem(leaving) !== null;
    if (location.pathname !== '/welcome' && !isLeaving) this.asked = api.get('/me');
    this.asked?.catch(() => {});
    await this.spoken;
    this.live.addEventListener('end', () => this.showDoor());
    this.live.addEventListener('refused', () => { if (this.me) api.get('/me').catch(() => {}); });
    addEventListener('kept', (event) => { this.keptAt = event.detail; this.drawLink(); });
    navigator.serviceWorker?.register('/sw.js').catch(() => {});
    addEventListener('popstate', () => this.show());
    document.addEventListener('click', (event) => this.follow(event));
    addEventListener('storage', (event) => { if (event.key === leaving && event.newValue && this.me) this.showDoor(); });
    if (location.pathname === '/welcome') return this.showWelcome();
    if (isLeaving) return this.showDoor();
    if (await this.recognise()) await this.enter();
  }

  /** Asks who is signed in, until it is told. */
  async recognise() {
    const note = h('p.error', { role: 'alert' });
    for (;;) {
      try {
        const asked = this.asked ?? api.get('/me');
        this.asked = null;
        this.me = await asked;
        return true;
      } catch (error) {
        if (error.status === 401) return false;
        if (!note.isConnected) replace(this.root, note);
        write(note, `${sentence(error)} ${t('error.comes-back')}`);
        await new Promise((done) => setTimeout(done, 3000));
      }
    }
  }

  theme(name) {
    document.documentElement.dataset.theme = name;
    localStorage.setItem('theme', name);
    dispatchEvent(new Event('theme'));
  }

  /** Links within the application change the page without loading it. */
  follow(event) {
    const link = event.target.closest?.('a[href^="/"]');
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.target || link.hasAttribute('download')) return;
    event.preventDefault();
    link.closest('dialog')?.close();
    this.go(link.getAttribute('href'));
  }

  go(address) {
    if (address !== location.pathname + location.search) history.pushState(null, '', address);
    this.show();
  }

  // Signing in

  /** Ends the session: here at once, at the server as soon as it can be reached, and in every tab. */
  signOut() {
    navigator.clearAppBadge?.().catch(() => {});
    localStorage.setItem(leaving, '1');
    this.showDoor();
  }

  /** Tells the server that a session is over whose end it does not know yet. @returns whether it knows. */
  finishSignOut() {
    this.leaving ??= (async () => {
      if (!localStorage.getItem(leaving)) return true;
      await globalThis.caches?.delete('vigil-pictures').catch(() => {});
      try { await api.remove('/session'); } catch (error) { if (error.status !== 401) return false; }
      localStorage.removeItem(leaving);
      return true;
    })().finally(() => { this.leaving = null; });
    return this.leaving;
  }

  async showDoor() {
    this.live.close();
    this.me = null;
    setAccount(null);
    this.leave?.();
    this.leave = null;
    document.querySelectorAll('dialog').forEach((box) => box.close());
    await this.spoken;
    door(this);
    while (!this.me && !(await this.finishSignOut())) await new Promise((done) => setTimeout(done, 3000));
  }

  async showWelcome() {
    welcome(this);
  }

  async enter(me) {
    if (me) this.me = me;
    setAccount(this.me.name);
    readUnits(this.me.preferences);
    if (this.preference('language')) await setLanguage(this.preference('language'));
    if (this.preference('theme')) this.theme(this.preference('theme'));
    this.sound.wanted = this.preference('sound', true);
    if (location.pathname === '/welcome') history.replaceState(null, '', '/');
    this.buildShell();
    this.live.account = this.me.name;
    // Alarms are there before everything else, whatever else does not answer.
    this.live.open();
    await this.learn();
    this.show();
  }

  /** Asks what metrics and whom there are, until it is told. */
  async learn() {
    const note = h('p.error', { role: 'alert' });
    while (this.me) {
      try {
        const asked = Promise.all([api.get('/metrics'), this.can('see-health') ? api.get('/participants') : []]);
        const [metrics, participants] = note.isConnected ? await asked : await loading(this.main, asked, t('loading'));
        words.catalogue = new Map(metrics.map((metric) => [metric.name, metric]));
        this.participants = participants;
        this.fillPicker();
        return;
      } catch (error) {
        if (!this.me) return;
        if (!note.isConnected) replace(this.main, note);
        write(note, `${sentence(error)} ${t('error.comes-back')}`);
        await new Promise((done) => setTimeout(done, 2000));
      }
    }
  }

  async refreshParticipants() {
    if (!this.can('see-health')) return;
    try {
      const people = await api.get('/participants');
      // The list that somebody has just opened stays open.
      if (JSON.stringify(people) === JSON.stringify(this.participants)) return;
      this.participants = people;
      this.fillPicker();
    } catch { /* The list stays as it was; the connection's state is shown above. */ }
  }

  // The shell

  buildShell() {
    this.title = h('h1');
    this.linkState = h('span.link-state', { role: 'status' });
    this.picker = h('select', { 'aria-label': t('shell.person'), onchange: () => this.pick() });
    this.soundButton = h('button.icon.plain', { onclick: () => this.toggleSound() });
    this.main = h('main#main', { tabindex: '-1' });
    replace(this.root,
      h('a.skip', { href: '#main', onclick: (event) => { event.preventDefault(); this.main.focus(); } }, t('shell.skip')),
      h('header.top',
        h('button.icon.plain', { 'aria-label': t('shell.menu'), onclick: () => this.openMenu() }, icon(menuIcon)),
        this.title, this.picker, this.linkState, this.soundButton),
      this.banner.build(), this.main);
    this.fillPicker();
    this.drawSound();
    if (!this.isListening) {
      this.isListening = true;
      for (const what of ['alerts', 'snapshot']) this.live.addEventListener(what, () => this.drawBanner());
      this.live.addEventListener('tick', () => { if (this.me) { this.drawBanner(); this.drawLink(); } });
      this.live.addEventListener('state', () => { if (this.me) this.drawLink(); });
      this.live.addEventListener('snapshot', () => { if (this.me && this.isLacking) this.show(); });
      this.sound.onChange = () => this.drawSound();
      for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => this.sound.unlock(), { passive: true });
    }
    this.drawBanner();
    this.drawLink();
  }

  fillPicker() {
    const groups = new Map();
    for (const person of this.participants) {
      const group = person.group ?? '';
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(person);
    }
    const options = (people) => people.map((person) => h('option', { value: person.id }, person.name || person.id));
    replace(this.picker, h('option', { value: '' }, t('shell.everybody')),
      [...groups].map(([group, people]) => (group ? h('optgroup', { label: group }, options(people)) : options(people))));
    this.picker.classList.toggle('hidden', !this.participants.length);
    this.picker.value = this.person ?? '';
  }

  pick() {
    const chosen = this.picker.value;
    if (!chosen) return this.go('/');
    const page = ['monitor', 'timeline', 'summary', 'health', 'measure', 'ecg', 'profile', 'share', 'questions', 'simple'].includes(this.page) ? { monitor: 'live' }[this.page] ?? this.page : 'live';
    this.go(`/p/${encodeURIComponent(chosen)}/${page}${page === 'timeline' ? location.search : ''}`);
  }

  openMenu() {
    const entry = (href, key) => h('a', { href, 'aria-current': location.pathname === href ? 'page' : null }, t(key));
    const person = this.person ?? this.participants[0]?.id;
    const own = person && this.can('see-health') ? `/p/${encodeURIComponent(person)}` : null;
    const box = dialog(null, [
      h('div.row', h('h2.grow', 'Vigil'), h('button.icon.plain', { 'aria-label': t('close'), onclick: () => box.close() }, icon('M6 6l12 12M18 6 6 18'))),
      h('nav', { 'aria-label': t('shell.menu') },
        this.can('see-health') ? entry('/', 'page.overview') : null,
        own ? [entry(own + '/live', 'page.monitor'), this.can('see-identity') ? [entry(own + '/summary', 'page.summary'), entry(own + '/health', 'page.health'), entry(own + '/timeline', 'page.timeline')] : null,
          this.can('enter') ? [entry(own + '/measure', 'page.measure'), entry(own + '/questions', 'page.questions')] : null, this.can('see-identity') ? entry(own + '/profile', 'page.profile') : null,
          this.can('enter') ? [entry(own + '/share', 'page.share'), entry(own + '/simple', 'page.simple')] : null] : null,
        this.can('see-health') ? entry('/alerts', 'page.alerts') : null,
        this.can('operate') ? [h('hr'), entry('/devices', 'page.devices'), entry('/import', 'page.import')] : null,
        this.can('manage-accounts') ? entry('/people', 'page.people') : null,
        this.can('see-audit') ? entry('/audit', 'page.audit') : null,
        h('hr'), entry('/settings', 'page.settings')),
      h('p.quiet', t('shell.signed-in', { name: this.me.name })),
      h('div.row',
        h('button', { onclick: () => { box.close(); this.signOut(); } }, t('shell.sign-out')),
        h('label', h('span', t('settings.theme')), themePicker(this)),
        h('label', h('span', t('settings.language')), languagePicker(this))),
    ], { classes: '.menu', label: t('shell.menu') });
  }

  toggleSound() {
    this.sound.unlock();
    this.sound.wanted = !this.sound.wanted;
    this.savePreference('sound', this.sound.wanted);
    this.drawSound();
  }

  drawSound() {
    if (!this.soundButton) return;
    const isOn = this.sound.wanted && this.sound.isUnlocked;
    const label = !this.sound.wanted ? t('sound.off') : this.sound.isUnlocked ? t('sound.on') : t('sound.locked');
    attribute(this.soundButton, 'aria-label', label);
    attribute(this.soundButton, 'title', label);
    attribute(this.soundButton, 'aria-pressed', String(isOn));
    replace(this.soundButton, icon(isOn ? soundOn : soundOff));
  }

  drawLink() {
    if (!this.linkState) return;
    const silence = (Date.now() - this.live.since) / 1000;
    attribute(this.linkState, 'data-state', this.live.state);
    if (this.live.state === 'live') this.keptAt = null;
    const text = this.keptAt && this.live.state !== 'live' ? t('link.kept', { time: when(this.keptAt / 1000) }) : this.live.state === 'lost' ? t('link.lost', { age: age(silence) }) : this.live.state === 'live' ? t('link.live') : t('link.connecting');
    write(this.linkState, text);
  }

  drawBanner() {
    const pressing = this.banner.draw();
    attribute(this.linkState, 'data-alarms', pressing.length);
    this.badge(pressing.length);
    this.sound.sound(pressing.length ? priorityOf(pressing[0].alert) : null);
    const title = `${pressing.length ? `(${pressing.length}) ` : ''}${t('page.' + (this.page ?? 'overview'))} – Vigil`;
    if (document.title !== title) document.title = title;
  }

  /** The number of open alarms on the application's icon, where it is installed. */
  badge(count) {
    if (count === this.badged) return;
    this.badged = count;
    (count ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {});
  }

  /** Acknowledges; the row changes only when the suite has said so. */
  async acknowledge({ participant, alert }, button) {
    if (button) button.disabled = true;
    try {
      await api.post(api.of(participant, `alerts/${encodeURIComponent(alert.rule)}/acknowledge`), { severity: alert.severity });
    } catch (error) {
      this.fail(error);
    } finally {
      if (button) button.disabled = false;
    }
  }

  // Pages

  async show() {
    if (!this.me) return;
    const address = location.pathname;
    if (address === '/' && this.preference('simple') && this.participants.length) return this.go(`/p/${encodeURIComponent(this.participants[0].id)}/simple`);
    if (address === '/' && !this.can('see-health')) return this.go(this.can('operate') ? '/devices' : '/settings');
    const page = pages.find((page) => page.pattern.test(address));
    const [, first, second] = page ? address.match(page.pattern) : [];
    const shown = (this.shown = Symbol('page'));
    this.leave?.();
    this.leave = null;
    this.isLacking = false;
    this.page = page?.name ?? 'none';
    this.person = page?.person ? decodeURIComponent(first) : null;
    this.picker.value = this.person ?? '';
    const isForeign = this.person !== null && page?.person && !this.byIdentifier.has(this.person) && !this.isListCut;
    if (!page || isForeign) {
      write(this.title, t('page.none'));
      replace(this.main, h('p', { role: 'alert' }, t('error.not-found')));
      return;
    }
    write(this.title, page.person ? `${this.nameOf(this.person)} · ${t('page.' + page.name)}` : t('page.' + page.name));
    this.drawBanner();
    this.live.open(page.name === 'monitor' ? [this.person] : []);
    try {
      const module = await loading(this.main, page.load(), t('loading'));
      if (this.shown !== shown) return;
      replace(this.main);
      const leave = await module.show(this, this.main, this.person, second && decodeURIComponent(second));
      if (this.shown === shown) this.leave = leave; else leave?.();
      this.fetchAll();
    } catch (error) {
      if (this.shown !== shown) return;
      if (!asAway(error).code) throw error;
      replace(this.main, h('p.error', { role: 'alert' }, this.miss(error)));
    }
  }

  /** Tells the service worker which files the application is of, for when there is no connection. */
  async keepShell() {
    const worker = (await navigator.serviceWorker?.ready)?.active;
    worker?.postMessage(performance.getEntriesByType('resource').map((entry) => entry.name));
  }

  /** Fetches every page's code behind the first that is shown, so that it is there when the connection is not. */
  fetchAll() {
    if (this.hasFetched) return;
    this.hasFetched = true;
    Promise.all(pages.map((page) => page.load().then((module) => module.prepare?.()))).then(() => this.keepShell()).catch(() => { this.hasFetched = false; });
  }
}

const app = new App();
app.start();
