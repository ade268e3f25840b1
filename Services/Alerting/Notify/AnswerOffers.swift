import Access
import Foundation
import Settings
import VigilSchema

/// Makes the links with which the receivers of a notification answer it.
struct AnswerOffers: Sendable, Hashable {
    /// The most links in one notification.
    private static let most = 5
    private let url: String
    private let key: AnswerKey
    /// Seconds.
    private let lifetime: Double

    /// - Throws: `CommandError` where the key's file cannot be read, or holds a key that could be guessed.
    init(_ settings: NotifierSettings.Answers) throws(CommandError) {
        guard let key = AnswerKey(try NotifierSecrets.read(settings.keyFile)) else {
            throw CommandError(.configuration, "the key in \(settings.keyFile) has fewer than 16 characters: openssl rand -hex 32")
        }
        self.key = key
        url = settings.url
        lifetime = settings.lifetime
    }

    /// The links for alarms that await an answer: the first of them, as the notification lists the worst and newest first.
    /// - Parameter notifier: whose receivers read the message.
    func links(_ notification: Notification, of notifier: String) -> [Notification.Answer] {
        let told = notification.composed ?? notification.time
        return notification.alerts.filter { !$0.acknowledged && $0.isAudible && $0.unconfirmed != true }.prefix(Self.most).map { alert in
            let link = AnswerLink(
                notifier: notifier, participant: alert.participant, rule: alert.rule, since: alert.since,
                severity: alert.severity, told: told, expires: (told + lifetime).rounded())
            // Behind "#": what stands there is sent to no server, and no program that looks at links sees it answered.
            return Notification.Answer(participant: alert.participant, rule: alert.rule, url: "\(url)/answer.html#\(link.token(key))")
        }
    }
}
