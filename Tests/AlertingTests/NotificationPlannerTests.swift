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
        sequence: Int = 1,
        since: Int = 0, change: (inout AlertMessage) -> Void = { _ in }
    ) throws -> AlertMessage {
        let priority = severity == "critical" ? "high" : "medium"
        let escalated = escalatedTo.map { ",\"escalatedTo\":\"\($0)\"" } ?? ""
        var message = try AlertMessage(
            decoding: Array(
                """
                {"schema":"vigil/1","participant":"12","rule":"\(rule)","sequence":\(sequence),"transition":"\(transition)","cause":"reading","time":0,
                "decided":0,"state":"\(state)","severity":"\(severity)","priority":"\(priority)","kind":"medical","group":"g",
                "acknowledged":false,"recovered":false,"inhibited":false,"dataLost":false,"silenced":false,"since":\(since),"title":{"en":"T"},
                "message":{"en":"M"}\(escalated)}
                """.utf8))
        change(&message)
        return message
    }

    private func second(_ value: Int64) -> Int64 { value * 1_000_000 }

    private func planner(_ change: (inout NotifierRoute) -> Void = { _ in }) -> NotificationPlanner {
        var route = Self.route
        change(&route)
        return NotificationPlanner(route: route)
    }

    @Test("tells the alerts of a group together after the wait, then what is new after the interval")
    func grouping() throws {
        var planner = planner()
        planner.take(try message("a"), now: 0)
        planner.take(try message("b"), now: second(5))
        #expect(planner.begin(now: second(9)).isEmpty)
        let first = try #require(planner.begin(now: second(10)).first)
        #expect(Set(first.alerts.map(\.rule)) == ["a", "b"])
        planner.finished(first, .delivered, now: second(10))
        planner.take(try message("c"), now: second(20))
        #expect(planner.begin(now: second(69)).isEmpty)
        #expect(planner.begin(now: second(70)).first?.alerts.count == 3)
    }

    @Test("does not let an alert of high priority wait")
    func urgency() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        #expect(planner.nextDue == 0)
        #expect(planner.begin(now: 0).count == 1)
    }

    @Test("says nothing of a receiver before it was reached or failed three times, so that a restart ends no alarm about it")
    func reachability() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        #expect(planner.isReachable == nil)
        var now: Int64 = 0
        for failure in 1...3 {
            let notification = try #require(planner.begin(now: now).first)
            planner.finished(notification, .failed, now: now)
            #expect(planner.isReachable == (failure < 3 ? nil : false))
            now += second(10)
        }
        let notification = try #require(planner.begin(now: now).first)
        planner.finished(notification, .delivered, now: now)
        #expect(planner.isReachable == true)
    }

    @Test("tries again after a failure with the same id, waiting twice as long each time, and five minutes at most")
    func retries() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        planner.finished(first, .failed, now: 0)
        var now: Int64 = 0
        for wait: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
            #expect(planner.begin(now: now + second(wait) - 1).isEmpty)
            now += second(wait)
            let again = try #require(planner.begin(now: now).first)
            #expect(again.id == first.id)
            planner.finished(again, .failed, now: now)
        }
    }

    @Test(
        "tries again once a pause is over that was asked for, tries what is new at once by other ways, and takes a lasting refusal for a failure"
    )
    func asked() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        var error = ChannelError("429")
        error.pause = .seconds(30)
        planner.finished(try #require(planner.begin(now: 0).first), .failed, error, now: 0)
        planner.take(try message("b", severity: "critical"), now: second(12))
        // The way itself keeps quiet; the next one may take it.
        var again = try #require(planner.begin(now: second(12)).first)
        #expect(again.alerts.count == 2)
        error.isPostponed = true
        var now = second(12)
        for _ in 0..<8 {
            error.pause = .seconds(9)
            planner.finished(again, .failed, error, now: now)
            let next = try #require(planner.nextDue)
            #expect(next - now <= second(10) && !planner.isFailing, "nothing was tried")
            now = next
            again = try #require(planner.begin(now: now).first)
        }
        error.isLasting = true
        planner.finished(again, .failed, error, now: now)
        #expect(planner.isFailing)
    }

    @Test("gives a retry that holds more another id, so that a receiver that drops repeats does not lose it")
    func fullerRetry() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        planner.finished(first, .failed, now: 0)
        planner.take(try message("b"), now: second(1) / 2)
        let again = try #require(planner.begin(now: second(1)).first)
        #expect(again.alerts.count == 2 && again.id != first.id)
    }

    @Test("gives a repetition another id than the notification that it repeats, so that a receiver that drops repeats shows it")
    func repetitionIDs() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        planner.finished(first, .delivered, now: 0)
        let again = try #require(planner.begin(now: second(600)).first)
        #expect(again.alerts.map(\.rule) == first.alerts.map(\.rule) && again.id != first.id)
    }

    @Test("does not let what cannot wait wait for a receiver that failed before")
    func urgentRetry() throws {
        var planner = planner()
        planner.take(try message("a"), now: 0)
        planner.finished(try #require(planner.begin(now: second(10)).first), .failed, now: second(10))
        planner.finished(try #require(planner.begin(now: second(11)).first), .failed, now: second(11))
        planner.take(try message("b", severity: "critical"), now: second(12))
        #expect(planner.begin(now: second(12)).first?.alerts.first?.rule == "b")
    }

    @Test("sends news that came while a notification was on its way in one of its own, and the end of what that held")
    func newsOnTheWay() throws {
        var planner = planner { $0.groupInterval = 0 }
        planner.take(try message("a", severity: "critical"), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        planner.take(try message("b", severity: "critical"), now: 1)
        planner.take(try message("a", "cleared", state: "none", sequence: 2), now: 2)
        #expect(planner.begin(now: 3).isEmpty)
        planner.finished(first, .delivered, now: 4)
        let next = try #require(planner.begin(now: 4).first)
        #expect(next.alerts.map(\.rule) == ["b"] && next.resolved.map(\.rule) == ["a"])
        planner.finished(next, .delivered, now: 5)
        #expect(planner.begin(now: second(500)).isEmpty)
    }

    @Test("counts a receiver that fails three times as unreachable, then tries it with one at a time, and with all once it is there again")
    func unreachable() throws {
        var planner = planner()
        for number in 0..<20 {
            planner.take(try message("a", severity: "critical") { $0.participant = "p\(number)" }, now: 0)
        }
        let first = planner.begin(now: 0)
        #expect(first.count == 16)
        for notification in first { planner.finished(notification, .failed, now: 0) }
        #expect(planner.isFailing)
        let probe = planner.begin(now: 1)
        #expect(probe.count == 1)
        planner.finished(try #require(probe.first), .delivered, now: 2)
        #expect(!planner.isFailing)
        #expect(planner.begin(now: 3).count == 16)
    }

    @Test("reminds of what nobody acknowledges, and only of that; and tells the acknowledgement to those who were told of the alert")
    func reminders() throws {
        var planner = planner()
        planner.take(try message("a", severity: "critical"), now: 0)
        planner.finished(try #require(planner.begin(now: 0).first), .delivered, now: 0)
        let reminder = try #require(planner.begin(now: second(600)).first)
        #expect(reminder.isReminder)
        planner.finished(reminder, .delivered, now: second(600))
        planner.take(try message("a", "acknowledged", severity: "critical", sequence: 2) { $0.acknowledged = true }, now: second(601))
        let answer = try #require(planner.begin(now: second(660)).first)
        #expect(answer.status == "acknowledged" && !answer.isReminder)
        planner.finished(answer, .delivered, now: second(660))
        #expect(planner.begin(now: second(10_000)).isEmpty)
    }

    @Test("tells the end of what it told, and nothing of what came and went within the wait")
    func resolved() throws {
        var planner = planner()
        planner.take(try message("a"), now: 0)
        planner.take(try message("a", "cleared", state: "none"), now: second(5))
        #expect(planner.begin(now: second(1000)).isEmpty)
        planner.take(try message("b", severity: "critical"), now: second(1000))
        planner.finished(try #require(planner.begin(now: second(1000)).first), .delivered, now: second(1000))
        planner.take(try message("b", "severity-lowered", severity: "notice", sequence: 2), now: second(1001))
        planner.take(try message("b", "cleared", state: "none", sequence: 3), now: second(1002))
        let end = try #require(planner.begin(now: second(1070)).first)
        #expect(end.status == "resolved" && end.resolved.map(\.rule) == ["b"])
        planner.finished(end, .delivered, now: second(1070))
        #expect(planner.begin(now: second(100_000)).isEmpty && planner.groupCount == 0)
    }

    @Test("tells of an alert of high priority that was over before it could be told, once", arguments: [true, false])
    func missed(tellsResolved: Bool) throws {
        // The service was away meanwhile: raised and ended come at once.
        var planner = planner { $0.tellsResolved = tellsResolved }
        planner.take(try message("a", severity: "critical"), now: 0)
        planner.take(try message("a", "cleared", state: "none", sequence: 2), now: 0)
        let first = try #require(planner.begin(now: 0).first)
        #expect(first.status == "resolved" && first.resolved.map(\.rule) == ["a"] && first.resolved.first?.severity == "critical")
        planner.finished(first, .delivered, now: 0)
        // The receiver was away meanwhile.
        planner.take(try message("b", severity: "critical"), now: second(100))
        planner.finished(try #require(planner.begin(now: second(100)).first), .failed, now: second(100))
        planner.take(try message("b", "cleared", state: "none", sequence: 2), now: second(100))
        let second = try #require(planner.begin(now: second(101)).first)
        #expect(second.resolved.map(\.rule) == ["b"])
        planner.finished(second, .delivered, now: self.second(101))
        #expect(planner.begin(now: self.second(100_000)).isEmpty && planner.groupCount == 0)
    }

    @Test("hoards nothing where ends are not told")
    func ends() throws {
        var planner = planner { $0.tellsResolved = false }
        for round: Int64 in 0..<10 {
            planner.take(try message("a", severity: "critical", sequence: Int(round) * 2), now: second(round * 100))
            planner.finished(try #require(planner.begin(now: second(round * 100)).first), .delivered, now: second(round * 100))
            planner.take(try message("a", "cleared", state: "none", sequence: Int(round) * 2 + 1), now: second(round * 100 + 1))
            #expect(planner.groupCount == 0)
        }
        #expect(planner.begin(now: second(100_000)).isEmpty)
    }

    @Test("says nothing of what is silenced, inhibited or not bad enough")
    func quiet() throws {
        var planner = planner()
        planner.take(try message("a") { $0.silenced = true }, now: 0)
        planner.take(try message("b") { $0.inhibited = true }, now: 0)
        planner.take(try message("c", severity: "notice"), now: 0)
        #expect(planner.begin(now: second(1000)).isEmpty)
    }

    @Test("names the worst and newest that awaits an answer first")
    func order() throws {
        var planner = planner { $0.groupWait = 0 }
        planner.take(try message("old", severity: "critical", since: 1), now: 0)
        planner.take(try message("new", severity: "critical", since: 9), now: 0)
        planner.take(try message("mild", since: 20), now: 0)
        planner.take(try message("answered", severity: "critical", since: 30) { $0.acknowledged = true }, now: 0)
        #expect(planner.begin(now: 0).first?.alerts.map(\.rule) == ["new", "old", "mild", "answered"])
    }

    @Test("tells a notifier for escalations only of what was escalated to it")
    func escalation() throws {
        var planner = planner { $0.escalation = "physician" }
        planner.take(try message("a"), now: 0)
        planner.take(try message("a", "escalated", escalatedTo: "nurse"), now: second(60))
        #expect(planner.begin(now: second(1000)).isEmpty)
        planner.take(try message("a", "escalated", escalatedTo: "physician"), now: second(120))
        #expect(planner.begin(now: second(130)).count == 1)
    }
}

extension NotificationPlanner {
    fileprivate mutating func take(_ message: AlertMessage, now: Int64) { take(LoggedAlert(id: 0, message: message), now: now) }
}
