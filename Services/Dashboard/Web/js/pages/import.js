// Files into the timeline: drop them, read what they are, answer what they leave open, try, import, undo.
import { h, replace, write, dialog } from '../dom.js';
import { api } from '../api.js';
import { t, has, said as translated, number, when } from '../i18n.js';
import { send, uploads, saveRejects } from '../upload.js';
import { card } from './import-job.js';

const busy = ['uploading', 'queued', 'surveying', 'trying', 'importing', 'waiting'];

export async function show(app, main) {
  const note = h('p.note.hidden', { role: 'status' });
  const input = h('input.hidden', { type: 'file', multiple: true, onchange: () => { const files = [...input.files]; input.value = ''; take(files); } });
  const drop = h('div.drop', {
    ondragover: (event) => { event.preventDefault(); drop.classList.add('over'); },
    ondragleave: () => drop.classList.remove('over'),
    ondrop: (event) => { event.preventDefault(); drop.classList.remove('over'); take([...event.dataTransfer.files]); },
  }, h('p', t('import.drop')), h('button.primary', { onclick: () => input.click() }, t('import.choose')), input, h('p.quiet', t('import.what')));
  const said = h('p.error', { role: 'alert' });
  const jobs = h('div');
  const past = h('tbody');
  const earlier = h('section.panel.hidden', h('h2', t('import.earlier')), h('div.scroll', h('table.cards', h('thead', h('tr', ['file', 'when', 'stored', 'known', 'refused', 'state'].map((name) => h('th', t('import.' + name))), h('th', h('span.visually-hidden', t('alert.do'))))), past)));
  main.append(h('section.panel', note, drop, said), jobs, earlier);

  const cards = new Map();
  let known = [];
  let pastKey = '';
  let timer;
  let left = false;

  async function take(files) {
    write(said, '');
    for (const file of files) {
      try {
        await send(file, known.filter((job) => job.state === 'uploading'), () => refresh());
      } catch (error) {
        write(said, `${file.name}: ${error.code === 'unavailable' ? t('import.away') : translated(error.message) || t('error.no-connection')}`);
      }
      await refresh();
    }
  }

  async function refresh() {
    if (left) return;
    clearTimeout(timer);
    try {
      const { jobs: list, imports, undos } = await api.get('/imports');
      known = list;
      note.classList.add('hidden');
      await drawJobs(list);
      drawPast(imports, undos);
    } catch (error) {
      note.classList.remove('hidden');
      write(note, error.code === 'unavailable' ? t('import.away') : error.message || t('error.no-connection'));
    }
    drop.classList.toggle('hidden', !note.classList.contains('hidden'));
    if (left) return;
    clearTimeout(timer);
    timer = setTimeout(refresh, known.some((job) => busy.includes(job.state)) ? 1000 : 5000);
  }

  async function drawJobs(list) {
    for (const [id, shown] of cards) if (!list.some((job) => job.id === id)) { shown.element.remove(); cards.delete(id); }
    for (const job of list) {
      let shown = cards.get(job.id);
      if (!shown) {
        shown = card(app, job, { ask, saveRejects });
        cards.set(job.id, shown);
      }
      // What was found is asked for only when a step has ended.
      if (shown.key !== job.state && !busy.includes(job.state)) {
        try { Object.assign(job, (await api.get('/imports/' + job.id)).jobs[0]); } catch { continue; }
      }
      shown.update(job, uploads.get(job.id));
    }
    list.forEach((job, place) => { const { element } = cards.get(job.id); if (jobs.children[place] !== element) jobs.insertBefore(element, jobs.children[place] ?? null); });
  }

  async function ask(work) {
    try { await work(); } catch (error) { return error.code === 'unavailable' ? t('import.away') : error.code === 'not-found' ? t('error.not-found') : translated(error.message) || t('error.no-connection'); } finally { await refresh(); }
    return '';
  }

  function drawPast(imports, undos) {
    const key = JSON.stringify([imports, undos]);
    if (key === pastKey) return;
    pastKey = key;
    earlier.classList.toggle('hidden', !imports.length);
    replace(past, imports.map((entry) => {
      const undo = undos.find((one) => one.id === entry.id);
      const asked = undo && undo.removed === undefined && !undo.failure;
      return h('tr', h('td', entry.name, h('div.quiet', has('import.profile.' + entry.profile) ? t('import.profile.' + entry.profile) : entry.profile)), h('td.number', when(entry.started / 1e6)), ...[['stored', entry.stored], ['known', entry.duplicates], ['refused', entry.rejected + entry.refused]].map(([name, count]) => h('td.number', { 'data-label': t('import.' + name) }, number(count))),
        h('td', t('import.entry.' + entry.state), undo?.failure ? h('div.error', translated(undo.failure)) : null, entry.state === 'undone' && undo?.removed !== undefined ? h('div.quiet', t('import.removed', { n: number(undo.removed) })) : null),
        h('td', entry.state === 'undone' ? null : h('button', { disabled: asked, 'aria-label': `${t('import.undo')}: ${entry.name}`, onclick: () => sure(entry, imports) }, t(asked ? 'import.undoing' : 'import.undo'))));
    }));
  }

  function sure(entry, imports) {
    const words = h('p.error', { role: 'alert' });
    // They have met readings that were stored already, perhaps this one's: a reading is kept once, as what the first has brought.
    const leaning = imports.filter((one) => one.id !== entry.id && one.state === 'done' && one.duplicates > 0 && (one.finished ?? one.started) > entry.started);
    const warning = leaning.length ? h('p', t('import.leaning', { names: leaning.map((one) => one.name).join(', ') })) : null;
    const box = dialog(t('import.undo'), [h('p', t('import.sure', { name: entry.name, n: number(entry.stored) })), warning, words, h('div.row',
      h('button.primary', { onclick: async () => { const problem = await ask(() => api.post(`/imports/undo/${entry.id}`)); if (problem) write(words, problem); else box.close(); } }, t('import.undo')),
      h('button', { onclick: () => box.close() }, t('cancel')))]);
  }

  await refresh();
  return () => { left = true; clearTimeout(timer); };
}
