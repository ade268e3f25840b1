/// The encodings in which health files come.
package enum TextEncoding: String, Hashable, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case latin1 = "latin-1"

    /// The encoding of a file that starts so, and the length of its byte-order mark.
    ///
    /// Without a mark: UTF-16 where every second byte of the start is zero, UTF-8 where the start is valid UTF-8, else Latin-1.
    package static func detect(_ start: [UInt8]) -> (encoding: TextEncoding, markLength: Int) {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if start.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if start.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if let unmarked = unmarkedUTF16(start) { return (unmarked, 0) }
        return (isUTF8(start) ? .utf8 : .latin1, 0)
    }

    private static func unmarkedUTF16(_ start: [UInt8]) -> TextEncoding? {
        let pairs = min(start.count, 256) / 2
        guard pairs >= 4 else { return nil }
        let evenZeros = (0..<pairs).count { start[$0 * 2] == 0 }
        let oddZeros = (0..<pairs).count { start[$0 * 2 + 1] == 0 }
        if evenZeros == 0, oddZeros * 10 >= pairs * 9 { return .utf16LittleEndian }
        if oddZeros == 0, evenZeros * 10 >= pairs * 9 { return .utf16BigEndian }
        return nil
    }

    /// A character that the start's end cuts in two is no fault.
    private static func isUTF8(_ start: [UInt8]) -> Bool {
        for cut in 0...min(3, start.count) {
            let whole = start.dropLast(cut)
            if String(validating: whole, as: UTF8.self) != nil { return true }
        }
        return false
    }

    /// The number of bytes of this encoding the UTF-8 stands for.
    func length(of utf8: ArraySlice<UInt8>) -> Int {
        switch self {
        case .utf8: utf8.count
        case .latin1: utf8.count { $0 & 0xC0 != 0x80 }
        case .utf16LittleEndian, .utf16BigEndian: 2 * utf8.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
        }
    }
}

/// UTF-16 or Latin-1 content as UTF-8. What is no character becomes U+FFFD.
package struct TranscodingSource: ByteSource {
    private var source: any ByteSource
    private let encoding: TextEncoding
    private var input: [UInt8]
    private var pending = 0
    private var output: [UInt8] = []
    private var taken = 0
    private var isAtEnd = false

    /// - Parameter source: the content after its byte-order mark.
    package init(_ source: any ByteSource, from encoding: TextEncoding) {
        self.source = source
        self.encoding = encoding
        input = Array(repeating: 0, count: 64 << 10)
    }

    package mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == output.count {
            if isAtEnd { return 0 }
            try convert()
        }
        let count = min(limit, output.count - taken)
        for index in 0..<count { buffer[offset + index] = output[taken + index] }
        taken += count
        return count
    }

    private mutating func convert() throws(ImportError) {
        let read = try source.read(into: &input, at: pending, limit: input.count - pending)
        isAtEnd = read == 0
        let available = pending + read
        output.removeAll(keepingCapacity: true)
        taken = 0
        let used = encoding == .latin1 ? convertLatin1(available) : convertUTF16(available)
        for index in used..<available { input[index - used] = input[index] }
        pending = available - used
    }

    private mutating func convertLatin1(_ available: Int) -> Int {
        for byte in input[0..<available] {
            if byte < 0x80 {
                output.append(byte)
            } else {
                output.append(0xC0 | byte >> 6)
                output.append(0x80 | byte & 0x3F)
            }
        }
        return available
    }

    private mutating func convertUTF16(_ available: Int) -> Int {
        var units: [UInt16] = []
        units.reserveCapacity(available / 2)
        for index in stride(from: 0, to: available - 1, by: 2) {
            let first = UInt16(input[index]), second = UInt16(input[index + 1])
            units.append(encoding == .utf16LittleEndian ? second << 8 | first : first << 8 | second)
        }
        // A pair that the input's end cuts waits for its other half.
        if !isAtEnd, let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        output.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
        if isAtEnd, available % 2 == 1 { output.append(contentsOf: "\u{FFFD}".utf8) }
        return isAtEnd ? available : units.count * 2
    }
}
