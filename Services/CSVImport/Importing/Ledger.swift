import Cryptography
import SQLiteDatabase
import ServiceKit
import VigilSchema

/// A record of what was imported, when, from where and how far, in the service's state file.
///
/// Threading: may be used by several tasks; each call is one transaction.
package struct Ledger: Sendable {
    private let state: ServiceState

    /// Opens or makes the ledger.
    /// - Parameter path: a file's path, or `:memory:`.
    package init(path: String) throws {
        state = try ServiceState(path: path, migrations: Ledger.migrations)
    }

    private static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE imports(
                id TEXT PRIMARY KEY, name TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL, profile TEXT NOT NULL,
                recipe TEXT NOT NULL, state TEXT NOT NULL, started INTEGER NOT NULL, finished INTEGER, batches INTEGER NOT NULL,
                rows INTEGER NOT NULL, accepted INTEGER NOT NULL, rejected INTEGER NOT NULL, empty INTEGER NOT NULL,
                stored INTEGER NOT NULL, duplicates INTEGER NOT NULL, corrections INTEGER NOT NULL, refused INTEGER NOT NULL,
                UNIQUE(digest, recipe)) STRICT;
            CREATE INDEX imports_name ON imports(name);
            """),
        Migration(2, "ALTER TABLE imports ADD COLUMN stored_before INTEGER NOT NULL DEFAULT 0;"),
    ]

    private static let columns =
        "id, name, size, digest, profile, recipe, state, started, finished, batches, rows, accepted, rejected, empty, stored, duplicates, "
        + "corrections, refused, stored_before"

    /// All imports, the oldest first.
    package func all() async throws -> [LedgerEntry] { try await select("ORDER BY started, id", []) }

    /// The import with that id.
    package func entry(id: String) async throws -> LedgerEntry? { try await select("WHERE id = ?", [.text(id)]).first }

    /// The import of that content in that way.
    package func entry(digest: String, recipe: String) async throws -> LedgerEntry? {
        try await select("WHERE digest = ? AND recipe = ?", [.text(digest), .text(recipe)]).first
    }

    /// The latest import under that name.
    package func latest(name: String) async throws -> LedgerEntry? {
        try await select("WHERE name = ? ORDER BY started DESC LIMIT 1", [.text(name)]).first
    }

    /// Writes an entry, new or known; durable when it returns.
    package func save(_ entry: LedgerEntry) async throws {
        try await state.transaction { database in
            let marks = Array(repeating: "?", count: 19).joined(separator: ", ")
            try database.run("INSERT OR REPLACE INTO imports(\(Ledger.columns)) VALUES(\(marks))", Ledger.values(entry))
        }
    }

    /// Forgets these imports, and those of files whose names hold the participant's, a word by itself, and overwrites them in the file and its log.
    /// Such a file would be taken for a new one; what it brought for others is known to the timeline.
    /// - Parameter imports: The ids of those that brought something of the participant.
    /// - Returns: how many there were.
    package func forget(namesHolding participant: String, imports: Set<String>) async throws -> Int {
        let own = try await entries(namesHolding: participant, imports: imports)
        guard !own.isEmpty else { return 0 }
        try await state.transaction { database in
            for entry in own { try database.run("DELETE FROM imports WHERE id = ?", [.text(entry.id)]) }
        }
        try await state.wipe()
        return own.count
    }

    /// These imports, and those of files whose names hold the participant's, a word by itself.
    package func entries(namesHolding participant: String, imports: Set<String>) async throws -> [LedgerEntry] {
        try await all().filter { entry in
            imports.contains(entry.id)
                || entry.name.split { !($0.isLetter || $0.isNumber || "_.-".contains($0)) }.contains { word in
                    word == participant || word.prefix { $0 != "." } == participant
                        || word.split(separator: "-").contains { $0 == participant }
                }
        }
    }

    private static func values(_ entry: LedgerEntry) -> [SQLiteValue] {
        [
            .text(entry.id), .text(entry.name), .integer(Int64(entry.size)), .text(entry.digest), .text(entry.profile), .text(entry.recipe),
            .text(entry.state.rawValue), .integer(entry.started), entry.finished.map { .integer($0) } ?? .null,
            .integer(Int64(entry.batches)), .integer(Int64(entry.rows)), .integer(Int64(entry.accepted)), .integer(Int64(entry.rejected)),
            .integer(Int64(entry.empty)), .integer(Int64(entry.stored)), .integer(Int64(entry.duplicates)),
            .integer(Int64(entry.corrections)), .integer(Int64(entry.refused)), .integer(Int64(entry.storedBefore)),
        ]
    }

    private func select(_ clause: String, _ values: [SQLiteValue]) async throws -> [LedgerEntry] {
        try await state.read { database in
            let statement = try database.statement("SELECT \(Ledger.columns) FROM imports \(clause)")
            try statement.bind(values)
            var entries: [LedgerEntry] = []
            while try statement.step() { entries.append(Ledger.entry(statement)) }
            statement.reset()
            return entries
        }
    }

    private static func entry(_ row: Statement) -> LedgerEntry {
        let number = { (column: Int) in Int(row.integer(column)) }
        return LedgerEntry(
            id: row.text(0), name: row.text(1), size: number(2), digest: row.text(3), profile: row.text(4), recipe: row.text(5),
            state: LedgerEntry.State(rawValue: row.text(6)) ?? .started, started: row.integer(7),
            finished: row.isNull(8) ? nil : row.integer(8), batches: number(9), rows: number(10), accepted: number(11),
            rejected: number(12), empty: number(13), stored: number(14), duplicates: number(15), corrections: number(16),
            refused: number(17), storedBefore: number(18))
    }
}

/// One import as the ledger knows it.
package struct LedgerEntry: Hashable, Sendable, Codable {
    /// The progress so far.
    package enum State: String, Hashable, Sendable, Codable {
        /// Started and not finished: running now, or interrupted.
        case started
        /// All of it is in the store, but for what was refused.
        case done
        /// It was all in the store, and has been taken out again.
        case undone
    }

    /// A ULID: the `origin` of its observations.
    package var id: String
    /// The file's path or URL.
    package var name: String
    /// The content's length in bytes and its SHA-256 in hexadecimal digits.
    package var size: Int
    package var digest: String
    /// The profile's name.
    package var profile: String
    /// Tells apart ways of reading the same content: a digest of profile and options.
    package var recipe: String
    package var state: State
    /// The time of its first start, in microseconds since 1970: its observations' `received`.
    package var started: Int64
    /// The time of its completion, in microseconds since 1970.
    package var finished: Int64?
    /// Batches that the store has confirmed, from the first on.
    package var batches: Int
    package var rows: Int
    package var accepted: Int
    package var rejected: Int
    package var empty: Int
    package var stored: Int
    package var duplicates: Int
    package var corrections: Int
    /// Observations that the store refused.
    package var refused: Int
    /// Observations that earlier runs of the same import have stored.
    package var storedBefore = 0

    /// The outcome so far for its observations so far.
    package var counts: DeliveryCounts {
        DeliveryCounts(stored: stored, duplicates: duplicates, corrections: corrections, refused: refused)
    }

    /// Takes over what a patient record became.
    mutating func finish(_ record: PatientRecord, _ outcome: PatientImport.Outcome) {
        (rows, accepted, rejected) = (record.items, record.items - record.rejected, record.rejected)
        (stored, duplicates) = (outcome.counts.stored + outcome.entries, outcome.counts.duplicates)
        (corrections, refused) = (outcome.counts.corrections, outcome.counts.refused)
        state = .done
        finished = Timestamp.now.microseconds
    }

    /// The entry as people want to see it: everything that its runs have stored together, and the rest.
    var total: LedgerEntry {
        var entry = self
        entry.stored += storedBefore
        entry.duplicates = max(0, duplicates - storedBefore)
        return entry
    }

    /// An import that is done or undone starts anew, under its old id and time: it corrects nothing.
    func restarted() -> LedgerEntry {
        guard state != .started else { return self }
        var entry = self
        entry.storedBefore = state == .done ? storedBefore + stored : 0
        entry.state = .started
        entry.batches = 0
        (entry.stored, entry.duplicates, entry.corrections, entry.refused) = (0, 0, 0, 0)
        return entry
    }

    /// Takes over what a run has found.
    mutating func update(_ account: CellCounts, _ window: ConfirmationWindow) {
        (rows, accepted, rejected, empty) = (account.rows, account.accepted, account.rejected, account.empty)
        (stored, duplicates) = (window.counts.stored, window.counts.duplicates)
        (corrections, refused) = (window.counts.corrections, window.counts.refused)
        batches = window.prefix
    }
}

extension LedgerEntry {
    /// An import that begins.
    init(name: String, _ content: ContentDigest, profile: String, recipe: String, now: Timestamp) {
        self.init(
            id: ULID.make(at: now), name: name, size: content.size, digest: content.digest, profile: profile, recipe: recipe,
            state: .started, started: now.microseconds, batches: 0, rows: 0, accepted: 0, rejected: 0, empty: 0, stored: 0, duplicates: 0,
            corrections: 0, refused: 0, storedBefore: 0)
    }
}

/// A content's length and SHA-256.
struct ContentDigest: Hashable, Sendable {
    let size: Int
    let digest: String

    /// For content that is not looked up.
    static let none = ContentDigest(size: 0, digest: "")

    private init(size: Int, digest: String) {
        self.size = size
        self.digest = digest
    }

    /// Reads the file once.
    init(_ file: ImportFile) throws(ImportError) {
        var source = try file.open()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        let hash = SHA256()
        var size = 0
        while true {
            let count = try source.read(into: &buffer, at: 0, limit: buffer.count)
            if count == 0 { break }
            hash.update(buffer, count: count)
            size += count
        }
        self.size = size
        digest = hash.finish()
    }

    /// The digest of a text.
    static func of(_ text: String) -> String {
        let hash = SHA256()
        let bytes = Array(text.utf8)
        hash.update(bytes, count: bytes.count)
        return hash.finish()
    }
}
