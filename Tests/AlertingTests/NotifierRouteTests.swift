import AlertRules
import Foundation
import SignalSynthesis
import Testing
import VigilSchema

@testable import Alerting

@Suite("Notifiers' members and order")
struct NotifierRouteTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", group: "vital-signs", severity: "critical", above: 110, escalate: [{after: "5m", to: "physician"}]}]}
        """

    private static func read(_ text: String) throws -> NotifierSettings {
        let rules = try RuleSetReader.read([RuleFile(name: "rules.json5", text: rules)])
        return try NotifierSettingsReader.read(RuleFile(name: "n.json5", text: "{\(text)}"), rules: rules)
    }

    private static func problems(_ text: String) -> String {
        do {
            _ = try read(text)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("a notifier that says no more has the defaults that are documented")
    func defaults() throws {
        let settings = try Self.read(#"notifiers: [{id: "a", type: "webhook", url: "http://h/"}]"#)
        #expect(settings.notifiers[0].route == NotifierRoute(id: "a") && settings.notifiers[0].timeout == .seconds(15))
        #expect(settings.notifiers[0].way == .webhook(url: "http://h/", secretFile: nil) && settings.heartbeat == nil)
        let mail = try Self.read(#"notifiers: [{id: "a", type: "mail", server: "smtps://h", from: "v@h.org", to: ["n@h.org"]}]"#)
        #expect(
            mail.notifiers[0].way
                == .mail(
                    .init(
                        server: "smtps://h", isEncrypted: true, user: nil, passwordFile: nil, sender: "v@h.org", recipients: ["n@h.org"],
                        reader: NotificationReader())))
        #expect(try Self.read(#"heartbeat: {url: "http://h/"}"#).heartbeat == .init(url: "http://h/", interval: .seconds(60)))
    }

    @Test("a notifier's members are what the file says")
    func members() throws {
        let settings = try Self.read(
            """
            notifiers: [{id: "a", type: "command", command: ["/bin/true", "x"], minimumSeverity: "notice", groups: ["vital-signs"], kinds: ["technical"],
              escalation: "physician", groupBy: ["rule", "group"], groupWait: "1s", groupInterval: "2s", repeatInterval: "3m", tellResolved: false,
              timeout: "4s"},
              {id: "b", type: "mail", server: "smtp://h", from: "v@h.org", to: ["n@h.org", "o'brien+m@h.org"], user: "u", encrypted: false, language: "ru",
                zone: "UTC"}],
              heartbeat: {url: "https://h/", every: "5s"}
            """)
        #expect(
            settings.notifiers[0].route
                == NotifierRoute(
                    id: "a", minimumSeverity: .notice, groups: ["vital-signs"], kinds: ["technical"], escalation: "physician",
                    groupBy: ["rule", "group"], groupWait: 1_000_000, groupInterval: 2_000_000, repeatInterval: 180_000_000,
                    tellsResolved: false))
        #expect(settings.notifiers[0].timeout == .seconds(4) && settings.notifiers[0].way == .command(["/bin/true", "x"]))
        guard case .mail(let mail) = settings.notifiers[1].way else {
            Issue.record("no mail")
            return
        }
        #expect(mail.user == "u" && !mail.isEncrypted && mail.reader.language == "ru" && mail.recipients == ["n@h.org", "o'brien+m@h.org"])
        #expect(mail.reader.zone?.identifier != nil && settings.heartbeat == .init(url: "https://h/", interval: .seconds(5)))
    }

    @Test(
        "durations are taken within their limits",
        arguments: [
            (#"timeout: "1s""#, true), (#"timeout: "999ms""#, false), (#"timeout: "5m""#, true), (#"timeout: "5m1ms""#, false),
            (#"groupWait: "0s""#, true), (#"groupWait: "1h""#, true), (#"groupWait: "1h1ms""#, false), (#"groupInterval: "0s""#, true),
            (#"groupInterval: "1d""#, true), (#"groupInterval: "1d1ms""#, false), (#"repeatInterval: "1m""#, true),
            (#"repeatInterval: "59s""#, false), (#"repeatInterval: "7d""#, true), (#"repeatInterval: "7d1ms""#, false),
        ])
    func durations(member: String, isFine: Bool) {
        let found = Self.problems(#"notifiers: [{id: "a", type: "webhook", url: "http://h/", \#(member)}]"#)
        #expect(isFine ? found.isEmpty : found.contains("must lie between"), "\(found)")
    }

    @Test(
        "is refused with the place",
        arguments: [
            (#"notifiers: [{type: "webhook", url: "http://h/"}]"#, #"n.json5:1:14: "id" is missing"#),
            (#"notifiers: [{id: "a", url: "http://h/"}]"#, #"n.json5:1:14: "type" is missing"#),
            (#"notifiers: [{id: "a", type: "webhook"}]"#, #"n.json5:1:14: "url" is missing"#),
            (#"notifiers: [{id: "a", type: "command"}]"#, #"n.json5:1:14: "command" is missing"#),
            (#"notifiers: [{id: "a", type: "command", command: []}]"#, #"n.json5:1:50: "command" must be a list"#),
            (#"notifiers: [{id: "a", type: "mail", from: "v@h.org", to: ["n@h.org"]}]"#, #"n.json5:1:14: "server" is missing"#),
            (#"notifiers: [{id: "a", type: "mail", server: "smtp://h", to: ["n@h.org"]}]"#, #"n.json5:1:14: "from" is missing"#),
            (#"notifiers: [{id: "a", type: "mail", server: "smtp://h", from: "v@h.org"}]"#, #"n.json5:1:14: "to" is missing"#),
            (#"notifiers: [{id: "a", type: "mail", server: "smtp://h", from: "v@", to: ["n@h.org"]}]"#, #"is no mail address"#),
            (#"notifiers: [{id: "a", type: "mail", server: "smtp://h", from: "a@b@c", to: ["n@h.org"]}]"#, #"is no mail address"#),
            (#"notifiers: [{id: "a", type: "mail", server: "smtp://h", from: "a b@c", to: ["n@h.org"]}]"#, #"is no mail address"#),
            (
                #"notifiers: [{id: "a", type: "webhook", url: "http://h/"}, {id: "a", type: "webhook", url: "http://g/"}]"#,
                #"n.json5:1:60: there is another notifier "a"; give it another id"#
            ),
            (#"notifiers: [1]"#, "n.json5:1:14: a notifier must be an object"),
            (#"heartbeat: {every: "1m"}"#, #"n.json5:1:13: "url" is missing"#),
            (#"heartbeat: {url: "http://h/", every: "2h"}"#, #""every" must lie between 1s and 1h"#),
            (#"heartbeat: {url: "http://h/", evry: "1m"}"#, #""evry" is not known here; did you mean "every"?"#),
            (#"notifier: []"#, #""notifier" is not known here; did you mean "notifiers"?"#),
            (#"notifiers: []"#, "n.json5:1:1: the file names no notifier and no heartbeat; nobody would be told"),
            (
                #"notifiers: [{id: "a", type: "webhook", url: "http://h/", kinds: []}]"#,
                #"n.json5:1:66: "kinds" is empty; leave it out for all"#
            ),
            (#"notifiers: [{id: "a", type: "webhook", url: "http://h/", x: 1}]"#, #""x" is not known here"#),
        ])
    func refused(text: String, words: String) {
        let found = Self.problems(text)
        #expect(found.contains(words), "\(found)")
    }

    /// A planner with alerts of several people, each its group.
    private static func planner(_ people: [(name: String, severity: String, at: Int64)]) -> NotificationPlanner {
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward", groupWait: 10))
        for person in people {
            planner.take(NotificationGroupTests.alert("a", severity: person.severity, participant: person.name), now: person.at)
        }
        return planner
    }

    @Test("groups are told in the order of their times, the urgent ones first", arguments: 0..<10)
    func order(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let people = (0..<15).map { number in
            (
                name: "p\(number)", severity: Bool.random(using: &random) ? "critical" : "warning",
                at: Int64(number * 10 + Int.random(in: 0..<10, using: &random))
            )
        }.shuffled(using: &random)
        var planner = Self.planner(people)
        #expect(planner.nextDue == people.map { $0.severity == "critical" ? $0.at : $0.at + 10 }.min())
        let wanted = ["critical", "warning"].flatMap { severity in
            people.filter { $0.severity == severity }.sorted { $0.at < $1.at }.map(\.name)
        }
        #expect(planner.begin(now: 1000).map(\.group) == wanted.map { "participant=\($0)" })
        #expect(planner.nextDue == nil)
    }

    @Test("is on its way to sixteen at once, and to one while the receiver is unreachable")
    func width() {
        var planner = Self.planner((0..<20).map { ("p\($0)", "critical", 0) })
        let first = planner.begin(now: 0)
        #expect(first.count == 16 && planner.nextDue == nil)
        planner.finished(first[0], .delivered, now: 1)
        #expect(planner.nextDue == 0 && planner.begin(now: 1).count == 1 && planner.isReachable == true)
        for notification in first[1...3] { planner.finished(notification, .failed, now: 1) }
        #expect(planner.isFailing && planner.isReachable == false && planner.begin(now: 2_000_000).isEmpty)
    }

    @Test("bears the wall time, its status and whether it is a reminder")
    func notifications() throws {
        var planner = Self.planner([("p", "critical", 5)])
        let first = try #require(planner.begin(now: 6, wall: 1_500_000).first)
        #expect(
            first.time == 1.5 && first.status == "firing" && !first.isReminder && first.notifier == "ward" && first.group == "participant=p"
        )
        #expect(first.id.hasPrefix("ward/participant=p/0-"))
        planner.finished(first, .delivered, now: 7)
        let reminder = try #require(planner.begin(now: 3_600_000_007).first)
        #expect(reminder.isReminder && reminder.time == 3600.000_007 && reminder.id.hasPrefix("ward/participant=p/1-"))
        planner.finished(reminder, .delivered, now: 3_600_000_008)
        #expect(planner.changed == ["participant=p"])
        planner.saved()
        #expect(planner.changed.isEmpty)
        planner.forget("p")
        #expect(planner.groupCount == 0 && planner.changed == ["participant=p"])
    }
}
