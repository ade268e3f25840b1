import AlertRules
import Alerting
import Testing
import VigilSchema

@Suite("Notification planner")
struct NotificationPlannerTests {
    private static let route = NotifierRoute(
        id: "ward", groupWait: 10_000_000, groupInterval: 60_000_000, repeatInterval: 600_000_000)

    private func message(
        _ rule: String, _ transition: String = "raised", severity: String = "warning", state: String = "active", escalatedTo: String? = nil,
        change: (inout AlertMessage) -> Void = { _ in }
    ) throws -> AlertMessage {
        let priority = severity == "critical" ? "high" : "medium"
        let escalated = escalatedTo.map { ",\"escalatedTo\":\"\($0)\"" } ?? ""
        var message = try AlertMessage(
            decoding: Array(
                """
                {"schema":"vigil/1","participant":"12","rule":"\(rule)","sequence":1,"transition":"\(transition)","cause":"reading","time":0,
                "decided":0,"state":"\(state)","severity":"\(severity)","priority":"\(priority)","kind":"medical","group":"g",
                "acknowledged":false,"recovered":false,"inhibited":false,"dataLost":false,"silenced":false,"since":0,"title":{"en":"T"},
                "message":{"en":"M"}\(escalated)}
                """.utf8))
        change(&message)
        return message
    }

    private func second(_ value: Int64) -> Int64 { value * 1_000_000 }

    @Test("tells the alerts of a group together after the wait, then what is new after the interval")
    func grouping() throws {
        var planner = NotificationPlanner(routes: [Self.route])
        planner.take(try message("a"), now: 0)
        planner.take(try message("b"), now: second(5))
        #expect(planner.due(now: second(9)).isEmpty)
        let first = try #require(planner.due(now: second(10)).first)
        #expect(first.alerts.map(\.rule) == ["a", "b"])
        planner.finished(first, delivered: true, now: second(10))
        planner.take(try message("c"), now: second(20))
        #expect(planner.due(now: second(69)).isEmpty)
        #expect(planner.due(now: second(70)).first?.alerts.count == 3)
    }

    @Test("does not let an alert of high priority wait")
    func urgency() throws {
        var planner = NotificationPlanner(routes: [Self.route])
        planner.take(try message("a", severity: "critical"), now: 0)
        #expect(planner.due(now: 0).count == 1)
    }

    @Test("tries again after a failure, waiting longer each time, with the same id")
    func retries() throws {
        var planner = NotificationPlanner(routes: [Self.route])
        planner.take(try message("a", severity: "critical"), now: 0)
        let first = try #require(planner.due(now: 0).first)
        planner.finished(first, delivered: false, now: 0)
        #expect(planner.due(now: second(1) - 1).isEmpty)
        let again = try #require(planner.due(now: second(1)).first)
        #expect(again.id == first.id)
        planner.finished(again, delivered: false, now: second(1))
        #expect(planner.due(now: second(3) - 1).isEmpty)
        #expect(planner.due(now: second(3)).count == 1)
    }

    @Test("reminds of what nobody acknowledges, and only of that")
    func reminders() throws {
        var planner = NotificationPlanner(routes: [Self.route])
        planner.take(try message("a", severity: "critical"), now: 0)
        planner.finished(try #require(planner.due(now: 0).first), delivered: true, now: 0)
        #expect(planner.due(now: second(600)).first?.isReminder == true)
        planner.take(try message("a", "acknowledged", severity: "critical") { $0.acknowledged = true }, now: second(601))
        #expect(planner.due(now: second(10_000)).isEmpty)
    }

    @Test("tells the end of what it told, and nothing of what came and went within the wait")
    func resolved() throws {
        var planner = NotificationPlanner(routes: [Self.route])
        planner.take(try message("a"), now: 0)
        planner.take(try message("a", "cleared", state: "none"), now: second(5))
        #expect(planner.due(now: second(1000)).isEmpty)
        planner.take(try message("b", severity: "critical"), now: second(1000))
        planner.finished(try #require(planner.due(now: second(1000)).first), delivered: true, now: second(1000))
        planner.take(try message("b", "cleared", state: "none"), now: second(1001))
        let end = try #require(planner.due(now: second(1070)).first)
        #expect(end.status == "resolved" && end.resolved.map(\.rule) == ["b"])
        planner.finished(end, delivered: true, now: second(1070))
        #expect(planner.due(now: second(100_000)).isEmpty)
    }

    @Test("says nothing of what is silenced, inhibited or not bad enough")
    func quiet() throws {
        var planner = NotificationPlanner(routes: [Self.route])
        planner.take(try message("a") { $0.silenced = true }, now: 0)
        planner.take(try message("b") { $0.inhibited = true }, now: 0)
        planner.take(try message("c", severity: "notice"), now: 0)
        #expect(planner.due(now: second(1000)).isEmpty)
    }

    @Test("tells a notifier for escalations only of what was escalated to it")
    func escalation() throws {
        var route = Self.route
        route.escalation = "physician"
        var planner = NotificationPlanner(routes: [route])
        planner.take(try message("a"), now: 0)
        planner.take(try message("a", "escalated", escalatedTo: "nurse"), now: second(60))
        #expect(planner.due(now: second(1000)).isEmpty)
        planner.take(try message("a", "escalated", escalatedTo: "physician"), now: second(120))
        #expect(planner.due(now: second(130)).count == 1)
    }
}
