import AlertRules
import Foundation
import MessageBus
import Observability
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("The notifiers' file while the service runs", .timeLimit(.minutes(4)))
struct NotifierFileTests {
    private static func rules() throws -> RuleSet {
        try RuleSetReader.read([RuleFile(name: "r.json5", text: CoordinatorRig.plain)])
    }

    private static func hook(_ id: String, _ more: String = "") -> String {
        #"{id: "\#(id)", type: "command", command: ["/bin/true"]\#(more)}"#
    }

    @Test("a file that is wrong in part tells somebody: what can be used is in force, and a wrong filter lets everything through")
    func partly() throws {
        let folder = try TemporaryFolder("notifiers")
        let path = try folder.write(
            """
            {notifiers: [\(Self.hook("a")),
              \(Self.hook("b", ", groups: [\"nonsense\"], minimumSeverity: \"critical\"")),
              {id: "c", type: "command", command: ["/no/such/program"]},
              {id: "d", type: "webhook", url: "http://h/", secretFile: "\(folder.path("secret"))"}]}
            """, to: "n.json5")
        try folder.write("", to: "secret")
        let file = NotifierFile(path, try Self.rules())
        #expect(file.settings.notifiers.map(\.route.id) == ["a", "b", "c"])
        #expect(file.settings.notifiers[1].route == NotifierRoute(id: "b"))
        #expect(file.problems.count == 3)
        #expect(file.problems[0].hasPrefix("\(path):2:") && file.problems[1].hasPrefix("\(path):3:"))
        #expect(file.problems[2].contains("\"d\""))
        #expect(NotifierFile(folder.path("none"), try Self.rules()).problems.count == 1)
    }

    @Test("a file that becomes wrong changes nothing but what is said of it, and one that is right again takes effect")
    func reload() throws {
        let folder = try TemporaryFolder("notifiers")
        let path = try folder.write("{notifiers: [\(Self.hook("a"))]}", to: "n.json5")
        let (file, rules) = (NotifierFile(path, try Self.rules()), try Self.rules())
        try folder.write("{notifiers: [", to: "n.json5")
        #expect(file.reload(rules).count == 1 && file.problems.count == 1)
        #expect(file.settings.notifiers.map(\.route.id) == ["a"])
        try folder.write("{notifiers: [\(Self.hook("a")), \(Self.hook("b"))]}", to: "n.json5")
        #expect(file.reload(rules).isEmpty && file.problems.isEmpty && file.settings.notifiers.count == 2)
    }

    private static func answers(_ rig: AlertRig) -> [String] {
        rig.messages("responses/").map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test("vigil-alert starts with a wrong file, raises a technical alarm, names the line, and takes the mended one without a restart")
    func program() async throws {
        let rules = """
            {rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110},
              {id: "file", kind: "technical", metric: "notifier-status", severity: "critical", equals: "wrong-file", staleAfter: "1d"}]}
            """
        try await AlertRig.with(rules: rules) { rig in
            let told = rig.folder.path("told")
            let hook = try rig.folder.write("#!/bin/sh\ncat >> \(told)\n", to: "hook")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: hook)
            let settings = try rig.folder.write("{notifiers: [\n  {id: \"hook\", tipe: \"command\"}]}", to: "notifiers.json5")
            try await rig.start(["--notifiers", settings])
            try await eventually("the technical alarm") { rig.events.contains { $0.rule == "file" && $0.transition == "raised" } }
            try await rig.command("all", "all", #"{"command": "notifiers"}"#)
            try await eventually("the line that is wrong") { Self.answers(rig).contains { $0.contains("notifiers.json5:2:") } }
            try rig.folder.write(
                "{notifiers: [{id: \"hook\", type: \"command\", command: [\"\(hook)\"], minimumSeverity: \"critical\"}]}",
                to: "notifiers.json5")
            rig.signal(SIGHUP)
            try await eventually("its end") { rig.events.contains { $0.rule == "file" && $0.transition == "cleared" } }
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the notification") {
                (try? String(contentsOfFile: told, encoding: .utf8))?.contains(#""rule":"high""#) == true
            }
        }
    }
}
