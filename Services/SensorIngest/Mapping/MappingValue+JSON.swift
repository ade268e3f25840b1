import VigilSchema

extension MappingValue {
    /// A JSON document, read by `JSONCursor`, so that the same text is accepted and refused as everywhere. Of a key given twice it is refused.
    init(json bytes: Span<UInt8>) throws(PayloadError) {
        try JSONText.check(bytes)
        var cursor = JSONCursor(offset: 0)
        do {
            self = try Self.read(&cursor, bytes, depth: 0)
            try cursor.expectEnd(bytes)
        } catch {
            throw error.at("$")
        }
    }

    private static func read(_ cursor: inout JSONCursor, _ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> MappingValue {
        let first = cursor.peek(bytes)
        guard depth < JSONCursor.maximumDepth else { throw JSONError(.tooLarge, "nested deeper than 32 levels", at: cursor.offset) }
        switch first {
        case UInt8(ascii: "{"): return .object(try members(&cursor, bytes, depth: depth))
        case UInt8(ascii: "["): return .array(try elements(&cursor, bytes, depth: depth))
        case UInt8(ascii: "\""): return .string(try cursor.string(bytes).checkedText(bytes))
        case UInt8(ascii: "-"), 0x30...0x39: return .number(try JSONNumber.scan(bytes, &cursor.offset).double(bytes))
        default:
            try cursor.skipValue(bytes)
            return first == UInt8(ascii: "n") ? .null : .boolean(first == UInt8(ascii: "t"))
        }
    }

    private static func members(_ cursor: inout JSONCursor, _ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [Member] {
        cursor.offset += 1
        var members = MappingMembers()
        if cursor.take("}", bytes) { return members.all }
        // Bridges send about a dozen keys; a guess from the bytes left keeps the array from growing again and again.
        members.reserve(min((bytes.count - cursor.offset) / 16 + 1, 16))
        repeat {
            let raw = try cursor.key(bytes)
            let key = try MappingKey(raw, bytes)
            do {
                try members.expect(key)
            } catch {
                throw JSONError(error.code, error.reason, at: error == .givenTwice ? raw.range.lowerBound - 1 : cursor.offset)
            }
            members.append(key, try read(&cursor, bytes, depth: depth + 1))
        } while try cursor.another(closing: "}", bytes)
        return members.all
    }

    private static func elements(_ cursor: inout JSONCursor, _ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [MappingValue] {
        cursor.offset += 1
        var elements: [MappingValue] = []
        if cursor.take("]", bytes) { return elements }
        repeat {
            elements.append(try read(&cursor, bytes, depth: depth + 1))
        } while try cursor.another(closing: "]", bytes)
        return elements
    }
}
