import AlertRules
import Foundation
import HTTPClient
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// The services' files against stand-ins that were written from the services' public documentation.
@Suite("Notifications through services", .timeLimit(.minutes(5)))
struct ServiceChannelTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/notifiers/services").path
    /// The members that a notifier needs for each service; secrets are those of `secrets`.
    static let services: [String: String] = [
        "ntfy": #"server: "BASE", topic: "anna", tokenFile: "tk""#, "gotify": #"server: "BASE", tokenFile: "tk""#,
        "pushover": #"server: "BASE", tokenFile: "tk", userFile: "user""#, "telegram": #"server: "BASE", tokenFile: "tk", chat: "42""#,
        "matrix": #"server: "BASE", room: "!room:example.org", tokenFile: "tk""#,
        "signal": #"server: "BASE", number: "+4930", recipients: ["+4931", "group.x"]"#, "slack": #"webhookFile: "slack""#,
        "teams": #"webhookFile: "teams""#, "discord": #"webhookFile: "discord""#, "pagerduty": #"server: "BASE", keyFile: "tk""#,
        "sms": #"server: "BASE", account: "AC1", tokenFile: "tk", from: "+1", to: "+4930""#,
    ]

    /// A channel as the notifiers' file makes it.
    static func channel(
        _ service: String, port: Int, folder: TemporaryFolder, people: [String: String] = [:], timeout: String = "5s",
        secret: String = "tk_right"
    ) throws -> any NotificationChannel {
        let base = "http://127.0.0.1:\(port)/\(service)"
        let secrets = [
            "tk": secret, "user": "u_right", "slack": "\(base)/services/T/B/X", "teams": "\(base)/workflows/1/triggers/manual",
            "discord": "\(base)/api/webhooks/1/tk",
        ]
        var members = try #require(services[service]).replacing("BASE", with: base)
        for (name, text) in secrets {
            let path = try folder.write("\(text)\r\n", to: name)
            members = members.replacing("File: \"\(name)\"", with: "File: \"\(path)\"")
        }
        let persons = people.map { "\"\($0.key)\": {name: \(json($0.value))}" }.joined(separator: ", ")
        let file = RuleFile(
            name: folder.path("n.json5"),
            text: "{people: {\(persons)}, notifiers: [{id: \"phone\", service: \"\(service)\", timeout: \"\(timeout)\", \(members)}]}")
        let settings = try NotifierSettingsReader.read(file, rules: try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")]))
        let entry = try #require(settings.notifiers.first)
        return try NotifierSecrets(entry).channel(entry, NotificationNames(entry, settings.people))
    }

    static func json(_ text: String) -> String {
        String(decoding: (try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)) ?? Data(), as: UTF8.self)
    }

    static func notification(
        _ status: String = "firing", severity: String = "critical", answers: Int = 1, change: (inout AlertMessage) -> Void = { _ in }
    ) -> Alerting.Notification {
        let alert = NotificationGroupTests.alert("fast", severity: severity, participant: "anna", change: change).message
        var notification = Alerting.Notification(
            id: "phone/participant=anna/1-ab", notifier: "phone", group: "participant=anna", status: status, time: 1_767_652_200,
            alerts: status == "resolved" ? [] : [alert], resolved: status == "resolved" ? [alert] : [], isReminder: false)
        notification.answers = (0..<answers).map { .init(participant: "anna", rule: "fast", url: "https://v.example/answer.html#\($0)") }
        return notification
    }

    static func request(_ line: String?) throws -> [String: Any] {
        let line = try #require(line)
        return try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test(
        "are accepted by every service in every state, with links and without, and however long they are", arguments: services.keys.sorted()
    )
    func accepted(service: String) async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        let channel = try Self.channel(service, port: server.port, folder: folder)
        for status in ["firing", "acknowledged", "resolved", "test"] {
            for severity in ["notice", "warning", "critical"] {
                for answers in [0, 1, 5] {
                    let long = String(repeating: "Ж<&*_@everyone ", count: answers == 1 ? 2000 : 1)
                    try await channel.send(Self.notification(status, severity: severity, answers: answers) { $0.message["en"] = long })
                    _ = await server.nextLine()
                }
            }
        }
    }

    @Test("say how bad it is in the service's own way, and offer an answer where it has buttons")
    func urgency() async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        for (severity, priority) in [("critical", 5), ("warning", 4), ("notice", 3)] {
            try await Self.channel("ntfy", port: server.port, folder: folder).send(Self.notification(severity: severity))
            let body = try #require(Self.request(await server.nextLine())["body"] as? [String: Any])
            #expect(body["priority"] as? Int == priority && body["click"] as? String == "https://v.example/answer.html#0")
            let actions = try #require(body["actions"] as? [[String: Any]])
            #expect(actions.map { $0["url"] as? String } == ["https://v.example/answer.html#0"])
        }
        try await Self.channel("telegram", port: server.port, folder: folder).send(Self.notification(answers: 2))
        let body = try #require(Self.request(await server.nextLine())["body"] as? [String: Any])
        let rows = try #require((body["reply_markup"] as? [String: Any])?["inline_keyboard"] as? [[[String: Any]]])
        #expect(rows.map { $0.map { $0["url"] as? String } } == [["https://v.example/answer.html#0"], ["https://v.example/answer.html#1"]])
        let pager = try Self.channel("pagerduty", port: server.port, folder: folder)
        var actions: [String?] = []
        for status in ["firing", "acknowledged", "resolved"] {
            guard pager.wants(Self.notification(status)) else { continue }
            try await pager.send(Self.notification(status))
            actions.append((try Self.request(await server.nextLine())["body"] as? [String: Any])?["event_action"] as? String)
        }
        #expect(actions == ["trigger", "resolve"], "an answer is not sent: PagerDuty would be silent about what is new")
    }

    @Test("are an incident of PagerDuty for each alert and severity, and the end of one closes that one")
    func incidents() async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        let pager = try Self.channel("pagerduty", port: server.port, folder: folder)
        func key(_ notification: Alerting.Notification) async throws -> String? {
            try await pager.send(notification)
            return (try Self.request(await server.nextLine())["body"] as? [String: Any])?["dedup_key"] as? String
        }
        let first = try await key(Self.notification())
        let second = try await key(Self.notification { $0.rule = "slow" })
        let milder = try await key(Self.notification(severity: "warning"))
        #expect(first == "phone/anna/fast/critical" && Set([first, second, milder]).count == 3)
        #expect(try await key(Self.notification("resolved")) == first)
    }

    @Test("through a service that needs its own grouping are grouped so, whatever routes say, and another grouping is refused")
    func grouping() throws {
        let folder = try TemporaryFolder("services")
        let key = try folder.write("k", to: "k")
        func read(_ members: String, _ more: String = "") throws -> (NotifierSettings, RuleError?) {
            let text = "{notifiers: [{id: \"pager\", service: \"pagerduty\", keyFile: \"\(key)\"\(members)}]\(more)}"
            return NotifierSettingsReader.readUsable(
                RuleFile(name: folder.path("n.json5"), text: text),
                rules: try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")]))
        }
        let (left, none) = try read("")
        #expect(none == nil && left.notifiers.first?.route.groupBy == ["participant", "rule"])
        #expect(try read(", groupBy: [\"rule\", \"participant\", \"group\"]").1 == nil)
        let (usable, error) = try read(", groupBy: [\"participant\"]")
        #expect(error?.description.contains("\"groupBy\" must hold participant and rule") == true)
        let alert = NotificationGroupTests.alert("fast").message
        #expect(usable.notifiers.first?.route.groupKey(alert) == "participant=12,rule=fast")
        let routed = try #require(try read("", ", routes: [{to: \"pager\", groupBy: [\"group\"]}]").0.routing)
        let target = try #require(routed.targets(RouteSubject(person: "12"), at: 0).first)
        let route = try #require(left.notifiers.first?.route)
        #expect(target.timing.applied(to: route).groupKey(alert) == "group=g,participant=12,rule=fast")
    }

    @Test("that are too long for a service lose words, or links, and never a part of a link", arguments: [1, 5])
    func links(answers: Int) async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        let address = "https://v.example/answer.html#" + String(repeating: "x", count: 250)
        var notification = Self.notification { $0.message["en"] = String(repeating: "Long words. ", count: 500) }
        notification.answers = (0..<answers).map { .init(participant: "anna", rule: "fast", url: "\(address)\($0)") }
        for (service, member, most) in [("sms", "Body", 600), ("signal", "message", 2000)] {
            try await Self.channel(service, port: server.port, folder: folder).send(notification)
            let body = try #require(Self.request(await server.nextLine())["body"] as? [String: Any])
            let text = try #require(body[member] as? String)
            #expect(text.unicodeScalars.count <= most && text.hasPrefix("CRITICAL: ") && text.contains("…"))
            let links = text.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("https:") }
            #expect(links.first.map(String.init) == "\(address)0" && links.allSatisfy { $0.utf8.count == address.utf8.count + 1 })
        }
        // Pushover takes addresses of up to 512 characters.
        notification.answers = [.init(participant: "anna", rule: "fast", url: address + address)]
        try await Self.channel("pushover", port: server.port, folder: folder).send(notification)
        let form = try #require(Self.request(await server.nextLine())["body"] as? [String: String])
        #expect(form["url"] == nil && form["message"]?.isEmpty == false)
    }

    @Test("of one name are one transaction in Matrix, whose room sees a repetition once")
    func repetition() async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        let channel = try Self.channel("matrix", port: server.port, folder: folder)
        var paths: [String?] = []
        for _ in 0..<2 {
            try await channel.send(Self.notification())
            paths.append(try Self.request(await server.nextLine())["path"] as? String)
        }
        let room = "/_matrix/client/v3/rooms/%21room%3Aexample.org/send/m.room.message/"
        #expect(paths == Array(repeating: "\(room)phone%2Fparticipant%3Danna%2F1-ab", count: 2))
    }

    /// Sends until it succeeds, or so often.
    private static func failure(_ trouble: [String], service: String = "telegram", timeout: String = "5s") async throws -> ChannelError {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text(trouble: trouble)), try TemporaryFolder("services"))
        let channel = try channel(service, port: server.port, folder: folder, timeout: timeout)
        return try await #require(throws: ChannelError.self) { try await channel.send(notification()) }
    }

    @Test("that are refused say whether to try again, and when the service asks for it")
    func trouble() async throws {
        let limit = try await Self.failure(["429 30"])
        #expect(!limit.isLasting && limit.pause == .seconds(30))
        #expect(try await Self.failure(["429 999999999"]).pause == .seconds(300))
        #expect(try await Self.failure(["429 nonsense"]).pause == nil)
        #expect(try await Self.failure(["429-body"]).pause == .seconds(7))
        #expect(try await Self.failure(["429-body"], service: "matrix").pause == .seconds(7))
        #expect(try await Self.failure(["429-body"], service: "discord").pause == .seconds(7))
        let wrong = try await Self.failure(["400"])
        #expect(wrong.isLasting && wrong.pause == nil && wrong.description.contains("400"))
        #expect(try await !Self.failure(["500"]).isLasting)
        #expect(try await !Self.failure(["not-json"]).isLasting)
        #expect(try await !Self.failure(["hang"], timeout: "1s").isLasting)
    }

    @Test("keep away from a service that asked for a pause, whatever is to be sent")
    func pause() async throws {
        let (server, folder) = (
            try await PythonServer(script: ServiceServerScript.text(trouble: ["429 60"])), try TemporaryFolder("services")
        )
        let channel = try Self.channel("telegram", port: server.port, folder: folder)
        for _ in 0..<3 { await #expect(throws: ChannelError.self) { try await channel.send(Self.notification()) } }
        _ = await server.nextLine()
        #expect(await server.nextLine(within: .milliseconds(500)) == nil)
    }

    @Test("never show a secret, and give the service's reason for a test alone", arguments: ["telegram", "ntfy", "pagerduty", "matrix"])
    func secrets(service: String) async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        let channel = try Self.channel(service, port: server.port, folder: folder, secret: "tk_wrong")
        let error = try await #require(throws: ChannelError.self) { try await channel.send(Self.notification()) }
        let test = try await #require(throws: ChannelError.self) { try await channel.send(Self.notification("test")) }
        #expect(error.isLasting && !error.description.contains("tk_wrong") && !test.description.contains("tk_wrong"))
        #expect(test.description.count > error.description.count)
    }

    private static let attacks = [
        #"", "priority": 5, "x": ""#, "&priority=-2&user=other", "\r\nX-Evil: 1\r\n\r\n", "{token}", "{{token}}", "<!channel> <@U1>",
        "@everyone [x](https://evil.example)", "\u{202E}evil\u{2069}", "a\nCRITICAL: forged: line.", "%0d%0a/../..", "\\\"\u{0000}\u{7}",
    ]

    @Test("hold hostile names and texts as texts, whatever they try", arguments: services.keys.sorted())
    func injection(service: String) async throws {
        let (server, folder) = (try await PythonServer(script: ServiceServerScript.text()), try TemporaryFolder("services"))
        for attack in Self.attacks {
            let channel = try Self.channel(service, port: server.port, folder: folder, people: ["anna": attack])
            try await channel.send(
                Self.notification { alert in
                    (alert.message["en"], alert.title["en"]) = (attack, attack)
                    (alert.acknowledged, alert.actor, alert.reason, alert.transition) = (true, attack, attack, "acknowledged")
                })
            let request = try Self.request(await server.nextLine())
            let headers = try #require(request["headers"] as? [String: String])
            #expect(headers.keys.allSatisfy { !$0.lowercased().contains("evil") })
            let body = Self.json2(request["body"] ?? [:])
            let isSecretInBody = ["pushover", "pagerduty"].contains(service)
            #expect(isSecretInBody || !body.contains("tk_right"), "\(body)")
            #expect(!body.contains("\u{202E}") && !body.contains("\\n\(attack.split(separator: "\n").last ?? "-"))"))
            if service == "pushover" { #expect((request["body"] as? [String: String])?["user"] == "u_right") }
            if service == "ntfy" { #expect((request["body"] as? [String: Any])?["priority"] as? Int == 5) }
        }
    }

    private static func json2(_ value: Any) -> String {
        String(decoding: (try? JSONSerialization.data(withJSONObject: value, options: .withoutEscapingSlashes)) ?? Data(), as: UTF8.self)
    }
}
