// Files into the timeline. The import service is asked over the bus; while it is away, that is said.
import { h, replace } from '../dom.js';
import { t } from '../i18n.js';

export async function show(app, main) {
  main.append(h('section.panel', h('p.note', { role: 'status' }, t('import.away')), h('p.quiet', t('import.what'))));
}
