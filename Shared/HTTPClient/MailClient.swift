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

/// The mail server's address.
package struct MailServer: Sendable {
    /// The encryption that the connection requires.
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

/// A message as SMTP wants it: sender, recipients, and RFC 5322 text with CRLF and encoded words.
struct MailEnvelope: Sendable {
    let sender: String
    let recipients: [String]
    let bytes: [UInt8]
    private let server: MailServer

    init(_ message: MailMessage, server: MailServer) throws(TransferError) {
        let addresses = message.recipients + [message.sender]
        guard !message.recipients.isEmpty, addresses.allSatisfy(Self.isAddress) else {
            throw TransferError(.other, "a mail address is missing or is none")
        }
        sender = message.sender
        recipients = message.recipients
        bytes = Array(Self.text(of: message).utf8)
        self.server = server
    }

    func configure(_ handle: CurlHandle) {
        handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        handle.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        handle.set(CURLOPT_UPLOAD, 1)
        handle.set(CURLOPT_INFILESIZE_LARGE, large: Int64(bytes.count))
        let level = server.security == .required ? CURLUSESSL_ALL : CURLUSESSL_NONE
        handle.set(CURLOPT_USE_SSL, Int(level.rawValue))
        if let username = server.username { handle.set(CURLOPT_USERNAME, username) }
        if let password = server.password { handle.set(CURLOPT_PASSWORD, password) }
    }

    /// A bare address: something, @, something; no blanks, brackets or line's ends.
    static func isAddress(_ address: String) -> Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        let isClean = address.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 && !"<>()[],;:\\\"".unicodeScalars.contains($0) }
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && isClean
    }

    private static func text(of message: MailMessage) -> String {
        let body = message.text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasSuffix("\r") ? String($0.dropLast()) : String($0) }
        let fields = [
            "Date: \(message.date)", "From: <\(message.sender)>", "To: " + message.recipients.map { "<\($0)>" }.joined(separator: ", "),
            "Message-ID: <\(message.id)>", "Subject: \(encoded(message.subject))", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "Auto-Submitted: auto-generated", "",
        ]
        return (fields + body).joined(separator: "\r\n") + "\r\n"
    }

    /// A header's text: as it is where it is plain, else as encoded words (RFC 2047), each under 75 characters.
    private static func encoded(_ text: String) -> String {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
        guard line.utf8.contains(where: { $0 >= 128 }) else { return line }
        var words: [String] = []
        var current = ""
        for character in line {
            let escaped = String(character).utf8.map(quoted).joined()
            if current.count + escaped.count > 60 {
                words.append(current)
                current = ""
            }
            current += escaped
        }
        return (words + [current]).map { "=?utf-8?Q?\($0)?=" }.joined(separator: "\r\n ")
    }

    private static func quoted(_ byte: UInt8) -> String {
        let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        if isPlain { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return byte == 32 ? "_" : "=" + (digits.count == 1 ? "0" + digits : digits)
    }
}
