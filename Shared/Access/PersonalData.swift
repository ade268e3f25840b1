package import Foundation
package import SQLiteDatabase

/// The data that one service keeps of a participant, by what it is: under the names by which an erasure counts what it removes.
package struct PersonalData: Sendable, Hashable {
    /// The things of each kind, a JSON array of objects; kinds of which there is nothing are left out.
    private var kinds: [String: [UInt8]] = [:]

    /// Nothing.
    package init() {}

    /// - Parameter things: Objects as `JSONSerialization` takes them.
    package init(_ kind: String, _ things: [[String: Any]]) throws { try add(kind, things) }

    /// Things that a JSON encoder takes, a JSON object each.
    package init(_ kind: String, encoding things: [some Encodable]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !things.isEmpty { kinds[kind] = Array(try encoder.encode(things)) }
    }

    /// Adds things of a kind that is not there yet.
    package mutating func add(_ kind: String, _ things: [[String: Any]]) throws {
        guard !things.isEmpty else { return }
        guard JSONSerialization.isValidJSONObject(things) else {
            throw EncodingError.invalidValue(kind, .init(codingPath: [], debugDescription: "the \(kind) are no JSON"))
        }
        kinds[kind] = Array(try JSONSerialization.data(withJSONObject: things, options: [.sortedKeys, .withoutEscapingSlashes]))
    }

    /// Takes the kinds of another in.
    package mutating func merge(_ other: PersonalData) { kinds.merge(other.kinds) { _, new in new } }

    /// The kinds of which there is something.
    package var names: [String] { kinds.keys.sorted() }

    /// A JSON object with an array for each kind, in the order of their names.
    package var json: [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (place, (kind, things)) in kinds.sorted(by: { $0.key < $1.key }).enumerated() {
            text += Array((place == 0 ? "\n\"\(kind)\": " : ",\n\"\(kind)\": ").utf8) + things
        }
        return text + Array("\n}\n".utf8)
    }
}

extension Database {
    /// The rows that a query gives, as JSON objects with a member for each column that is not null.
    package func objects(_ sql: String, _ values: [SQLiteValue]) throws -> [[String: Any]] {
        let row = try statement(sql)
        defer { row.reset() }
        try row.bind(values)
        var objects: [[String: Any]] = []
        while try row.step() {
            var object: [String: Any] = [:]
            for column in 0..<row.columnCount { object[row.name(column)] = Self.json(row.value(column)) }
            objects.append(object)
        }
        return objects
    }

    /// JSON that stands in a column is taken as what it says; bytes that are no text are in base64.
    private static func json(_ value: SQLiteValue) -> Any? {
        switch value {
        case .null: return nil
        case .integer(let number): return number
        case .real(let number): return number.isFinite ? number : "\(number)"
        case .text(let text): return structure(Data(text.utf8)) ?? text
        case .blob(let bytes):
            return structure(Data(bytes)) ?? String(validating: bytes, as: UTF8.self) ?? Data(bytes).base64EncodedString()
        }
    }

    private static func structure(_ data: Data) -> Any? {
        guard let first = data.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        return try? JSONSerialization.jsonObject(with: data)
    }
}

/// A service's answer to the order to give what it keeps of a participant: a part of a text that may be too long for one message.
///
/// The service remembers nothing between two parts. Where the text has changed meanwhile, its digest has too, and whoever asked begins anew.
package struct PersonalDataPart: Codable, Hashable, Sendable {
    /// The length of a part in bytes; in base64 a third more.
    package static let length = 384 << 10

    package var ok: Bool
    /// For example `vigil-alert`.
    package var service: String
    package var instance: String
    /// The number of this part, from 0.
    package var part: Int?
    /// The number of all parts.
    package var parts: Int?
    /// Of the whole text: tells that the parts belong together.
    package var digest: String?
    /// This part of the text, in base64.
    package var data: Data?
    /// The reason why nothing is given.
    package var error: String?

    /// - Parameter part: The wanted part's number; beyond the last there is none.
    package init(of text: [UInt8], part: Int, service: String, instance: String) {
        (self.service, self.instance) = (service, instance)
        let parts = max(1, (text.count + Self.length - 1) / Self.length)
        guard (0..<parts).contains(part) else {
            (ok, error) = (false, "there is no part \(part): there are \(parts)")
            return
        }
        (ok, self.part, self.parts) = (true, part, parts)
        data = Data(text[part * Self.length..<min(text.count, (part + 1) * Self.length)])
        digest = String(text.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }

    /// A refusal.
    package init(error: String, service: String, instance: String) {
        (ok, self.error, self.service, self.instance) = (false, error, service, instance)
    }

    /// As JSON.
    package func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
