import AlertRules
import Foundation
import Testing
import VigilSchema

@testable import Alerting

@Suite("A notification's words")
struct NotificationTextTests {
    /// 2026-01-05 22:30 UTC.
    private static let time = 1_767_652_200.0

    private static func alert(_ rule: String, change: (inout AlertMessage) -> Void = { _ in }) -> AlertMessage {
        NotificationGroupTests.alert(rule, severity: "critical") {
            ($0.since, $0.time) = (time - 600, time - 60)
            ($0.title, $0.message) = (
                ["en": "Title \(rule)", "de": "Titel \(rule)"], ["en": "Message \(rule)", "de": "Nachricht \(rule)."]
            )
            change(&$0)
        }.message
    }

    private static func text(
        _ alerts: [AlertMessage], _ resolved: [AlertMessage] = [], status: String = "firing", isReminder: Bool = false,
        language: String = "en",
        zone: TimeZone? = nil, at now: Double = time
    ) -> NotificationText {
        let notification = Alerting.Notification(
            id: "n", notifier: "ward", group: "g", status: status, time: now, alerts: alerts, resolved: resolved, isReminder: isReminder)
        return NotificationText(notification, language: language, zone: zone)
    }

    @Test("names the first alert, how many more there are, and whether it is a reminder")
    func subjects() {
        let (one, two) = (Self.alert("a"), Self.alert("b"))
        #expect(Self.text([one]).subject == "[CRITICAL] 12: Title a")
        #expect(Self.text([one, two, two]).subject == "[CRITICAL] 12: Title a (+2)")
        #expect(Self.text([one], [two, two]).subject == "[CRITICAL] 12: Title a")
        #expect(Self.text([one, two], isReminder: true).subject == "[CRITICAL] 12: Title a (+1) – still unanswered")
        #expect(Self.text([], [two, one], status: "resolved").subject == "[Resolved] 12: Title b (+1)")
        #expect(Self.text([one], status: "acknowledged").subject == "[Acknowledged] 12: Title a")
        #expect(Self.text([one], status: "test", language: "de").subject == "[Probe] 12: Titel a")
        #expect(Self.text([], status: "firing").subject == "[] : ")
        #expect(Self.text([Self.alert("a") { ($0.severity, $0.title) = ("odd", [:]) }]).subject == "[odd] 12: a")
    }

    @Test("tells each alert, since when, who answered and what is not stored yet")
    func lines() {
        #expect(Self.text([Self.alert("a")]).body == "CRITICAL: 12: Message a. Since 22:20 UTC.")
        let answered = Self.alert("a") { ($0.acknowledged, $0.actor, $0.severity) = (true, "Dr. A", "warning") }
        #expect(
            Self.text([answered, Self.alert("b") { $0.unconfirmed = true }]).body
                == "Warning: 12: Message a. Since 22:20 UTC. Acknowledged by \u{2068}Dr. A\u{2069}.\n"
                + "CRITICAL: 12: Message b. Since 22:20 UTC. Not stored yet; once it is, it is told again.")
        let somebody = Self.alert("a") { ($0.acknowledged, $0.since, $0.message) = (true, 0, [:]) }
        #expect(Self.text([somebody]).body == "CRITICAL: 12: Title a. Acknowledged.")
        #expect(Self.text([Self.alert("a") { $0.unconfirmed = false }]).body == "CRITICAL: 12: Message a. Since 22:20 UTC.")
        #expect(Self.text([], [Self.alert("a")]).body == "Resolved: 12: Title a, 22:29 UTC.")
    }

    @Test(
        "tells times in the person's zone, else in the reader's, else in UTC, with the day where it is another",
        arguments: [
            (60, nil, "en", "Since 23:20."), (nil, "Europe/Berlin", "en", "Since 23:20."), (-300, "Europe/Berlin", "en", "Since 17:20."),
            (nil, nil, "de", "Seit 22:20 UTC."), (nil, nil, "ru", "С 22:20 UTC."), (90, nil, "en", "Since 5 Jan 23:50."),
            (120, nil, "en", "Since 00:20."),
        ] as [(Int?, String?, String, String)])
    func zones(minutes: Int?, zone: String?, language: String, text: String) {
        let alert = Self.alert("a") { $0.zone = minutes }
        let body = Self.text([alert], language: language, zone: zone.flatMap { TimeZone(identifier: $0) }).body
        #expect(body.hasSuffix(" " + text), "\(body)")
    }
}
