/// Receivers of notifications for `PythonServer`: one that is well, and some that hang as real ones do.
package enum ReceiverScript {
    /// Takes a notification and prints when each alert in it was decided and when it came here.
    package static let healthy = """
        import http.server, json, time
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *a): pass
            def do_GET(self):
                print('beat', flush=True); self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
            def do_POST(self):
                now = time.time()
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                for alert in body['alerts']: print(f"{alert['participant']} {now - alert['decided']}\\n", end='', flush=True)  # one write
                self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        server.socket.listen(128)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    /// Answers a byte a second, without end.
    package static let dripping = """
        import socket, threading, time
        def drip(peer):
            try:
                peer.recv(65536); peer.sendall(b'HTTP/1.1 200 OK\\r\\nX-Padding: ')
                while True: peer.sendall(b'x'); time.sleep(1)
            except OSError: pass
        server = socket.create_server(('127.0.0.1', 0), backlog=128)
        print(server.getsockname()[1], flush=True)
        while True: threading.Thread(target=drip, args=(server.accept()[0],), daemon=True).start()
        """

    /// Takes a mail's text and never answers to its end.
    package static let stalling = """
        import socket, threading, time
        def talk(peer):
            try:
                peer.sendall(b'220 here\\r\\n')
                for line in peer.makefile('rb'):
                    if line.upper().startswith(b'DATA'): peer.sendall(b'354 go on\\r\\n'); time.sleep(3600)
                    else: peer.sendall(b'250 ok\\r\\n')
            except OSError: pass
        server = socket.create_server(('127.0.0.1', 0), backlog=128)
        print(server.getsockname()[1], flush=True)
        while True: threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()
        """

    /// A program that ignores SIGTERM and takes longer than anybody waits.
    package static let stubborn = "#!/bin/sh\ntrap '' TERM\nsleep 300 &\nwait\nsleep 300\n"
}
