/// Finds the fields of one record in a buffer. RFC 4180, and what real files do besides: any of CRLF, LF and CR ends a
/// record; a quote inside a bare field is a plain character.
///
/// Eight bytes at a step. The buffer carries eight zero bytes after its content, so that a step may look past the end.
struct RecordScanner {
    /// The finding.
    enum Outcome {
        /// A record; the next one starts at `next`.
        case record(next: Int)
        /// The buffer ends inside the record.
        case incomplete
        /// Text follows a closing quote at that place.
        case textAfterQuote(at: Int)
        /// The content ends inside the quotes that open at that place.
        case unclosedQuote(at: Int)
    }

    private static let lineFeed: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
    private static let carriageReturn: UInt64 = 0x0D0D_0D0D_0D0D_0D0D

    private let delimiter: UInt8
    private let quote: UInt8
    private let delimiters: UInt64
    /// The record's fields: the first `count` of them.
    private(set) var fields: [CSVField]
    private(set) var count = 0
    /// Line breaks inside the record's quotes.
    private(set) var innerLines = 0

    init(_ dialect: CSVDialect) {
        delimiter = dialect.delimiter
        quote = dialect.quote
        delimiters = 0x0101_0101_0101_0101 &* UInt64(dialect.delimiter)
        fields = Array(repeating: CSVField(start: 0, end: 0, quoting: .bare), count: 64)
    }

    /// Scans the record that starts at `start` of the `filled` bytes.
    /// - Parameter isLast: nothing follows the bytes.
    mutating func scan(_ buffer: [UInt8], from start: Int, to filled: Int, isLast: Bool) -> Outcome {
        let bytes = buffer.span.bytes
        count = 0
        innerLines = 0
        var position = start
        while true {
            let fieldStart = position
            if position < filled, bytes.byte(position) == quote {
                switch scanQuoted(bytes, from: position + 1, to: filled) {
                case .closed(let after): position = after
                case .open: return isLast ? .unclosedQuote(at: fieldStart) : .incomplete
                }
                if position == filled, !isLast { return .incomplete }
            } else {
                position = endOfBareField(bytes, from: position, to: filled)
                append(CSVField(start: Int32(truncatingIfNeeded: fieldStart), end: Int32(truncatingIfNeeded: position), quoting: .bare))
            }
            if position >= filled { return isLast ? .record(next: filled) : .incomplete }
            switch bytes.byte(position) {
            case delimiter: position += 1
            case 0x0A: return .record(next: position + 1)
            case 0x0D:
                if position + 1 < filled { return .record(next: bytes.byte(position + 1) == 0x0A ? position + 2 : position + 1) }
                return isLast ? .record(next: filled) : .incomplete
            default: return .textAfterQuote(at: position)
            }
        }
    }

    @inline(__always)
    private func endOfBareField(_ bytes: RawSpan, from start: Int, to filled: Int) -> Int {
        var position = start
        while position < filled {
            let word = bytes.word(position)
            let hits =
                matches(word, delimiters) | matches(word, RecordScanner.lineFeed) | matches(word, RecordScanner.carriageReturn)
            if hits != 0 { return position + hits.trailingZeroBitCount / 8 }
            position += 8
        }
        return filled
    }

    private enum Quoted {
        case closed(after: Int)
        case open
    }

    private mutating func scanQuoted(_ bytes: RawSpan, from start: Int, to filled: Int) -> Quoted {
        var position = start
        var quoting = CSVField.Quoting.quoted
        while true {
            position = nextQuote(bytes, from: position, to: filled)
            if position >= filled { return .open }
            if position + 1 < filled, bytes.byte(position + 1) == quote {
                quoting = .escaped
                position += 2
                continue
            }
            append(CSVField(start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: position), quoting: quoting))
            return .closed(after: position + 1)
        }
    }

    /// The next quote's place, counting the line breaks before it.
    private mutating func nextQuote(_ bytes: RawSpan, from start: Int, to filled: Int) -> Int {
        var position = start
        while position < filled {
            let byte = bytes.byte(position)
            if byte == quote { return position }
            if byte == 0x0A { innerLines += 1 }
            if byte == 0x0D, position + 1 >= filled || bytes.byte(position + 1) != 0x0A { innerLines += 1 }
            position += 1
        }
        return filled
    }

    @inline(__always)
    private mutating func append(_ field: CSVField) {
        if count == fields.count { fields.append(contentsOf: repeatElement(field, count: count)) }
        fields[count] = field
        count += 1
    }
}

/// Reading plain bytes and words, which every bit pattern is valid for; both trap outside the span.
extension RawSpan {
    /// The byte at an offset.
    @inline(__always) func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// The eight bytes from an offset, the first in the lowest byte.
    @inline(__always) func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

/// Eight bytes in one word: the high bit of each byte that equals the pattern's is set.
///
/// Only the lowest set bit is exact (a borrow may set one above a match), which is all that a search needs.
/// Source: "Hacker's Delight", 2nd edition, section 6-1.
@inline(__always) func matches(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
    let difference = word ^ pattern
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
}
