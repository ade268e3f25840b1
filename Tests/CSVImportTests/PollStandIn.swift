import Foundation
import SuiteHarness
import TestSupport

/// A server that stands in for the ones that sources ask: a table, a FHIR server and a Nightscout site, each with the faults that real ones have.
struct PollStandIn: Sendable {
    let server: PythonServer

    init() async throws { server = try await PythonServer(script: Self.script) }

    var port: UInt16 { UInt16(server.port) }
    var base: String { "http://127.0.0.1:\(server.port)" }

    /// Sets what the server does from now on.
    func set(_ values: [String: String]) throws {
        let query = values.map { "\($0)=\($1)" }.joined(separator: "&")
        guard LocalHTTP.get("/set?\(query)", port: port) != nil else { throw HarnessError("the stand-in does not answer") }
    }

    /// What it has counted, by name.
    func counts() throws -> [String: Int] {
        let text = LocalHTTP.get("/counts", port: port) ?? "{}"
        return try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
    }

    /// Faults: `fault:<path>` is a status, `hang` or `drop`, for `times:<path>` requests.
    private static let script = """
        import http.server, json, time, datetime
        from urllib.parse import urlparse, parse_qs
        state, counts = {'rows': '10', 'fhir': '0', 'sgv': '0', 'token': 'one'}, {}
        START = 1700000000
        def iso(t): return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.%fZ')
        def observation(i):
            return {'resourceType': 'Observation', 'id': f'o{i}', 'meta': {'lastUpdated': iso(START + i), 'versionId': '1'}, 'status': 'final',
                    'code': {'coding': [{'system': 'http://loinc.org', 'code': '8867-4'}]}, 'subject': {'reference': 'Patient/p1'},
                    'effectiveDateTime': iso(START + i), 'valueQuantity': {'value': 50 + i % 60, 'code': '/min', 'system': 'http://unitsofmeasure.org'}}
        def extra(name, updated, subject):
            return observation(0) | {'id': name, 'meta': {'lastUpdated': iso(updated), 'versionId': '1'}, 'effectiveDateTime': iso(START - 100 - int(name[1:])),
                                     'subject': subject}
        def extras():
            own, now = {'reference': 'Patient/p1'}, time.time()
            rows = [extra(f'f{i}', now, own) for i in range(int(state.get('fresh', '0')))]
            if state.get('ahead'): rows.append(extra('a90', 4e9, own))
            if state.get('foreign'): rows += [extra('x91', START, {'reference': 'Patient/p2'}), extra('x92', START, {'display': 'p1'})]
            return rows
        def entry(i, ms=None):
            ms = ms or (START + 300 * i) * 1000
            return {'_id': f'e{i}', 'type': 'sgv', 'sgv': 100 + i % 80, 'date': ms, 'dateString': iso(ms / 1000), 'direction': 'Flat', 'device': 'cgm'}
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *a): pass
            def reply(self, status, body=b'', headers={}):
                if not isinstance(body, bytes): body = json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name, value)
                self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
            def fault(self, path):
                after = int(state.get('after:' + path, '1000000')); state['after:' + path] = str(after - 1)
                kind, left = state.get('fault:' + path), 1 if after == 0 else int(state.get('times:' + path, '0'))
                if not kind or left < 1: return False
                state['times:' + path] = str(left - 1)
                if kind == 'hang': time.sleep(30)
                if kind in ('hang', 'drop'): self.close_connection = True; return True
                self.reply(int(kind), b'no', {'Retry-After': '1'} if kind in ('429', '503') else {}); return True
            def do_GET(self):
                url = urlparse(self.path); query = {k: v[0] for k, v in parse_qs(url.query).items()}; path = url.path
                if path == '/set': state.update(query); return self.reply(200)
                if path == '/counts': return self.reply(200, counts)
                counts[path] = counts.get(path, 0) + 1
                if self.headers.get('Authorization'): counts['token at ' + self.headers['Host'].split(':')[0]] = 1
                if self.fault(path): return
                if path == '/redirect.csv': return self.reply(302, b'', {'Location': f'http://localhost:{self.server.server_address[1]}/table.csv'})
                if path == '/circle.csv': return self.reply(302, b'', {'Location': '/circle.csv'})
                if path == '/plain.csv': return self.reply(302, b'', {'Location': 'http://example.org/table.csv'})
                if path.endswith('.csv'): return self.table()
                if path.startswith('/fhir/'): return self.fhir(query)
                if path.startswith('/api/v1/'): return self.nightscout(path, query)
                self.reply(404)
            def table(self):
                rows = int(state['rows'])
                if state.get('empty') == 'yes': return self.reply(200)
                body = ('timestamp,heart-rate\\n' + ''.join(f'{START + i},{60 + i % 20}\\n' for i in range(rows))).encode()
                if state.get('bad') == 'yes': body += b'1700009999,much\\n'
                etag = {'honest': f'"{rows}{state.get("bad")}"', 'fresh': f'"{time.time_ns()}"', 'frozen': '"x"'}[state.get('etag', 'honest')]
                if self.headers.get('If-None-Match') == etag: counts['304'] = counts.get('304', 0) + 1; return self.reply(304, b'', {'ETag': etag})
                self.reply(200, body, {'ETag': etag, 'Content-Type': 'text/csv'})
            def fhir(self, query):
                if self.headers.get('Authorization') != 'Bearer ' + state['token']: return self.reply(401)
                since = query.get('_lastUpdated', 'ge1970')[2:]
                rows = [observation(i) for i in range(int(state['fhir']))] + extras()
                rows = [r for r in rows if r['meta']['lastUpdated'] >= since]
                first, count = int(query.get('page', '0')), int(query.get('_count', '50'))
                if state.get('mode') == 'expired' and first > 0 and query.get('round') != state.get('round', '1'): return self.reply(410)
                follow = first if state.get('mode') == 'repeat' and first > 0 else first + count
                host = 'localhost' if state.get('mode') == 'elsewhere' else '127.0.0.1'
                link = f"http://{host}:{self.server.server_address[1]}/fhir/Observation?page={follow}&_count={count}&_lastUpdated=ge{since}&round={state.get('round', '1')}"
                links = [{'relation': 'self', 'url': 'x'}] + ([{'relation': 'next', 'url': link}] if first + count < len(rows) else [])
                self.reply(200, {'resourceType': 'Bundle', 'type': 'searchset', 'link': links, 'entry': [{'resource': r} for r in rows[first:first + count]]})
            def nightscout(self, path, query):
                if 'treatments' in path:
                    rows = [{'_id': 't1', 'eventType': 'Meal Bolus', 'insulin': 4, 'carbs': 40, 'created_at': iso(START), 'enteredBy': 'app'}]
                    rows = [r for r in rows if query.get('find[created_at][$gte]', '') <= r['created_at'] <= query.get('find[created_at][$lte]', '9')]
                else:
                    late = set(range(5, 15)) if state.get('late') == 'no' else set()
                    rows = [entry(i) for i in reversed(range(int(state['sgv']))) if i not in late]
                    rows = [entry(900 + i, int(time.time() - 600) * 1000) for i in range(int(state.get('fresh', '0')))] + rows
                    if state.get('ahead'): rows = [entry(999, 4 * 10 ** 12)] + rows
                    low, high = int(query['find[date][$gte]']), int(query.get('find[date][$lte]', '9' * 15))
                    if state.get('mode') != 'repeat': rows = [r for r in rows if low <= r['date'] <= high]
                # Some sites answer fewer than they are asked for.
                self.reply(200, rows[:min(int(query['count']), int(state.get('cap', '100000')))])
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
