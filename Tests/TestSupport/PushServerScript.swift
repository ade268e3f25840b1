/// A push service for `PythonServer`, written from RFC 8030, 8188, 8291 and 8292 with Python's own cryptography, and the browser behind it.
package enum PushServerScript {
    /// Prints the subscription, as a browser gives it, and then each message in plain text with its headers, as a line of JSON. `/gone/…` is a
    /// subscription that has ended, `/busy/…` asks for a pause, and two of `/pair/…` are answered together.
    package static let text = """
        import base64, http.server, json, os, threading, time
        from cryptography.hazmat.primitives import hashes, hmac
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
        b64 = lambda b: base64.urlsafe_b64encode(b).rstrip(b'=').decode()
        unb64 = lambda t: base64.urlsafe_b64decode(t + '=' * (-len(t) % 4))
        barrier = threading.Barrier(2)
        own = ec.generate_private_key(ec.SECP256R1()); auth = os.urandom(16)
        point = own.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        public = lambda b: ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b)
        hkdf = lambda salt, info, n, key: HKDF(algorithm=hashes.SHA256(), length=n, salt=salt, info=info).derive(key)
        def check(header, origin):
            scheme, rest = header.split(' ', 1); assert scheme == 'vapid'
            parts = dict(p.strip().split('=', 1) for p in rest.split(','))
            head, claims, signature = parts['t'].split('.'); raw = unb64(signature); assert len(raw) == 64
            der = utils.encode_dss_signature(int.from_bytes(raw[:32], 'big'), int.from_bytes(raw[32:], 'big'))
            public(unb64(parts['k'])).verify(der, (head + '.' + claims).encode(), ec.ECDSA(hashes.SHA256()))
            assert json.loads(unb64(head)) == {'typ': 'JWT', 'alg': 'ES256'}; c = json.loads(unb64(claims))
            assert c['aud'] == origin and time.time() < c['exp'] <= time.time() + 86400 and c['sub'].startswith('mailto:')
        def decrypt(body):
            salt, size, n = body[:16], int.from_bytes(body[16:20], 'big'), body[20]; sender, sealed = body[21:21 + n], body[21 + n:]
            assert n == 65 and len(sealed) <= size and len(body) <= 4096
            secret = own.exchange(ec.ECDH(), public(sender))
            key = hkdf(auth, b'WebPush: info\\0' + point + sender, 32, secret)
            plain = AESGCM(hkdf(salt, b'Content-Encoding: aes128gcm\\0', 16, key)).decrypt(hkdf(salt, b'Content-Encoding: nonce\\0', 12, key), sealed, None)
            plain = plain.rstrip(b'\\0'); assert plain[-1] == 2; return plain[:-1]
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *a): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length'])); status, more = 201, {}
                try:
                    check(self.headers['Authorization'], f'http://127.0.0.1:{server.server_address[1]}')
                    assert self.headers['Content-Encoding'] == 'aes128gcm' and int(self.headers['TTL']) > 0
                    assert self.headers['Urgency'] in ('very-low', 'low', 'normal', 'high') and len(self.headers['Topic']) <= 32
                    if self.path.startswith('/pair/'): barrier.wait(4)
                    if self.path.startswith('/gone/'): status = 410
                    elif self.path.startswith('/busy/'): status, more = 429, {'Retry-After': '9'}
                    else: print(json.dumps({'urgency': self.headers['Urgency'], 'topic': self.headers['Topic'], 'content': json.loads(decrypt(body))}), flush=True)
                except Exception as e: status = 400; print('refused: ' + repr(e), flush=True)
                self.send_response(status); [self.send_header(*m) for m in more.items()]; self.send_header('Content-Length', '0'); self.end_headers()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler); server.daemon_threads = True
        print(server.server_address[1], flush=True)
        print(json.dumps({'expirationTime': None, 'keys': {'p256dh': b64(point), 'auth': b64(auth)}}), flush=True)
        server.serve_forever()
        """
}
