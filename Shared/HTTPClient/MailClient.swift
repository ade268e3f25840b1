import CCurl
import Synchronization

/// Sends plain-text mail through an SMTP server.
///
/// Threading and cancellation: as `HTTPClient`.
package final class MailClient: Sendable {
    private let server: MailServer
    private let handles = HandlePool()
    /// True once the server has told that it takes addresses in UTF-8.
    private let offersUTF8 = Mutex(false)

    package init(server: MailServer) { self.server = server }

    /// Sends one message to all its recipients that the server accepts; returns when it has taken the message.
    /// - Returns: who gets it, and who was refused and why. Where everybody was refused nothing was sent.
    package func send(_ message: MailMessage, timeout: Duration = .seconds(30)) async throws(TransferError) -> MailOutcome {
        var (message, refused) = (message, [MailRefusal]())
        if message.needsUTF8, try await !takesUTF8(timeout) {
            refused = try Self.withdraw(&message)
            if message.recipients.isEmpty { return MailOutcome(refused: refused) }
        }
        let dialogue = MailDialogue()
        do throws(TransferError) {
            try await run(.mail(try MailEnvelope(message, server: server)), dialogue, timeout)
        } catch {
            // libcurl fails where nobody was accepted.
            guard dialogue.hasRefusedAll(message.recipients) else { throw error }
        }
        refused += dialogue.refusals(of: message.recipients)
        let names = Set(refused.map(\.address))
        return MailOutcome(accepted: message.recipients.filter { !names.contains($0) }, refused: refused)
    }

    /// Asks the server, until it does, whether it takes addresses in UTF-8 (RFC 6531).
    package func takesUTF8(_ timeout: Duration = .seconds(30)) async throws(TransferError) -> Bool {
        if offersUTF8.withLock({ $0 }) { return true }
        let dialogue = MailDialogue()
        try await run(.mailProbe(server), dialogue, timeout)
        if dialogue.offersUTF8 { offersUTF8.withLock { $0 = true } }
        return dialogue.offersUTF8
    }

    /// Takes the recipients away whom the server cannot be told.
    private static func withdraw(_ message: inout MailMessage) throws(TransferError) -> [MailRefusal] {
        let reason = "the server does not offer SMTPUTF8"
        if needsUTF8(message.sender) { throw TransferError(.other, "\(message.sender) cannot be the sender: \(reason)") }
        let refused = message.recipients.filter(needsUTF8).map { MailRefusal(address: $0, code: 553, text: reason) }
        message.recipients.removeAll(where: needsUTF8)
        return refused
    }

    fileprivate static func needsUTF8(_ address: String) -> Bool { (try? MailAddress(address))?.needsUTF8 ?? false }

    private func run(_ kind: Transfer.Kind, _ dialogue: MailDialogue, _ timeout: Duration) async throws(TransferError) {
        let lowercased = server.url.lowercased()
        guard lowercased.hasPrefix("smtp://") || lowercased.hasPrefix("smtps://") else {
            throw TransferError(.invalidURL, "a mail server's address must begin with smtp:// or smtps://")
        }
        var configuration = HTTPClientConfiguration()
        configuration.certificateAuthorities = server.certificateAuthorities
        let transfer = Transfer(
            url: server.url, headers: [], kind: kind, timeout: timeout, configuration: configuration, dialogue: dialogue)
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

    func configure(_ handle: CurlHandle) {
        handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        let level = security == .required ? CURLUSESSL_ALL : CURLUSESSL_NONE
        handle.set(CURLOPT_USE_SSL, Int(level.rawValue))
        if let username { handle.set(CURLOPT_USERNAME, username) }
        if let password { handle.set(CURLOPT_PASSWORD, password) }
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
    /// Whether mail programs show it as urgent.
    package var isUrgent: Bool

    package init(sender: String, recipients: [String], subject: String, text: String, id: String, date: String, isUrgent: Bool = false) {
        self.sender = sender
        self.recipients = recipients
        self.subject = subject
        self.text = text
        self.id = id
        self.date = date
        self.isUrgent = isUrgent
    }

    /// A Boolean value that indicates whether an address can be told only to a server that takes UTF-8.
    var needsUTF8: Bool { ([sender] + recipients).contains(where: MailClient.needsUTF8) }
}

/// A message as SMTP wants it: sender, recipients, and RFC 5322 text with CRLF and encoded words.
struct MailEnvelope: Sendable {
    let sender: String
    let recipients: [String]
    let bytes: [UInt8]
    private let server: MailServer

    init(_ message: MailMessage, server: MailServer) throws(TransferError) {
        guard !message.recipients.isEmpty else { throw TransferError(.other, "a mail needs a recipient") }
        for address in message.recipients + [message.sender] {
            do throws(MailAddress.Problem) { _ = try MailAddress(address) } catch {
                throw TransferError(.other, "\"\(address)\" is no mail address: \(error)")
            }
        }
        sender = message.sender
        recipients = message.recipients
        bytes = Array(Self.text(of: message).utf8)
        self.server = server
    }

    func configure(_ handle: CurlHandle) {
        server.configure(handle)
        _ = unsafe vigil_curl_set_allow_refused_recipients(handle.pointer)
        handle.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        handle.set(CURLOPT_UPLOAD, 1)
        handle.set(CURLOPT_INFILESIZE_LARGE, large: Int64(bytes.count))
    }

    private static func text(of message: MailMessage) -> String {
        let body = message.text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasSuffix("\r") ? String($0.dropLast()) : String($0) }
        // RFC 2156 and 4021 know two of these; the third is what programs look at.
        let urgency = message.isUrgent ? ["Importance: high", "Priority: urgent", "X-Priority: 1 (Highest)"] : []
        let fields = [
            "Date: \(message.date)", "From: <\(message.sender)>", "To: " + message.recipients.map { "<\($0)>" }.joined(separator: ", "),
            "Message-ID: <\(message.id)>", "Subject: \(encoded(message.subject))", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "Auto-Submitted: auto-generated",
        ]
        return (fields + urgency + [""] + body).joined(separator: "\r\n") + "\r\n"
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
