// The suite's services with their parameters, and the devices that send.
import { h, replace, write } from '../dom.js';
import { api } from '../api.js';
import { t, when, number } from '../i18n.js';
import { sentence } from '../errors.js';

export async function show(app, main) {
  const modules = h('tbody');
  const parameters = h('div');
  const devices = h('div');
  main.append(
    h('section.panel', h('h2', t('devices.devices')), devices),
    h('section.panel', h('h2', t('devices.modules')), h('div.scroll', h('table', h('thead', h('tr', ['service', 'state', 'since', 'version'].map((name) => h('th', t('devices.' + name))))), modules))),
    h('section.panel', h('h2', t('devices.parameters')), parameters));

  function drawModules() {
    replace(modules, [...app.live.modules.values()].sort((a, b) => a.service.localeCompare(b.service)).map((module) => h('tr',
      h('td', module.service, module.instance === 'main' ? '' : ` (${module.instance})`),
      h('td', h('span' + (module.state === 'online' ? '.good' : '.p-high'), `${module.state === 'online' ? '●' : '○'} ${t('devices.' + module.state)}`)), h('td.number', when(module.since)), h('td', module.version))));
  }

  async function drawDevices() {
    try {
      const answer = await api.get('/modules/vigil-ingest/parameters/devices');
      if (answer.error) throw new Error(answer.error);
      const list = JSON.parse(answer.value);
      const send = async (name, value) => { try { const said = await api.put(`/modules/vigil-ingest/parameters/${name}`, { value }); if (said.error) throw new Error(said.error); } catch (error) { app.fail(error); } drawDevices(); };
      replace(devices, list.length ? h('div.scroll', h('table.cards', h('thead', h('tr', ['device', 'person', 'last', 'clock', 'refused'].map((name) => h('th', t('devices.' + name))), h('th', h('span.visually-hidden', t('alert.do'))))),
        h('tbody', list.map((device) => h('tr', h('td', device.device), h('td', app.nameOf(device.participant)), h('td.number', { 'data-label': t('devices.last') }, device.lastSeen ? when(device.lastSeen) : '--'),
          h('td.number', { 'data-label': t('devices.clock') }, typeof device.clockOffset === 'number' ? `${number(device.clockOffset)} s` : '--'), h('td', device.refused ? { 'data-label': t('devices.refused') } : {}, device.refused ? `${device.refused}` : '', device.lastReject ? h('div.quiet', `${device.lastRejectTime ? when(device.lastRejectTime) : ''} ${device.lastReject}`) : null),
          h('td', h('div.row', device.quarantined ? h('button', { onclick: () => send('release', `${device.participant}/${device.device}`) }, t('devices.release')) : h('button', { onclick: () => send('quarantine', `${device.participant}/${device.device}`) }, t('devices.quarantine')),
            device.boundTo ? h('button', { onclick: () => send('bindings', `${device.device}=`) }, t('devices.unbind', { person: device.boundTo })) : h('button', { onclick: () => send('bindings', `${device.device}=${device.participant}`) }, t('devices.bind'))))))))) : h('p.quiet', t('devices.none')));
    } catch (error) {
      replace(devices, h('p.note', app.miss(error)));
    }
  }

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
