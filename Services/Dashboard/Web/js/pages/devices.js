// People's devices first: whose, when heard, battery, clock, quality; behind a fold the suite's services with their parameters.
import { h, replace, write } from '../dom.js';
import { api } from '../api.js';
import { t, when, number } from '../i18n.js';
import { sentence } from '../errors.js';

/** The people whose devices' batteries are asked for. */
const mostPeople = 50;
const columns = ['device', 'person', 'last', 'battery', 'clock', 'quality', 'refused'];

export async function show(app, main) {
  const modules = h('tbody');
  const parameters = h('div');
  const devices = h('div');
  const count = h('span');
  const newest = new Map();
  let alone = new Set();
  main.append(
    h('section.panel', h('h2', t('devices.devices')), devices),
    h('details.panel', h('summary', t('devices.modules'), ' ', count), h('div.scroll', h('table', h('thead', h('tr', ['service', 'state', 'since', 'version'].map((name) => h('th', t('devices.' + name))))), modules)),
      h('h3', t('devices.parameters')), parameters));

  function drawModules() {
    const all = [...app.live.modules.values()].sort((a, b) => a.service.localeCompare(b.service));
    const away = all.filter((module) => module.state !== 'online').length;
    count.className = away ? 'p-high' : 'quiet';
    write(count, away ? t('devices.some-away', { n: away }) : t('devices.all-online', { n: all.length }));
    replace(modules, all.map((module) => h('tr',
      h('td', module.service, module.instance === 'main' ? '' : ` (${module.instance})`),
      h('td', h('span' + (module.state === 'online' ? '.good' : '.p-high'), `${module.state === 'online' ? '●' : '○'} ${t('devices.' + module.state)}`)), h('td.number', when(module.since)), h('td', module.version))));
  }

  async function drawDevices() {
    try {
      const answer = await api.get('/modules/vigil-ingest/parameters/devices');
      if (answer.error) throw new Error(answer.error);
      // What people type in is of no device.
      const list = JSON.parse(answer.value).filter((one) => !one.device.startsWith('manual.')).sort((a, b) => app.nameOf(a.participant).localeCompare(app.nameOf(b.participant)) || a.device.localeCompare(b.device));
      const people = [...new Set(list.map((one) => one.participant))].filter((person) => app.byIdentifier.has(person)).slice(0, mostPeople);
      await Promise.all(people.map(async (person) => newest.set(person, await api.get(api.of(person, 'latest')).catch(() => []))));
      alone = new Set(people.filter((person) => list.filter((one) => one.participant === person).length === 1));
      replace(devices, list.length ? h('div.scroll', h('table.cards', h('thead', h('tr', columns.map((name) => h('th', t('devices.' + name))), h('th', h('span.visually-hidden', t('alert.do'))))), h('tbody', list.map(device)))) : h('p.quiet', t('devices.none')));
    } catch (error) {
      replace(devices, h('p.note', app.miss(error)));
    }
  }

  async function send(name, value) {
    try {
      const said = await api.put(`/modules/vigil-ingest/parameters/${name}`, { value });
      if (said.error) throw new Error(said.error);
    } catch (error) { app.fail(error); }
    drawDevices();
  }

  /** The newest value of a metric that the device has sent; of a quality, which a service judges, where the person has no other device. */
  function own({ participant, device: name }, metric) {
    const value = newest.get(participant)?.find((one) => one.metric === metric);
    return value && (value.source === name || (/quality$/.test(metric) && alone.has(participant))) ? value.value ?? null : null;
  }

  function device(one) {
    const battery = one.battery ?? own(one, 'battery-level');
    const state = [one.signal, one.firmware, one.lastContact ? t('devices.contact', { time: when(one.lastContact) }) : null].filter(Boolean).join(' · ');
    const quality = own(one, 'ecg-quality');
    const cell = (name, text, spec = 'td.number') => h(spec, { 'data-label': t('devices.' + name) }, text);
    const address = `${one.participant}/${one.device}`;
    return h('tr', h('td', h('strong', one.device), state ? h('div.quiet', state) : null), h('td', app.byIdentifier.has(one.participant) ? h('a', { href: `/p/${encodeURIComponent(one.participant)}/live` }, app.nameOf(one.participant)) : one.participant),
      cell('last', one.lastSeen ? when(one.lastSeen) : '--'),
      cell('battery', battery === null ? '--' : `${number(Math.round(battery))} %`, battery !== null && battery < 20 ? 'td.number.p-medium' : 'td.number'),
      cell('clock', typeof one.clockOffset === 'number' ? clock(one.clockOffset) : '--'),
      cell('quality', quality === null ? '--' : t(quality < 0.5 ? 'quality.poor' : quality < 0.8 ? 'quality.fair' : 'quality.good'), quality !== null && quality < 0.5 ? 'td.p-medium' : 'td'),
      h('td', one.refused ? { 'data-label': t('devices.refused') } : {}, one.refused ? `${one.refused}` : '', one.lastReject ? h('div.quiet', `${one.lastRejectTime ? when(one.lastRejectTime) : ''} ${one.lastReject}`) : null),
      h('td', h('div.row', one.quarantined ? h('button', { onclick: () => send('release', address) }, t('devices.release')) : h('button', { onclick: () => send('quarantine', address) }, t('devices.quarantine')),
        one.boundTo ? h('button', { onclick: () => send('bindings', `${one.device}=`) }, t('devices.unbind', { person: one.boundTo })) : h('button', { onclick: () => send('bindings', `${one.device}=${one.participant}`) }, t('devices.bind')))));
  }

  const clock = (seconds) => (Math.abs(seconds) < 2 ? t('devices.right') : `${seconds > 0 ? '+' : ''}${number(seconds)} s`);

  async function drawParameters() {
    const { parameters: all } = await api.get('/modules');
    replace(parameters, Object.entries(all).filter(([, items]) => items.length).map(([service, items]) => h('details', h('summary', service), h('div.scroll', h('table.cards', h('tbody', items.map((item) => parameter(service, item))))))));
  }

  function parameter(service, item) {
    const path = `/modules/${service}/parameters/${item.name}`;
    const value = h('input', { 'aria-label': item.name, disabled: item.readonly });
    const said = h('span.quiet', { role: 'status' }, item.readonly ? t('devices.readonly') : '');
    const run = async (work) => {
      try {
        const answer = await work();
        if (answer.error) throw new Error(answer.error);
        value.value = String(answer.value);
        write(said, t('settings.stored'));
      } catch (error) { write(said, sentence(error)); }
    };
    const typed = () => (item.type === 'boolean' ? value.value === 'true' : item.type === 'text' ? value.value : Number(value.value));
    return h('tr', h('td', h('strong', item.name), h('div.quiet', item.description)), h('td', value, h('div', said)), h('td', h('div.row',
      h('button', { onclick: () => run(async () => { const answer = await api.get(path); queueMicrotask(() => write(said, '')); return answer; }) }, t('devices.read')),
      item.readonly ? null : h('button', { onclick: () => run(() => api.put(path, { value: typed() })) }, t('devices.set')))));
  }

  drawModules();
  app.live.addEventListener('modules', drawModules);
  await Promise.all([drawDevices(), drawParameters()]);
  return () => app.live.removeEventListener('modules', drawModules);
}
