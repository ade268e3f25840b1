import CCurl

/// Sends plain-text mail through an SMTP server.
///
/// Threading and cancellation: as `HTTPClient`.
package final class MailClient: Sendable {
    private let server: MailServer
    private let handles = HandlePool()

    package init(server: MailServer) { self.server = server }

    /// Sends one message to all its recipients; returns when the server has accepted it.
    package func send(_ message: MailMessage, timeout: Duration = .seconds(30)) async throws(TransferError) {
        let lowercased = server.url.lowercased()
        guard lowercased.hasPrefix("smtp://") || lowercased.hasPrefix("smtps://") else {
            throw TransferError(.invalidURL, "a mail server's address must begin with smtp:// or smtps://")
        }
        let envelope = try MailEnvelope(message, server: server)
        var configuration = HTTPClientConfiguration()
        configuration.certificateAuthorities = server.certificateAuthorities
        let transfer = Transfer(
            url: server.url, headers: [], kind: .mail(envelope), timeout: timeout, configuration: configuration)
        _ = try await transfer.run(with: MemorySink(limit: 1 << 20), handles: handles).get()
    }
}

/// Where mail goes in.
package struct MailServer: Sendable {
    /// How far the connection must be encrypted.
    package enum Security: String, Sendable {
        /// Refuses to send unencrypted.
        case required
        /// Plain text: only for a server on this machine.
        case none
    }

    /// `smtp://host:25`, `smtp://host:587` (STARTTLS) or `smtps://host:465`.
    package var url: String
    package var security: Security
    package var username: String?
    package var password: String?
    package var certificateAuthorities: String?

    package init(
        url: String, security: Security = .required, username: String? = nil, password: String? = nil,
        certificateAuthorities: String? = nil
    ) {
        self.url = url
        self.security = security
        self.username = username
        self.password = password
        self.certificateAuthorities = certificateAuthorities
    }
}

/// A message in plain text.
package struct MailMessage: Sendable {
    package var sender: String
    package var recipients: [String]
    package var subject: String
    /// Any line's ends.
    package var text: String
    /// Unique: `<…@…>` without the angle brackets. Repeats of one message carry the same, so that mail programs can drop them.
    package var id: String
    /// RFC 5322, for example `Sat, 21 Nov 2026 07:39:18 +0000`.
    package var date: String

    package init(sender: String, recipients: [String], subject: String, text: String, id: String, date: String) {
        self.sender = sender
        self.recipients = recipients
        self.subject = subject
        self.text = text
        self.id = id
        self.date = date
    }
}
