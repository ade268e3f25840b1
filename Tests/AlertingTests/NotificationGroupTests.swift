import AlertRules
import Testing
import VigilSchema

@testable import Alerting

/// One group of alerts of one notifier, as a value: what is told, when, and what is kept of it.
@Suite("A notifier's group of alerts")
struct NotificationGroupTests {
    private static let route = NotifierRoute(id: "ward", groupWait: 10, groupInterval: 60, repeatInterval: 600)

    static func alert(
        _ rule: String, _ transition: String = "raised", severity: String = "warning", state: String = "active", sequence: Int = 1,
        id: Int64 = 1, participant: String = "12", change: (inout AlertMessage) -> Void = { _ in }
    ) -> LoggedAlert {
        let priority = ["notice": "low", "warning": "medium"][severity] ?? "high"
        var message = AlertMessage(
            participant: participant, rule: rule, sequence: UInt32(sequence), transition: transition, cause: "reading", time: 0, decided: 0,
            state: state, severity: severity, priority: priority, kind: "medical", group: "g", since: 0, title: ["en": "T"],
            message: ["en": "M"])
        change(&message)
        return LoggedAlert(id: id, message: message)
    }

    private static func notification(_ group: NotificationGroup) -> Alerting.Notification {
        Alerting.Notification(
            id: "n", notifier: "ward", group: "g", status: "firing", time: 0, alerts: group.firing.values.map(\.message),
            resolved: group.resolved.values.map(\.message), isReminder: false)
    }

    /// A group that was told of an alert at 100.
    private static func told(severity: String = "warning") -> NotificationGroup {
        var group = NotificationGroup()
        group.take(alert("a", severity: severity), route, now: 0)
        group.begin()
        group.sent(notification(group), at: 100)
        return group
    }

    @Test("what is new waits for others, after the first for the interval, and not at all where it is urgent")
    func dues() {
        var group = NotificationGroup()
        #expect(group.isEmpty && group.due(Self.route) == nil)
        group.take(Self.alert("a"), Self.route, now: 5)
        #expect(!group.isEmpty && group.due(Self.route) == 15)
        group.take(Self.alert("b"), Self.route, now: 9)
        #expect(group.due(Self.route) == 15 && !group.isUrgent && group.newsSince == 5)
        group.take(Self.alert("c", severity: "critical"), Self.route, now: 12)
        #expect(group.due(Self.route) == 5 && group.isUrgent)
        group.begin()
        #expect(group.due(Self.route) == nil && group.newsSince == nil && !group.isUrgent && group.told.count == 3)
        group.sent(Self.notification(group), at: 20)
        #expect(group.due(Self.route) == 620 && group.number == 1)
        group.take(Self.alert("d"), Self.route, now: 30)
        #expect(group.due(Self.route) == 80)
        group.take(Self.alert("e", severity: "critical"), Self.route, now: 40)
        #expect(group.due(Self.route) == 30)
    }

    @Test("news after the interval is told at once")
    func later() {
        var group = Self.told()
        group.take(Self.alert("b"), Self.route, now: 160)
        #expect(group.due(Self.route) == 160)
        group = Self.told()
        group.take(Self.alert("b"), Self.route, now: 159)
        #expect(group.due(Self.route) == 160)
    }

    @Test(
        "an alert that goes on is news where it becomes worse, comes back or escalates",
        arguments: [
            ("severity-raised", "critical", true), ("severity-lowered", "notice", false), ("recurred", "warning", true),
            ("escalated", "warning", true), ("data-lost", "warning", false), ("raised", "warning", false),
        ])
    func news(transition: String, severity: String, isNews: Bool) {
        var group = Self.told()
        let route = NotifierRoute(id: "ward", minimumSeverity: .notice, groupWait: 10, groupInterval: 60, repeatInterval: 600)
        group.take(Self.alert("a", transition, severity: severity, sequence: 2), route, now: 150)
        #expect(group.newsSince == (isNews ? 150 : nil))
        #expect(group.isUrgent == (severity == "critical"))
        // What somebody has acknowledged is none.
        group = Self.told()
        group.take(Self.alert("a", transition, severity: severity, sequence: 2) { $0.acknowledged = true }, route, now: 150)
        #expect(group.newsSince == nil && group.due(route) == nil)
    }

    @Test("an acknowledgement is told to those who know of the alert, and is not urgent")
    func acknowledgement() {
        var group = Self.told(severity: "critical")
        let answer = Self.alert("a", "acknowledged", severity: "critical", sequence: 2) { $0.acknowledged = true }
        group.take(answer, Self.route, now: 150)
        #expect(group.newsSince == 150 && !group.isUrgent)
        var untold = NotificationGroup()
        untold.take(answer, Self.route, now: 150)
        #expect(untold.newsSince == nil && untold.firing.count == 1)
    }

    @Test("the end of what was told is told, with the severity that it had")
    func end() {
        var group = Self.told()
        group.take(Self.alert("a", "cleared", severity: "none", state: "none", sequence: 2), Self.route, now: 150)
        #expect(group.firing.isEmpty && group.told.isEmpty && group.newsSince == 150 && !group.isUrgent)
        #expect(group.resolved["12/a"]?.message.severity == "warning" && group.resolved["12/a"]?.message.sequence == 2)
        // It fires again before that was told.
        group.take(Self.alert("a", sequence: 3), Self.route, now: 155)
        #expect(group.resolved.isEmpty && group.firing.count == 1 && group.newsSince == 150)
    }

    @Test("what is latched and over stays where it fired, and does not begin")
    func latched() {
        var group = Self.told()
        group.take(Self.alert("a", "recovered", sequence: 2) { $0.recovered = true }, Self.route, now: 150)
        #expect(group.firing.count == 1 && group.newsSince == nil)
        group.take(Self.alert("b", "recovered", sequence: 2) { $0.recovered = true }, Self.route, now: 150)
        #expect(group.firing.count == 1)
    }

    @Test("what becomes quiet is not told any more, and its end is told once it ends")
    func quiet() {
        var group = Self.told()
        group.take(Self.alert("a", "silenced", sequence: 2) { $0.silenced = true }, Self.route, now: 150)
        #expect(group.firing.isEmpty && group.resolved.isEmpty && group.told.count == 1 && group.newsSince == nil && !group.isEmpty)
        group.take(Self.alert("a", "cleared", state: "none", sequence: 3), Self.route, now: 160)
        #expect(group.resolved.count == 1 && group.told.isEmpty)
    }

    @Test("an alert of high priority that ends untold is told as one that is over, at once", arguments: [true, false])
    func missed(isAcknowledged: Bool) {
        var group = NotificationGroup()
        group.take(Self.alert("a", severity: "critical") { $0.acknowledged = isAcknowledged }, Self.route, now: 5)
        group.take(Self.alert("a", "cleared", severity: "critical", state: "none", sequence: 2), Self.route, now: 7)
        #expect(group.resolved.isEmpty == isAcknowledged && group.isUrgent == !isAcknowledged)
        #expect(group.newsSince == (isAcknowledged ? nil : 5))
        // Told and without news, its end waits like others.
        var told = Self.told(severity: "critical")
        told.take(Self.alert("a", "cleared", severity: "critical", state: "none", sequence: 2), Self.route, now: 150)
        #expect(told.resolved.count == 1 && !told.isUrgent)
        // One that ends while it is on its way cannot be known to have arrived.
        var onItsWay = NotificationGroup()
        onItsWay.take(Self.alert("a", severity: "critical"), Self.route, now: 5)
        onItsWay.begin()
        onItsWay.take(Self.alert("a", "cleared", severity: "critical", state: "none", sequence: 2), Self.route, now: 7)
        #expect(onItsWay.isUrgent && onItsWay.resolved.count == 1)
    }

    @Test(
        "failures wait twice as long each, and what is urgent does not",
        arguments: [(1, 1), (2, 2), (5, 16), (9, 256), (10, 300), (30, 300)] as [(Int, Int64)])
    func failures(count: Int, seconds: Int64) {
        var group = NotificationGroup()
        group.take(Self.alert("a"), Self.route, now: 0)
        for _ in 0..<count {
            group.begin()
            group.failed(at: 1000)
        }
        #expect(group.newsSince == 0 && group.due(Self.route) == 1000 + seconds * 1_000_000)
        group.take(Self.alert("b", severity: "critical"), Self.route, now: 2000)
        #expect(group.due(Self.route) == 2000)
        group.retryNow()
        #expect(group.due(Self.route) == 0)
    }

    @Test("news of a failed attempt and what came meanwhile is one, since the older")
    func failed() {
        var group = NotificationGroup()
        group.take(Self.alert("a", severity: "critical"), Self.route, now: 5)
        group.begin()
        group.take(Self.alert("b"), Self.route, now: 8)
        group.failed(at: 10)
        #expect(group.newsSince == 5 && group.isUrgent && group.kept.failures == 1 && group.kept.notBefore == 1_000_010)
        group.begin()
        group.sent(Self.notification(group), at: 20)
        #expect(group.kept.failures == 0 && group.kept.notBefore == 0 && group.kept.lastSent == 20 && group.kept.number == 1)
    }

    @Test("a delivery takes the ends along that it told, not those that came later")
    func delivered() {
        var group = Self.told()
        group.take(Self.alert("a", "cleared", state: "none", sequence: 2), Self.route, now: 150)
        group.begin()
        let notification = Self.notification(group)
        group.take(Self.alert("a", severity: "critical", sequence: 3), Self.route, now: 151)
        group.take(Self.alert("a", "cleared", state: "none", sequence: 4), Self.route, now: 152)
        group.sent(notification, at: 160)
        #expect(group.resolved["12/a"]?.message.sequence == 4)
        group.begin()
        group.sent(Self.notification(group), at: 230)
        #expect(group.isEmpty)
    }

    @Test("is kept and comes back as it was; an attempt under way counts as none")
    func kept() throws {
        var group = Self.told(severity: "critical")
        group.take(Self.alert("b", id: 7), Self.route, now: 150)
        group.take(Self.alert("a", "cleared", state: "none", sequence: 2, id: 8), Self.route, now: 151)
        group.begin()
        group.failed(at: 200)
        group.begin()
        let kept = group.kept
        #expect(
            kept
                == NotificationGroup.Kept(
                    firing: [7], resolved: [8: "critical"], told: ["12/b"], newsSince: 150, isUrgent: true, lastSent: 100, number: 1,
                    failures: 1, notBefore: 1_000_200))
        let log = [
            7: Self.alert("b", id: 7).message, 8: Self.alert("a", "cleared", severity: "none", state: "none", sequence: 2, id: 8).message,
        ]
        let back = NotificationGroup(kept) { log[Int($0)] }
        #expect(back.kept == kept && back.resolved["12/a"]?.message.severity == "critical" && back.firing["12/b"]?.id == 7)
        #expect(back.due(Self.route) == 1_000_200)
        let empty = NotificationGroup(kept) { _ in nil }
        #expect(empty.firing.isEmpty && empty.resolved.isEmpty && empty.told == ["12/b"])
    }

    @Test("forgets one person, and nobody whose name begins alike")
    func forgetting() {
        var group = NotificationGroup()
        for person in ["12", "123"] { group.take(Self.alert("a", participant: person), Self.route, now: 0) }
        group.begin()
        group.sent(Self.notification(group), at: 1)
        group.take(Self.alert("a", "cleared", state: "none", sequence: 2, participant: "123"), Self.route, now: 2)
        #expect(group.mentions("12") && group.mentions("123") && !group.mentions("1"))
        group.forget("12")
        #expect(!group.mentions("12") && group.mentions("123") && group.newsSince == 2)
        group.forget("123")
        #expect(group.isEmpty && group.newsSince == nil)
    }

    @Test(
        "alerts concern a notifier by severity, group and kind",
        arguments: [
            ("notice", "g", "medical", false), ("warning", "g", "medical", true), ("critical", "g", "medical", true),
            ("none", "g", "medical", false),
            ("warning", "h", "medical", false), ("warning", "g", "technical", false),
        ])
    func concerns(severity: String, group: String, kind: String, concerns: Bool) {
        let message = Self.alert("a", severity: severity) { ($0.group, $0.kind) = (group, kind) }.message
        #expect(NotifierRoute(id: "n", groups: ["g", "i"], kinds: ["medical"]).concerns(message) == concerns)
        #expect(NotifierRoute(id: "n").concerns(message) == ["warning", "critical"].contains(severity))
    }

    @Test("a route's times are ten seconds, a minute and an hour where nothing is said, and groups are by participant")
    func defaults() {
        let route = NotifierRoute(id: "n")
        #expect(route.groupWait == 10_000_000 && route.groupInterval == 60_000_000 && route.repeatInterval == 3_600_000_000)
        #expect(
            route.minimumSeverity == .warning && route.tellsResolved && route.escalation == nil && route.groups.isEmpty
                && route.kinds.isEmpty)
        let message = Self.alert("a").message
        #expect(route.groupKey(message) == "participant=12")
        #expect(NotifierRoute(id: "n", groupBy: ["rule", "group"]).groupKey(message) == "rule=a,group=g")
    }
}
