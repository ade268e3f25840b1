import AlertRules
package import Foundation
import VigilSchema

/// The person who reads notifications, as far as texts depend on it.
package struct NotificationReader: Hashable, Sendable {
    package var language = "en"
    /// The zone of times if the person's own is unknown; nil: UTC, which the text says.
    package var zone: TimeZone?
    package var names = NotificationNames()
    /// The reader's own units, by metric.
    package var units: [String: String] = [:]

    package init(language: String = "en", zone: TimeZone? = nil, names: NotificationNames = NotificationNames()) {
        self.language = language
        self.zone = zone
        self.names = names
    }

    func with(_ names: NotificationNames) -> NotificationReader {
        var reader = self
        reader.names = names
        return reader
    }
}

/// A notification as text.
///
/// Times are the person's local time if known, else the reader's, else UTC, which the text then says.
struct NotificationText {
    let subject: String
    let body: String
    /// The links with which it is answered.
    let offers: [Offer]
    /// The name of the person whom the first alert is about.
    let person: String
    /// The title of the first alert.
    let title: String

    /// A link, as a button has it.
    struct Offer: Hashable, Sendable {
        let url: String
        let label: String
        /// The person and the alert that it answers.
        let about: String
    }

    /// How to answer, in lines; empty where nothing can be answered.
    let answers: String

    /// The body with how to answer.
    var bodyWithAnswers: String { answers.isEmpty ? body : "\(body)\n\n\(answers)" }

    init(_ notification: Notification, _ reader: NotificationReader) {
        let writer = Writer(words: Words.of(reader.language), language: reader.language, reader: reader, now: notification.time)
        let first = notification.alerts.first ?? notification.resolved.first
        subject = writer.subject(notification)
        body = (writer.reasons(notification) + notification.alerts.map(writer.line) + notification.resolved.map(writer.ending)).joined(
            separator: "\n")
        (person, title) = (first.map { writer.person($0.participant) } ?? "", first.map(writer.title) ?? "")
        let offers = writer.offers(notification)
        self.offers = offers
        answers = offers.map { "\(writer.words.answer)\(offers.count > 1 ? " (\($0.about))" : ""): \($0.url)" }.joined(separator: "\n")
    }

    private struct Writer {
        let words: Words
        let language: String
        let reader: NotificationReader
        let now: Double

        /// Says why it comes to this receiver: as the first, on call, or by an escalation after others did not answer.
        func reasons(_ notification: Notification) -> [String] {
            let duty = notification.onCall.map { [words.onCall(isolated($0))] } ?? []
            guard let step = notification.escalation else {
                return duty.isEmpty && notification.isFirst == true ? [words.first] : duty
            }
            let minutes = Int((step.unanswered / 60).rounded())
            return duty + [words.escalated(isolated(step.to), minutes, step.from.map(isolated).joined(separator: ", "))]
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
            let step = notification.escalation.map { "\(words.escalatedTo) \(inline($0.to)): " } ?? ""
            return "[\(mark)] \(step)\(first.map { person($0.participant) } ?? ""): \(first.map(title) ?? "")\(more)\(reminder)"
        }

        func line(_ alert: AlertMessage) -> String {
            let what = named(sentence(text(alert.message) ?? title(alert)), alert.participant)
            let since = alert.since > 0 ? " \(words.since(time(alert.since, alert.zone)))" : ""
            let answer = alert.acknowledged ? " " + sentence(acknowledgement(alert)) : ""
            let doubt = alert.unconfirmed == true ? " \(words.unconfirmed)" : ""
            return "\(severity(alert)): \(person(alert.participant)): \(what)\(ownUnit(alert))\(change(alert))\(since)\(answer)\(doubt)"
        }

        /// The value and its limit in the reader's own unit. A slope or a share is no value of the metric, and stays as it is.
        private func ownUnit(_ alert: AlertMessage) -> String {
            guard let name = alert.metric, let unit = reader.units[name], let value = alert.value,
                let metric = MetricCatalogue.standard.definition(named: name), metric.plausible?.contains(value) ?? false,
                let conversion = UnitConversion.from(unit, to: metric)
            else { return "" }
            func own(_ value: Double) -> String {
                let rounded = (((value - conversion.offset) / conversion.scale) * 10).rounded() / 10
                let text = rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
                return language == "en" ? text : text.replacing(".", with: ",")
            }
            let limit = alert.threshold.map { "; \(words.limit) \(own($0))" } ?? ""
            return " (\(own(value)) \(unit)\(limit))"
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

        /// The links with which the alarms are answered.
        func offers(_ notification: Notification) -> [Offer] {
            let answers = notification.answers ?? []
            return answers.map { answer in
                let alert = notification.alerts.first { $0.participant == answer.participant && $0.rule == answer.rule }
                let about = "\(person(answer.participant)): \(alert.map(title) ?? answer.rule)"
                return Offer(url: answer.url, label: answers.count > 1 ? "\(words.button): \(about)" : words.button, about: about)
            }
        }

        func person(_ participant: String) -> String { inline(reader.names.name(of: participant, system: words.system)) }

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

        private func severity(_ alert: AlertMessage?) -> String {
            alert.map { words.severities[$0.severity] ?? Self.plain($0.severity) } ?? ""
        }
        func title(_ alert: AlertMessage) -> String { text(alert.title) ?? alert.rule }
        private func text(_ texts: [String: String]) -> String? { Translations(texts).text(language).map(Self.plain) }

        private func sentence(_ text: String) -> String {
            guard let last = text.last else { return "" }
            return ".!?".contains(last) ? text : text + "."
        }

        /// Prevents a name from reversing the rest of the line, or beginning another one that looks like Vigil's own.
        private func isolated(_ name: String) -> String { "\u{2068}\(Self.plain(name))\u{2069}" }

        /// Isolates only a name that another script may be in.
        private func inline(_ name: String) -> String {
            let plain = Self.plain(name)
            return plain.unicodeScalars.allSatisfy { $0.value < 0x590 } ? plain : isolated(plain)
        }

        private static func plain(_ text: String) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.map { controls.contains($0.value) ? " " : $0 }))
        }

        /// Line ends and other control characters, and those that change a text's direction.
        private static let controls: Set<UInt32> = Set(0...31).union(127...159).union(0x2028...0x202E).union(0x2066...0x2069).union(
            [0x200E, 0x200F, 0x61C])

        private func time(_ seconds: Double, _ minutes: Int?) -> String {
            let own = minutes.flatMap { TimeZone(secondsFromGMT: $0 * 60) } ?? reader.zone
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
        /// The invitation on a button.
        let button: String
        let first: String
        let limit: String
        let onCall: @Sendable (_ rotation: String) -> String

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
                "Escalated to \(to): nobody has answered for \(minutes) min\(from.isEmpty ? "" : "; notified before: \(from)")."
            },
            since: { "Since \($0)." }, answer: "Acknowledge, silence, or say that you are on your way", button: "Answer",
            first: "You are among the first to be notified.", limit: "limit", onCall: { "You are on call (\($0))." })
        private static let german = Words(
            severities: ["critical": "KRITISCH", "warning": "Warnung", "notice": "Hinweis"], resolved: "Beendet",
            acknowledged: "Quittiert", acknowledgedBy: "Quittiert von", test: "Probe", reminder: "noch unbeantwortet",
            unconfirmed: "Noch nicht gespeichert; danach folgt die Meldung noch einmal.", system: "Vigil", escalatedTo: "Weitergegeben an",
            escalated: { to, minutes, from in
                "Weitergegeben an \(to): seit \(minutes) min hat niemand geantwortet\(from.isEmpty ? "" : "; zuvor benachrichtigt: \(from)")."
            },
            since: { "Seit \($0)." }, answer: "Quittieren, stummschalten oder sagen, dass Sie unterwegs sind", button: "Antworten",
            first: "Sie werden unter den Ersten benachrichtigt.", limit: "Grenze", onCall: { "Sie haben Bereitschaft (\($0))." })
        private static let russian = Words(
            severities: ["critical": "КРИТИЧНО", "warning": "Предупреждение", "notice": "Уведомление"], resolved: "Завершено",
            acknowledged: "Подтверждено", acknowledgedBy: "Подтверждено:", test: "Проверка", reminder: "всё ещё без ответа",
            unconfirmed: "Ещё не сохранено; затем будет сообщено ещё раз.", system: "Vigil", escalatedTo: "Передано:",
            escalated: { to, minutes, from in
                "Передано: \(to). Никто не ответил \(minutes) мин\(from.isEmpty ? "" : "; раньше оповещены: \(from)")."
            },
            since: { "С \($0)." }, answer: "Подтвердить, заглушить или сообщить, что вы в пути", button: "Ответить",
            first: "Вас оповещают одними из первых.", limit: "предел", onCall: { "Вы дежурите (\($0))." })
    }
}
