import Foundation
import VigilSchema

/// The values that a notification gives to the templates of services.
enum ServiceMessage {
    /// The names of the values, as templates mention them.
    static let names: Set<String> = [
        "subject", "text", "message", "id", "notifier", "group", "status", "severity", "urgency", "priority", "kind", "person",
        "participant", "rule",
        "title", "answers", "link", "time", "timestamp", "language", "count",
    ]
    /// The members of the lists' elements, by list.
    static let lists: [String: Set<String>] = ["answers": ["url", "label", "about"]]

    /// - Parameter text: the notification in the reader's language.
    static func values(_ notification: Notification, _ text: NotificationText, language: String) -> [String: TemplateValue] {
        let first = notification.alerts.first ?? notification.resolved.first
        var values: [String: TemplateValue] = [
            "answers": .list(
                text.offers.map { .object(["url": .text($0.url), "label": .text($0.label), "about": .text($0.about)]) }),
            "time": .number(notification.time.rounded(.down)),
            "count": .number(Double(max(notification.alerts.count, notification.resolved.count))),
        ]
        let texts = [
            "subject": text.subject, "text": text.body, "id": notification.id, "notifier": notification.notifier,
            "group": notification.group, "status": notification.status, "severity": first?.severity ?? "none",
            "urgency": notification.status == "firing" ? first?.severity ?? "none" : notification.status,
            "priority": first?.priority ?? "low", "kind": first?.kind ?? "technical", "person": text.person,
            "participant": first?.participant ?? "", "rule": first?.rule ?? "", "title": text.title,
            "timestamp": Date(timeIntervalSince1970: notification.time.rounded(.down)).formatted(.iso8601), "language": language,
        ]
        for (name, words) in texts { values[name] = .text(words) }
        values["message"] = .parts(text: text.body, lines: text.answers.split(separator: "\n").map(String.init))
        // Without a link nothing is shown in its place.
        values["link"] = text.offers.first.map { .parts(text: "", lines: [$0.url]) }
        return values
    }
}
