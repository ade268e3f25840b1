import Foundation
package import HTTPClient
package import VigilSchema

/// One message of a notifier: the alerts of one group.
package struct Notification: Codable, Hashable, Sendable {
    package var schema = "vigil-notification/1"
    /// The same for every attempt with the same alerts, also after a crash, so that a receiver can drop repetitions.
    /// Other alerts or transitions make another id.
    package var id: String
    package var notifier: String
    /// The group's key, for example `participant=12`.
    package var group: String
    /// `firing` while an alert is unacknowledged, `acknowledged` once all are acknowledged, `resolved` when none is
    /// left; `test` for a test.
    package var status: String
    /// Unix seconds.
    package var time: Double
    /// The time of the first attempt, in Unix seconds; nil: `time`. The links of all attempts are the same.
    package var composed: Double?
    /// The firing alerts: unacknowledged ones first, then by severity, then the newest.
    package var alerts: [AlertMessage]
    /// The alerts that ended since the last notification.
    package var resolved: [AlertMessage]
    /// True for a reminder without news.
    package var isReminder: Bool
    /// The escalation, if the newest news is that nobody has acknowledged.
    package var escalation: Escalation?
    /// The rotation in which its receiver is on call, if it comes for that reason.
    package var onCall: String?
    /// True if nobody was notified of its alerts long before its receiver.
    package var isFirst: Bool?
    /// The links with which its receivers answer; nil where the notifiers' file offers none.
    package var answers: [Answer]?

    /// A link with which somebody answers an alarm once.
    package struct Answer: Codable, Hashable, Sendable {
        package var participant: String
        package var rule: String
        package var url: String
    }

    /// The escalation step of an unacknowledged alert.
    package struct Escalation: Codable, Hashable, Sendable {
        /// The name to which it was escalated.
        package var to: String
        /// The notifiers that sent it before, sorted.
        package var from: [String]
        /// The seconds without an acknowledgement.
        package var unanswered: Double

        package init(to: String, from: [String] = [], unanswered: Double) {
            self.to = to
            self.from = from
            self.unanswered = unanswered
        }

        /// The step of the alert that was escalated last; nil: none just was.
        init?(_ alerts: [AlertMessage]) {
            let escalated = alerts.filter { $0.transition == "escalated" && !$0.acknowledged && $0.escalatedTo != nil }
            guard let newest = escalated.max(by: { $0.time < $1.time }), let to = newest.escalatedTo else { return nil }
            self.init(to: to, unanswered: max(0, newest.time - newest.since))
        }
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }

    /// A notification of an alarm that is not stored yet. It has its own id; once the alarm is stored, it is sent as
    /// another notification.
    static func unconfirmed(_ alarm: AlertMessage, route: NotifierRoute, at time: Double) -> Notification {
        var alarm = alarm
        alarm.unconfirmed = true
        return Notification(
            id: "\(route.id)/unconfirmed/\(alarm.participant)/\(alarm.rule)/\(alarm.sequence)", notifier: route.id,
            group: route.groupKey(alarm), status: "firing", time: time, alerts: [alarm], resolved: [], isReminder: false)
    }

    /// A test notification.
    package static func test(of notifier: String, actor: String, at time: Double) -> Notification {
        let words = [
            "en": "Test by \(actor). Nothing is wrong with anybody.", "de": "Probe durch \(actor). Niemandem fehlt etwas.",
            "ru": "Проверка: \(actor). Ни у кого нет тревоги.",
        ]
        let alert = AlertMessage(
            participant: "test", rule: "notify-test", sequence: 1, transition: "raised", cause: "command", time: time, decided: time,
            state: "active", severity: "notice", priority: "low", kind: "technical", group: "technical", since: time,
            title: ["en": "Test of \(notifier)", "de": "Probe von \(notifier)", "ru": "Проверка \(notifier)"], message: words)
        return Notification(
            id: "\(notifier)/test/\(Int64(time * 1000))", notifier: notifier, group: "participant=test", status: "test", time: time,
            alerts: [alert], resolved: [], isReminder: false)
    }
}

/// A way to reach people: a webhook, mail, a program.
package protocol NotificationChannel: Sendable {
    /// Delivers a notification. Returns once the other side has accepted it, and throws at the latest after the
    /// channel's time limit.
    func send(_ notification: Notification) async throws(ChannelError)

    /// Delivers a notification to all its recipients.
    /// - Returns: the recipients that were refused while others have it. A later call with the same notification
    ///   reaches only those without it.
    func deliver(_ notification: Notification) async throws(ChannelError) -> [MailRefusal]

    /// The reason why some recipients can never be reached; nil: none is known.
    func lastingProblem() async -> String?

    /// Whether the other side is told of such a notification at all.
    func wants(_ notification: Notification) -> Bool
}

extension NotificationChannel {
    package func deliver(_ notification: Notification) async throws(ChannelError) -> [MailRefusal] {
        try await send(notification)
        return []
    }

    package func lastingProblem() async -> String? { nil }

    package func wants(_ notification: Notification) -> Bool { true }
}

/// The reason why a notification was not delivered, without its content.
package struct ChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    /// The refused recipients, if they are the reason.
    package var refused: [MailRefusal] = []
    /// Whether the same notification will be refused again until somebody mends the settings.
    package var isLasting = false
    /// The time for which the other side asks to be left alone.
    package var pause: Duration?
    /// Whether it was not even tried, because that time is not over.
    package var isPostponed = false

    package init(_ description: String, refused: [MailRefusal] = []) {
        self.description = description
        self.refused = refused
    }
}
