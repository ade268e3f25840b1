import CIconv

/// Converts text that comes in pieces from one encoding to another, over iconv. What is no character becomes U+FFFD.
///
/// Threading: used by one task at a time.
@safe package final class TextConverter {
    /// The most bytes that are converted in one call.
    private static let step = 64 << 10

    private let converter: iconv_t
    /// The bytes that are passed over where they are no character.
    private let unit: Int
    private let replacement: [UInt8]

    /// Makes a converter to UTF-8.
    /// - Parameters:
    ///   - encoding: a name that iconv knows, such as `CP932`.
    ///   - unit: the bytes of the encoding's smallest character.
    /// - Returns: nil where iconv does not know the encoding.
    package convenience init?(from encoding: String, unit: Int = 1) {
        self.init(from: encoding, to: "UTF-8", unit: unit, replacement: Array("\u{FFFD}".utf8))
    }

    private init?(from: String, to: String, unit: Int, replacement: [UInt8]) {
        guard let converter = unsafe vigil_iconv_open(to, from) else { return nil }
        unsafe self.converter = converter
        self.unit = unit
        self.replacement = replacement
    }

    deinit { unsafe iconv_close(converter) }

    /// Converts the next bytes, and appends what they are to `output`.
    /// - Parameter isLast: nothing follows: a character that is cut off here stays so.
    /// - Returns: how many bytes were taken, fewer than given where the last character is cut, and how many were no characters.
    package func convert(_ input: ArraySlice<UInt8>, isLast: Bool, into output: inout [UInt8]) -> (used: Int, replaced: Int) {
        var rest = input
        var replaced = 0
        while !rest.isEmpty {
            let reason = take(&rest, &output)
            if reason == 0 || reason == E2BIG { continue }
            if reason == EINVAL, !isLast { break }
            rest = rest.dropFirst(reason == EINVAL ? rest.count : unit)
            output += replacement
            replaced += 1
        }
        return (input.count - rest.count, replaced)
    }

    /// Converts as far as it goes, and returns what stopped it.
    private func take(_ rest: inout ArraySlice<UInt8>, _ output: inout [UInt8]) -> Int32 {
        var (used, made) = (0, 0)
        let start = output.count
        let piece = rest.prefix(TextConverter.step)
        // No character of another encoding is longer in UTF-8 than three times its bytes; what would be stops and goes on.
        output.append(contentsOf: repeatElement(0, count: piece.count * 3 + 16))
        let reason = unsafe piece.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe vigil_iconv(
                    converter, input.baseAddress, input.count, output.baseAddress.map { unsafe $0 + start }, output.count - start, &used,
                    &made)
            }
        }
        output.removeLast(output.count - start - made)
        rest = rest.dropFirst(used)
        // A character that only this piece's end cuts goes on in the next.
        return reason == EINVAL && used > 0 && rest.count > piece.count - used ? 0 : reason
    }

    /// The number of bytes that a UTF-8 text has in an encoding, each character that it lacks counted as one.
    /// - Returns: nil where iconv does not know the encoding.
    package static func length(of utf8: ArraySlice<UInt8>, in encoding: String) -> Int? {
        guard let converter = TextConverter(from: "UTF-8", to: encoding, unit: 1, replacement: [0x3F]) else { return nil }
        var (encoded, length): ([UInt8], Int) = ([], 0)
        var rest = utf8
        while !rest.isEmpty {
            let reason = converter.take(&rest, &encoded)
            length += encoded.count
            encoded.removeAll(keepingCapacity: true)
            if reason == 0 || reason == E2BIG { continue }
            // The character as a whole: its first byte, and those that continue it.
            rest = rest.dropFirst().drop { $0 & 0xC0 == 0x80 }
            length += 1
        }
        return length
    }
}
