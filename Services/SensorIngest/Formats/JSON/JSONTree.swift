import VigilSchema

/// A JSON document as a tree that knows where each part stands, for formats whose keys come in any order and depth.
///
/// Read by `JSONCursor`, so the same text is accepted and refused as everywhere. Of a key given twice the document is refused.
struct JSONTree {
    /// The content of a node.
    enum Content {
        case object([Member])
        case array([JSONTree])
        case string(String)
        case number(JSONNumber)
        case boolean(Bool)
        case null
    }

    /// A key and its value.
    struct Member {
        let key: String
        let value: JSONTree
    }

    let content: Content
    /// The offset of its first byte.
    let offset: Int

    /// Reads a whole document.
    static func parse(_ bytes: Span<UInt8>) throws(PayloadError) -> JSONTree {
        try JSONText.check(bytes)
        var cursor = JSONCursor(offset: 0)
        do {
            let tree = try read(&cursor, bytes, depth: 0)
            try cursor.expectEnd(bytes)
            return tree
        } catch {
            throw error.at("$")
        }
    }

    /// The member of an object; nil for another node, and where there is none.
    subscript(key: String) -> JSONTree? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text of a string.
    var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    private static func read(_ cursor: inout JSONCursor, _ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONTree {
        let first = cursor.peek(bytes)
        let start = cursor.offset
        guard depth < JSONCursor.maximumDepth else { throw JSONError(.tooLarge, "nested deeper than 32 levels", at: start) }
        let content: Content
        switch first {
        case UInt8(ascii: "{"): content = .object(try members(&cursor, bytes, depth: depth))
        case UInt8(ascii: "["): content = .array(try elements(&cursor, bytes, depth: depth))
        case UInt8(ascii: "\""): content = .string(try cursor.string(bytes).text(bytes))
        case UInt8(ascii: "-"), 0x30...0x39: content = .number(try JSONNumber.scan(bytes, &cursor.offset))
        default:
            try cursor.skipValue(bytes)
            content = first == UInt8(ascii: "n") ? .null : .boolean(first == UInt8(ascii: "t"))
        }
        return JSONTree(content: content, offset: start)
    }

    private static func members(
        _ cursor: inout JSONCursor, _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> [Member] {
        cursor.offset += 1
        var members: [Member] = []
        if cursor.take("}", bytes) { return members }
        var seen: Set<String> = []
        repeat {
            let key = try cursor.key(bytes)
            let text = try key.text(bytes)
            if !seen.insert(text).inserted {
                throw JSONError(.conflicting, "a key is given twice", at: key.range.lowerBound - 1)
            }
            guard members.count < maximumMembers else { throw JSONError(.tooLarge, "more than 1000 keys in one object", at: cursor.offset) }
            members.append(Member(key: text, value: try read(&cursor, bytes, depth: depth + 1)))
        } while try cursor.another(closing: "}", bytes)
        return members
    }

    private static func elements(
        _ cursor: inout JSONCursor, _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> [JSONTree] {
        cursor.offset += 1
        var elements: [JSONTree] = []
        if cursor.take("]", bytes) { return elements }
        repeat {
            elements.append(try read(&cursor, bytes, depth: depth + 1))
        } while try cursor.another(closing: "]", bytes)
        return elements
    }

    /// Keys are compared one by one; with more of them that would take too long.
    private static let maximumMembers = 1000
}

/// The JSON format of a document, told from the keys of its first object.
package enum JSONShape {
    case native
    case senml
    case openMHealth
    case sensors

    /// Looks at one key after the other until one decides. A native reading's first key decides, so the usual case costs
    /// nothing. What cannot be told, broken JSON included, counts as native, whose errors are then told.
    package static func of(_ bytes: Span<UInt8>) -> JSONShape? {
        var cursor = JSONCursor(offset: 0)
        let isArray = cursor.take("[", bytes)
        guard cursor.take("{", bytes) else { return isArray ? .native : nil }
        do {
            repeat {
                let key = try cursor.key(bytes)
                if let shape = shape(of: key, bytes) { return shape }
                try cursor.skipValue(bytes)
            } while try cursor.another(closing: "}", bytes)
        } catch {
            return .native
        }
        return .native
    }

    private static func shape(of key: RawString, _ bytes: Span<UInt8>) -> JSONShape? {
        let packed = key.packed(bytes)
        switch packed {
        // metric, time, value, samples, unit
        case 0x6369_7274_656D, 0x656D_6974, 0x65_756C_6176, 0x73_656C_706D_6173, 0x7469_6E75: return .native
        // header, body
        case 0x7265_6461_6568, 0x7964_6F62: return .openMHealth
        default: break
        }
        if SenMLLabel(packed: packed) != nil { return .senml }
        if key.equals("observations", bytes) { return .native }
        return SensorsDocument.isEnvelope(key, bytes) ? .sensors : nil
    }
}
