import VigilSchema

/// A payload's content as mappings read it, whatever its format.
package enum MappingValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([MappingValue])
    case object([Member])

    /// A key and its value.
    package struct Member: Sendable, Hashable {
        let key: MappingKey
        let value: MappingValue
    }

    /// The number, also where a text holds one; nil for anything else.
    var number: Double? {
        switch self {
        case .number(let number): return number
        case .boolean(let isTrue): return isTrue ? 1 : 0
        case .string(let text):
            let bytes = text.utf8Span.span
            return PlainNumber.read(bytes, bytes.indices)
        default: return nil
        }
    }

    /// The text, a number's digits included; nil for null and for what has parts.
    var text: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number == number.rounded() && number.magnitude < 1e15 ? String(Int64(number)) : String(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        default: nil
        }
    }

    subscript(key: MappingKey) -> MappingValue? {
        guard case .object(let members) = self else { return nil }
        for index in members.indices where members[index].key == key { return members[index].value }
        return nil
    }

    subscript(index: Int) -> MappingValue? {
        guard case .array(let elements) = self else { return nil }
        let place = index < 0 ? elements.count + index : index
        return elements.indices.contains(place) ? elements[place] : nil
    }

    /// A Boolean value that indicates whether it has no parts.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }
}

/// The format of a payload that is mapped.
package enum MappingFormat: String, Sendable, CaseIterable {
    case json, cbor
    /// Lines of fields; each line is an array, or an object where the mapping names the columns.
    case csv
    /// One number or text, as `36.6` or `36.6 °C`.
    case plain
    /// Hexadecimal digits: an array of bytes.
    case hex
    /// The bytes as they are: an array of bytes.
    case binary
    /// InfluxDB's line protocol; each line is a record.
    case influx

    /// Reads a payload.
    func read(_ bytes: [UInt8], columns: [String], separator: Character) throws(PayloadError) -> MappingValue {
        switch self {
        case .json:
            do throws(PayloadError) {
                return try MappingValue(json: bytes.span)
            } catch {
                guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
                    throw PayloadError(.malformed, "the payload begins with a byte order mark (EF BB BF): send UTF-8 without it", offset: 0)
                }
                // What `str()` of a dictionary gives, a beginner's usual mistake.
                guard bytes.starts(with: "{'".utf8) || bytes.starts(with: "[{'".utf8) else { throw error }
                let advice = "this is how Python prints a dictionary, and no JSON: publish json.dumps(…) of it"
                throw PayloadError(.malformed, advice, offset: 1)
            }
        case .cbor: return try MappingValue(cbor: bytes.span)
        case .csv: return try Self.table(bytes, columns, separator)
        case .plain: return Self.plain(bytes)
        case .influx: return try InfluxLines.read(bytes)
        case .binary: return .array(bytes.map { .number(Double($0)) })
        case .hex:
            let digits = bytes.filter { $0 > 0x20 }.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
            guard digits.count == bytes.count(where: { $0 > 0x20 }), digits.count.isMultiple(of: 2), !digits.isEmpty else {
                throw PayloadError(.malformed, "pairs of hexadecimal digits are expected", offset: 0)
            }
            return .array(stride(from: 0, to: digits.count, by: 2).map { .number(Double(digits[$0] << 4 | digits[$0 + 1])) })
        }
    }

    private static func plain(_ bytes: [UInt8]) -> MappingValue {
        let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks
        return .string(text.hasPrefix("\"") && text.hasSuffix("\"") && text.count > 1 ? String(text.dropFirst().dropLast()) : text)
    }

    private static func table(_ bytes: [UInt8], _ columns: [String], _ separator: Character) throws(PayloadError) -> MappingValue {
        let lines = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
        guard lines.count <= 10_000 else { throw PayloadError(.tooLarge, "more than 10000 lines in one message") }
        return .array(
            lines.map { line in
                let fields = line.split(separator: separator, omittingEmptySubsequences: false).map { String($0).trimmingBlanks }
                let values = fields.map { $0.isEmpty ? MappingValue.null : .string($0) }
                guard !columns.isEmpty else { return .array(values) }
                return .object(zip(columns, values).map { Member(key: MappingKey($0), value: $1) })
            })
    }

    private typealias Member = MappingValue.Member
}

extension String {
    /// Without blanks and ends of lines around it.
    fileprivate var trimmingBlanks: String {
        var bare = Substring(self)
        while let first = bare.first, first.isWhitespace { bare.removeFirst() }
        while let last = bare.last, last.isWhitespace { bare.removeLast() }
        return String(bare)
    }
}

extension MappingValue {
    /// A CBOR document.
    init(cbor bytes: Span<UInt8>) throws(PayloadError) {
        var cursor = CBORCursor()
        do {
            self = try Self.read(&cursor, bytes, depth: 0)
            try cursor.expectEnd(bytes)
        } catch {
            throw error.at("$")
        }
    }

    private static func read(_ cursor: inout CBORCursor, _ bytes: Span<UInt8>, depth: Int) throws(CBORError) -> MappingValue {
        let head = try cursor.head(bytes)
        guard depth < 32 else { throw CBORError(.tooLarge, "nested deeper than 32 levels", at: head.offset) }
        switch head.major {
        case .map:
            return .object(try members(&cursor, bytes, head, depth: depth))
        case .array:
            var elements: [MappingValue] = []
            var left = head.argument
            while left != 0 {
                if left == nil, cursor.takeBreak(bytes) { break }
                elements.append(try read(&cursor, bytes, depth: depth + 1))
                left = left.map { $0 - 1 }
            }
            return .array(elements)
        case .simple where head.argument == 20 || head.argument == 21: return .boolean(head.argument == 21)
        case .simple where head.argument == 22 || head.argument == 23: return .null
        case .text:
            cursor.rewind(to: head)
            return .string(try cursor.text(bytes))
        case .bytes:
            cursor.rewind(to: head)
            try cursor.skip(bytes)
            return .null
        case .tag where head.argument != 4: return try read(&cursor, bytes, depth: depth + 1)
        default:
            cursor.rewind(to: head)
            return .number(try cursor.number(bytes))
        }
    }

    private static func members(
        _ cursor: inout CBORCursor, _ bytes: Span<UInt8>, _ head: CBORHead, depth: Int
    ) throws(CBORError) -> [Member] {
        var members = MappingMembers()
        var left = head.argument
        while left != 0 {
            if left == nil, cursor.takeBreak(bytes) { break }
            let start = cursor.offset
            let key = MappingKey(try read(&cursor, bytes, depth: depth + 1).text ?? "")
            do {
                try members.expect(key)
            } catch {
                throw CBORError(error.code, error.reason, at: start)
            }
            members.append(key, try read(&cursor, bytes, depth: depth + 1))
            left = left.map { $0 - 1 }
        }
        return members.all
    }
}
