extension CSVReader {
    /// A field's content as text, or nil where it is not UTF-8.
    package func text(_ index: Int) -> String? {
        let field = field(index)
        let bytes = buffer[Int(field.start)..<Int(field.end)]
        guard field.quoting == .escaped else { return String(validating: bytes, as: UTF8.self) }
        return String(validating: CSVReader.halvingQuotes(bytes, quote), as: UTF8.self)
    }

    /// All of the present record's fields as text, with U+FFFD for what is not UTF-8.
    package func texts() -> [String] {
        (0..<fieldCount).map { text($0) ?? String(decoding: buffer[Int(field($0).start)..<Int(field($0).end)], as: UTF8.self) }
    }

    /// The present record or malformed line as it stands in the file, without its line end.
    package func originalRecord() -> String {
        var end = recordEnd
        while end > recordStart, buffer[end - 1] == 0x0A || buffer[end - 1] == 0x0D { end -= 1 }
        return String(decoding: buffer[recordStart..<end], as: UTF8.self)
    }

    /// The line and column of a place in the present record, both from 1, in characters.
    package func position(of place: Int) -> (line: Int, column: Int) {
        var line = line
        var lineStart = recordStart
        for index in recordStart..<place {
            let isReturn = buffer[index] == 0x0D && !(index + 1 < place && buffer[index + 1] == 0x0A)
            if buffer[index] == 0x0A || isReturn {
                line += 1
                lineStart = index + 1
            }
        }
        // A byte that continues a character is not counted.
        return (line, 1 + buffer[lineStart..<place].count { $0 & 0xC0 != 0x80 })
    }

    /// The content without the second of two quotes that stand together; only the dialect's own quote counts as one.
    private static func halvingQuotes(_ bytes: ArraySlice<UInt8>, _ quote: UInt8) -> [UInt8] {
        var content: [UInt8] = []
        var skipsNext = false
        for (index, byte) in zip(bytes.indices, bytes) {
            if skipsNext {
                skipsNext = false
                continue
            }
            content.append(byte)
            skipsNext = index + 1 < bytes.endIndex && bytes[index + 1] == byte && byte == quote
        }
        return content
    }
}

/// Writes CSV (RFC 4180).
enum CSVText {
    /// One record, without its line end; quoted where it must be.
    static func record(_ fields: [String], delimiter: String) -> String {
        fields.map { quoted($0, delimiter) }.joined(separator: delimiter)
    }

    private static func quoted(_ field: String, _ delimiter: String) -> String {
        let needsQuotes = field.unicodeScalars.contains { $0 == "\"" || $0 == "\n" || $0 == "\r" } || field.contains(delimiter)
        return needsQuotes ? "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"" : field
    }
}
