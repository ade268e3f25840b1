/// Stand-ins for the services that notifications are sent through, for `PythonServer`, written from the services' public documentation.
///
/// Each request is printed as one line of JSON: method, path, headers, and the body as the service reads it. A service answers with its own
/// errors: a wrong token or member is refused as the documentation says.
package enum ServiceServerScript {
    /// - Parameter trouble: the answers that come first: `429 <header>`, `429-body`, `400`, `500`, `hang`, `not-json`; then the service is well.
    package static func text(trouble: [String] = []) -> String {
        """
        import http.server, json, re, time, urllib.parse, base64
        trouble = \(trouble)
        def need(ok, status, answer):
            if not ok: raise Refused(status, answer)
        class Refused(Exception):
            def __init__(self, status, answer): self.status, self.answer = status, answer
        def ntfy(r):
            need(r.method == 'POST' and r.path == '/', 404, {'code': 40401, 'http': 404, 'error': 'page not found'})
            need(r.headers.get('Authorization') == 'Bearer tk_right', 403, {'code': 40301, 'http': 403, 'error': 'forbidden'})
            b = r.json()
            need(re.fullmatch('[-_A-Za-z0-9]{1,64}', b.get('topic', '')), 400, {'code': 40009, 'http': 400, 'error': 'invalid topic'})
            need(b.get('priority') in (1, 2, 3, 4, 5), 400, {'code': 40007, 'http': 400, 'error': 'invalid priority'})
            need(len(b['message'].encode()) <= 4096 and len(b['title'].encode()) <= 256, 413, {'error': 'too large'})
            need(len(b.get('actions', [])) <= 3, 400, {'code': 40018, 'error': 'too many actions'})
            need(all(a['action'] == 'view' and a['label'] and a['url'] for a in b.get('actions', [])), 400, {'error': 'invalid action'})
            return 200, {'id': 'x', 'event': 'message', 'topic': b['topic']}
        def gotify(r):
            need(r.method == 'POST' and r.path == '/message', 404, {'error': 'Not Found', 'errorDescription': 'page not found'})
            need(r.headers.get('X-Gotify-Key') == 'tk_right', 401, {'error': 'Unauthorized', 'errorCode': 401, 'errorDescription': 'valid access token needed'})
            b = r.json(); need(b.get('message') and 0 <= b['priority'] <= 10, 400, {'error': 'Bad Request', 'errorDescription': 'Field message is required'})
            need(isinstance(b.get('extras'), dict), 400, {'error': 'Bad Request'})
            return 200, {'id': 1, 'appid': 1}
        def pushover(r):
            need(r.path == '/1/messages.json', 404, {'status': 0})
            b = r.form(); need(b['token'] == 'tk_right' and b['user'] == 'u_right', 400, {'token': 'invalid', 'status': 0, 'errors': ['application token is invalid']})
            need(len(b['message']) <= 1024 and len(b['title']) <= 250 and len(b.get('url', '')) <= 512, 400, {'status': 0, 'errors': ['too long']})
            if b['priority'] == '2': need(int(b['retry']) >= 30 and int(b['expire']) <= 10800, 400, {'status': 0, 'errors': ['retry is needed']})
            return 200, {'status': 1, 'request': 'r'}
        def telegram(r):
            need(r.path == '/bottk_right/sendMessage', 401, {'ok': False, 'error_code': 401, 'description': 'Unauthorized'})
            b = r.json(); need(b['chat_id'] == '42', 400, {'ok': False, 'error_code': 400, 'description': 'Bad Request: chat not found'})
            need(1 <= len(b['text'].encode('utf-16-le')) // 2 <= 4096, 400, {'ok': False, 'description': 'Bad Request: message is too long'})
            need('parse_mode' not in b, 400, {'ok': False, 'description': 'cannot parse entities'})
            need(all(k['text'] and k['url'].startswith('https://') for row in b.get('reply_markup', {}).get('inline_keyboard', []) for k in row), 400, {'ok': False, 'description': 'BUTTON_URL_INVALID'})
            return 200, {'ok': True, 'result': {'message_id': 1}}
        seen = {}
        def matrix(r):
            need(r.method == 'PUT', 405, {'errcode': 'M_UNRECOGNIZED', 'error': 'wrong method'})
            need(r.headers.get('Authorization') == 'Bearer tk_right', 401, {'errcode': 'M_UNKNOWN_TOKEN', 'error': 'Unrecognised access token'})
            m = re.fullmatch('/_matrix/client/v3/rooms/([^/]+)/send/m.room.message/([^/]+)', r.path)
            need(m and urllib.parse.unquote(m[1]) == '!room:example.org', 403, {'errcode': 'M_FORBIDDEN', 'error': 'not in the room'})
            b = r.json(); need(b['msgtype'] == 'm.text' and isinstance(b['body'], str) and 'm.mentions' in b, 400, {'errcode': 'M_BAD_JSON'})
            return 200, {'event_id': seen.setdefault(m[2], '$' + str(len(seen)))}
        def signal(r):
            need(r.path == '/v2/send', 404, {'error': 'not found'})
            b = r.json(); need(b['number'].startswith('+') and b['recipients'] and isinstance(b['recipients'], list), 400, {'error': "Couldn't process request - no recipients"})
            return 201, {'timestamp': '1'}
        def slack(r):
            need(r.path == '/services/T/B/X', 404, 'no_service'); b = r.json()
            marked = b['text'] + ''.join(k['text']['text'] for k in b['blocks'] if k['text']['type'] == 'mrkdwn')
            need(b['text'] and not re.search('<[!@]', marked), 400, 'invalid_payload')
            for k in b['blocks']: need(k['type'] == 'section' and 1 <= len(k['text']['text']) <= 3000, 400, 'invalid_blocks')
            return 200, 'ok'
        def teams(r):
            need(r.path == '/workflows/1/triggers/manual', 404, {'error': {'code': 'WorkflowNotFound'}}); c = r.json()['attachments'][0]
            need(c['contentType'] == 'application/vnd.microsoft.card.adaptive' and c['content']['type'] == 'AdaptiveCard', 400, {'error': {'code': 'Bad'}})
            need(all(a['type'] == 'Action.OpenUrl' for a in c['content'].get('actions', [])), 400, {})
            return 202, ''
        def discord(r):
            need(r.path == '/api/webhooks/1/tk?wait=true', 401, {'message': 'Invalid Webhook Token', 'code': 50027}); b = r.json()
            e = b['embeds'][0]; need(len(e['title']) <= 256 and len(e['description']) <= 4096 and isinstance(e['color'], int), 400, {'message': 'Invalid Form Body', 'code': 50035})
            need(b['allowed_mentions'] == {'parse': []}, 400, {'message': 'mentions'})
            return 200, {'id': '1'}
        def pagerduty(r):
            need(r.path == '/v2/enqueue', 404, {}); b = r.json()
            need(b['routing_key'] == 'tk_right', 400, {'status': 'invalid event', 'message': 'Event object is invalid', 'errors': ["'routing_key' is invalid"]})
            need(b['event_action'] in ('trigger', 'acknowledge', 'resolve') and len(b['dedup_key']) <= 255, 400, {'status': 'invalid event'})
            p = b['payload']; need(p['severity'] in ('critical', 'error', 'warning', 'info') and p['source'] and 1 <= len(p['summary']) <= 1024, 400, {'status': 'invalid event', 'message': 'Event object is invalid'})
            return 202, {'status': 'success', 'message': 'Event processed', 'dedup_key': b['dedup_key']}
        def sms(r):
            need(r.path == '/2010-04-01/Accounts/AC1/Messages.json', 404, {'code': 20404})
            need(r.headers.get('Authorization') == 'Basic ' + base64.b64encode(b'AC1:tk_right').decode(), 401, {'code': 20003, 'message': 'Authenticate', 'status': 401})
            b = r.form(); need(len(b['Body']) <= 1600 and b['To'].startswith('+'), 400, {'code': 21211, 'message': "The 'To' number is not a valid phone number."})
            return 201, {'sid': 'SM1', 'status': 'queued'}
        services = {f.__name__: f for f in [ntfy, gotify, pushover, telegram, matrix, signal, slack, teams, discord, pagerduty, sms]}
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *a): pass
            def json(self):
                need(self.headers['Content-Type'].split(';')[0] == 'application/json', 415, {'error': 'unsupported media type'})
                try: return json.loads(self.raw)
                except ValueError: raise Refused(400, {'error': 'malformed JSON'})
            def form(self):
                need(self.headers['Content-Type'] == 'application/x-www-form-urlencoded', 415, {})
                return dict(urllib.parse.parse_qsl(self.raw.decode(), keep_blank_values=True, strict_parsing=True))
            def answer(self, status, answer, headers={}):
                body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name, value)
                self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
            def serve(self):
                self.method = self.command
                self.raw = self.rfile.read(int(self.headers.get('Content-Length') or 0))
                name, self.path = re.fullmatch('/([a-z]+)(/.*)?', self.path).groups(default='/')
                try: body = json.loads(self.raw)
                except ValueError: body = dict(urllib.parse.parse_qsl(self.raw.decode(), keep_blank_values=True))
                print(json.dumps({'method': self.method, 'path': self.path, 'headers': dict(self.headers), 'body': body}), flush=True)
                if trouble:
                    t = trouble.pop(0).split(' ', 1)
                    if t[0] == 'hang': time.sleep(3600)
                    if t[0] == '429': return self.answer(429, {'error': 'limit'}, {'Retry-After': t[1]})
                    if t[0] == '429-body': return self.answer(429, {'ok': False, 'error_code': 429, 'parameters': {'retry_after': 7}, 'retry_after': 7.0, 'retry_after_ms': 7000})
                    if t[0] == 'not-json': return self.answer(200, '<html>login</html>')
                    return self.answer(int(t[0]), {'error': 'trouble'})
                try: self.answer(*services[name](self))
                except Refused as r: self.answer(r.status, r.answer)
                except (KeyError, TypeError, AttributeError, IndexError) as e: self.answer(400, {'error': 'missing: ' + repr(e)})
            do_GET = do_POST = do_PUT = serve
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
    }
}
