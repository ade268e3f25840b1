/// A key pair on somebody's device, of which only the public half is known here (WebAuthn, a W3C recommendation).
package struct Passkey: Sendable, Hashable {
    /// The kinds of signatures that are taken, each with its number in the COSE registry.
    package enum Algorithm: Int32, Sendable, CaseIterable {
        case es256 = -7
        case edDSA = -8
        case rs256 = -257
    }

    /// The name that the device gave it.
    package let id: [UInt8]
    package let algorithm: Algorithm
    /// The public key as libfido2 writes it.
    package let key: [UInt8]
    /// The host name of the pages that it was made for; browsers use it nowhere else.
    package let host: String
    /// The number of signatures that the device has counted; 0 where it does not count.
    package var counter: UInt32

    package init(id: [UInt8], algorithm: Algorithm, key: [UInt8], host: String, counter: UInt32) {
        self.id = id
        self.algorithm = algorithm
        self.key = key
        self.host = host
        self.counter = counter
    }
}

/// The reason why a passkey, or what it signed, was refused.
package enum PasskeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed
    /// A browser uses passkeys only under a host name, and only over TLS or on this very machine.
    case noHostName
    /// It was made on the pages of another server.
    case foreignOrigin
    /// It answers another question than the one that was asked.
    case wrongChallenge
    /// Nobody touched the device.
    case absent
    case unknownAlgorithm
    case wrongSignature
    /// The device has signed less often than before: a copy of it may be in use.
    case copied

    package var description: String {
        switch self {
        case .malformed: "the passkey's answer cannot be read"
        case .noHostName: "a passkey needs a host name: open these pages by the server's name, not by its address"
        case .foreignOrigin: "the passkey's answer is for another site"
        case .wrongChallenge: "the passkey's answer is for another attempt, or came too late"
        case .absent: "nobody touched the passkey's device"
        case .unknownAlgorithm: "the passkey's kind of signature is not taken: it must be ES256, EdDSA or RS256"
        case .wrongSignature: "the passkey's signature is wrong"
        case .copied: "the passkey's counter went back: it may have been copied"
        }
    }
}

/// Bytes as text without padding, as browsers and URLs have it (RFC 4648, section 5).
package enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var (text, bits, count) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns nil where the text has another character, or bits that belong to no byte.
    package static func decode(_ text: String) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for character in text.utf8 {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            (bits, count) = (bits << 6 | UInt32(digit), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        return count < 6 && bits == 0 ? bytes : nil
    }
}
