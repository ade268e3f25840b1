import AlertRules
import Foundation
import MessageBus
import Observability
import SQLiteDatabase
import ServiceKit
import Settings
import Shares
import TimelineStore
import VigilSchema

/// Moves a process's state file to PostgreSQL, divided into shares, so that replicas continue where the process ended,
/// without loss or repetition. The file stays unchanged, apart from a lock while it is read.
struct StateMove {
    /// The moved rows.
    struct Counts: Sendable, Hashable {
        var participants = 0
        var transitions = 0
        var notifications = 0
    }

    /// The number of event log entries that are moved at once.
    private static let portion = 500
    private let file: SQLiteAlertStore
    private let memory: AlertMemory
    private let state: PostgresState
    private let shares: [Share]
    private let replica: ReplicaName
    private(set) var counts = Counts()

    /// - Parameter path: the state file, which no process uses.
    init(path: String, to state: PostgresState, shares: Int, now: ClockSample = .now, bootID: String = ClockSample.bootID) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw CommandError(.noInput, "there is no state file \(path)") }
        file = try SQLiteAlertStore(path: path)
        guard try !file.rules().isEmpty else { throw CommandError(.data, "\(path) holds no state yet") }
        memory = try AlertMemory(file, rules: [], capacity: AlertEngine.largestCapacity, share: nil, now: now, bootID: bootID)
        (self.state, self.shares) = (state, Share.all(of: shares))
        replica = ReplicaName(service: "vigil-alert", name: "move-state", process: UUID().uuidString)
    }

    mutating func run(log: Logger) async throws {
        try await state.leases.prepare(service: replica.service, shares: shares.count)
        let holds = try await state.leases.claim(shares.map(\.number), for: replica, lease: .seconds(3600))
        do {
            guard holds.count == shares.count else { throw CommandError(.failure, "replicas run already: stop them first") }
            for (share, hold) in zip(shares, holds) { try await move(share, hold, log) }
        } catch {
            for hold in holds { try? await state.leases.free(hold, of: replica) }
            throw error
        }
        for hold in holds { try await state.leases.free(hold, of: replica) }
    }

    private mutating func move(_ share: Share, _ hold: LeaseHold, _ log: Logger) async throws {
        let store = try await PostgresAlertStore.open(state, share: share, hold: hold, log: log)
        guard try store.rules().isEmpty else {
            throw CommandError(.failure, "\(share) has a state already: to begin anew, DROP SCHEMA vigil_alert CASCADE")
        }
        _ = try store.commit(JournalRecord(), [], published: 0, checkpoint: checkpoint(of: share))
        if let time = try file.meta("time") { try store.keep(time: time) }
        let numbers = try await moveLog(share, store)
        let published = try file.publishedEntry()
        if let last = numbers.last(where: { $0.former <= published }) {
            _ = try store.commit(JournalRecord(), [], published: last.new)
        }
        for name in try file.notifiers() { try moveNotifier(name, share, store, numbers) }
        try await store.commits?.flush()
    }

    /// The participants of a share, each with its own index.
    private mutating func checkpoint(of share: Share) -> AlertCheckpoint {
        let engine = memory.engine
        let own = engine.names.indices.filter { !engine.names[$0].isEmpty && share.owns(engine.names[$0]) }
        counts.participants += own.count
        return AlertCheckpoint(
            changed: Array(own.indices),
            participant: { StoredParticipant(index: $0, name: engine.names[own[$0]], state: engine.encoded(participant: own[$0])) },
            clock: engine.encodedClock, batches: memory.batches.encoded, rules: memory.files)
    }

    /// Moves the event log; returns the entries' old and new numbers.
    private mutating func moveLog(_ share: Share, _ store: PostgresAlertStore) async throws -> [(former: Int64, new: Int64)] {
        var (numbers, last): ([(former: Int64, new: Int64)], Int64) = ([], 0)
        while case let entries = try file.entries(after: last, limit: Self.portion), let newest = entries.last {
            last = newest.id
            let own = entries.filter { entry in
                let scored = entry.kind.isTransition ? nil : StoredScores(entry.content)?.batch.groups.first?.participant
                return share.owns(scored ?? entry.participant)
            }
            numbers += zip(own, try store.commit(JournalRecord(), own, published: 0)).map { ($0.id, $1.id) }
            counts.transitions += own.count { $0.kind.isTransition }
            try await store.commits?.flush()
        }
        return numbers
    }

    private mutating func moveNotifier(
        _ name: String, _ share: Share, _ store: PostgresAlertStore, _ numbers: [(former: Int64, new: Int64)]
    ) throws {
        let covered = try file.cursor(of: name) ?? 0
        let known = Dictionary(numbers.map { ($0.former, $0.new) }, uniquingKeysWith: { $1 })
        let groups = try file.groups(of: name).compactMap { name, state -> (name: String, state: [UInt8]?)? in
            var kept = try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(state))
            kept.firing = kept.firing.compactMap { known[$0] }
            kept.resolved = Dictionary(
                kept.resolved.compactMap { id, severity in known[id].map { ($0, severity) } }, uniquingKeysWith: { $1 })
            kept.keepNames { key in key.split(separator: "/").first.map { share.owns(String($0)) } ?? false }
            guard !kept.isEmpty else { return nil }
            return (name, [UInt8](try JSONEncoder().encode(kept)))
        }
        counts.notifications += groups.count
        try store.keep(notifier: name, coveredTo: numbers.last { $0.former <= covered }?.new ?? 0, groups)
    }
}

extension SQLiteAlertStore {
    /// The event log after a number.
    fileprivate func entries(after id: Int64, limit: Int) throws -> [AlertEntry] {
        try database.rows(
            "SELECT id, kind, participant, rule, topic, content FROM events WHERE id > ? ORDER BY id LIMIT ?",
            [.integer(id), .integer(Int64(limit))]
        ) { row in
            AlertEntry(
                id: row.integer(0), kind: AlertEntry.Kind(rawValue: row.integer(1)) ?? .message, participant: row.text(2),
                rule: row.text(3), topic: row.text(4), content: row.blob(5))
        }
    }

    /// The number of the last entry that the broker has for certain.
    fileprivate func publishedEntry() throws -> Int64 {
        try database.rows("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'published'") { $0.integer(0) }.first ?? 0
    }

    fileprivate func notifiers() throws -> [String] { try database.rows("SELECT name FROM notifiers ORDER BY name") { $0.text(0) } }
}

/// `vigil-alert move-state`.
enum StateMoveCommand {
    static let command = Command(
        name: "move-state", summary: "moves the state of a stopped process to PostgreSQL, for replicas",
        details: """
            Reads the state file of --instance in --state-folder, which no process may use, and divides it into \
            --shares in the database of --state, which must be empty. The replicas then continue where the \
            process ended.
            """,
        settings: AlertService.state.all + [ShareSettings.shares, CommonSettings.stateFolder, CommonSettings.instance]
    ) { invocation in
        guard let database = try AlertService.state.database(invocation.configuration) else {
            throw CommandError(.usage, "--state is to name the PostgreSQL database: \(StateSettings.accepts)")
        }
        let path = "\(try invocation[CommonSettings.stateFolder])/vigil-alert-\(try invocation[CommonSettings.instance]).state.sqlite"
        var move = try StateMove(
            path: path,
            to: PostgresState(
                PostgresConfiguration(connection: database.uri, password: database.password), AlertSchema.schema, limit: .seconds(60),
                leases: .seconds(30)),
            shares: try invocation[ShareSettings.shares])
        try await move.run(log: Logger(service: "vigil-alert", level: .warning))
        StandardOutput.line(
            "\(move.counts.participants) participants, \(move.counts.transitions) transitions, \(move.counts.notifications) notifications")
    }
}
