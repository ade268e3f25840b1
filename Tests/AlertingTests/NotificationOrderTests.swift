import AlertRules
import SignalSynthesis
import Testing
import VigilSchema

@testable import Alerting

@Suite("When a notifier tells what")
struct NotificationOrderTests {
    private static func alert(
        _ participant: String, _ rule: String = "a", _ transition: String = "raised", severity: String = "warning",
        state: String = "active",
        sequence: Int = 1, change: (inout AlertMessage) -> Void = { _ in }
    ) -> LoggedAlert {
        NotificationGroupTests.alert(
            rule, transition, severity: severity, state: state, sequence: sequence, participant: participant, change: change)
    }

    @Test("each group is told at its own moment, whatever else waits", arguments: 0..<10)
    func moments(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward", groupWait: 10))
        var wanted: [Int64: Set<String>] = [:]
        for number in 0..<60 {
            let moment = Int64.random(in: 0..<40, using: &random)
            planner.take(Self.alert("p\(number)"), now: moment)
            wanted[moment + 10, default: []].insert("participant=p\(number)")
        }
        for now in 0...60 as ClosedRange<Int64> {
            var told: Set<String> = []
            while case let begun = planner.begin(now: now), !begun.isEmpty {
                for notification in begun {
                    told.insert(notification.group)
                    planner.finished(notification, .delivered, now: now)
                }
            }
            #expect(told == wanted[now] ?? [], "at \(now)")
        }
    }

    @Test("what cannot wait is tried again at its own moment too, where several failed one after the other")
    func urgentRetries() throws {
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward"))
        for name in ["a", "b"] { planner.take(Self.alert(name, severity: "critical"), now: 0) }
        for (number, notification) in planner.begin(now: 0).sorted(by: { $0.group < $1.group }).enumerated() {
            planner.finished(notification, .failed, now: Int64(number) * 500_000)
        }
        #expect(planner.nextDue == 1_000_000 && planner.begin(now: 999_999).isEmpty)
        let first = planner.begin(now: 1_000_000)
        #expect(first.map(\.group) == ["participant=a"])
        planner.finished(try #require(first.first), .delivered, now: 1_000_000)
        #expect(planner.begin(now: 1_499_999).isEmpty)
        #expect(planner.begin(now: 1_500_000).map(\.group) == ["participant=b"])
    }

    @Test("a notification's id stays the same from version to version: an update repeats what was on its way under the id that it had")
    func ids() throws {
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward", groupWait: 0))
        planner.take(Self.alert("12"), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        #expect(first.id == "ward/participant=12/0-ac6ebed64e5b7e1a")
        planner.finished(first, .failed, now: 0)
        // Of both, in whatever order they stand: the sums of FNV-1a.
        planner.take(Self.alert("12", "b", sequence: 2), now: 0)
        #expect(planner.begin(now: 1_000_000).first?.id == "ward/participant=12/0-4f6ec9ac972754f8")
    }

    @Test("what was kept quiet from its beginning to its end is not told", arguments: ["warning", "critical"])
    func alwaysQuiet(severity: String) {
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward", groupWait: 0))
        planner.take(Self.alert("12", severity: severity) { $0.silenced = true }, now: 0)
        planner.take(Self.alert("12", "a", "cleared", severity: severity, state: "none", sequence: 2) { $0.silenced = true }, now: 5)
        #expect(planner.groupCount == 0 && planner.begin(now: 1_000_000).isEmpty && planner.changed.isEmpty)
    }

    @Test("what becomes quiet while its notification is on its way, which fails, is not told as nothing; once it is heard again it is")
    func quietOnItsWay() throws {
        var planner = NotificationPlanner(route: NotifierRoute(id: "ward"))
        planner.take(Self.alert("12", severity: "critical"), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        planner.take(Self.alert("12", "a", "silenced", severity: "critical", sequence: 2) { $0.silenced = true }, now: 1)
        planner.finished(first, .failed, now: 2)
        #expect(planner.begin(now: 100_000_000).isEmpty)
        planner.take(Self.alert("12", "a", "silence-ended", severity: "critical", sequence: 3), now: 200_000_000)
        #expect(planner.begin(now: 200_000_000).first?.alerts.map(\.rule) == ["a"])
    }

    @Test("a group whose alerts are not in the log any more says nothing after a start")
    func lostAlerts() {
        var group = NotificationGroup()
        group.take(Self.alert("12", severity: "critical"), NotifierRoute(id: "ward"), now: 5)
        let restored = NotificationGroup(group.kept) { _ in nil }
        #expect(restored.newsSince == nil && restored.due(NotifierRoute(id: "ward")) == nil)
        let whole = NotificationGroup(group.kept) { _ in Self.alert("12", severity: "critical").message }
        #expect(whole.newsSince == 5 && whole.isUrgent)
    }
}
