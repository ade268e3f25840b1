import Testing
import VigilSchema

@testable import Alerting

@Suite("Alerts that are announced before they are stored")
struct AnnouncedAlertsTests {
    private static func alarm(_ rule: String) -> AlertMessage { NotificationGroupTests.alert(rule, severity: "critical").message }

    private static func end(_ rule: String) -> AlertMessage {
        NotificationGroupTests.alert(rule, "cleared", severity: "critical", state: "resolved", sequence: 2).message
    }

    @Test("are urgent alarms, and once the end of each")
    func ends() {
        var announced = AnnouncedAlerts()
        let changes: [(change: AlertMessage, isTaken: Bool)] = [
            (Self.end("fast"), false),  // Nobody heard of it.
            (Self.alarm("fast"), true),
            (NotificationGroupTests.alert("fast", "escalated", severity: "critical").message, false),  // It goes on.
            (Self.end("slow"), false), (NotificationGroupTests.alert("mild").message, false), (Self.end("fast"), true),
            (Self.end("fast"), false),
        ]
        #expect(changes.map { announced.takes($0.change) } == changes.map(\.isTaken))
    }

    @Test("are a thousand at most, of which the ends are all told; the rest is counted")
    func bounds() {
        let health = StoreHealth()
        health.add((0..<1005).map { Self.alarm("a\($0)") })
        health.add([Self.end("a0"), Self.end("a1004")])
        let (alarms, dropped) = health.takeAlarms()
        #expect(alarms.count == 1001 && alarms.last?.rule == "a0" && dropped == 5)
        #expect(health.takeAlarms().alarms.isEmpty && health.takeAlarms().dropped == 0)
    }
}
