import Foundation
package import VigilSchema

extension SQLTimelineStore {
    package func post(
        _ entry: TimelineEntry, participant: String, received: Timestamp, origin: String?
    ) async throws(StoreError) {
        let codes = try entry.codes.map { codes throws(StoreError) in try StoredJSON.text(codes) }
        try await write { connection throws(StoreError) in
            var dimensions = DimensionCache()
            let number = try dimensions.participant(participant, on: connection)
            let origin = try origin.map { name throws(StoreError) in Int64(try dimensions.origin(name, on: connection)) }
            try connection.run(
                EntrySQL.replace,
                [
                    .integer(Int64(number)), .text(entry.id), .text(entry.kind.rawValue), .time(entry.time), .optional(entry.ends),
                    .text(entry.description), .optional(entry.value), .optional(entry.text), .optional(entry.unit),
                    .optional(codes), .optional(entry.detail), .time(received), .optional(origin),
                ])
        }
    }

    package func entries(
        participant: String, from: Timestamp, to: Timestamp, kinds: Set<TimelineEntry.Kind>, limit: Int, bytes: Int, after: EntryCursor?
    ) async throws(StoreError) -> EntriesPage {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return EntriesPage() }
            let values =
                [.integer(number), .time(from), .time(to), .integer(Int64(limit) + 1)]
                + (after.map { [SQLValue.time($0.time), .text($0.id)] } ?? [])
            // Only as many are read as there is room for: older ones may be of any length.
            let sizes = try connection.rows(EntrySQL.sizes(kinds, isFirst: after == nil), values)
            let count = Self.fitting(sizes, limit, bytes)
            var page = EntriesPage()
            for row in try connection.rows(EntrySQL.select(kinds, isFirst: after == nil), values.replacing(3, by: .integer(Int64(count)))) {
                page.entries.append(try TimelineEntry(row))
            }
            if count < sizes.count { page.next = page.entries.last.map(EntryCursor.init) }
            return page
        }
    }

    /// The number of entries for which there is room; one in any case.
    private static func fitting(_ sizes: [SQLRow], _ limit: Int, _ bytes: Int) -> Int {
        var room = bytes
        for (index, row) in sizes.enumerated() {
            room -= Int(row.integer(0))
            if index == limit || (room < 0 && index > 0) { return index }
        }
        return sizes.count
    }

    package func removeEntry(_ id: String, participant: String) async throws(StoreError) -> Bool {
        try await write { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return false }
            return try connection.run("DELETE FROM entry WHERE participant = $1 AND id = $2", [.integer(number), .text(id)]) > 0
        }
    }
}

private enum EntrySQL {
    private static let columns = "kind, time, ends, description, value, text, unit, codes, detail"

    static let replace = """
        INSERT INTO entry (participant, id, kind, time, ends, description, value, text, unit, codes, detail, received, origin)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (participant, id) DO UPDATE SET kind = excluded.kind, time = excluded.time, ends = excluded.ends,
            description = excluded.description, value = excluded.value, text = excluded.text, unit = excluded.unit,
            codes = excluded.codes, detail = excluded.detail, received = excluded.received,
            origin = CASE WHEN excluded.origin IS NULL THEN NULL ELSE entry.origin END
        """

    static func select(_ kinds: Set<TimelineEntry.Kind>, isFirst: Bool) -> String { "SELECT id, \(columns) \(rows(kinds, isFirst))" }

    static func sizes(_ kinds: Set<TimelineEntry.Kind>, isFirst: Bool) -> String {
        let texts = ["description", "text", "unit", "codes", "detail"].map { "coalesce(length(\($0)), 0)" }
        return "SELECT \(texts.joined(separator: " + ")) \(rows(kinds, isFirst))"
    }

    private static func rows(_ kinds: Set<TimelineEntry.Kind>, _ isFirst: Bool) -> String {
        """
        FROM entry WHERE participant = $1 AND time < $3 AND (time >= $2 OR ends >= $2 OR (ends IS NULL AND \(among(standing))))
            \(kinds.isEmpty ? "" : "AND \(among(kinds))") \(isFirst ? "" : "AND (time, id) > ($5, $6)")
        ORDER BY time, id LIMIT $4
        """
    }

    private static let standing = Set(TimelineEntry.Kind.allCases.filter(\.isStanding))

    /// The condition that an entry is of one of some kinds, which are constants of the program.
    private static func among(_ kinds: Set<TimelineEntry.Kind>) -> String {
        "kind IN (\(kinds.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))"
    }
}

extension [SQLValue] {
    /// The same with another value at a place.
    fileprivate func replacing(_ place: Int, by value: SQLValue) -> Self {
        var values = self
        values[place] = value
        return values
    }
}

extension TimelineEntry {
    init(_ row: SQLRow) throws(StoreError) {
        guard let kind = Kind(rawValue: row.text(1)) else {
            throw StoreError(.corrupt, operation: "query", detail: "an entry is of no known kind")
        }
        let codes: [String: [String]]? = try row.optionalText(8).map { text throws(StoreError) in try StoredJSON.value(text) }
        self.init(
            id: row.text(0), kind: kind, time: row.time(2), ends: row.optionalTime(3), description: row.text(4),
            value: row.optionalReal(5), text: row.optionalText(6), unit: row.optionalText(7), codes: codes, detail: row.optionalText(9))
    }
}

/// Small structures that are kept as JSON text.
enum StoredJSON {
    static func text(_ value: some Encodable) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw StoreError(.badRequest, operation: "write", detail: "a structure cannot be written as JSON")
        }
    }

    static func value<Value: Decodable>(_ text: String) throws(StoreError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw StoreError(.corrupt, operation: "query", detail: "a stored structure is not the JSON that it should be")
        }
    }
}
