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

async function call(method, path, body) {
  let response;
  try {
    response = await fetch('/api/v1' + path, {
      method, credentials: 'same-origin', cache: 'no-store',
      headers: body === undefined ? {} : { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' },
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
  post: (path, body = {}) => call('POST', path, body),
  put: (path, body) => call('PUT', path, body),
  /** A piece of a file. */
  bytes: (path, blob) => call('PUT', path, blob),
  patch: (path, body) => call('PATCH', path, body),
  remove: (path) => call('DELETE', path),
  /** The path of something about a participant. */
  of: (participant, rest) => `/participants/${encodeURIComponent(participant)}/${rest}`,
};
