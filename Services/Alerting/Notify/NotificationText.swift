import AlertRules
import Foundation
import VigilSchema

/// A notification in words for people.
struct NotificationText {
    let subject: String
    let body: String

    init(_ notification: Notification, language: String) {
        let words = Self.words[language] ?? Self.english
        let worst = notification.alerts.first ?? notification.resolved.first
        let title = worst.flatMap { Self.text($0.title, language) } ?? ""
        let more = notification.alerts.count > 1 ? " (+\(notification.alerts.count - 1))" : ""
        let mark = notification.alerts.isEmpty ? words.resolved : (words.severities[worst?.severity ?? ""] ?? "")
        subject = "[\(mark)] \(worst?.participant ?? ""): \(title)\(more)" + (notification.isReminder ? " – \(words.reminder)" : "")
        let firing = notification.alerts.map { Self.line($0, language, words) }
        let ended = notification.resolved.map { "\(words.resolved): \($0.participant): \(Self.text($0.title, language) ?? $0.rule)" }
        body = (firing + ended).joined(separator: "\n")
    }

    private struct Words {
        let severities: [String: String]
        let resolved: String
        let reminder: String
        let since: String
    }

    private static let english = Words(
        severities: ["critical": "CRITICAL", "warning": "Warning", "notice": "Notice"], resolved: "Resolved", reminder: "still unanswered",
        since: "since")
    private static let words = [
        "en": english,
        "de": Words(
            severities: ["critical": "KRITISCH", "warning": "Warnung", "notice": "Hinweis"], resolved: "Beendet",
            reminder: "noch unbeantwortet", since: "seit"),
        "ru": Words(
            severities: ["critical": "КРИТИЧНО", "warning": "Предупреждение", "notice": "Уведомление"], resolved: "Завершено",
            reminder: "всё ещё без ответа", since: "с"),
    ]

    private static func line(_ alert: AlertMessage, _ language: String, _ words: Words) -> String {
        let since = Date(timeIntervalSince1970: alert.since).formatted(.iso8601)
        return "\(words.severities[alert.severity] ?? alert.severity): \(alert.participant): "
            + "\(text(alert.message, language) ?? alert.rule) (\(words.since) \(since))"
    }

    private static func text(_ texts: [String: String], _ language: String) -> String? {
        LocalizedText(texts).text(language)
    }
}
