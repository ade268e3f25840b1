import VigilSchema

/// The key of an object's member, compared by its first bytes and its length before its text: mappings ask for keys that mostly are not there.
package struct MappingKey: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String
    /// Its length and first eight bytes, in one number. Keys that differ in it are different.
    private let tag: UInt64

    init(_ text: String) {
        var leading: UInt64 = 0
        for (place, byte) in text.utf8.prefix(8).enumerated() { leading |= UInt64(byte) << UInt64(8 * place) }
        self.init(text, leading: leading)
    }

    /// A key of a JSON document that `JSONText` has checked.
    init(_ raw: RawString, _ bytes: Span<UInt8>) throws(JSONError) {
        let text = try raw.checkedText(bytes)
        if raw.isEscaped { self.init(text) } else { self.init(text, leading: raw.leading(bytes)) }
    }

    package init(stringLiteral text: String) { self.init(text) }

    private init(_ text: String, leading: UInt64) {
        self.text = text
        tag = leading ^ UInt64(truncatingIfNeeded: text.utf8.count) &<< 56
    }

    @inline(__always)
    package static func == (one: MappingKey, other: MappingKey) -> Bool { one.tag == other.tag && one.text == other.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Its beginning, for places that are told.
    var brief: String { text.utf8.count <= 64 ? text : text.cut(characters: 64) }

    /// One of 64 bits, by its tag: keys of which each has a bit of its own are different.
    var bit: UInt64 { 1 &<< ((tag &* 0x9E37_79B9_7F4A_7C15) >> 58) }
}
