// One file on its way into the timeline, as a card: its state, what it is, what it asks, and what became of every cell.
import { h, replace, write } from '../dom.js';
import { api } from '../api.js';
import { t, has, said as translated, number, when, metricName } from '../i18n.js';

const open = ['asks', 'ready', 'failed', 'complete'];

/** @returns {{element: HTMLElement, key: string, update: Function}} */
export function card(app, job, { ask, saveRejects }) {
  const state = h('span.chip', { role: 'status' });
  const bar = h('progress.hidden', { max: 1, 'aria-label': job.name });
  const words = h('span.quiet.number');
  const said = h('p.error', { role: 'alert' });
  const body = h('div');
  const discard = h('button', { onclick: async () => write(said, await ask(() => api.remove('/imports/' + job.id))) });
  const element = h('article.panel', h('div.row', h('h2.grow.file', job.name), words, state, discard), bar, said, body);
  const shown = { element, key: '', update };

  function update(next, problem) {
    const hopeless = open.includes(next.state) && next.findings?.length && next.findings.every((finding) => finding.problem);
    write(state, t('import.state.' + (problem || hopeless ? 'failed' : next.state)));
    state.classList.toggle('p-high', Boolean(next.state === 'failed' || problem || hopeless));
    state.classList.toggle('good', next.state === 'done');
    write(discard, t(next.state === 'done' ? 'import.clear' : 'import.discard'));
    discard.setAttribute('aria-label', `${discard.textContent}: ${next.name}`);
    drawProgress(next);
    const key = next.state + (problem ?? '');
    if (key === shown.key) return;
    shown.key = next.state;
    write(said, problem || (next.state === 'failed' ? translated(next.error) : ''));
    replace(body, next.state === 'uploading' ? h('p.quiet', t('import.unfinished')) : null, next.state === 'waiting' ? h('p.note', t('import.waiting')) : null,
      open.includes(next.state) ? decisions(next) : null, next.outcome ? account(next, next.outcome) : null);
  }

  function drawProgress(next) {
    const { state: name, progress, received, size } = next;
    const share = name === 'uploading' ? received / size : progress?.total ? progress.read / progress.total : undefined;
    bar.classList.toggle('hidden', share === undefined && !['queued', 'surveying'].includes(name));
    if (share === undefined) bar.removeAttribute('value'); else bar.value = share;
    write(words, share === undefined ? bytes(size) : `${bytes(size)} · ${number(Math.floor(share * 100))} %`);
  }

  /** What the file is, what it asks, and what can be done with it. */
  function decisions(next) {
    const findings = next.findings ?? [];
    const fields = questions(app, next, findings);
    const form = h('form.form', {
      onsubmit: async (event) => {
        event.preventDefault();
        const step = event.submitter?.value ?? 'try';
        write(said, '');
        shown.key = '';
        write(said, await ask(() => api.post(`/imports/${next.id}/${step}`, fields.read())));
      },
    }, fields.elements, h('div.row', h('button', { type: 'submit', name: 'step', value: 'try' }, t('import.try')), h('button.primary', { type: 'submit', name: 'step', value: 'start' }, t('import.start'))));
    const possible = !findings.length || findings.some((finding) => !finding.problem);
    return [findings.map((finding) => describe(finding, findings.length === 1 && finding.name === next.name)), next.trial ? account(next, next.trial, true) : null, possible ? form : null];
  }

  function account(next, outcome, isTrial) {
    const total = outcome.total;
    const lines = isTrial ? [['rows', total.rows], ['accepted', total.accepted]] : [['rows', total.rows], ['stored', total.stored], ['known', total.duplicates], ['corrected', total.corrections], ['store-refused', total.refused]];
    lines.push(['entries', total.entries], ['cells-refused', total.rejected], ['empty', total.empty], ['ignored', total.ignored]);
    const failed = outcome.files.filter((file) => file.failure);
    return h('div', h('h3', t(isTrial ? 'import.trial' : 'import.account')),
      h('div.scroll', h('table', h('tbody', lines.filter(([name, count]) => count || name === 'rows').map(([name, count]) => h('tr', h('th', { scope: 'row' }, t('import.' + name)), h('td.number', number(count))))))),
      outcome.files.some((file) => file.isKnown) ? h('p.note', t('import.was-known')) : null,
      failed.map((file) => h('p.error', `${file.name}: ${translated(file.failure)}`)),
      outcome.files.flatMap((file) => file.notes).map((note) => h('p.quiet', translated(note))),
      total.rejected ? h('button', { onclick: async () => write(said, await ask(() => saveRejects(next))) }, t('import.rejects', { n: number(total.rejected) })) : null);
  }

  return shown;
}

function describe(finding, isOne) {
  // A file that is no archive is called as the card is.
  const name = isOne ? null : h('p.file', h('strong', finding.name));
  if (finding.problem) return h('div', name, h('p.error', translated(finding.problem)));
  const facts = [[t('import.is'), has('import.profile.' + finding.profile) ? t('import.profile.' + finding.profile) : finding.title || finding.profile], [t('import.rows'), number(finding.rows)],
    finding.from === undefined ? null : [t('import.range'), `${when(finding.from)} – ${when(finding.to)}`],
    finding.participants.length ? [t('import.whose'), finding.participants.join(', ')] : null,
    [t('import.metrics'), finding.metrics.map((metric) => `${metricName(metric.name)} (${number(metric.count)})`).join(', ') || '--'],
    finding.unknown.length ? [t('import.unknown'), finding.unknown.join(', ')] : null];
  return h('div', name,
    h('dl.facts', facts.filter(Boolean).map(([name, value]) => [h('dt', name), h('dd', value)])),
    finding.notes.map((note) => h('p.quiet', translated(note))),
    finding.columns.length ? h('details', h('summary', t('import.columns')), h('div.scroll', h('table', h('tbody', finding.columns.map((column) => h('tr', h('th', { scope: 'row' }, column.header), h('td', '→ ' + metricName(column.metric)), h('td', column.unit))))))) : null);
}

/** The questions of all files of a job, each once, with what was answered before. */
function questions(app, job, findings) {
  const asked = new Map();
  for (const question of findings.flatMap((finding) => finding.questions)) asked.set(question.kind + (question.column ?? ''), question);
  const given = job.answers ?? {};
  if (given.participant && !asked.has('participant')) asked.set('participant', { kind: 'participant', choices: [], isRequired: false });
  const units = {};
  const read = {};
  const elements = [...asked.values()].map((question) => {
    const { kind, column } = question;
    let field;
    if (question.choices.length) {
      const chosen = kind === 'units' ? given.units?.[column] : given[kind];
      field = h('select', { required: question.isRequired }, h('option', { value: '' }, t('import.answer')), question.choices.map((choice) => h('option', { value: choice.value, selected: chosen === choice.value },
        kind === 'dateOrder' ? t('import.order.' + choice.value) : `${choice.value} – ${choice.words}${choice.isLikely ? '' : ` (${t('import.unlikely')})`}`)));
    } else {
      const list = h('datalist#' + `import-${kind}-${job.id}`, (kind === 'zone' ? Intl.supportedValuesOf('timeZone') : kind === 'participant' ? app.participants.map((person) => person.id) : []).map((value) => h('option', { value })));
      field = h('input', { required: question.isRequired, list: list.id, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off', placeholder: kind === 'zone' ? 'Europe/Berlin' : kind === 'columns' ? 'timestamp, heart-rate, -' : '', value: kind === 'columns' ? (given.columns ?? []).join(', ') : given[kind] ?? '' });
      if (kind === 'participant') { field.pattern = '[A-Za-z0-9_.\\-]{1,64}'; field.title = t('import.name-form'); }
      field = [field, list];
    }
    const control = Array.isArray(field) ? field[0] : field;
    if (kind === 'units') units[column] = () => control.value; else read[kind] = () => control.value;
    const words = kind === 'units' ? t('import.q.units', { column }) : t('import.q.' + kind);
    return h('label', h('span', words + (question.isRequired ? ' *' : '')), field, kind === 'dateOrder' && question.words ? h('span.quiet', question.words) : null, kind === 'zone' && !question.isRequired ? h('span.quiet', t('import.zone-open')) : null);
  });
  return {
    elements,
    read: () => {
      const answers = {};
      for (const [kind, value] of Object.entries(read)) if (value()) answers[kind] = kind === 'columns' ? value().split(',').map((name) => name.trim()) : value();
      const named = Object.entries(units).map(([column, value]) => [column, value()]).filter(([, value]) => value);
      if (named.length) answers.units = Object.fromEntries(named);
      return answers;
    },
  };
}

function bytes(size) { return size < 1e6 ? `${number(Math.max(1, Math.round(size / 1000)))} kB` : `${number(Math.round(size / 1e5) / 10)} MB`; }
