/// The way a file's fields are written.
package struct CSVDialect: Hashable, Sendable {
    /// Between fields: `,`, `;`, tab or `|`.
    package var delimiter: UInt8
    /// Around a field that holds delimiters or line breaks; doubled inside.
    package var quote: UInt8
    /// Between a number's whole part and its fraction: `.` or `,`.
    package var decimal: UInt8
    /// The characters' encoding.
    package var encoding: TextEncoding

    /// RFC 4180's: comma, double quote, decimal point, UTF-8.
    package static let standard = CSVDialect()

    /// Makes a dialect.
    package init(
        delimiter: UInt8 = UInt8(ascii: ","), quote: UInt8 = UInt8(ascii: "\""), decimal: UInt8 = UInt8(ascii: "."),
        encoding: TextEncoding = .utf8
    ) {
        self.delimiter = delimiter
        self.quote = quote
        self.decimal = decimal
        self.encoding = encoding
    }
}

/// The range of a field in the reader's buffer, without its quotes.
package struct CSVField {
    /// The first byte of its content.
    package var start: Int32
    /// After the last byte of its content.
    package var end: Int32
    /// The way it was written.
    package var quoting: Quoting

    /// The way a field was written.
    package enum Quoting: UInt8 {
        /// Without quotes.
        case bare
        /// In quotes, with nothing doubled inside: its bytes are its content.
        case quoted
        /// In quotes, with doubled quotes inside, which must be halved.
        case escaped
    }

    /// A Boolean value that indicates whether there is nothing in it.
    package var isEmpty: Bool { start == end }
}

/// Reads records from bytes of any length in bounded memory, and knows where each stands.
///
/// After `next()` has returned `.record`, `fields` describes the record's fields as places in `buffer`; both hold until
/// the next call. Blank lines are no records. What breaks the quoting is reported and skipped: text after a closing quote
/// costs the line that it stands on; a quote that is never closed costs the line that it opens on.
///
/// Threading: a value, used by one task at a time.
package struct CSVReader {
    /// The next element of the input.
    package enum Event: Hashable, Sendable {
        /// A record.
        case record
        /// A line that cannot be read as a record, and why.
        case malformed(Malformation)
        /// Nothing more.
        case end
    }

    /// The reason why a line is no record.
    package enum Malformation: Hashable, Sendable {
        case textAfterQuote
        case unclosedQuote
        case tooLong

        /// In words.
        package var reason: String {
            switch self {
            case .textAfterQuote: "text follows a closing quote"
            case .unclosedQuote: "a quote is opened and never closed"
            case .tooLong: "the record is longer than \(CSVReader.longestRecord) bytes (is a quote never closed?)"
            }
        }
    }

    /// The longest record that is read: 4 MiB.
    package static let longestRecord = 4 << 20
    /// Zero bytes after the content, so that eight can be read from any of its bytes.
    private static let padding = 8

    /// The bytes in which the fields lie.
    package private(set) var buffer: [UInt8]
    /// The place in `buffer` where the present record starts, and where the next one does.
    package private(set) var recordStart = 0
    package private(set) var recordEnd = 0
    /// The present record's first line, from 1.
    package private(set) var line = 0

    private var source: any ByteSource
    private var scanner: RecordScanner
    private var filled = 0
    private var isLast = false
    private var nextLine = 1
    private var isInSkippedLine = false
    private let encoding: TextEncoding
    /// The byte around a field that holds delimiters.
    let quote: UInt8
    /// The offset in the file of `buffer[0]`.
    private var bufferOffset: Int

    /// Makes a reader.
    /// - Parameters:
    ///   - source: the content, as UTF-8 whatever the file's encoding, after any byte-order mark.
    ///   - dialect: its encoding is the file's own, for telling offsets.
    ///   - offset: the number of the file's bytes that came before it.
    ///   - line: the number of the file's lines that came before it.
    ///   - capacity: of the buffer, in bytes; it grows for a longer record.
    package init(_ source: any ByteSource, dialect: CSVDialect = .standard, offset: Int = 0, line: Int = 0, capacity: Int = 256 << 10) {
        self.source = source
        scanner = RecordScanner(dialect)
        encoding = dialect.encoding
        quote = dialect.quote
        bufferOffset = offset
        nextLine = line + 1
        buffer = Array(repeating: 0, count: capacity + CSVReader.padding)
    }

    /// The number of fields the present record has.
    package var fieldCount: Int { scanner.count }
    /// A field of the present record.
    @inline(__always) package func field(_ index: Int) -> CSVField { scanner.fields[index] }
    /// The offset in the file of a place in the buffer, in bytes of the file's own encoding.
    package func offset(of place: Int) -> Int { bufferOffset + encoding.length(of: buffer[0..<place]) }

    /// The present record's offset in the content.
    var recordOffset: Int { bufferOffset + recordStart }
    /// The line on which the next record can start, from 1.
    var endLine: Int { nextLine }

    /// Moves to the next record.
    package mutating func next() throws(ImportError) -> Event {
        recordStart = recordEnd
        line = nextLine
        if isInSkippedLine { try leaveSkippedLine() }
        while true {
            if recordStart < filled, skipBlankLine() { continue }
            if recordStart >= filled, isLast { return .end }
            switch scanner.scan(buffer, from: recordStart, to: filled, isLast: isLast) {
            case .record(let next):
                recordEnd = next
                nextLine = line + scanner.innerLines + 1
                return .record
            case .textAfterQuote(let place):
                nextLine = line + scanner.innerLines
                try skipLine(from: place)
                return .malformed(.textAfterQuote)
            case .unclosedQuote:
                try skipLine(from: recordStart)
                return .malformed(.unclosedQuote)
            case .incomplete where filled - recordStart >= CSVReader.longestRecord:
                try skipLine(from: recordStart)
                return .malformed(.tooLong)
            case .incomplete:
                try refill()
            }
        }
    }

    private mutating func skipBlankLine() -> Bool {
        switch buffer[recordStart] {
        case 0x0A: recordStart += 1
        case 0x0D where recordStart + 1 < filled: recordStart += buffer[recordStart + 1] == 0x0A ? 2 : 1
        case 0x0D where isLast: recordStart += 1
        default: return false
        }
        recordEnd = recordStart
        nextLine += 1
        line = nextLine
        return true
    }

    /// Lets the next record start after the end of the line on which `place` stands, or at the buffer's end.
    /// Moves behind the line, all of which is read for that, unless it is too long.
    private mutating func skipLine(from place: Int) throws(ImportError) {
        var position = endOfLine(from: place)
        while isCut(position), filled - recordStart < CSVReader.longestRecord {
            let distance = position - recordStart
            try refill()
            position = endOfLine(from: recordStart + distance)
        }
        isInSkippedLine = position == filled && !isLast
        pass(lineEnd: position)
    }

    /// Passes over the rest of a line that was too long.
    private mutating func leaveSkippedLine() throws(ImportError) {
        var position = endOfLine(from: recordStart)
        while isCut(position) {
            recordStart = position
            try refill()
            position = endOfLine(from: recordStart)
        }
        isInSkippedLine = false
        pass(lineEnd: position)
        recordStart = recordEnd
        line = nextLine
    }

    private func endOfLine(from place: Int) -> Int {
        var position = place
        while position < filled, buffer[position] != 0x0A, buffer[position] != 0x0D { position += 1 }
        return position
    }

    /// Returns whether more bytes are needed to know where the line ends: a line feed may follow a carriage return.
    private func isCut(_ position: Int) -> Bool {
        !isLast && (position == filled || position + 1 == filled && buffer[position] == 0x0D)
    }

    private mutating func pass(lineEnd position: Int) {
        let isPair = position + 1 < filled && buffer[position] == 0x0D && buffer[position + 1] == 0x0A
        recordEnd = min(position + (isPair ? 2 : 1), filled)
        nextLine += position < filled ? 1 : 0
    }

    /// Moves the unread bytes to the front and reads more behind them.
    private mutating func refill() throws(ImportError) {
        let unread = filled - recordStart
        if recordStart > 0 {
            bufferOffset = offset(of: recordStart)
            for index in 0..<unread { buffer[index] = buffer[recordStart + index] }
            recordStart = 0
            recordEnd = 0
            filled = unread
        }
        if buffer.count - CSVReader.padding - filled < buffer.count / 2 {
            buffer.append(contentsOf: repeatElement(0, count: buffer.count))
        }
        let read = try source.read(into: &buffer, at: filled, limit: buffer.count - CSVReader.padding - filled)
        isLast = read == 0
        filled += read
        for index in filled..<filled + CSVReader.padding { buffer[index] = 0 }
    }
}
