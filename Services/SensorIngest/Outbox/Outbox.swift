package import Access
package import MessageBus
import SQLiteDatabase
import ServiceKit
package import VigilSchema

/// Keeps canonical batches on disk until `vigil-timeline` has said that they are stored, and the wishes for receipts with them.
///
/// So that a broker that forgets its last seconds, or that is killed together with this process, loses nothing that was taken: what is
/// not confirmed is published again. That may repeat a batch, which the store, knowing each observation by its identity, takes once.
///
/// An actor: one caller at a time; a call that changes something has reached the file when it returns.
package actor Outbox {
    /// The time to wait before publishing again.
    package struct RetryPolicy: Sendable, Hashable {
        /// Without any sign; doubles with each time, at most 256-fold.
        package var unconfirmed: Duration = .seconds(600)
        /// After a later batch of the same topic was confirmed: the broker keeps a topic's order, so this one was probably lost, or given to a
        /// process that is gone. Doubles with each time, at most 256-fold.
        package var overtaken: Duration = .milliseconds(500)
        /// The same for a batch of a device that sends more than its budget: while it is on its way, the device's next ones wait.
        package var deferred: Duration = .seconds(30)
        /// After the connection came back, for batches published shortly before: a killed broker forgets those.
        package var reconnected: Duration = .seconds(2)
        /// The length of "shortly before".
        package var forgetful: Duration = .seconds(60)

        package init() {}
    }

    /// The content.
    package struct Load: Sendable, Hashable {
        package var batches: Int
        package var bytes: Int

        package init(batches: Int, bytes: Int) {
            self.batches = batches
            self.bytes = bytes
        }
    }

    let state: ServiceState
    let retryPolicy: RetryPolicy
    private var present: Load
    private var underWay = KeepsUnderWay()
    /// What waits for its turn.
    package nonisolated let deferred = DeferredLines()
    /// Told when a turn may have come.
    package nonisolated let turns = TurnSignal()
    /// Since the file was looked at last.
    private var removedBytes = 0
    /// The unused room that the file may have, in bytes: after an outage it gives back what it had grown.
    private static let reserve = 16 << 20

    /// Opens or makes the file.
    /// - Parameter survivesPowerCut: whether each call waits for the disk itself, some milliseconds; else a killed process or broker costs
    ///   nothing all the same, but a power cut the last seconds.
    package init(path: String, retryPolicy: RetryPolicy = RetryPolicy(), survivesPowerCut: Bool = false) async throws {
        state = try ServiceState(path: path, migrations: OutboxSchema.migrations, durability: survivesPowerCut ? .full : .normal)
        self.retryPolicy = retryPolicy
        present = try await state.read { database in
            let row = try database.statement("SELECT count(*), coalesce(sum(length(payload)), 0) FROM batches")
            defer { row.reset() }
            _ = try row.step()
            return Load(batches: Int(row.integer(0)), bytes: Int(row.integer(1)))
        }
        deferred.add(try await state.read { try Self.waitingLines($0) })
    }

    /// The batches that wait for their confirmation.
    package var load: Load { present }

    /// Announces batches that `keep` will be given, and that may be published before it returns: their confirmations wait for it.
    package func announce(_ ids: [String]) { underWay.begin(ids) }

    /// Keeps batches that are being published now, and who asked about them, in one transaction.
    ///
    /// Batches published before this has returned need `announce` first: a confirmation may be faster than the disk.
    /// - Parameters:
    ///   - stamps: The times given to messages that brought none, to be known again when they are delivered again.
    ///   - stale: Those of messages that will not be.
    package func keep(
        _ entries: [OutboxEntry], receiptRequests: [ReceiptRequest], stamps: [ArrivalStamps.Key: Timestamp] = [:],
        stale: [ArrivalStamps.Key] = [], now: Timestamp
    ) async throws {
        defer { underWay.end(entries.map(\.id)) }
        let due = now.microseconds + retryPolicy.unconfirmed.wholeMicroseconds
        try await state.transaction { database in
            try OutboxRows.replace(stamps, removing: stale, database)
            var pending = [Int: (row: Int64, count: Int)]()
            for place in Set(entries.flatMap(\.receiptRequests).map(\.request)).sorted() {
                pending[place] = (try OutboxRows.insert(receiptRequests[place], database), 0)
            }
            for entry in entries {
                let serial = try OutboxRows.insert(entry, published: now.microseconds, due: due, database)
                for coverage in entry.receiptRequests {
                    guard let ask = pending[coverage.request] else { continue }
                    pending[coverage.request] = (ask.row, ask.count + 1)
                    try database.run(
                        "INSERT INTO ask_batches VALUES (?, ?, ?)", [.integer(serial), .integer(ask.row), .text(coverage.text)])
                }
            }
            for ask in pending.values where ask.count > 1 {
                try database.run("UPDATE asks SET pending = ? WHERE ask = ?", [.integer(Int64(ask.count)), .integer(ask.row)])
            }
        }
        present.batches += entries.count
        present.bytes += entries.reduce(0) { $0 + $1.payload.count }
        let lines = entries.compactMap { entry in entry.line.map { (id: entry.id, line: $0, bytes: entry.payload.count) } }
        guard !lines.isEmpty else { return }
        deferred.add(lines)
        turns.notify()
    }

    /// Removes the wishes for receipts of a participant's devices, and counts the batches with readings of the participant that the timeline has not
    /// confirmed yet.
    package func erase(participant: String) async throws -> (wishes: Int, waiting: Int) {
        let receipts = "\(Topic.prefix)receipts/\(participant)/"
        let partition = Partition(participant: participant)
        let topics = [Topic.readings(partition), .waveforms(partition), .history(partition)].map { SQLiteValue.text($0.path) }
        let name = Array("\"\(participant)\"".utf8)
        let found = try await state.transaction { database in
            let own: [SQLiteValue] = [.text(receipts), .integer(Int64(receipts.utf8.count))]
            try database.run("DELETE FROM ask_batches WHERE ask IN (SELECT ask FROM asks WHERE substr(topic, 1, ?2) = ?1)", own)
            try database.run("DELETE FROM asks WHERE substr(topic, 1, ?2) = ?1", own)
            let wishes = database.changes
            let row = try database.statement("SELECT count(*) FROM batches WHERE topic IN (?, ?, ?) AND instr(payload, ?) > 0")
            defer { row.reset() }
            try row.bind(topics + [.blob(name)])
            return (wishes, try row.step() ? Int(row.integer(0)) : 0)
        }
        try await state.wipe()
        return found
    }

    /// The wishes for receipts of a participant's devices.
    package func personalData(of participant: String) async throws -> PersonalData {
        let receipts = "\(Topic.prefix)receipts/\(participant)/"
        return try await state.read { database in
            let own: [SQLiteValue] = [.text(receipts), .integer(Int64(receipts.utf8.count))]
            return try PersonalData(
                "wishes for receipts",
                database.objects("SELECT topic, accepted, refused, reason, failure, pending FROM asks WHERE substr(topic, 1, ?2) = ?1", own)
            )
        }
    }

    /// The stamps that were kept, of messages that may be delivered again.
    package func stamps() async throws -> [ArrivalStamps.Key: Timestamp] {
        try await state.read { try OutboxRows.stamps($0) }
    }

    /// Forgets the stamps of messages that will not be delivered again.
    package func forget(stamps: [ArrivalStamps.Key]) async throws {
        guard !stamps.isEmpty else { return }
        try await state.transaction { try OutboxRows.replace([:], removing: stamps, $0) }
    }

    /// Lets go what was kept and could not be published: its messages were given back and come again.
    package func forget(_ ids: [String]) async throws {
        _ = try await remove(ids, refused: [:], now: nil, dropsAsks: true)
    }

    /// Lets go what is kept again at once, in another form. Those of it that were published stay announced: their confirmations wait for that.
    /// - Returns: the ids of those that are confirmed already. The others must be given to `keep`.
    package func takeBack(_ ids: [String], published: Set<String>) async throws -> Set<String> {
        underWay.begin(Array(published))
        do {
            let confirmed = published.subtracting(try await remove(ids, refused: [:], now: nil, dropsAsks: true))
            underWay.end(Array(confirmed))
            return confirmed
        } catch {
            underWay.end(Array(published))
            throw error
        }
    }

    /// Lets go what is stored. Those whose last batch it was are returned by `finished()` from now on.
    ///
    /// Waits for batches that are on their way into the file.
    package func confirm(_ confirmation: Confirmation, now: Timestamp) async throws {
        let ids = confirmation.stored + confirmation.refused.map(\.batch)
        while underWay.contains(anyOf: ids) { await withCheckedContinuation { underWay.wait($0) } }
        let refused = Dictionary(confirmation.refused.map { ($0.batch, $0) }, uniquingKeysWith: { first, _ in first })
        let corrected = Dictionary(confirmation.corrected?.map { ($0.batch, $0) } ?? [], uniquingKeysWith: { first, _ in first })
        _ = try await remove(ids, refused: refused, corrected: corrected, now: now, dropsAsks: false)
    }

    private func remove(
        _ ids: [String], refused: [String: Confirmation.Refused], corrected: [String: Confirmation.Corrected] = [:], now: Timestamp?,
        dropsAsks: Bool
    ) async throws -> Set<String> {
        let wait = retryPolicy.overtaken.wholeMicroseconds
        let removed = try await state.transaction { database in
            var removal = OutboxRemoval()
            for id in ids {
                try removal.remove(id, refused: refused[id], corrected: corrected[id], dropsAsks: dropsAsks, database)
            }
            if let now { try removal.hurryOvertaken(at: now, wait: wait, database) }
            return removal
        }
        if deferred.remove(removed.ids) { turns.notify() }
        present.batches -= removed.ids.count
        present.bytes -= removed.bytes
        removedBytes += removed.bytes
        if removedBytes > Self.reserve {
            removedBytes = 0
            try await state.shrink(keeping: Self.reserve)
        }
        return removed.ids
    }
}

extension Duration {
    /// In whole microseconds.
    var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}

/// A canonical batch on its way to the store.
package struct OutboxEntry: Sendable, Hashable {
    /// The batch's id.
    package let id: String
    package let topic: String
    package let payload: [UInt8]
    /// The requests for a receipt that have readings in it.
    package let receiptRequests: [ReceiptCoverage]
    /// The line in which it waits for its turn; nil where it is published at once.
    package let line: String?

    package init(id: String, topic: String, payload: [UInt8], receiptRequests: [ReceiptCoverage] = [], line: String? = nil) {
        self.line = line
        self.id = id
        self.topic = topic
        self.payload = payload
        self.receiptRequests = receiptRequests
    }

    /// As it goes to the bus.
    package var message: OutgoingMessage {
        OutgoingMessage(topic: topic, payload: payload, properties: MessageProperties(contentType: MediaType.batch))
    }
}
