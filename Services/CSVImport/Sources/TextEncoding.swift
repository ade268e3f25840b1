import TextDecoding

/// The encodings in which health files come.
package enum TextEncoding: String, Hashable, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case windows1252 = "windows-1252"
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case latin1 = "latin-1"
    case latin2 = "latin-2"
    case latin9 = "latin-9"
    case macintosh = "macintosh"
    case koi8 = "koi8-r"
    case shiftJIS = "shift-jis"
    case eucJP = "euc-jp"
    case eucKR = "euc-kr"
    case gb18030 = "gb18030"
    case big5 = "big5"

    /// The name under which iconv knows it.
    var iconvName: String {
        switch self {
        case .latin1: "ISO-8859-1"
        case .latin2: "ISO-8859-2"
        case .latin9: "ISO-8859-15"
        // As Windows writes it, in which a backslash stays one.
        case .shiftJIS: "CP932"
        default: rawValue.uppercased()
        }
    }

    var isUTF16: Bool { self == .utf16LittleEndian || self == .utf16BigEndian }

    /// The encoding of a file that starts so, and the length of its byte-order mark.
    ///
    /// Without a mark: UTF-16 where every second byte of the start is zero, UTF-8 where the start is valid UTF-8, Shift-JIS where it is kana and kanji
    /// in that, else Windows-1252, which has all of Latin-1's letters. The last two are guesses: `isGuess`.
    package static func detect(_ start: [UInt8]) -> (encoding: TextEncoding, markLength: Int, isGuess: Bool) {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3, false) }
        if start.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2, false) }
        if start.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2, false) }
        if let unmarked = unmarkedUTF16(start) { return (unmarked, 0, false) }
        if isUTF8(start) { return (.utf8, 0, false) }
        return (isShiftJIS(start) ? .shiftJIS : .windows1252, 0, true)
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

    /// Returns whether all of it is Shift-JIS, and most characters beyond ASCII are kana or kanji: a single `ä` before a letter would be one too.
    private static func isShiftJIS(_ start: [UInt8]) -> Bool {
        guard let converter = TextConverter(from: TextEncoding.shiftJIS.iconvName) else { return false }
        var text: [UInt8] = []
        guard converter.convert(start[...], isLast: false, into: &text).replaced == 0 else { return false }
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.filter { !$0.isASCII }
        let kana = scalars.count { (0x3040...0x30FF).contains($0.value) }
        let wide = scalars.count { (0x3000...0x9FFF).contains($0.value) || (0xFF01...0xFF60).contains($0.value) }
        return wide >= 4 && wide * 10 >= scalars.count * 9 && kana * 10 >= wide
    }

    /// The number of bytes of this encoding the UTF-8 stands for.
    func length(of utf8: ArraySlice<UInt8>) -> Int {
        switch self {
        case .utf8: return utf8.count
        case .utf16LittleEndian, .utf16BigEndian:
            return 2 * utf8.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
        case .shiftJIS, .eucJP, .eucKR, .gb18030, .big5: return TextConverter.length(of: utf8, in: iconvName) ?? utf8.count
        default: return utf8.count { $0 & 0xC0 != 0x80 }
        }
    }
}

/// Content in another encoding as UTF-8, converted by iconv. What is no character becomes U+FFFD.
package struct TranscodingSource: ByteSource {
    private var source: any ByteSource
    private let converter: TextConverter?
    private let name: String
    private var input: [UInt8]
    private var pending = 0
    private var output: [UInt8] = []
    private var taken = 0
    private var isAtEnd = false

    /// - Parameter source: the content after its byte-order mark.
    package init(_ source: any ByteSource, from encoding: TextEncoding) {
        self.source = source
        name = encoding.rawValue
        converter = TextConverter(from: encoding.iconvName, unit: encoding.isUTF16 ? 2 : 1)
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
        guard let converter else { throw ImportError(.source, "this system's iconv does not know \(name)") }
        let read = try source.read(into: &input, at: pending, limit: input.count - pending)
        isAtEnd = read == 0
        let available = pending + read
        output.removeAll(keepingCapacity: true)
        taken = 0
        let used = converter.convert(input[0..<available], isLast: isAtEnd, into: &output).used
        for index in used..<available { input[index - used] = input[index] }
        pending = available - used
    }
}
