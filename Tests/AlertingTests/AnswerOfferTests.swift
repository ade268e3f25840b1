import Access
import AlertRules
import Foundation
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("The links with which a message is answered")
struct AnswerOfferTests {
    private static func settings(_ folder: TemporaryFolder, key: String = "a key of sixteen or more") throws -> NotifierSettings.Answers {
        try Data("\(key)\n".utf8).write(to: URL(filePath: folder.path("key")))
        return NotifierSettings.Answers(url: "https://vigil.example", keyFile: folder.path("key"), lifetime: 3600)
    }

    private static func notification(_ alerts: [AlertMessage]) -> Alerting.Notification {
        Alerting.Notification(
            id: "n", notifier: "daughter", group: "g", status: "firing", time: 1000, alerts: alerts, resolved: [], isReminder: false)
    }

    @Test("are one for each alarm that awaits an answer, at most five, and hold what they are about")
    func links() throws {
        let folder = try TemporaryFolder()
        let offers = try AnswerOffers(Self.settings(folder))
        let open = NotificationGroupTests.alert("fast", severity: "critical") { $0.since = 900 }.message
        let answered = NotificationGroupTests.alert("slow") { $0.acknowledged = true }.message
        let silenced = NotificationGroupTests.alert("high") { $0.silenced = true }.message
        let links = offers.links(Self.notification([open, answered, silenced]), of: "daughter")
        #expect(links.map(\.rule) == ["fast"])
        let url = try #require(links.first?.url), start = "https://vigil.example/answer.html#"
        #expect(url.hasPrefix(start) && url.utf8.count < 300)
        let key = try #require(AnswerKey("a key of sixteen or more".utf8))
        let link = try AnswerLink(token: String(url.dropFirst(start.count)), key: key, now: 1500)
        #expect(
            link
                == AnswerLink(
                    notifier: "daughter", participant: "12", rule: "fast", since: 900, severity: "critical", told: 1000, expires: 4600))
        #expect(throws: AnswerLinkError.expired) { try AnswerLink(token: String(url.dropFirst(start.count)), key: key, now: 4600) }
        let many = (0..<9).map { NotificationGroupTests.alert("a\($0)").message }
        #expect(offers.links(Self.notification(many), of: "daughter").map(\.rule) == ["a0", "a1", "a2", "a3", "a4"])
    }

    @Test("are the same in every attempt with a notification, over a restart too")
    func attempts() throws {
        let folder = try TemporaryFolder()
        let offers = try AnswerOffers(Self.settings(folder))
        let route = NotifierRoute(id: "ward", groupWait: 0)
        var planner = NotificationPlanner(route: route)
        planner.take(NotificationGroupTests.alert("fast", severity: "critical"), now: 0)
        let first = try #require(planner.begin(now: 0, wall: 100_000_000).first)
        planner.finished(first, .failed, now: 0)
        var restored = NotificationPlanner(route: route, groups: planner.groups)
        let other = try #require(restored.begin(now: 1_000_000, wall: 101_000_000).first)
        #expect(other.id == first.id && other.time == 101 && offers.links(other, of: "ward") == offers.links(first, of: "ward"))
        planner.finished(try #require(planner.begin(now: 1_000_000, wall: 101_000_000).first), .delivered, now: 1_000_000)
        let reminder = try #require(planner.begin(now: 3_700_000_000, wall: 3_800_000_000).first)
        #expect(reminder.composed == nil && offers.links(reminder, of: "ward") != offers.links(first, of: "ward"))
    }

    @Test("stand below a mail's text, with what each is about where there are several", arguments: ["en", "de", "ru"])
    func text(language: String) throws {
        var one = Self.notification([NotificationGroupTests.alert("a").message, NotificationGroupTests.alert("b").message])
        #expect(NotificationText(one, NotificationReader(language: language)).answers.isEmpty)
        one.answers = [.init(participant: "12", rule: "a", url: "https://v/answer.html#1")]
        let single = NotificationText(one, NotificationReader(language: language))
        #expect(single.answers.hasSuffix(": https://v/answer.html#1") && !single.answers.contains("(12"))
        #expect(single.bodyWithAnswers == "\(single.body)\n\n\(single.answers)")
        one.answers?.append(.init(participant: "12", rule: "b", url: "https://v/answer.html#2"))
        #expect(NotificationText(one, NotificationReader(language: language)).answers.split(separator: "\n").count == 2)
    }

    @Test("need a key that can be read and not be guessed, which the check of the file says")
    func wrongKey() throws {
        let folder = try TemporaryFolder()
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: "{name: \"r\", rules: []}")])
        func problems(_ answers: String) throws -> [String] {
            let path = folder.path("notifiers.json5")
            try Data("{notifiers: [{id: \"n\", type: \"webhook\", url: \"https://n.example/\"}], answers: \(answers)}".utf8)
                .write(to: URL(filePath: path))
            return NotifierLoad.read(path, rules).problems
        }
        _ = try Self.settings(folder)
        #expect(try problems("{url: \"https://v.example/\", keyFile: \"\(folder.path("key"))\", for: \"2h\"}").isEmpty)
        #expect(
            try problems("{url: \"https://v.example\", keyFile: \"\(folder.path("none"))\"}").first?.contains("answers: the secret file")
                == true)
        _ = try Self.settings(folder, key: "short")
        #expect(
            try problems("{url: \"https://v.example\", keyFile: \"\(folder.path("key"))\"}").first?.contains("openssl rand -hex 32") == true
        )
        #expect(try problems("{url: \"v.example\", keyFile: \"k\"}").contains { $0.contains("v.example") || $0.contains("url") })
        #expect(try problems("{keyFile: \"k\"}").contains { $0.contains("\"url\" is missing") })
    }
}
