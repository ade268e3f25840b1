// Keeps the application's shell, and what was last seen of people, for when there is no connection. What is live never comes from here:
// alarms and present values are shown only while the server says so.
const shell = 'vigil-shell';
const pictures = 'vigil-pictures';
const most = 200;
/** As long as a session at most: what is older is shown to nobody. */
const life = 12 * 3600 * 1000;
/** The questions whose last answers are kept, on this device, until somebody signs out or another account signs in. */
const kept = /^\/api\/v1\/(me|metrics|participants|questionnaires|participants\/[^/]+\/(latest|metrics|modules(\/[^/]+)?|page|entries|profile|conditions|series|measurements))$/;

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
/** The page names its files that it fetched before this worker was there. */
addEventListener('message', (event) => event.waitUntil(fill([].concat(event.data).slice(0, 300))));
addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (url.pathname === '/api/v1/session' || url.pathname.startsWith('/api/v1/session/')) return event.respondWith(forgetting(request));
  if (request.method !== 'GET') return;
  if (kept.test(url.pathname)) event.respondWith(picture(request, url));
  else if (!url.pathname.startsWith('/api/') && !url.pathname.startsWith('/fhir')) event.respondWith(file(request, url));
});

/** Whoever signs in or out begins with nothing of the account before. */
async function forgetting(request) {
  await caches.delete(pictures);
  return fetch(request);
}

async function picture(request, url) {
  const store = await caches.open(pictures);
  const key = keyOf(url);
  try {
    const answer = await fetch(request);
    if (answer.status === 401) await caches.delete(pictures);
    else if (answer.ok) await keep(store, key, answer.clone(), url);
    return answer;
  } catch (error) {
    const known = await store.match(key);
    if (known && Date.now() - Number(known.headers.get('X-Vigil-Kept')) < life) return known;
    await store.delete(key);
    throw error;
  }
}

/** What is true at every moment is asked with the present one. */
function keyOf(url) {
  const key = new URL(url);
  if (/\/(entries|measurements)$/.test(key.pathname)) for (const name of ['from', 'to']) key.searchParams.delete(name);
  return key.href;
}

async function keep(store, key, answer, url) {
  const body = await answer.text();
  if (url.pathname === '/api/v1/me') {
    const before = await (await store.match(key))?.json();
    // Another account than before sees nothing of what that one saw.
    if (before && before.name !== JSON.parse(body).name) for (const old of await store.keys()) await store.delete(old);
  }
  await store.put(key, new Response(body, { headers: { 'Content-Type': answer.headers.get('Content-Type') ?? 'application/json', 'X-Vigil-Kept': String(Date.now()) } }));
  const keys = await store.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - most))) await store.delete(old);
}

async function fill(addresses) {
  const store = await caches.open(shell);
  for (const address of ['/', ...addresses]) {
    const url = new URL(address, location.origin);
    if (url.origin !== location.origin || url.pathname.startsWith('/api/') || await store.match(url.pathname)) continue;
    const answer = await fetch(url.pathname).catch(() => null);
    if (answer?.ok) await store.put(url.pathname, answer);
  }
}

/** From the server, so that an upgrade shows at once; without one as it was last. */
async function file(request, url) {
  const store = await caches.open(shell);
  const key = request.mode === 'navigate' && !/\.\w+$/.test(url.pathname) ? '/' : url.pathname;
  try {
    const answer = await fetch(request);
    if (answer.ok) await store.put(key, answer.clone());
    return answer;
  } catch (error) {
    const known = await store.match(key);
    if (known) return known;
    throw error;
  }
}
