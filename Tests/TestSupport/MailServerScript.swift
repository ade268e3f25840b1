/// An SMTP server in Python for `PythonServer`: takes every message and prints it as one line of JSON, recipients included.
package enum MailServerScript {
    package static let text = """
        import socketserver, json
        class Handler(socketserver.StreamRequestHandler):
            def say(self, text): self.wfile.write((text + '\\r\\n').encode())
            def handle(self):
                self.say('220 test'); recipients = []
                while (line := self.rfile.readline().decode().strip()):
                    word = line.upper()
                    if word.startswith('EHLO'): self.say('250-test'); self.say('250 8BITMIME')
                    elif word.startswith('RCPT'): recipients.append(line); self.say('250 ok')
                    elif word == 'DATA':
                        self.say('354 go'); body = []
                        while (part := self.rfile.readline().decode('utf-8')) != '.\\r\\n': body.append(part)
                        print(json.dumps({'to': recipients, 'text': ''.join(body)}, ensure_ascii=False), flush=True)
                        self.say('250 ok')
                    elif word == 'QUIT': self.say('221 bye'); return
                    elif word == 'STARTTLS': self.say('502 no')
                    else: self.say('250 ok')
        server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
