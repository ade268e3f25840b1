import VigilSchema

/// InfluxDB's line protocol, as Telegraf and many scripts publish it: `vitals,person=anna heart_rate=61i,spo2=97.5 1769857200000000000`.
///
/// A line is a record: `measurement`, `tags` and `fields` by their names, and `time` in nanoseconds where it has one.
enum InfluxLines {
    private static let maximumLines = 10_000

    /// Reads all lines; comments and empty ones are passed over.
    static func read(_ bytes: [UInt8]) throws(PayloadError) -> MappingValue {
        do { _ = try UTF8Span(validating: bytes.span) } catch {
            throw PayloadError(.malformed, "the bytes are not UTF-8", offset: error.byteOffsets.lowerBound)
        }
        var records: [MappingValue] = []
        var start = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            defer { start += line.count + 1 }
            var reader = Reader(rest: line.last == 0x0D ? line.dropLast() : line)
            guard let first = reader.rest.first(where: { $0 != 0x20 }), first != UInt8(ascii: "#") else { continue }
            guard records.count < maximumLines else { throw PayloadError(.tooLarge, "more than 10000 lines in one message") }
            let record: MappingValue?
            do {
                record = try reader.record()
            } catch {
                throw PayloadError(error.code, error.reason.text, offset: start)
            }
            guard let record else {
                throw PayloadError(.malformed, "a line is measurement,tag=text field=1.5 nanoseconds; this one is not", offset: start)
            }
            records.append(record)
        }
        guard !records.isEmpty else { throw PayloadError(.malformed, "no line holds a record", offset: 0) }
        return .array(records)
    }

    /// One line, read from its start.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func record() throws(MappingMembers.Objection) -> MappingValue? {
            rest = rest.drop { $0 == 0x20 }
            guard let measurement = word(until: ", "), !measurement.isEmpty else { return nil }
            var tags = MappingMembers(), fields = MappingMembers()
            while take(",") {
                guard let key = word(until: "=").map({ MappingKey($0) }), take("="), let text = word(until: ", ") else { return nil }
                try tags.expect(key)
                tags.append(key, .string(text))
            }
            guard take(" ") else { return nil }
            repeat {
                guard let name = word(until: "="), !name.isEmpty, take("="), let value = value() else { return nil }
                let key = MappingKey(name)
                try fields.expect(key)
                fields.append(key, value)
            } while take(",")
            var members = [
                MappingValue.Member(key: "measurement", value: .string(measurement)),
                MappingValue.Member(key: "tags", value: .object(tags.all)),
                MappingValue.Member(key: "fields", value: .object(fields.all)),
            ]
            let time = String(decoding: rest, as: UTF8.self).filter { $0 != " " }
            if !time.isEmpty {
                guard let nanoseconds = Int64(time) else { return nil }
                members.append(MappingValue.Member(key: "time", value: .number(Double(nanoseconds))))
            }
            return .object(members)
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// The text up to one of these; a backslash makes it part of the text. Nil where the line ends before.
        private mutating func word(until ends: String) -> String? {
            var text: [UInt8] = []
            while let byte = rest.first {
                if ends.utf8.contains(byte) { return String(decoding: text, as: UTF8.self) }
                rest.removeFirst()
                if byte == UInt8(ascii: "\\"), let next = rest.first, ", =\\".utf8.contains(next) {
                    text.append(next)
                    rest.removeFirst()
                } else {
                    text.append(byte)
                }
            }
            return nil
        }

        /// A field's value: a text in quotes, `t`, `f`, or a number, an `i` or `u` behind it where it is a whole one.
        private mutating func value() -> MappingValue? {
            if take("\"") { return quoted() }
            let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == 0x20 } ?? rest.endIndex
            var text = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = rest[end...]
            switch text.lowercased() {
            case "t", "true": return .boolean(true)
            case "f", "false": return .boolean(false)
            default: break
            }
            if text.hasSuffix("i") || text.hasSuffix("u") { text.removeLast() }
            return MappingValue.string(text).number.map { .number($0) }
        }

        private mutating func quoted() -> MappingValue? {
            var text: [UInt8] = []
            while let byte = rest.first {
                rest.removeFirst()
                if byte == UInt8(ascii: "\"") { return .string(String(decoding: text, as: UTF8.self)) }
                if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
                    text.append(next)
                    rest.removeFirst()
                } else {
                    text.append(byte)
                }
            }
            return nil
        }
    }
}
