import ServiceKit
import VigilSchema

/// The record of imports: what, when, from where and how far.
///
/// Only one of several workers can import the same content in the same way; writes of the others are refused.
/// Threading: callable from any task; each call is one transaction, durable when it returns.
package protocol Ledger: Sendable {
    /// All imports, oldest first.
    func all() async throws -> [LedgerEntry]

    /// The import with that id.
    func entry(id: String) async throws -> LedgerEntry?

    /// The latest import of that name.
    func latest(name: String) async throws -> LedgerEntry?

    /// Adds an import, unless that content was imported in that way.
    /// - Returns: the ledger's entry.
    func add(_ entry: LedgerEntry) async throws -> LedgerEntry

    /// Assigns an import to a worker.
    /// - Returns: the current entry; nil while another worker has it.
    func take(_ id: String, by worker: String) async throws -> LedgerEntry?

    /// Writes an import of the worker.
    func save(_ entry: LedgerEntry, by worker: String) async throws

    /// Renews the worker's claim.
    func renew(_ id: String, by worker: String) async throws

    /// Releases an import if the worker has it.
    func release(_ id: String, by worker: String) async throws

    /// Removes imports, and overwrites them.
    func remove(_ ids: [String]) async throws

    /// The interval of renewals; nil: no other worker can take over.
    var renewal: Duration? { get }
}

/// A worker's claim on an import.
struct LedgerHold: Sendable {
    let ledger: any Ledger
    /// A ULID, new for each claim.
    let worker = ULID.make(at: .now)

    func save(_ entry: LedgerEntry) async throws { try await ledger.save(entry, by: worker) }
}

extension Ledger {
    /// The interval of checks while another worker has the import.
    private static var pause: Duration { .seconds(1) }

    /// Runs work on an import once no other worker has it, and keeps others away meanwhile.
    /// - Parameters:
    ///   - onWait: called if another worker has it.
    ///   - work: gets the current entry.
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
            // If that fails too, the claim expires.
            try? await release(id, by: hold.worker)
            throw error
        }
    }

    /// Undoes an import.
    /// - Parameter removal: removes what it added, and returns how much.
    /// - Returns: the import, and how much was removed; nil: unknown id.
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

    /// Later imports that met observations which were already stored, perhaps of this one.
    ///
    /// The timeline stores an observation once, as that of the first import, so nothing else shows who also had it.
    func leaning(on entry: LedgerEntry) async throws -> [LedgerEntry] {
        try await all().map(\.total).filter { other in
            other.id != entry.id && other.state == .done && other.duplicates > 0 && (other.finished ?? other.started) > entry.started
        }
    }

    /// Removes these imports, and those of files with the participant's name as a word in their names, and overwrites
    /// them. Such a file would count as new; the timeline knows what it brought for others.
    /// - Parameter imports: The ids of imports with observations of the participant.
    /// - Returns: their number.
    package func forget(namesHolding participant: String, imports: Set<String>) async throws -> Int {
        let own = try await entries(namesHolding: participant, imports: imports)
        if !own.isEmpty { try await remove(own.map(\.id)) }
        return own.count
    }

    /// These imports, and those of files with the participant's name as a word in their names.
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

    /// Renews the worker's claim while `work` runs; its loss ends the work.
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
    /// The import was removed from the ledger meanwhile, for example by an erasure.
    static let forgotten = ImportError(.usage, "the import was removed from the ledger meanwhile")
    /// Another worker has the import, because this one was silent for too long.
    static let takenOver = ImportError(.ledger, "another vigil-import has gone on with this import")
}
