/// Tokens that nobody can guess.
package enum RandomToken {
    /// 256 bits from the system's generator, as 43 characters of base64url: a browser that reads the bytes writes the same text again.
    package static func make() -> String { Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
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
