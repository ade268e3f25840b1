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

    /// How many bytes of this encoding the UTF-8 stands for.
    func length(of utf8: ArraySlice<UInt8>) -> Int {
        switch self {
        case .utf8: utf8.count
        case .latin1: utf8.count { $0 & 0xC0 != 0x80 }
        case .utf16LittleEndian, .utf16BigEndian: 2 * utf8.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
        }
    }
}
