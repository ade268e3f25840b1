import AlertRules
import Foundation
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
