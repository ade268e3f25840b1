import Access
import AlertRules
import Shares
import TimelineStore
import VigilSchema

/// A share's state in PostgreSQL, for a core whose share may move to another replica.
///
/// It is read once, when the share is claimed. From then on the core's data are in memory and commits are queued, so no
/// reading waits for the database. A core whose commit has failed is not rebuilt from this store but replaced, with a
/// new store.
final class PostgresAlertStore: AlertStore {
    /// The reason why a core cannot be rebuilt from it.
    struct StoreReopenRequired: Error, CustomStringConvertible {
        let description = "the share's state is to be loaded anew"
    }

    /// The identity of an alert.
    private struct Key: Hashable {
        let participant: String
        let rule: String
    }

    /// The number of transitions in the history, over all shares.
    private static let historyLength = 200_000
    /// The most transitions that are stored for notifiers, and the number that remains of more.
    private static let (mostRecent, fewestRecent) = (4000, 2000)

    let commits: CommitQueue?
    let history: any AlertHistory
    private let queue: CommitQueue
    private let state: PostgresState
    private let share: Share
    private var number: SQLValue { .integer(Int64(share.number)) }
    /// The loaded state, until the core has it.
    private var loaded: LoadedShare?
    private var notifiers: LoadedShare.Notifiers
    private var keptRules: [RuleFile]
    private var replacedRules: ReplacedRules
    private var last: Int64
    private var journal: Int64
    private var published: Int64
    private var waiting: [AlertEntry]
    private var active: [Key: AlertEntry]
    /// The newest transitions: all after `floor`.
    private var recent: [AlertEntry] = []
    private var floor: Int64

    init(_ loaded: LoadedShare, _ state: PostgresState, share: Share, commits: CommitQueue) {
        (self.loaded, self.state, self.share, self.commits, queue) = (loaded, state, share, commits, commits)
        history = PostgresHistory(state: state, share: share)
        (notifiers, keptRules) = (loaded.notifiers, loaded.rules)
        replacedRules = ReplacedRules(decoding: loaded.meta[ReplacedRules.name])
        (last, floor, journal, published, waiting) = (loaded.last, loaded.last, loaded.journal, loaded.published, loaded.unpublished)
        active = Dictionary(loaded.present.map { (Key(participant: $0.participant, rule: $0.rule), $0) }, uniquingKeysWith: { $1 })
    }

    // MARK: - What the core is made of

    private func whole() throws(StoreReopenRequired) -> LoadedShare {
        guard let loaded else { throw StoreReopenRequired() }
        return loaded
    }

    func rules() throws -> [RuleFile] { try whole().rules }
    func meta(_ name: String) throws -> [UInt8]? { try whole().meta[name] }
    func eachParticipant(_ body: (StoredParticipant) throws -> Void) throws { try whole().participants.forEach(body) }
    func eachRecord(_ body: ([UInt8]) throws -> Void) throws { try whole().records.forEach(body) }

    func hasReplaced(_ rules: [RuleFile]) -> Bool { replacedRules.contains(rules) }

    /// Releases the loaded state.
    func hasLoaded() { loaded = nil }

    // MARK: - Commits

    func commit(_ record: JournalRecord, _ entries: [AlertEntry], published reached: Int64, checkpoint: AlertCheckpoint?) throws
        -> [AlertEntry]
    {
        var statements: [SQLStatement] = []
        var kept = entries
        for index in kept.indices {
            last = max(last + 1, ClockSample.now.wall)
            kept[index].id = last
        }
        if !record.isEmpty {
            journal += 1
            statements.append(
                SQLStatement("INSERT INTO journal VALUES ($1, $2, $3)", [number, .integer(journal), .blob(record.encoded())]))
        }
        if reached > published { statements += forgetting(upTo: reached) }
        statements += kept.map(inserting)
        if let checkpoint { statements += writing(checkpoint) }
        try queue.add(CommitQueue.Commit(statements, entry: last))
        note(kept)
        return kept
    }

    private func forgetting(upTo reached: Int64) -> [SQLStatement] {
        defer {
            published = reached
            waiting.removeAll { $0.id <= reached }
        }
        return [
            SQLStatement(
                "DELETE FROM event WHERE share = $1 AND id > $2 AND id <= $3 AND kind >= 2",
                [number, .integer(published), .integer(reached)]),
            SQLStatement("UPDATE share SET published = $2 WHERE share = $1", [number, .integer(reached)]),
        ]
    }

    private func inserting(_ entry: AlertEntry) -> SQLStatement {
        SQLStatement(
            "INSERT INTO event VALUES ($1, $2, $3, $4, $5, $6, $7)",
            [
                number, .integer(entry.id), .integer(entry.kind.rawValue), .text(entry.participant), .text(entry.rule), .text(entry.topic),
                .blob(entry.content),
            ])
    }

    private func writing(_ checkpoint: AlertCheckpoint) -> [SQLStatement] {
        // Deletes first, because a name may have moved to another index.
        var statements = checkpoint.changed.map { index in
            SQLStatement("DELETE FROM participant WHERE share = $1 AND place = $2", [number, .integer(Int64(index))])
        }
        for person in checkpoint.changed.lazy.map(checkpoint.participant) where !person.name.isEmpty {
            statements.append(
                SQLStatement(
                    "INSERT INTO participant VALUES ($1, $2, $3, $4)",
                    [number, .integer(Int64(person.index)), .text(person.name), .blob(person.state)]))
        }
        statements += [keeping("clock", checkpoint.clock), keeping("batches", checkpoint.batches)]
        if checkpoint.rules != keptRules || keptRules.isEmpty { statements += writing(checkpoint.rules) }
        return statements + [SQLStatement("DELETE FROM journal WHERE share = $1", [number]), trimming]
    }

    private func writing(_ rules: [RuleFile]) -> [SQLStatement] {
        replacedRules.note(keptRules, replacedBy: rules)
        keptRules = rules
        return [keeping(ReplacedRules.name, replacedRules.encoded), SQLStatement("DELETE FROM rule_file WHERE share = $1", [number])]
            + rules.enumerated().map { index, file in
                SQLStatement(
                    "INSERT INTO rule_file VALUES ($1, $2, $3, $4)", [number, .integer(Int64(index)), .text(file.name), .text(file.text)])
            }
    }

    private func keeping(_ name: String, _ value: [UInt8]) -> SQLStatement {
        SQLStatement(
            "INSERT INTO meta VALUES ($1, $2, $3) ON CONFLICT (share, name) DO UPDATE SET value = excluded.value",
            [number, .text(name), .blob(value)])
    }

    /// Deletes old transitions, but never the newest of a present alert.
    private var trimming: SQLStatement {
        SQLStatement(
            """
            DELETE FROM event WHERE share = $1 AND kind < 2 AND id <= $2 AND id <= (
                SELECT id FROM event WHERE share = $1 AND kind < 2 ORDER BY id DESC OFFSET $3 LIMIT 1)
            AND (kind = 1 OR EXISTS (SELECT FROM event AS newer WHERE newer.share = $1 AND newer.participant = event.participant
                AND newer.rule = event.rule AND newer.id > event.id AND newer.kind < 2))
            """, [number, .integer(published), .integer(Int64(Self.historyLength / share.count))])
    }

    func keep(time: [UInt8]) throws { try queue.add(CommitQueue.Commit([keeping("time", time)], entry: last)) }

    private func note(_ entries: [AlertEntry]) {
        waiting += entries
        for entry in entries where entry.kind.isTransition {
            active[Key(participant: entry.participant, rule: entry.rule)] = entry.kind == .transition ? entry : nil
            recent.append(entry)
        }
        guard recent.count > Self.mostRecent else { return }
        let old = recent.count - Self.fewestRecent
        floor = recent[old - 1].id
        recent.removeFirst(old)
    }

    func erase(participant: String) throws -> Erasure {
        let rules = active.keys.filter { $0.participant == participant }.map(\.rule)
        active = active.filter { $0.key.participant != participant }
        recent.removeAll { $0.participant == participant }
        waiting = waiting.compactMap { entry in
            guard entry.participant != participant else { return nil }
            var entry = entry
            switch entry.kind.isTransition ? .unchanged : StoredScores(entry.content)?.without(participant) ?? .unchanged {
            case .unchanged: break
            case .removed: return nil
            case .changed(let content): entry.content = content
            }
            return entry
        }
        notifiers = try notifiers.without(participant)
        let erasure = Erasure(knownRules: rules)
        try queue.add(CommitQueue.Commit([], entry: last, erasure: (participant, erasure)))
        return erasure
    }

    // MARK: - The event log

    func unpublished() throws -> [AlertEntry] { waiting }
    func present() throws -> [AlertEntry] { active.values.sorted { $0.id < $1.id } }
    func lastEntry() throws -> Int64 { last }

    func transitions(after id: Int64, limit: Int) async throws -> [AlertEntry] {
        let durable = queue.confirmedEntry
        guard id < floor else { return Array(recent.lazy.filter { $0.id > id && $0.id <= durable }.prefix(limit)) }
        let values: [SQLValue] = [number, .integer(id), .integer(durable), .integer(Int64(limit))]
        return try await entries(
            "\(LoadedShare.entry) WHERE share = $1 AND kind < 2 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4", values)
    }

    func transitions(_ ids: [Int64]) async throws -> [Int64: AlertEntry] {
        guard !ids.isEmpty else { return [:] }
        let list = "[\(ids.map(String.init).joined(separator: ","))]"
        let found = try await entries(
            """
            \(LoadedShare.entry) WHERE share = $1 AND kind < 2
                AND id IN (SELECT value::bigint FROM json_array_elements_text(CAST($2 AS text)::json))
            """, [number, .text(list)])
        return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    func personalData(of participant: String) async throws -> PersonalData {
        let number = number
        let found = try await state.transaction { connection throws(StoreError) in
            try ShareRows(connection, number).kept(of: participant)
        }
        return try PersonalData(of: participant, transitions: found.transitions, messages: found.messages, groups: found.groups)
    }

    private func entries(_ sql: String, _ values: [SQLValue]) async throws -> [AlertEntry] {
        try await state.transaction { connection throws(StoreError) in try connection.rows(sql, values).map(LoadedShare.entry) }
    }

    // MARK: - Notifiers

    func cursor(of notifier: String) throws -> Int64? { notifiers.cursors[notifier] }

    func groups(of notifier: String) throws -> [(name: String, state: [UInt8])] {
        notifiers.groups.filter { $0.notifier == notifier }.map { ($0.name, $0.state) }
    }

    func keep(notifier: String, coveredTo id: Int64, _ groups: [(name: String, state: [UInt8]?)]) throws {
        let cursor = SQLStatement(
            "INSERT INTO notifier VALUES ($1, $2, $3) ON CONFLICT (share, name) DO UPDATE SET covered = excluded.covered",
            [number, .text(notifier), .integer(id)])
        let changes = groups.map { name, state in
            guard let state else {
                return SQLStatement(
                    "DELETE FROM notifier_group WHERE share = $1 AND notifier = $2 AND name = $3", [number, .text(notifier), .text(name)])
            }
            return SQLStatement(
                """
                INSERT INTO notifier_group VALUES ($1, $2, $3, $4)
                ON CONFLICT (share, notifier, name) DO UPDATE SET state = excluded.state
                """, [number, .text(notifier), .text(name), .blob(state)])
        }
        // Not read any more from now on.
        notifiers.groups.removeAll { $0.notifier == notifier }
        try queue.add(CommitQueue.Commit([cursor] + changes, entry: last))
    }
}
