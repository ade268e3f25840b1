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

    @Test(
        "tells the healthy receiver of 500 patients' alarms before a single one that hangs is given up, and the heart goes on beating"
    )
    func latency() async throws {
        let (healthy, web, mail) = (
            try await PythonServer(script: ReceiverScript.healthy), try await PythonServer(script: ReceiverScript.dripping),
            try await PythonServer(script: ReceiverScript.stalling)
        )
        let monitor = try await PythonServer(script: ReceiverScript.healthy)
        try await AlertRig.with(rules: Self.rules) { rig in
            let stubborn = try rig.folder.write(ReceiverScript.stubborn, to: "stubborn")
            let told = rig.folder.path("told")
            let quick = try rig.folder.write("#!/bin/sh\ncat > /dev/null\necho $(date +%s.%N) >> \(told)\n", to: "quick")
            for program in [stubborn, quick] {
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            }
            let settings = try rig.folder.write(
                """
                {notifiers: [
                  {id: "web", type: "webhook", url: "http://127.0.0.1:\(healthy.port)/"},
                  {id: "drip", type: "webhook", url: "http://127.0.0.1:\(web.port)/", timeout: "15s"},
                  {id: "stubborn", type: "command", command: ["\(stubborn)"], timeout: "15s"},
                  {id: "quick", type: "command", command: ["\(quick)"], kinds: ["technical"], groupWait: "0s", groupInterval: "0s"},
                  {id: "mail", type: "mail", server: "smtp://127.0.0.1:\(mail.port)", encrypted: false, from: "v@example.org",
                    to: ["a@example.org"], timeout: "15s"}],
                 heartbeat: {url: "http://127.0.0.1:\(monitor.port)/", every: "1s"}}
                """, to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            // Ten a step, so that the three that hang have their hands full from the first on.
            for step in 0..<50 {
                for patient in 0..<10 { try await rig.sendNow("p\(step * 10 + patient)", "heart-rate", 120) }
                #expect(await monitor.nextLine() == "beat" || step % 10 != 0)
            }
            var late: [Double] = []
            var seen: Set<Substring> = []
            while seen.count < 500, let line = await healthy.nextLine() {
                let words = line.split(separator: " ")
                guard words.count == 2, words[0].hasPrefix("p"), seen.insert(words[0]).inserted, let delay = Double(words[1]) else {
                    continue
                }
                late.append(delay)
            }
            late.sort()
            print("latency: median \(late.isEmpty ? .nan : late[late.count / 2]) s, worst \(late.last ?? .nan) s of \(late.count)")
            // A queue that all share would have waited for one that hangs. How quick it is, deploy/bench measures: alert-beside-hanging.
            #expect(seen.count == 500 && (late.last ?? .infinity) < 12)
            try await eventually(within: .seconds(120), "the technical alarms of three receivers") {
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
        let server = try await PythonServer(script: ReceiverScript.healthy)
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
            #expect(await server.nextLine()?.hasPrefix("test ") == true)
        }
    }
}
