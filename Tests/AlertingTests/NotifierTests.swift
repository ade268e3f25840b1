import AlertRules
import Alerting
import Foundation
import TestSupport
import Testing

@Suite("vigil-alert tells people", .serialized, .timeLimit(.minutes(4)))
struct NotifierTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", title: {en: "Heart rate high", de: "Puls hoch"}, severity: "critical", above: 110}]}
        """

    /// Prints each request's signature, timestamp and body; refuses the first.
    private static let web = """
        import http.server, json
        class Handler(http.server.BaseHTTPRequestHandler):
            count = 0
            def log_message(self, *a): pass
            def do_GET(self):
                print('beat', flush=True); self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length'])).decode()
                Handler.count += 1
                if Handler.count > 1:
                    print(json.dumps([self.headers['X-Vigil-Signature'], self.headers['X-Vigil-Timestamp'], body]), flush=True)
                self.send_response(503 if Handler.count == 1 else 200); self.send_header('Content-Length', '0'); self.end_headers()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private static let verify = """
        import hmac, hashlib, json, sys
        signature, timestamp, body = json.loads(open(sys.argv[1]).read())
        wanted = 'sha256=' + hmac.new(b's3cret', (timestamp + '.' + body).encode(), hashlib.sha256).hexdigest()
        sys.exit(0 if hmac.compare_digest(wanted, signature) else 1)
        """

    @Test("posts a signed notification, again after a refusal, and its end; and tells a monitor that it lives")
    func webhook() async throws {
        let server = try await PythonServer(script: Self.web)
        try await AlertRig.with(rules: Self.rules) { rig in
            let secret = try rig.folder.write("s3cret\n", to: "secret")
            let settings = try rig.folder.write(
                """
                {notifiers: [{id: "web", type: "webhook", url: "http://127.0.0.1:\(server.port)/", secretFile: "\(secret)", groupInterval: "0s"}],
                 heartbeat: {url: "http://127.0.0.1:\(server.port)/beat", every: "1h"}}
                """, to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            #expect(await server.nextLine() == "beat")
            try await rig.sendNow("12", "heart-rate", 120)
            let line = try #require(await server.nextLine())
            #expect(line.contains("firing") && line.contains("Heart rate high"))
            let script = try rig.folder.write(Self.verify, to: "verify.py")
            let request = try rig.folder.write(line, to: "request.json")
            try await ChildProcess.run("/usr/bin/env", ["python3", script, request], in: rig.folder)
            try await rig.sendNow("12", "heart-rate", 90)
            let end = try #require(await server.nextLine())
            #expect(end.contains("resolved"))
        }
    }

    @Test("sends mail in the reader's language")
    func mail() async throws {
        let server = try await PythonServer(script: MailServerScript.text)
        try await AlertRig.with(rules: Self.rules) { rig in
            let settings = try rig.folder.write(
                """
                {notifiers: [{id: "mail", type: "mail", server: "smtp://127.0.0.1:\(server.port)", encrypted: false, from: "vigil@example.org",
                  to: ["a@example.org"], language: "de"}]}
                """, to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            try await rig.sendNow("12", "heart-rate", 120)
            let line = try #require(await server.nextLine())
            #expect(line.contains("Subject: [KRITISCH] 12: Puls hoch"))
        }
    }

    @Test("runs a program with the notification on its standard input, and tells what was decided while nobody listened")
    func command() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            let told = rig.folder.path("told")
            let hook = try rig.folder.write("#!/bin/sh\ntest -e \(rig.folder.path("open")) || exit 1\ncat >> \(told)\n", to: "hook")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: hook)
            let settings = try rig.folder.write(
                #"{notifiers: [{id: "hook", type: "command", command: ["\#(hook)"]}]}"#, to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the alert") { rig.events.count == 1 }
            try await rig.kill()
            try rig.folder.write("", to: "open")
            try await rig.start(["--notifiers", settings])
            try await eventually(within: .seconds(15), "the notification") {
                (try? String(contentsOfFile: told, encoding: .utf8))?.contains("Heart rate high") == true
            }
        }
    }
}
