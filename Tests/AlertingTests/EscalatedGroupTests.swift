import AlertRules
import Testing
import VigilSchema

@testable import Alerting

/// The alerts that were escalated to a notifier's receiver: how long they are the same episode, and what ends it.
@Suite("A notifier's escalated alerts")
struct EscalatedGroupTests {
    private static let route = NotifierRoute(id: "p", escalation: "physician", groupWait: 10, groupInterval: 0, repeatInterval: 600)
    /// A quarter of an hour and a minute.
    private static let gap: Int64 = 960_000_000

    private static func alert(
        _ rule: String = "a", _ transition: String = "escalated", cause: String = "timer", state: String = "active", to name: String? = nil,
        change: (inout AlertMessage) -> Void = { _ in }
    ) -> LoggedAlert {
        NotificationGroupTests.alert(rule, transition, state: state) {
            ($0.cause, $0.escalatedTo) = (cause, name)
            change(&$0)
        }
    }

    /// A group with an alert that was escalated to the receiver and was not told yet.
    private static func escalated(_ rules: [String] = ["a"]) -> NotificationGroup {
        var group = NotificationGroup()
        for rule in rules { group.take(alert(rule, to: "physician"), route, now: 5) }
        return group
    }

    @Test("is known while it goes on, and for a quarter of an hour and a minute after it ended unanswered, by the microsecond")
    func gap() {
        var group = Self.escalated()
        #expect(group.escalated == ["12/a": 0] && group.knows("12/a", at: .max) && !group.knows("12/b", at: 5))
        #expect(group.escalationsOver == nil)
        group.take(Self.alert("a", "cleared", cause: "reading", state: "none"), Self.route, now: 1000)
        #expect(group.escalated == ["12/a": 1000] && group.firing.isEmpty && group.told.isEmpty)
        #expect(group.knows("12/a", at: 1000 + Self.gap) && !group.knows("12/a", at: 1001 + Self.gap))
        #expect(group.escalationsOver == 1001 + Self.gap)
        group.forgetEscalations(at: 1000 + Self.gap)
        #expect(!group.escalated.isEmpty)
        group.forgetEscalations(at: 1001 + Self.gap)
        #expect(group.escalated.isEmpty && group.escalationsOver == nil && group.isEmpty)
    }

    @Test("the one that ended first is forgotten first, and one that goes on is not")
    func several() {
        var group = Self.escalated(["a", "b", "c"])
        for (rule, now) in [("a", 500), ("b", 900)] as [(String, Int64)] {
            group.take(Self.alert(rule, "cleared", cause: "timer", state: "none"), Self.route, now: now)
        }
        #expect(group.escalated == ["12/a": 500, "12/b": 900, "12/c": 0] && group.escalationsOver == 501 + Self.gap)
        group.forgetEscalations(at: 501 + Self.gap)
        #expect(group.escalated == ["12/b": 900, "12/c": 0] && group.escalationsOver == 901 + Self.gap)
        group.forgetEscalations(at: .max)
        #expect(group.escalated == ["12/c": 0])
    }

    /// What became of an alert: the transition, its cause, the state, whether somebody answered it, and the mark that is left; nil: none.
    static let courses: [(String, String, String, Bool, Int64?)] = [
        ("cleared", "reading", "none", false, 50), ("cleared", "timer", "none", false, 50), ("cleared", "command", "none", false, nil),
        ("cleared", "rules", "none", false, nil), ("acknowledged", "command", "active", true, nil),
        ("silenced", "command", "active", false, 0),
        ("data-lost", "rules", "active", false, 0), ("severity-raised", "reading", "active", false, 0),
    ]

    @Test("goes on whatever happens to it, until somebody answers it, ends it, or its rule is gone", arguments: courses)
    func course(transition: String, cause: String, state: String, isAnswered: Bool, mark: Int64?) {
        let next = Self.alert("a", transition, cause: cause, state: state) { $0.acknowledged = isAnswered }
        var group = Self.escalated()
        group.take(next, Self.route, now: 50)
        #expect(group.escalated["12/a"] == mark)
        // One that was never escalated to the receiver is not by any of this.
        var other = NotificationGroup()
        other.take(next, Self.route, now: 50)
        #expect(other.escalated.isEmpty)
    }

    @Test("of a step to somebody else nothing is noted, nor by a notifier that is not one for escalations")
    func others() {
        var group = NotificationGroup()
        group.take(Self.alert(to: "nurse"), Self.route, now: 5)
        #expect(group.escalated.isEmpty)
        group.take(Self.alert(to: "physician"), NotifierRoute(id: "ward"), now: 5)
        #expect(group.escalated.isEmpty)
    }

    @Test("one that is back within the time goes on, and what is said of it while it is over does not make it later")
    func back() {
        var group = Self.escalated()
        group.take(Self.alert("a", "cleared", cause: "reading", state: "none"), Self.route, now: 50)
        group.take(Self.alert("a", "silence-ended", state: "none"), Self.route, now: 70)
        #expect(group.escalated == ["12/a": 50])
        group.take(Self.alert("a", "raised", cause: "reading"), Self.route, now: 90)
        #expect(group.escalated == ["12/a": 0])
    }

    private static func planner() -> NotificationPlanner {
        var planner = NotificationPlanner(route: route)
        planner.take(alert(to: "physician"), now: 0)
        return planner
    }

    @Test("what was answered before it could be told ends as well, and nothing is kept of it")
    func answeredUntold() {
        var planner = Self.planner()
        planner.take(Self.alert("a", "acknowledged", cause: "command") { $0.acknowledged = true }, now: 5)
        #expect(planner.groupCount == 1)
        planner.take(Self.alert("a", "cleared", cause: "reading", state: "none"), now: 7)
        #expect(planner.groupCount == 0 && planner.begin(now: 1000).isEmpty)
    }

    @Test("whoever was told is told the end also of what was answered and kept quiet meanwhile")
    func answeredAndQuiet() throws {
        var planner = Self.planner()
        planner.finished(try #require(planner.begin(now: 10).first), .delivered, now: 10)
        planner.take(Self.alert("a", "acknowledged", cause: "command") { $0.acknowledged = true }, now: 20)
        planner.finished(try #require(planner.begin(now: 20).first), .delivered, now: 20)
        planner.take(Self.alert("a", "silenced", cause: "command") { ($0.acknowledged, $0.silenced) = (true, true) }, now: 30)
        planner.take(Self.alert("a", "cleared", cause: "reading", state: "none"), now: 40)
        #expect(planner.begin(now: 40).first?.resolved.map(\.rule) == ["a"])
    }

    @Test("a group that knows of nothing else is forgotten when the episode is over, to the moment")
    func forgotten() {
        var planner = Self.planner()
        planner.take(Self.alert("a", "cleared", cause: "reading", state: "none"), now: 7)
        // What was due for the alert itself is looked at, and there is nothing.
        #expect(planner.begin(now: 6 + Self.gap).isEmpty && planner.groupCount == 1)
        #expect(planner.nextDue == 8 + Self.gap)
        #expect(planner.begin(now: 7 + Self.gap).isEmpty && planner.groupCount == 1)
        #expect(planner.begin(now: 8 + Self.gap).isEmpty && planner.groupCount == 0 && planner.nextDue == nil)
    }
}
