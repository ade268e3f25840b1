// The REST interface. A refusal is an `APIError` with the server's words.

export class APIError extends Error {
  constructor(status, code, reason, content = null) {
    super(reason);
    this.status = status;
    this.code = code;
    this.content = content;
  }
}

let onSignedOut = () => {};
export function whenSignedOut(action) { onSignedOut = action; }

let account = null;
/** For whom the page is: a change that comes from it after another account has signed in, in another tab, is refused. */
export function setAccount(name) { account = name; }

/** A name for a change that may have to be sent again. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function call(method, path, body, id) {
  let response;
  try {
    const headers = body === undefined ? {} : { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' };
    if (account !== null && method !== 'GET') headers['Vigil-Account'] = account;
    if (id) headers['Idempotency-Key'] = id;
    response = await fetch('/api/v1' + path, {
      method, credentials: 'same-origin', cache: 'no-store', headers,
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch {
    throw Object.assign(new APIError(0, 'no-connection', ''), { isCommand: method !== 'GET' });
  }
  // The service worker's answer of before, while the server cannot be reached.
  const kept = response.headers.get('X-Vigil-Kept');
  if (kept) dispatchEvent(new CustomEvent('kept', { detail: Number(kept) }));
  const text = await response.text();
  const content = text && response.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : null;
  if (response.ok) return content;
  if (response.status === 401 && path !== '/session' && path !== '/session/link') onSignedOut();
  throw new APIError(response.status, content?.error?.code ?? 'failed', content?.error?.reason ?? response.statusText, content);
}

function query(values) {
  const pairs = Object.entries(values ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return pairs.length ? '?' + new URLSearchParams(pairs) : '';
}

export const api = {
  get: (path, values) => call('GET', path + query(values)),
  post: (path, body = {}, id = undefined) => call('POST', path, body, id),
  put: (path, body, id = undefined) => call('PUT', path, body, id),
  /** A piece of a file. */
  bytes: (path, blob) => call('PUT', path, blob),
  patch: (path, body) => call('PATCH', path, body),
  remove: (path, id = undefined) => call('DELETE', path, undefined, id),
  /** The path of something about a participant. */
  of: (participant, rest) => `/participants/${encodeURIComponent(participant)}/${rest}`,
};
