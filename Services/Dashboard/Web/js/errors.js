// What a refusal or a lost answer means to whoever reads the page.
import { t, said } from './i18n.js';

const known = ['no-connection', 'not-confirmed', 'not-found', 'unavailable', 'accounts-away', 'other-account'];

/** In a sentence. Of a command whose answer did not come nobody knows whether it was carried out. */
export function sentence(error) {
  if (error.code === 'no-connection' && error.isCommand) return t('error.not-known');
  return known.includes(error.code) ? t('error.' + error.code) : said(error.message) || String(error);
}

/** Whether the same may succeed a little later. */
export const isPassing = (error) => ['no-connection', 'unavailable', 'accounts-away', 'failed'].includes(error.code);

/** Fetching a part of the application failed: the server is away. */
export function asAway(error) {
  if (error instanceof TypeError && /module/.test(error.message)) error.code = 'no-connection';
  return error;
}
