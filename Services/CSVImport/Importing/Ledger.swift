import ServiceKit
import VigilSchema

/// A record of what was imported, when, from where and how far.
///
/// Of several workers that want to bring the same content in the same way, one has the import at a time: what others write about it is refused.
/// Threading: may be used by several tasks; each call is one transaction, durable when it returns.
package protocol Ledger: Sendable {
    /// All imports, the oldest first.
    func all() async throws -> [LedgerEntry]

    /// The import with that id.
    func entry(id: String) async throws -> LedgerEntry?

    /// The latest import under that name.
    func latest(name: String) async throws -> LedgerEntry?

    /// Adds an import, unless one of that content in that way is known.
    /// - Returns: the one that the ledger has.
    func add(_ entry: LedgerEntry) async throws -> LedgerEntry

    /// Gives an import to a worker.
    /// - Returns: the import as it is now; nil while another worker has it.
    func take(_ id: String, by worker: String) async throws -> LedgerEntry?

    /// Writes an import that the worker has.
    func save(_ entry: LedgerEntry, by worker: String) async throws

    /// Says that the worker lives and goes on.
    func renew(_ id: String, by worker: String) async throws

    /// Gives an import back, where the worker has it.
    func release(_ id: String, by worker: String) async throws

    /// Removes imports, and overwrites them.
    func remove(_ ids: [String]) async throws

    /// The pause between two renewals; nil where nobody else can have what a worker has.
    var renewal: Duration? { get }
}

/// The right to write about an import.
struct LedgerHold: Sendable {
    let ledger: any Ledger
    /// A ULID, for this time alone.
    let worker = ULID.make(at: .now)

    func save(_ entry: LedgerEntry) async throws { try await ledger.save(entry, by: worker) }
}

extension Ledger {
    /// The pause between two looks at an import that another worker has.
    private static var pause: Duration { .seconds(1) }

    /// Works at an import once no other worker does, and keeps others from it meanwhile.
    /// - Parameters:
    ///   - onWait: called when another has it, so that it is waited for.
    ///   - work: gets the import as it is then.
    func working<Result: Sendable>(
        at id: String, onWait: () -> Void = {}, _ work: @escaping @Sendable (LedgerEntry, LedgerHold) async throws -> Result
    ) async throws -> Result {
        let hold = LedgerHold(ledger: self)
        let entry = try await taken(id, hold, onWait)
        do {
            let result = try await renewing(id, hold) { try await work(entry, hold) }
            try? await release(id, by: hold.worker)
            return result
        } catch {
            // Where that fails as well it ends by itself.
            try? await release(id, by: hold.worker)
            throw error
        }
    }

    /// Takes an import out of the timeline again.
    /// - Parameter removal: removes what it has added, and tells how much that was.
    /// - Returns: the import, and how much was removed; nil where the ledger has none of that id.
    func undo(
        _ id: String, _ removal: @escaping @Sendable () async throws -> Int
    ) async throws -> (entry: LedgerEntry, removed: Int)? {
        guard try await entry(id: id) != nil else { return nil }
        return try await working(at: id) { entry, hold in
            var entry = entry
            let removed = try await removal()
            entry.state = .undone
            entry.batches = 0
            try await hold.save(entry)
            return (entry, removed)
        }
    }

    /// Imports that have met, since this one began, observations that were stored already: this one's among them, perhaps.
    ///
    /// The timeline keeps an observation once, as what the first brought; who else had it is known to nobody.
    func leaning(on entry: LedgerEntry) async throws -> [LedgerEntry] {
        try await all().map(\.total).filter { other in
            other.id != entry.id && other.state == .done && other.duplicates > 0 && (other.finished ?? other.started) > entry.started
        }
    }

    /// Forgets these imports, and those of files whose names hold the participant's, a word by itself, and overwrites them where they were kept.
    /// Such a file would be taken for a new one; what it brought for others is known to the timeline.
    /// - Parameter imports: The ids of those that brought something of the participant.
    /// - Returns: how many there were.
    package func forget(namesHolding participant: String, imports: Set<String>) async throws -> Int {
        let own = try await entries(namesHolding: participant, imports: imports)
        if !own.isEmpty { try await remove(own.map(\.id)) }
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

    private func taken(_ id: String, _ hold: LedgerHold, _ onWait: () -> Void) async throws -> LedgerEntry {
        if let entry = try await take(id, by: hold.worker) { return entry }
        onWait()
        while true {
            try await ContinuousClock().sleep(for: Self.pause)
            if let entry = try await take(id, by: hold.worker) { return entry }
        }
    }

    /// Renews the worker's right while `work` runs; the loss of it ends the work.
    private func renewing<Result: Sendable>(
        _ id: String, _ hold: LedgerHold, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let renewal else { return try await work() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                while true {
                    try await ContinuousClock().sleep(for: renewal)
                    try await renew(id, by: hold.worker)
                }
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() { if let ended { return ended } }
            throw CancellationError()
        }
    }
}

extension ImportError {
    /// The import is removed from the ledger while somebody wants to work at it, as an erasure does.
    static let forgotten = ImportError(.usage, "the import was removed from the ledger meanwhile")
    /// Another worker has the import: this one was silent for too long.
    static let takenOver = ImportError(.ledger, "another vigil-import has gone on with this import")
}
