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
        return NotificationText(notification, NotificationReader(language: language, zone: zone))
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
        "an escalation says that it is one, to whom, for how long nobody has answered and who was told before",
        arguments: ["en", "de", "ru"])
    func escalated(language: String) {
        let alert = Self.alert("a") { ($0.transition, $0.escalatedTo, $0.time) = ("escalated", "physician", $0.since + 300) }
        var notification = Alerting.Notification(
            id: "n", notifier: "p", group: "g", status: "firing", time: Self.time, alerts: [alert], resolved: [], isReminder: false)
        notification.escalation = Alerting.Notification.Escalation(notification.alerts)
        #expect(notification.escalation == .init(to: "physician", from: [], unanswered: 300))
        notification.escalation?.from = ["nurse", "ward"]
        let text = NotificationText(notification, NotificationReader(language: language))
        #expect(text.subject.contains("physician") && text.body.split(separator: "\n").count == 2)
        for word in ["physician", "5 ", "nurse", "ward"] { #expect(text.body.split(separator: "\n")[0].contains(word)) }
        #expect(Alerting.Notification.Escalation([Self.alert("a")]) == nil)
        #expect(
            Alerting.Notification.Escalation([
                Self.alert("a") { ($0.transition, $0.escalatedTo, $0.acknowledged) = ("escalated", "p", true) }
            ]) == nil)
    }

    @Test("people are called by their names where the receiver may know them, and services never where it is a carer's")
    func names() throws {
        let service = Self.alert("s") {
            ($0.participant, $0.message) = ("_module.vigil-ingest.main", ["en": "_module.vigil-ingest.main is down."])
        }
        let notification = Alerting.Notification(
            id: "n", notifier: "p", group: "g", status: "firing", time: Self.time, alerts: [Self.alert("a"), service], resolved: [service],
            isReminder: false)
        func text(_ names: NotificationNames) -> String {
            let text = NotificationText(notification, NotificationReader(language: "en", names: names))
            return text.subject + text.body
        }
        let carer = text(NotificationNames(people: ["12": "Anna"]))
        #expect(carer.contains("Anna: Title a") && !carer.contains("12:") && !carer.contains("ingest"), "\(carer)")
        #expect(text(NotificationNames(showsServices: true)).contains("_module.vigil-ingest.main is down"))
        let entry = NotifierSettings.Entry(
            route: NotifierRoute(id: "a", kinds: ["technical"]), way: .command(["/bin/true"]), timeout: .seconds(1))
        let people = ["12": NotifierSettings.Person(name: "Anna", family: nil)]
        #expect(NotificationNames(entry, people) == NotificationNames(people: ["12": "Anna"], showsServices: true))
        var other = entry
        (other.route.kinds, other.showsNames) = ([], false)
        #expect(NotificationNames(other, people) == NotificationNames())
    }

    @Test("says why it comes to this reader, and gives values in the reader's own units", arguments: ["en", "de", "ru"])
    func reader(language: String) {
        let alert = Self.alert("a") { ($0.metric, $0.value, $0.threshold) = ("body-temperature", 39.5, 39) }
        var notification = Alerting.Notification(
            id: "n", notifier: "p", group: "g", status: "firing", time: Self.time, alerts: [alert], resolved: [], isReminder: false)
        var reader = NotificationReader(language: language)
        reader.units = ["body-temperature": "°F"]
        let plain = NotificationText(notification, reader).body
        #expect(plain.contains(language == "en" ? "103.1 °F" : "103,1 °F") && plain.contains(language == "en" ? "102.2)" : "102,2)"))
        notification.isFirst = true
        let first = NotificationText(notification, reader).body
        notification.onCall = "relief"
        let onCall = NotificationText(notification, reader).body
        #expect(first != plain && onCall != first && onCall.hasSuffix(plain) && onCall.contains("relief"))
        notification.alerts[0].value = 2
        #expect(!NotificationText(notification, reader).body.contains("°F"), "a rise by two degrees is no temperature")
    }

    @Test("every transition but those that say so themselves has its word in the mail", arguments: AlertEvent.Transition.allCases)
    func changes(transition: AlertEvent.Transition) throws {
        let isPlain = [.raised, .acknowledged, .escalated].contains(transition)
        for language in ["en", "de", "ru"] {
            let word = try #require(transition.words.byLanguage[language])
            let body = Self.text([Self.alert("a") { $0.transition = transition.rawValue }], language: language).body
            #expect(body.contains("(\(word))") == !isPlain)
        }
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
