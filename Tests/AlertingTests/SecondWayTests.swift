import Access
import AlertRules
import Foundation
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("A notifier with a second way", .timeLimit(.minutes(3)))
struct SecondWayTests {
    @Test("sends by it what its own way does not take, once, and is reported as failing nevertheless")
    func otherwise() async throws {
        let second = NotifierCourseTests.Receiver()
        let rig = try NotifierCourseTests.Rig(second: second)
        try await rig.base.coordinator.publishLeftOver()
        rig.receiver.isAway = true
        try await rig.run {
            for (number, person) in ["12", "13", "14", "15"].enumerated() {
                try await rig.base.coordinator.take([rig.base.reading(120, of: person)])
                try await eventually("\(person)") { second.told.count == number + 1 }
            }
            try await eventually("the report") { rig.reports.all.contains("web failing") }
            // Who cannot be reached is tried last for a minute.
            #expect(rig.receiver.refused == 3)
            let line = try #require(rig.base.feed.deliveries(of: "12/high").first)
            #expect(line.hasPrefix("web: sent ") && line.contains("failed 1 times") && line.hasSuffix("by sms"), "\(line)")
        }
        #expect(second.told == ["firing 12", "firing 13", "firing 14", "firing 15"] && rig.receiver.told.isEmpty)
    }

    @Test("gives its readers links where that way offers them, in the name of those readers")
    func answers() async throws {
        let second = NotifierCourseTests.Receiver()
        let folder = try TemporaryFolder("answers")
        try folder.write("a key of sixteen or more", to: "key")
        let offers = try AnswerOffers(.init(url: "https://v.example", keyFile: folder.path("key"), lifetime: 3600))
        let rig = try NotifierCourseTests.Rig(second: second, secondAnswers: offers)
        try await rig.base.coordinator.publishLeftOver()
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("the own way") { rig.receiver.sent.count == 1 }
            rig.receiver.isAway = true
            try await rig.base.coordinator.take([rig.base.reading(120, of: "13")])
            try await eventually("the second way") { second.sent.count == 1 }
        }
        #expect(rig.receiver.sent.first?.answers == nil)
        let link = try #require(second.sent.first?.answers?.first?.url.split(separator: "#").last)
        let key = try #require(AnswerKey("a key of sixteen or more".utf8))
        #expect(try AnswerLink(token: String(link), key: key, now: 0).notifier == "sms")
    }

    /// A way that is not told of answers.
    private struct Pager: NotificationChannel {
        let receiver: NotifierCourseTests.Receiver
        func wants(_ notification: Alerting.Notification) -> Bool { notification.status != "acknowledged" }
        func send(_ notification: Alerting.Notification) async throws(ChannelError) { try await receiver.send(notification) }
    }

    @Test("leaves out what its own way is not told of, also by the second, and does not take it for a success")
    func unwanted() async throws {
        let (own, second) = (NotifierCourseTests.Receiver(), NotifierCourseTests.Receiver())
        let rig = try NotifierCourseTests.Rig(channel: Pager(receiver: own), second: second)
        try await rig.base.coordinator.publishLeftOver()
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("the alarm") { own.told == ["firing 12"] }
            own.isAway = true
            second.isAway = true
            _ = try await rig.base.ask(#"{"command": "acknowledge", "actor": "a"}"#, rule: "high")
            try await rig.base.coordinator.take([rig.base.reading(120, of: "13")])
            try await eventually("the next") { own.refused > 0 && second.refused > 0 }
            (own.isAway, second.isAway) = (false, false)
            try await eventually("the next") { own.told.contains("firing 13") || second.told.contains("firing 13") }
        }
        #expect(!(own.told + second.told).contains { $0.hasPrefix("acknowledged") })
        var planner = NotificationPlanner(route: NotifierRoute(id: "web", groupWait: 0))
        planner.take(NotificationGroupTests.alert("a", severity: "critical"), now: 0)
        for second in 0..<3 {
            let now = Int64(second) * 8_000_000
            planner.finished(try #require(planner.begin(now: now).first), .failed, now: now)
        }
        #expect(planner.isFailing)
        planner.finished(try #require(planner.begin(now: 60_000_000).first), .unwanted, now: 60_000_000)
        #expect(planner.isFailing && planner.begin(now: 61_000_000).isEmpty)
    }

    /// A way whose server asks to be left alone.
    private final class BusyReceiver: NotificationChannel {
        private let tries = Mutex(0)
        var count: Int { tries.withLock { $0 } }

        func send(_ notification: Alerting.Notification) async throws(ChannelError) {
            var error = ChannelError("429")
            error.pause = .seconds(300)
            error.isPostponed = tries.withLock {
                $0 += 1; return $0 > 1
            }
            throw error
        }
    }

    @Test("sends by it whatever comes while its own way's server asks to be left alone")
    func pause() async throws {
        let (own, second) = (BusyReceiver(), NotifierCourseTests.Receiver())
        let rig = try NotifierCourseTests.Rig(channel: own, second: second)
        try await rig.base.coordinator.publishLeftOver()
        second.isAway = true
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("a failure of both") { second.refused >= 1 && own.count >= 1 }
            second.isAway = false
            try await rig.base.coordinator.take([rig.base.reading(120, of: "13")])
            try await eventually("both") { Set(second.told) == ["firing 12", "firing 13"] }
        }
    }

    @Test("sends by it where its own secret is missing, and has the file's mistake and the notifier reported")
    func secret() async throws {
        let folder = try TemporaryFolder("secret")
        let told = folder.path("told")
        let text = """
            {notifiers: [{id: "web", type: "webhook", url: "http://127.0.0.1:1/", secretFile: "\(folder.path("empty"))", otherwise: "middle"},
              {id: "middle", type: "webhook", url: "http://127.0.0.1:1/", secretFile: "\(folder.path("empty"))", otherwise: "page"},
              {id: "page", type: "command", command: ["/bin/sh", "-c", "cat >> \(told)"], minimumSeverity: "critical", groups: ["other"]},
              {id: "lost", type: "webhook", url: "http://127.0.0.1:1/", secretFile: "\(folder.path("empty"))"}]}
            """
        try folder.write("", to: "empty")
        let rules =
            #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, staleAfter: "2h"}, {id: "x", group: "other", metric: "heart-rate", severity: "notice", above: 250}]}"#
        let load = NotifierLoad.read(try folder.write(text, to: "n.json5"), try RuleSetReader.read([RuleFile(name: "r", text: rules)]))
        #expect(load.settings.notifiers.map(\.route.id) == ["web", "middle", "page"] && load.problems.count == 3)
        let rig = try CoordinatorRig(rules)
        rig.feed.set(load.settings)
        let runner = NotifierRunner(
            feed: rig.feed, core: rig.core, coordinator: rig.coordinator, share: nil, isAlive: { true }, log: rig.log.logger,
            metrics: MetricsRegistry())
        try await rig.coordinator.publishLeftOver()
        let service = try #require(runner.wanted["notifier web"]).service
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await service.run() }
            try await rig.coordinator.take([rig.reading(120)])
            try await eventually("the second way") { (try? String(contentsOfFile: told, encoding: .utf8))?.contains("\"high\"") == true }
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        #expect(rig.feed.inbox(of: "web")?.state.snapshot.isWell == false)
    }

    @Test("keeps what became of the newest alerts, and lets the oldest go one by one")
    func newest() {
        var log = DeliveryLog()
        let names = (0..<3 * DeliveryLog.capacity).map { "p/\($0)" }
        for name in names {
            log.began([name], at: 1)
            // Raised anew: it stands last.
            log.follow(NotificationGroupTests.alert("1", participant: "p"))
            log.began(["p/1"], at: 2)
        }
        #expect(names.count { log[$0] != nil } == DeliveryLog.capacity && log["p/1"]?.sent == 2)
        #expect(log[names[2 * DeliveryLog.capacity]] == nil && log[names[2 * DeliveryLog.capacity + 1]] != nil)
        log.forget { $0.hasPrefix("p/") }
        log.began(["b/b"], at: 3)
        #expect(log["p/1"] == nil && log["b/b"]?.sent == 3)
    }

    @Test("tries both again where neither takes it")
    func neither() async throws {
        let second = NotifierCourseTests.Receiver()
        let rig = try NotifierCourseTests.Rig(second: second)
        try await rig.base.coordinator.publishLeftOver()
        (rig.receiver.isAway, second.isAway) = (true, true)
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("two attempts") { rig.receiver.refused >= 2 && second.refused >= 2 }
            second.isAway = false
            try await eventually("the second way") { second.told == ["firing 12"] }
        }
        #expect(rig.base.feed.deliveries(of: "12/high").first?.contains("accepted") == true)
    }

    @Test("follows an alert to its answer, and anew when it is raised again")
    func log() {
        var log = DeliveryLog()
        let alert = NotificationGroupTests.alert("a")
        log.began([alert.key], at: 1_767_652_200)
        log.failed([alert.key], "no answer")
        log.accepted([alert.key], by: "web", at: 1_767_652_260)
        let answered = NotificationGroupTests.alert("a", "acknowledged") { ($0.actor, $0.decided) = ("anna (link)", 1_767_652_300) }
        log.follow(answered)
        #expect(
            log[alert.key]?.line("web")
                == "web: sent 2026-01-05T22:30:00Z, failed 1 times (no answer), accepted 2026-01-05T22:31:00Z, "
                + "answered 2026-01-05T22:31:40Z by anna (link)")
        log.follow(alert)
        #expect(log[alert.key] == nil)
        log.restore(["b/b"])
        #expect(log["b/b"]?.line("web") == "web: sent before the last start")
        log.began((0..<DeliveryLog.capacity).map { "p/\($0)" }, at: 0)
        #expect(log["b/b"] == nil && log["p/0"] != nil)
    }

    @Test("must name another notifier, and not lead back")
    func file() throws {
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: "{rules: []}")])
        func read(_ otherwise: String...) throws -> (NotifierSettings, RuleError?) {
            let notifiers = otherwise.enumerated().map { index, name in
                "{id: \"\(index)\", type: \"command\", command: [\"/bin/true\"], otherwise: \"\(name)\"}"
            }
            let text = "{notifiers: [\(notifiers.joined(separator: ",\n")), {id: \"last\", type: \"command\", command: [\"/bin/true\"]}]}"
            return NotifierSettingsReader.readUsable(RuleFile(name: "n", text: text), rules: rules)
        }
        let (settings, error) = try read("1", "last")
        #expect(error == nil && settings.ways(of: "0").map(\.route.id) == ["0", "1", "last"])
        #expect(try read("1", "0").1?.entries.isEmpty == false && read("0").1?.entries.isEmpty == false)
        #expect(try read("lost").1?.description.contains("last") == true)
    }
}
