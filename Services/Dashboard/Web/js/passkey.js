// What a person's own device signs: a second step of signing in. Bytes travel as base64url.
import { api, APIError } from './api.js';
import { t } from './i18n.js';

function text(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytes(word) {
  return Uint8Array.from(atob(word.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}

/** The browser's refusals in words: it says only that somebody stopped it, or that it cannot. */
async function asking(request) {
  if (!navigator.credentials || !window.PublicKeyCredential) throw new APIError(0, 'passkey-unsupported', t('passkey.unsupported'));
  try {
    return await request();
  } catch (error) {
    if (error.name === 'InvalidStateError') throw new APIError(0, 'passkey-known', t('passkey.known'));
    throw new APIError(0, 'passkey-stopped', t('passkey.stopped'));
  }
}

async function answer(question) {
  const given = await asking(() => navigator.credentials.get({
    publicKey: {
      challenge: bytes(question.challenge), rpId: question.host, timeout: 110000, userVerification: 'discouraged',
      allowCredentials: question.known.map((id) => ({ type: 'public-key', id: bytes(id) })),
    },
  }));
  return { id: text(given.rawId), clientData: text(given.response.clientDataJSON), authenticatorData: text(given.response.authenticatorData), signature: text(given.response.signature) };
}

/** Signs in by a password or a link; where the account has a passkey, asks for it too. */
export async function signIn(path, body) {
  try {
    return await api.post(path, body);
  } catch (error) {
    if (error.code !== 'passkey') throw error;
    const question = error.content.passkey;
    return api.post('/session', { name: question.name, password: body.password, passkey: await answer(question) });
  }
}

/** Makes a passkey on this device, or on one that the browser reaches. */
export async function addPasskey(label, password) {
  const question = await api.post('/me/passkeys/challenge', { password });
  const made = await asking(() => navigator.credentials.create({
    publicKey: {
      challenge: bytes(question.challenge), rp: { id: question.host, name: 'Vigil' }, timeout: 110000, attestation: 'none',
      user: { id: new TextEncoder().encode(question.name), name: question.name, displayName: question.name },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
      excludeCredentials: question.known.map((id) => ({ type: 'public-key', id: bytes(id) })),
    },
  }));
  await api.post('/me/passkeys', { label, clientData: text(made.response.clientDataJSON), authenticatorData: text(made.response.getAuthenticatorData()) });
}
