import AlertRules
import Foundation
import VigilSchema

/// A notification as text.
///
/// Times are the person's local time if known, else the reader's, else UTC, which the text then says.
struct NotificationText {
    let subject: String
    let body: String
    /// How to answer, in lines; empty where nothing can be answered.
    let answers: String

    /// The body with how to answer.
    var bodyWithAnswers: String { answers.isEmpty ? body : "\(body)\n\n\(answers)" }

    init(_ notification: Notification, language: String, zone: TimeZone? = nil, names: NotificationNames = NotificationNames()) {
        let writer = Writer(words: Words.of(language), language: language, zone: zone, now: notification.time, names: names)
        subject = writer.subject(notification)
        body = (writer.reasons(notification) + notification.alerts.map(writer.line) + notification.resolved.map(writer.ending)).joined(
            separator: "\n")
        answers = writer.answers(notification)
    }

    private struct Writer {
        let words: Words
        let language: String
        let zone: TimeZone?
        let now: Double
        let names: NotificationNames

        /// Says that it is an escalation, to whom, and that the earlier receivers have not acknowledged.
        func reasons(_ notification: Notification) -> [String] {
            guard let step = notification.escalation else { return [] }
            let minutes = Int((step.unanswered / 60).rounded())
            return [words.escalated(isolated(step.to), minutes, step.from.map(isolated).joined(separator: ", "))]
        }

        /// Names the first alert: the worst and newest unacknowledged one.
        func subject(_ notification: Notification) -> String {
            let first = notification.alerts.first ?? notification.resolved.first
            let count = max(notification.alerts.count, notification.alerts.isEmpty ? notification.resolved.count : 0)
            let mark: String =
                switch notification.status {
                case "resolved": words.resolved
                case "acknowledged": words.acknowledged
                case "test": words.test
                default: severity(first)
                }
            let more = count > 1 ? " (+\(count - 1))" : ""
            let reminder = notification.isReminder ? " – \(words.reminder)" : ""
            let step = notification.escalation.map { "\(words.escalatedTo) \($0.to): " } ?? ""
            return "[\(mark)] \(step)\(first.map { person($0.participant) } ?? ""): \(first.map(title) ?? "")\(more)\(reminder)"
        }

        func line(_ alert: AlertMessage) -> String {
            let what = named(sentence(text(alert.message) ?? title(alert)), alert.participant)
            let since = alert.since > 0 ? " \(words.since(time(alert.since, alert.zone)))" : ""
            let answer = alert.acknowledged ? " " + sentence(acknowledgement(alert)) : ""
            let doubt = alert.unconfirmed == true ? " \(words.unconfirmed)" : ""
            return "\(severity(alert)): \(person(alert.participant)): \(what)\(change(alert))\(since)\(answer)\(doubt)"
        }

        /// Who has answered, and what they said.
        private func acknowledgement(_ alert: AlertMessage) -> String {
            guard let actor = alert.actor else { return words.acknowledged }
            let reason = alert.transition == "acknowledged" ? alert.reason.map { " (\(isolated($0)))" } : nil
            return "\(words.acknowledgedBy) \(isolated(actor))\(reason ?? "")"
        }

        func ending(_ alert: AlertMessage) -> String {
            "\(words.resolved): \(person(alert.participant)): \(sentence("\(title(alert)), \(time(alert.time, alert.zone))"))"
        }

        /// The links with which the alarms are answered, each with what it is about where there are several.
        func answers(_ notification: Notification) -> String {
            let offers = notification.answers ?? []
            return offers.map { offer in
                let alert = notification.alerts.first { $0.participant == offer.participant && $0.rule == offer.rule }
                let about = offers.count > 1 ? " (\(person(offer.participant)): \(alert.map(title) ?? offer.rule))" : ""
                return "\(words.answer)\(about): \(offer.url)"
            }.joined(separator: "\n")
        }

        private func person(_ participant: String) -> String { names.name(of: participant, system: words.system) }

        /// A rule's message may contain the person's name.
        private func named(_ text: String, _ participant: String) -> String {
            participant.hasPrefix("_") ? text.replacing(participant, with: person(participant)) : text
        }

        /// The alert's state, unless it was only raised or acknowledged.
        private func change(_ alert: AlertMessage) -> String {
            let transition = AlertEvent.Transition(rawValue: alert.transition)
            guard let transition, ![.raised, .acknowledged, .escalated].contains(transition) else { return "" }
            return transition.words.text(language).map { " (\($0))" } ?? ""
        }

        private func severity(_ alert: AlertMessage?) -> String { alert.map { words.severities[$0.severity] ?? $0.severity } ?? "" }
        private func title(_ alert: AlertMessage) -> String { text(alert.title) ?? alert.rule }
        private func text(_ texts: [String: String]) -> String? { Translations(texts).text(language) }

        private func sentence(_ text: String) -> String {
            guard let last = text.last else { return "" }
            return ".!?".contains(last) ? text : text + "."
        }

        /// Prevents a name in a right-to-left script from reversing the rest of the line.
        private func isolated(_ name: String) -> String { "\u{2068}\(name)\u{2069}" }

        private func time(_ seconds: Double, _ minutes: Int?) -> String {
            let own = minutes.flatMap { TimeZone(secondsFromGMT: $0 * 60) } ?? zone
            let utc = TimeZone(secondsFromGMT: 0) ?? .current
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = own ?? utc
            let (then, present) = (Date(timeIntervalSince1970: seconds), Date(timeIntervalSince1970: now))
            let format = DateFormatter()
            format.locale = Locale(identifier: language == "en" ? "en_GB" : language)
            format.timeZone = calendar.timeZone
            format.dateFormat = calendar.isDate(then, inSameDayAs: present) ? "HH:mm" : "d MMM HH:mm"
            return format.string(from: then) + (own == nil ? " UTC" : "")
        }
    }

    private struct Words {
        let severities: [String: String]
        let resolved: String
        let acknowledged: String
        let acknowledgedBy: String
        let test: String
        let reminder: String
        let unconfirmed: String
        /// The name of the suite itself for its operators.
        let system: String
        let escalatedTo: String
        let escalated: @Sendable (_ to: String, _ minutes: Int, _ from: String) -> String
        let since: @Sendable (String) -> String
        /// The invitation before a link.
        let answer: String

        static func of(_ language: String) -> Words {
            switch language {
            case "de": german
            case "ru": russian
            default: english
            }
        }

        private static let english = Words(
            severities: ["critical": "CRITICAL", "warning": "Warning", "notice": "Notice"], resolved: "Resolved",
            acknowledged: "Acknowledged", acknowledgedBy: "Acknowledged by", test: "Test", reminder: "still unanswered",
            unconfirmed: "Not stored yet; once it is, it is told again.", system: "Vigil", escalatedTo: "Escalated to",
            escalated: { to, minutes, from in
                "Escalated to \(to): nobody has answered for \(minutes) min\(from.isEmpty ? "" : "; told before: \(from)")."
            },
            since: { "Since \($0)." }, answer: "Acknowledge, silence, or say that you are on your way")
        private static let german = Words(
            severities: ["critical": "KRITISCH", "warning": "Warnung", "notice": "Hinweis"], resolved: "Beendet",
            acknowledged: "Quittiert", acknowledgedBy: "Quittiert von", test: "Probe", reminder: "noch unbeantwortet",
            unconfirmed: "Noch nicht gespeichert; danach folgt die Meldung noch einmal.", system: "Vigil", escalatedTo: "Weitergegeben an",
            escalated: { to, minutes, from in
                "Weitergegeben an \(to): seit \(minutes) min hat niemand geantwortet\(from.isEmpty ? "" : "; zuvor benachrichtigt: \(from)")."
            },
            since: { "Seit \($0)." }, answer: "Quittieren, stummschalten oder sagen, dass Sie unterwegs sind")
        private static let russian = Words(
            severities: ["critical": "КРИТИЧНО", "warning": "Предупреждение", "notice": "Уведомление"], resolved: "Завершено",
            acknowledged: "Подтверждено", acknowledgedBy: "Подтверждено:", test: "Проверка", reminder: "всё ещё без ответа",
            unconfirmed: "Ещё не сохранено; затем будет сообщено ещё раз.", system: "Vigil", escalatedTo: "Передано:",
            escalated: { to, minutes, from in
                "Передано: \(to). Никто не ответил \(minutes) мин\(from.isEmpty ? "" : "; раньше оповещены: \(from)")."
            },
            since: { "С \($0)." }, answer: "Подтвердить, заглушить или сообщить, что вы в пути")
    }
}
