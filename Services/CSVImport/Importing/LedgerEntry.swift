import Cryptography
import ServiceKit
import VigilSchema

/// One import in the ledger.
package struct LedgerEntry: Hashable, Sendable, Codable {
    /// The state of the import.
    package enum State: String, Hashable, Sendable, Codable {
        /// Started and not finished: running now, or interrupted.
        case started
        /// Stored completely, apart from refusals.
        case done
        /// Stored and undone.
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
    /// Distinguishes ways of reading the same content: a digest of profile and options.
    package var recipe: String
    package var state: State
    /// The time of its first start, in microseconds since 1970, which its observations have as `received`.
    package var started: Int64
    /// The time of its completion, in microseconds since 1970.
    package var finished: Int64?
    /// The number of confirmed batches from the first on.
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
    /// Observations that earlier runs of the same import stored.
    package var storedBefore = 0

    /// The outcome of its observations so far.
    package var counts: DeliveryCounts {
        DeliveryCounts(stored: stored, duplicates: duplicates, corrections: corrections, refused: refused)
    }

    /// Adds the outcome of a patient record.
    mutating func finish(_ record: PatientRecord, _ outcome: PatientImport.Outcome) {
        (rows, accepted, rejected) = (record.items, record.items - record.rejected, record.rejected)
        (stored, duplicates) = (outcome.counts.stored + outcome.entries, outcome.counts.duplicates)
        (corrections, refused) = (outcome.counts.corrections, outcome.counts.refused)
        state = .done
        finished = Timestamp.now.microseconds
    }

    /// The entry for display, with the totals of all its runs.
    var total: LedgerEntry {
        var entry = self
        entry.stored += storedBefore
        entry.duplicates = max(0, duplicates - storedBefore)
        return entry
    }

    /// Starts a finished or undone import anew, with its old id and time, so that it corrects nothing.
    func restarted() -> LedgerEntry {
        guard state != .started else { return self }
        var entry = self
        entry.storedBefore = state == .done ? storedBefore + stored : 0
        entry.state = .started
        entry.batches = 0
        (entry.stored, entry.duplicates, entry.corrections, entry.refused) = (0, 0, 0, 0)
        return entry
    }

    /// Adds the findings of a run.
    mutating func update(_ account: CellCounts, _ window: ConfirmationWindow) {
        (rows, accepted, rejected, empty) = (account.rows, account.accepted, account.rejected, account.empty)
        (stored, duplicates) = (window.counts.stored, window.counts.duplicates)
        (corrections, refused) = (window.counts.corrections, window.counts.refused)
        batches = window.prefix
    }
}

extension LedgerEntry {
    /// A new import.
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
    static func of(_ text: String) -> String { of(bytes: Array(text.utf8)) }

    /// The digest of a content.
    static func of(bytes: [UInt8]) -> String {
        let hash = SHA256()
        hash.update(bytes, count: bytes.count)
        return hash.finish()
    }
}
