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
