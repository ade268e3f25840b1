import Cryptography
import Foundation
import VigilSchema

/// The question that a link in a message asks: what the receiver does about one alarm.
///
/// The link holds what it is about, signed with a key that `vigil-alert` and `vigil-dashboard` share. It says nothing of a person's values. It is
/// good for one answer and for a limited time, and only while the alarm that it names stands.
package struct AnswerLink: Sendable, Hashable {
    /// The notifier whose receivers have it.
    package var notifier: String
    package var participant: String
    package var rule: String
    /// The moment at which the alarm began, in Unix seconds: another alarm of the same rule is another question.
    package var since: Double
    /// The severity that was told: a worse alarm is not answered by it.
    package var severity: String
    /// The moment at which the message was written, in Unix seconds: what became worse later is not answered by it.
    package var told: Double
    /// Unix seconds.
    package var expires: Double

    package init(notifier: String, participant: String, rule: String, since: Double, severity: String, told: Double, expires: Double) {
        self.notifier = notifier
        self.participant = participant
        self.rule = rule
        self.since = since
        self.severity = severity
        self.told = told
        self.expires = expires
    }

    /// The signed text, of letters, digits, `-`, `_` and `.`.
    package func token(_ key: AnswerKey) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and finite numbers always encode.
        let payload = Base64URL.encode(Array((try? encoder.encode(self)) ?? Data()))
        return "\(payload).\(key.signature(of: payload))"
    }

    /// Reads a signed text.
    /// - Throws: `AnswerLinkError` where it was not signed with this key, or its time is over.
    package init(token: String, key: AnswerKey, now: Double) throws(AnswerLinkError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= Self.longest, parts.count == 2, key.isSignature(String(parts[1]), of: String(parts[0])),
            let payload = Base64URL.decode(String(parts[0])), let link = try? JSONDecoder().decode(AnswerLink.self, from: Data(payload))
        else { throw .invalid }
        guard now < link.expires else { throw .expired }
        self = link
    }

    private static let longest = 2048
}

extension AnswerLink: Codable {
    private enum CodingKeys: String, CodingKey {
        case notifier = "n"
        case participant = "p"
        case rule = "r"
        case since = "s"
        case severity = "v"
        case told = "t"
        case expires = "e"
    }
}

/// The reason why a link is no question any more.
package enum AnswerLinkError: Error, Hashable, Sendable {
    case invalid
    case expired
}

/// The key with which links are signed.
package struct AnswerKey: Sendable, Hashable {
    /// Signatures are cut to 128 bits, so that links stay short.
    private static let signatureLength = 32
    private let bytes: [UInt8]

    /// - Parameter secret: at least 16 bytes; nil is returned for a shorter one, which could be guessed.
    package init?(_ secret: some Sequence<UInt8>) {
        let bytes = Array(secret)
        guard bytes.count >= 16 else { return nil }
        self.bytes = bytes
    }

    fileprivate func signature(of payload: String) -> String {
        String(MessageAuthentication.hmacSHA256(Array("vigil-answer/1.\(payload)".utf8), key: bytes).prefix(Self.signatureLength))
    }

    /// In a time that says nothing of where they differ.
    fileprivate func isSignature(_ text: String, of payload: String) -> Bool {
        let (given, right) = (Array(text.utf8), Array(signature(of: payload).utf8))
        guard given.count == right.count else { return false }
        return zip(given, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
