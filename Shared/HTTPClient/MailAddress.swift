/// A bare mail address: local part, `@`, domain. The one check of addresses, at the start and at each delivery.
package struct MailAddress: Hashable, Sendable {
    /// The reason why a text is no address that mail can be sent to.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The kind of mistake, for tests and programs.
        package enum Code: String, Sendable { case empty, brackets, name, at, character, length }

        package let code: Code
        package let description: String
    }

    /// The characters that end an address in SMTP's commands or in a header field.
    private static let reserved = Set("<>()[],;:\\\"".unicodeScalars)
    package let text: String

    /// Takes a bare address, in UTF-8 as RFC 6531 has it.
    package init(_ text: String) throws(Problem) {
        guard !text.isEmpty else { throw Problem(code: .empty, description: "it is empty") }
        if text.hasPrefix("<"), text.hasSuffix(">") {
            throw Problem(code: .brackets, description: "write it without angle brackets, such as a@example.org")
        }
        if text.hasSuffix(">") { throw Problem(code: .name, description: "write the address alone, without a name and angle brackets") }
        guard text.unicodeScalars.allSatisfy(Self.isAllowed) else {
            throw Problem(code: .character, description: "it holds a blank, a control character or one of <>()[],;:\\\"")
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw Problem(code: .at, description: "it needs one @ with something on both sides")
        }
        guard parts[0].utf8.count <= 64, text.utf8.count <= 254 else {
            throw Problem(code: .length, description: "an address has at most 254 bytes, and 64 before the @")
        }
        self.text = text
    }

    /// A Boolean value that indicates whether only a server with the extension SMTPUTF8 (RFC 6531) takes it.
    package var needsUTF8: Bool { text.utf8.contains { $0 >= 128 } }

    /// The part behind the `@`.
    package var domain: Substring { text.split(separator: "@").last ?? "" }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 32 && scalar.value != 127 && !(128..<160).contains(scalar.value) && !reserved.contains(scalar)
            && !scalar.properties.isWhitespace
    }
}

/// A mail server's refusal of one recipient.
package struct MailRefusal: Hashable, Sendable, CustomStringConvertible {
    package let address: String
    /// The reply code: 4yz for a refusal that may pass, 5yz for one that lasts; 553 where the address cannot be sent at all.
    package let code: Int
    /// The server's words.
    package let text: String

    package init(address: String, code: Int, text: String) {
        self.address = address
        self.code = code
        self.text = text
    }

    /// A Boolean value that indicates whether the same address is worth another try.
    package var isTemporary: Bool { code < 500 }

    package var description: String { "\(address): \(code) \(text)" }
}

/// The fate of one mail that the server was given.
package struct MailOutcome: Hashable, Sendable {
    /// The recipients for whom the server has taken the mail.
    package var accepted: [String] = []
    package var refused: [MailRefusal] = []

    package init(accepted: [String] = [], refused: [MailRefusal] = []) {
        self.accepted = accepted
        self.refused = refused
    }
}
