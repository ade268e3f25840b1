package import Foundation
package import HTTPClient
import Synchronization

/// Sends notifications by mail, in the reader's language.
package struct MailChannel: NotificationChannel {
    private let client: MailClient
    private let sender: String
    private let recipients: [String]
    private let language: String
    private let zone: TimeZone?
    private let names: NotificationNames
    private let timeout: Duration
    private let received = ReceivedMails()

    /// - Parameters:
    ///   - zone: the zone of times if the person's own is unknown; nil: UTC, which the mail says.
    ///   - timeout: for the whole conversation with the server.
    package init(
        client: MailClient, sender: String, recipients: [String], language: String, zone: TimeZone? = nil,
        names: NotificationNames = NotificationNames(), timeout: Duration = .seconds(30)
    ) {
        self.client = client
        self.sender = sender
        self.recipients = recipients
        self.language = language
        self.zone = zone
        self.names = names
        self.timeout = timeout
    }

    package func send(_ notification: Notification) async throws(ChannelError) { _ = try await deliver(notification) }

    package func deliver(_ notification: Notification) async throws(ChannelError) -> [MailRefusal] {
        let before = received.recipients(of: notification.id)
        let outcome: MailOutcome
        do throws(TransferError) {
            outcome = try await client.send(message(notification, to: recipients.filter { !before.contains($0) }), timeout: timeout)
        } catch {
            throw ChannelError(error.description)
        }
        let isTriedAgain = outcome.accepted.isEmpty && before.isEmpty || outcome.refused.contains(where: \.isTemporary)
        received.note(notification.id, isTriedAgain ? outcome.accepted : nil)
        guard outcome.accepted.isEmpty, before.isEmpty else { return outcome.refused }
        let reasons = outcome.refused.map(\.description).joined(separator: "; ")
        throw ChannelError("the mail server refuses every recipient: \(reasons)", refused: outcome.refused)
    }

    package func lastingProblem() async -> String? {
        let foreign = (recipients + [sender]).filter { (try? MailAddress($0))?.needsUTF8 ?? false }
        // A server that is unreachable now is reported at the first delivery.
        guard !foreign.isEmpty, let takes = try? await client.takesUTF8(timeout), !takes else { return nil }
        return "the mail server does not offer SMTPUTF8, which \(foreign.joined(separator: ", ")) needs: use an address in ASCII"
    }

    private func message(_ notification: Notification, to recipients: [String]) -> MailMessage {
        let text = NotificationText(notification, language: language, zone: zone, names: names)
        let host = sender.split(separator: "@").last.map(String.init) ?? "vigil"
        let id = String(notification.id.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "." })
        return MailMessage(
            sender: sender, recipients: recipients, subject: text.subject, text: text.bodyWithAnswers, id: "\(id)@\(host)",
            date: Self.date(notification.time))
    }

    /// In the format of RFC 5322.
    private static func date(_ seconds: Double) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return format.string(from: Date(timeIntervalSince1970: seconds))
    }
}

/// The recipients that have already accepted a mail that others still wait for, so that a retry skips them. Threading:
/// callable from any task.
private final class ReceivedMails: Sendable {
    /// The most mails that are remembered. The oldest is dropped first and would be repeated under the same id.
    private static let capacity = 256
    private let mails = Mutex<(recipients: [String: Set<String>], order: [String])>(([:], []))

    func recipients(of mail: String) -> Set<String> { mails.withLock { $0.recipients[mail] ?? [] } }

    /// Notes who has accepted the mail.
    /// - Parameter recipients: nil if nobody is waiting any more.
    func note(_ mail: String, _ recipients: [String]?) {
        mails.withLock { mails in
            guard let recipients else {
                if mails.recipients.removeValue(forKey: mail) != nil { mails.order.removeAll { $0 == mail } }
                return
            }
            if mails.recipients[mail] == nil { mails.order.append(mail) }
            mails.recipients[mail, default: []].formUnion(recipients)
            if mails.order.count > Self.capacity { mails.recipients[mails.order.removeFirst()] = nil }
        }
    }
}
