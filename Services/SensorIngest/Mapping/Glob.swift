/// A pattern in which `*` stands for anything; the case of ASCII letters does not count.
package struct Glob: Sendable, Hashable {
    /// As it is written.
    let pattern: String
    /// In small letters.
    private let bytes: [UInt8]
    private let isLiteral: Bool

    init(_ pattern: String) {
        self.pattern = pattern
        bytes = pattern.utf8.map(Self.lowered)
        isLiteral = !bytes.contains(UInt8(ascii: "*"))
    }

    /// The only text that it stands for, in small letters; nil where it stands for several.
    var literal: String? { isLiteral ? String(decoding: bytes, as: UTF8.self) : nil }

    func matches(_ text: String) -> Bool {
        if isLiteral, text.utf8.count != bytes.count { return false }
        return matches(text.utf8Span.span)
    }

    private func matches(_ text: Span<UInt8>) -> Bool {
        var place = 0, start = 0
        var star: Int?, mark = 0
        while start < text.count {
            if place < bytes.count, bytes[place] == UInt8(ascii: "*") {
                (star, mark) = (place, start)
                place += 1
            } else if place < bytes.count, bytes[place] == Self.lowered(text[start]) {
                place += 1
                start += 1
            } else if let star {
                mark += 1
                (place, start) = (star + 1, mark)
            } else {
                return false
            }
        }
        while place < bytes.count, bytes[place] == UInt8(ascii: "*") { place += 1 }
        return place == bytes.count
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

/// Texts and what stands for each: of several that fit, the first counts.
///
/// The literal ones are found at once, however many there are; those with `*` are tried in their order.
package struct GlobTable: Sendable {
    /// In order.
    let rows: [(pattern: Glob, value: String)]
    private let literals: [String: Int]
    private let patterns: [Int]

    init(_ rows: [(pattern: String, value: String)]) {
        let rows = rows.map { (pattern: Glob($0.pattern), value: $0.value) }
        self.rows = rows
        literals = Dictionary(
            rows.indices.compactMap { row in rows[row].pattern.literal.map { ($0, row) } }, uniquingKeysWith: { first, _ in first })
        patterns = rows.indices.filter { rows[$0].pattern.literal == nil }
    }

    /// The value of the first that fits.
    subscript(text: String) -> String? {
        if rows.isEmpty { return nil }
        let literal = literals.isEmpty ? nil : literals[Self.lowered(text)]
        let pattern = patterns.first { rows[$0].pattern.matches(text) }
        guard let row = [literal, pattern].compactMap(\.self).min() else { return nil }
        return rows[row].value
    }

    /// In small letters, of ASCII's only, as patterns are compared.
    private static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
