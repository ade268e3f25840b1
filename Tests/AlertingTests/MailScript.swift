/// An SMTP server that prints each message as one line of JSON.
enum MailScript {
    static let smtp = """
        import socketserver, json
        class Handler(socketserver.StreamRequestHandler):
            def say(self, text): self.wfile.write((text + '\\r\\n').encode())
            def handle(self):
                self.say('220 test')
                while (line := self.rfile.readline().decode().strip()):
                    word = line.upper()
                    if word == 'DATA':
                        self.say('354 go'); body = []
                        while (part := self.rfile.readline().decode('utf-8')) != '.\\r\\n': body.append(part)
                        print(json.dumps(''.join(body), ensure_ascii=False), flush=True)
                        self.say('250 ok')
                    elif word == 'QUIT': self.say('221 bye'); return
                    else: self.say('250 ok')
        server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
