import Cryptography
import Foundation

/// A value that a template inserts, or that it makes.
indirect enum TemplateValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([TemplateValue])
    case object([String: TemplateValue])
    /// A text that may be shortened, and lines below it that are whole or left out: half a link leads nowhere.
    case parts(text: String, lines: [String])

    /// The value within a text: a list's elements are separated by commas, an object is none.
    var words: String {
        switch self {
        case .null, .object: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .text(let text): text
        case .list(let list): list.map(\.words).joined(separator: ",")
        case .parts(let text, let lines):
            ([text].filter { !$0.isEmpty } + [lines.joined(separator: "\n")].filter { !$0.isEmpty }).joined(separator: "\n\n")
        }
    }

    /// The value for `JSONSerialization`.
    var json: Any {
        switch self {
        case .null: NSNull()
        case .flag(let flag): flag
        case .number(let number): Int(exactly: number) ?? number
        case .text(let text): text
        case .list(let list): list.map(\.json)
        case .object(let members): members.mapValues(\.json)
        case .parts: words
        }
    }
}

/// A text with placeholders: `Alarm of {person}`, `{text|characters 1000|markdown}`, with `{{` for a brace.
///
/// Inserted values are never read as templates. A text of one placeholder alone is the value itself, a number or a list too. A text
/// with a placeholder that has no value has none either, so that whatever it stands for is left out.
struct TemplateText: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case literal(String)
        case value(name: String, filters: [TemplateFilter])
    }

    let pieces: [Piece]

    /// The names that it mentions.
    var names: [String] {
        pieces.compactMap { piece in if case .value(let name, _) = piece { name } else { nil } }
    }

    /// - Throws: the reason why it is none.
    init(_ text: String) throws(Problem) {
        var (pieces, literal, rest) = ([Piece](), "", text[...])
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                literal.append(character)
                rest.removeFirst()
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Problem(description: "a \"{\" has no \"}\"; a brace itself is \"{{\"")
                }
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                pieces.append(try Self.placeholder(rest[..<end]))
                rest = rest[rest.index(after: end)...]
            } else if character == "}" {
                throw Problem(description: "a \"}\" has no \"{\"; a brace itself is \"}}\"")
            } else {
                literal.append(character)
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        self.pieces = pieces
    }

    struct Problem: Error {
        let description: String
    }

    private static func placeholder(_ text: Substring) throws(Problem) -> Piece {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let name = parts.first, !name.isEmpty else { throw Problem(description: "a placeholder has no name") }
        var filters: [TemplateFilter] = []
        for part in parts.dropFirst() {
            guard let filter = TemplateFilter(part) else {
                throw Problem(description: "there is no filter \"\(part)\"; known: \(TemplateFilter.known)")
            }
            filters.append(filter)
        }
        return .value(name: name, filters: filters)
    }

    /// The value; nil where one that it mentions is missing.
    /// - Parameter escape: applied to each inserted text, with the placeholder's position among the pieces.
    func value(_ values: [String: TemplateValue], escape: (String, Int) -> String = { text, _ in text }) -> TemplateValue? {
        var whole = ""
        for (position, piece) in pieces.enumerated() {
            switch piece {
            case .literal(let text): whole += text
            case .value(let name, let filters):
                guard let value = values[name] else { return nil }
                if pieces.count == 1, filters.isEmpty {
                    switch value {
                    case .text, .parts: return .text(escape(value.words, position))
                    default: return value
                    }
                }
                let filtered = filters.reduce(Optional(value)) { value, filter in value.flatMap { filter.apply($0) } }
                guard let words = filtered?.words else { return nil }
                whole += escape(words, position)
            }
        }
        return .text(whole)
    }
}

/// A change of an inserted text.
enum TemplateFilter: Hashable, Sendable {
    /// At most so many Unicode scalars.
    case characters(Int)
    /// At most so many bytes of UTF-8.
    case bytes(Int)
    /// Without a line's end.
    case line
    /// `&`, `<`, `>` and quotes as entities: HTML, XML, and Slack's own form.
    case html
    /// Punctuation that Markdown reads gets a backslash.
    case markdown
    case base64

    static let known = "characters N, bytes N, line, html, markdown, base64"

    init?(_ text: String) {
        let words = text.split(separator: " ")
        let number = words.count == 2 ? Int(words[1]).flatMap { (4...1_000_000).contains($0) ? $0 : nil } : nil
        switch (words.first, words.count, number) {
        case ("characters", 2, let number?): self = .characters(number)
        case ("bytes", 2, let number?): self = .bytes(number)
        case ("line", 1, _): self = .line
        case ("html", 1, _): self = .html
        case ("markdown", 1, _): self = .markdown
        case ("base64", 1, _): self = .base64
        default: return nil
        }
    }

    /// The changed value; nil where nothing is left of one that only has lines.
    func apply(_ value: TemplateValue) -> TemplateValue? {
        guard case .parts(let text, let lines) = value, self != .base64, self != .line else { return .text(apply(value.words)) }
        guard let (most, length) = limit else { return .parts(text: apply(text), lines: lines.map(apply)) }
        // The text keeps an eighth; the lines are left out from the last.
        var (kept, left) = ([String](), most - (text.isEmpty ? 0 : min(length(text), most / 8) + 2))
        for line in lines where left >= length(line) {
            kept.append(line)
            left -= length(line) + 1
        }
        if text.isEmpty { return kept.isEmpty ? nil : .parts(text: "", lines: kept) }
        let below = kept.isEmpty ? 0 : length(kept.joined(separator: "\n")) + 2
        return .parts(text: Self.cut(text, to: most - below, length), lines: kept)
    }

    private var limit: (most: Int, length: (String) -> Int)? {
        switch self {
        case .characters(let most): (most, { $0.unicodeScalars.count })
        case .bytes(let most): (most, { $0.utf8.count })
        default: nil
        }
    }

    func apply(_ text: String) -> String {
        switch self {
        case .characters, .bytes: limit.map { Self.cut(text, to: $0.most, $0.length) } ?? text
        case .line: text.split(whereSeparator: \.isNewline).joined(separator: " ")
        case .html: Self.entities(text)
        case .markdown: String(text.flatMap { "\\`*_{}[]()<>#+-.!|~@:".contains($0) ? ["\\", $0] : [$0] })
        case .base64: Data(text.utf8).base64EncodedString()
        }
    }

    static func entities(_ text: String) -> String {
        let known: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return text.map { known[$0] ?? String($0) }.joined()
    }

    /// Cuts a text, and marks that it was cut.
    private static func cut(_ text: String, to most: Int, _ length: (String) -> Int) -> String {
        var left = most
        guard length(text) > most else { return text }
        left -= length("…")
        var kept = ""
        for character in text {
            left -= length(String(character))
            if left < 0 { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
