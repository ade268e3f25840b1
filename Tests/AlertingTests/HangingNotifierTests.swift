import Alerting
import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

/// Receivers that hang, as real peers: a webhook that answers byte by byte for ever, a program that ignores SIGTERM, a mail server that stalls after DATA.
@Suite("vigil-alert beside receivers that hang", .serialized, .timeLimit(.minutes(5)))
struct HangingNotifierTests {
    private static let rules = """
        {rules: [
          {id: "high", metric: "heart-rate", title: {en: "Heart rate high"}, severity: "critical", above: 110},
          {id: "notifier-failing", metric: "notifier-status", kind: "technical", group: "technical", title: "Notifier reaches nobody",
           severity: "warning", equals: "failing", staleAfter: "365d"}]}
        """

    /// Takes a notification and prints when each alert in it was decided and when it came here.
    private static let healthy = """
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
    private static let dripping = """
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
    private static let stalling = """
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

    @Test(
        "tells each healthy receiver within a second of 500 patients' alarms, and of the receivers that hang; and the heart goes on beating"
    )
    func latency() async throws {
        let (healthy, web, mail) = (
            try PythonServer(script: Self.healthy), try PythonServer(script: Self.dripping), try PythonServer(script: Self.stalling)
        )
        let monitor = try PythonServer(script: Self.healthy)
        try await AlertRig.with(rules: Self.rules) { rig in
            let stubborn = try rig.folder.write("#!/bin/sh\ntrap '' TERM\nsleep 300 &\nwait\nsleep 300\n", to: "stubborn")
            let told = rig.folder.path("told")
            let quick = try rig.folder.write("#!/bin/sh\ncat > /dev/null\necho $(date +%s.%N) >> \(told)\n", to: "quick")
            for program in [stubborn, quick] {
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            }
            let settings = try rig.folder.write(
                """
                {notifiers: [
                  {id: "web", type: "webhook", url: "http://127.0.0.1:\(healthy.port)/"},
                  {id: "drip", type: "webhook", url: "http://127.0.0.1:\(web.port)/", timeout: "3s"},
                  {id: "stubborn", type: "command", command: ["\(stubborn)"], timeout: "3s"},
                  {id: "quick", type: "command", command: ["\(quick)"], kinds: ["technical"], groupWait: "0s", groupInterval: "0s"},
                  {id: "mail", type: "mail", server: "smtp://127.0.0.1:\(mail.port)", encrypted: false, from: "v@example.org",
                    to: ["a@example.org"], timeout: "3s"}],
                 heartbeat: {url: "http://127.0.0.1:\(monitor.port)/", every: "1s"}}
                """, to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            // Ten a step, so that the three that hang have their hands full from the first on.
            for step in 0..<50 {
                for patient in 0..<10 { try await rig.sendNow("p\(step * 10 + patient)", "heart-rate", 120) }
                #expect(monitor.nextLine() == "beat" || step % 10 != 0)
            }
            var late: [Double] = []
            var seen: Set<Substring> = []
            while seen.count < 500, let line = healthy.nextLine() {
                let words = line.split(separator: " ")
                guard words.count == 2, words[0].hasPrefix("p"), seen.insert(words[0]).inserted, let delay = Double(words[1]) else {
                    continue
                }
                late.append(delay)
            }
            late.sort()
            print("latency: median \(late[late.count / 2]) s, worst \(late.last ?? .nan) s of \(late.count)")
            #expect(seen.count == 500 && (late.last ?? .infinity) <= 1)
            try await eventually(within: .seconds(60), "the technical alarms of three receivers") {
                rig.states.values.filter { $0.rule == "notifier-failing" }.map(\.participant).sorted()
                    == ["drip", "mail", "stubborn"].map { "_module.vigil-notifier.\($0)" }
            }
            try await eventually(within: .seconds(30), "the others told of them") {
                (try? String(contentsOfFile: told, encoding: .utf8))?.split(separator: "\n").count ?? 0 >= 3
            }
        }
    }

    @Test("kills a program that ignores SIGTERM, and what it has started, within its time and two seconds")
    func stubbornProgram() async throws {
        let folder = try TemporaryFolder("stubborn")
        let pids = folder.path("pids")
        let program = try folder.write("#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $$ $! > \(pids)\nwait\nsleep 600\n", to: "program")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let channel = CommandChannel(arguments: [program], timeout: .seconds(1))
        let start = ContinuousClock.now
        await #expect(throws: ChannelError.self) { try await channel.send(.test(of: "program", actor: "me", at: 0)) }
        #expect(start.duration(to: .now) < .seconds(60))
        let numbers = try String(contentsOfFile: pids, encoding: .utf8).split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
        #expect(numbers.count == 2)
        for pid in numbers {
            try await eventually(within: .seconds(5), "the end of \(pid)") {
                let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).split(separator: ")").last?.split(
                    separator: " "
                ).first
                return state == nil || state == "Z"
            }
        }
    }

    @Test("tries a notifier on demand, and says what became of it")
    func test() async throws {
        let server = try PythonServer(script: Self.healthy)
        try await AlertRig.with(rules: Self.rules) { rig in
            let settings = try rig.folder.write(
                """
                {notifiers: [{id: "web", type: "webhook", url: "http://127.0.0.1:\(server.port)/"},
                  {id: "gone", type: "webhook", url: "http://127.0.0.1:1/"}]}
                """, to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            for name in ["web", "gone", "wbe"] {
                try await rig.command("all", "all", #"{"command": "notify-test", "actor": "me", "notifier": "\#(name)"}"#)
            }
            try await eventually("three answers") { rig.messages("responses/").count == 3 }
            let answers = rig.messages("responses/").map { String(decoding: $0.payload, as: UTF8.self) }.joined(separator: "\n")
            #expect(answers.contains("delivered in") && answers.contains("not delivered: 127.0.0.1:1"))
            #expect(answers.contains("did you mean \\\"web\\\"?"))
            #expect(server.nextLine()?.hasPrefix("test ") == true)
        }
    }
}
