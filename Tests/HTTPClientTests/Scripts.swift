/// The servers that the tests talk to.
enum Scripts {
    /// Answers `/echo`, `/redirect`, `/file` (with ranges), `/plain-file` (without), `/slow`, `/missing`, `/large`.
    static let http = """
        import http.server, time, sys
        DATA = bytes(range(256)) * 4096
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *a): pass
            def answer(self, status, body, headers={}):
                self.send_response(status)
                for k, v in headers.items(): self.send_header(k, v)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                self.answer(200, body, {'X-Type': self.headers['Content-Type'], 'X-Extra': self.headers.get('X-Extra', '')})
            def do_GET(self):
                if self.path == '/echo': self.answer(200, self.headers.get('X-Extra', '').encode(), {'X-Kind': 'echo'})
                elif self.path == '/redirect': self.answer(302, b'', {'Location': '/echo'})
                elif self.path == '/to-file': self.answer(302, b'', {'Location': 'file:///etc/passwd'})
                elif self.path == '/slow': time.sleep(30)
                elif self.path == '/plain-file': self.answer(200, DATA)
                elif self.path == '/file':
                    start = self.headers.get('Range')
                    if start is None: return self.answer(200, DATA)
                    start = int(start.split('=')[1].split('-')[0])
                    if start >= len(DATA): return self.answer(416, b'', {'Content-Range': 'bytes */%d' % len(DATA)})
                    self.answer(206, DATA[start:], {'Content-Range': 'bytes %d-%d/%d' % (start, len(DATA) - 1, len(DATA))})
                else: self.answer(404, b'no such page')
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
