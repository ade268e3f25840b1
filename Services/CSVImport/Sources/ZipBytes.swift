/// Bytes of a ZIP archive's structures, whose numbers are little-endian.
struct ZipBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of that many bytes; those past the end count as 0.
    func number(_ offset: Int, _ length: Int) -> Int {
        var value: UInt64 = 0
        for index in 0..<length where offset + index < bytes.count { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        return Int(truncatingIfNeeded: value)
    }

    /// The place of the last record that starts with the signature and has at least that length.
    func lastRecord(_ signature: Int, length: Int) -> Int? {
        var place = bytes.count - length
        while place >= 0 {
            if number(place, 4) == signature { return place }
            place -= 1
        }
        return nil
    }

    /// Where the extra field of that kind has its content; empty where there is none.
    func extra(_ kind: Int, _ range: Range<Int>) -> Range<Int> {
        var position = range.lowerBound
        while position + 4 <= range.upperBound {
            let length = number(position + 2, 2)
            let content = position + 4..<min(position + 4 + length, range.upperBound)
            if number(position, 2) == kind { return content }
            position = content.upperBound
        }
        return range.upperBound..<range.upperBound
    }
}
