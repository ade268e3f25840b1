// A view for a child or an elder: the own numbers, one message, and one button that calls for help.
import { h, replace, write, attribute } from '../dom.js';
import { api } from '../api.js';
import { t, local, metricName } from '../i18n.js';
import { Vital } from '../vitals.js';
import { due } from './questions.js';
import { isActive } from '../live.js';
import { sentence } from '../errors.js';

const usual = ['heart-rate', 'oxygen-saturation', 'blood-glucose', 'systolic-pressure', 'body-temperature', 'body-weight', 'steps'];

export async function show(app, main, id) {
  const numbers = h('div.simple-numbers');
  const message = h('p.simple-message');
  const said = h('p.simple-message', { role: 'status' });
  const help = app.can('enter') ? h('button.help', { onclick: () => call() }, t('simple.help')) : null;
  main.append(h('div.simple', numbers, message, help, said, app.can('enter') ? h('a.button', { href: `/p/${encodeURIComponent(id)}/measure` }, t('measure.add')) : null));
  let vitals = [];
  let isCalled = false;

  function draw() {
    const known = app.live.people.get(id);
    const wanted = (app.preference('tiles-' + id) ?? usual).filter((metric) => known?.values.has(metric)).slice(0, 3);
    if (wanted.join() !== vitals.map((vital) => vital.metric).join()) {
      vitals = wanted.map((metric) => new Vital(metric, metricName(metric), true));
      replace(numbers, vitals.map((vital) => h('ul.vitals', vital.element)));
    }
    for (const vital of vitals) vital.draw(app.live, known);
    const alert = known?.alerts.get('help-called');
    const isHeard = alert && isActive(alert);
    if (isCalled || isHeard) write(said, t(alert?.acknowledged ? 'simple.coming' : isHeard ? 'simple.called' : 'simple.calling', { actor: alert?.actor ?? '' }));
  }

  /** Raises the alarm. Without a connection it says so at once: nobody may wait for help that was never called. */
  async function call() {
    help.disabled = true;
    attribute(said, 'class', 'simple-message');
    write(said, t('simple.calling'));
    try {
      await api.post(api.of(id, 'measurements'), { readings: [{ metric: 'help-call', value: 1 }] });
      isCalled = true;
      draw();
    } catch (error) {
      isCalled = false;
      // The alarm itself is the better answer than a receipt that does not come.
      if (app.live.people.get(id)?.alerts.has('help-called')) return draw();
      attribute(said, 'class', 'simple-message error');
      write(said, `${t('simple.not-called')} ${sentence(error)}`);
    } finally { setTimeout(() => { help.disabled = false; }, 3000); }
  }

  draw();
  for (const what of ['values', 'alerts', 'tick', 'snapshot']) app.live.addEventListener(what, draw);
  newest(app, id).then((text) => write(message, text)).catch(() => {});
  return () => { for (const what of ['values', 'alerts', 'tick', 'snapshot']) app.live.removeEventListener(what, draw); };
}

/** One message: a questionnaire that is due, or the newest of a module. */
async function newest(app, id) {
  const [first] = await due(app, id);
  if (first) return `${t('questions.due')}: ${local(first.title)}`;
  for (const module of (await api.get(api.of(id, 'modules'))).filter((item) => item.available)) {
    const page = await api.get(api.of(id, 'modules/' + module.id));
    if (page.message) return local(page.message.text);
  }
  return '';
}
