package import Foundation
package import HTTPClient

/// Sends notifications by mail, in the language of its readers.
package struct MailChannel: NotificationChannel {
    private let client: MailClient
    private let sender: String
    private let recipients: [String]
    private let language: String
    private let zone: TimeZone?
    private let timeout: Duration

    /// - Parameters:
    ///   - zone: the zone of times where the person's own is not known; nil: UTC, and said so.
    ///   - timeout: for the whole conversation with the server.
    package init(
        client: MailClient, sender: String, recipients: [String], language: String, zone: TimeZone? = nil, timeout: Duration = .seconds(30)
    ) {
        self.client = client
        self.sender = sender
        self.recipients = recipients
        self.language = language
        self.zone = zone
        self.timeout = timeout
    }

    package func send(_ notification: Notification) async throws(ChannelError) {
        let text = NotificationText(notification, language: language, zone: zone)
        let host = sender.split(separator: "@").last.map(String.init) ?? "vigil"
        let id = String(notification.id.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "." })
        let message = MailMessage(
            sender: sender, recipients: recipients, subject: text.subject, text: text.body, id: "\(id)@\(host)",
            date: Self.date(notification.time))
        do throws(TransferError) {
            try await client.send(message, timeout: timeout)
        } catch {
            throw ChannelError(error.description)
        }
    }

    /// As RFC 5322 writes it.
    private static func date(_ seconds: Double) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return format.string(from: Date(timeIntervalSince1970: seconds))
    }
}
