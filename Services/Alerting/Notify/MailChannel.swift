import Foundation
package import HTTPClient
import VigilSchema

/// Sends notifications by mail, in the reader's language.
package struct MailChannel: NotificationChannel {
    private let client: MailClient
    private let sender: String
    private let recipients: [String]
    private let reader: NotificationReader
    private let timeout: Duration
    private let received = ReceivedCopies()

    /// - Parameter timeout: for the whole conversation with the server.
    package init(
        client: MailClient, sender: String, recipients: [String], reader: NotificationReader = NotificationReader(),
        timeout: Duration = .seconds(30)
    ) {
        self.client = client
        self.sender = sender
        self.recipients = recipients
        self.reader = reader
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
        let text = NotificationText(notification, reader)
        let host = sender.split(separator: "@").last.map(String.init) ?? "vigil"
        let id = String(notification.id.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "." })
        return MailMessage(
            sender: sender, recipients: recipients, subject: text.subject, text: text.bodyWithAnswers, id: "\(id)@\(host)",
            date: Self.date(notification.time), isUrgent: notification.status == "firing" && notification.alerts.first?.priority == "high")
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
