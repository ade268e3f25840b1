import AlertRules
import Observability
import Shares
import TimelineStore

/// The state of a share's core, as read from PostgreSQL when the share was claimed.
struct LoadedShare: Sendable {
    /// The state of notifiers.
    struct Notifiers: Sendable {
        var cursors: [String: Int64] = [:]
        var groups: [StoredNotifierGroup] = []

        /// The same without one participant.
        func without(_ participant: String) throws -> Notifiers {
            var left = self
            left.groups = try groups.compactMap { group in
                switch try group.without(participant) {
                case .unchanged: group
                case .removed: nil
                case .changed(let state): StoredNotifierGroup(notifier: group.notifier, name: group.name, state: state)
                }
            }
            return left
        }
    }

    var position: Int64 = 0
    var published: Int64 = 0
    /// The number of the newest entry of the event log, and of the journal.
    var last: Int64 = 0
    var journal: Int64 = 0
    var rules: [RuleFile] = []
    var meta: [String: [UInt8]] = [:]
    var participants: [StoredParticipant] = []
    var records: [[UInt8]] = []
    var unpublished: [AlertEntry] = []
    var present: [AlertEntry] = []
    var notifiers = Notifiers()

    static let entry = "SELECT id, kind, participant, rule, topic, content FROM event"

    static func entry(_ row: SQLRow) -> AlertEntry {
        AlertEntry(
            id: row.integer(0), kind: AlertEntry.Kind(rawValue: row.integer(1)) ?? .message, participant: row.text(2), rule: row.text(3),
            topic: row.text(4), content: row.blob(5))
    }
}

extension PostgresAlertStore {
    /// Loads a claimed share.
    /// - Throws: `StoreError`, also if another replica has claimed it since.
    static func open(_ state: PostgresState, share: Share, hold: LeaseHold, log: Logger) async throws -> PostgresAlertStore {
        let number = SQLValue.integer(Int64(share.number))
        let loaded = try await state.transaction(holding: hold) { connection throws(StoreError) in
            try connection.run("INSERT INTO share (share) VALUES ($1) ON CONFLICT DO NOTHING", [number])
            return try ShareRows(connection, number).load()
        }
        let commits = CommitQueue(position: loaded.position, entry: loaded.last, log: log) { work throws(StoreError) in
            try await perform(work, state, number, hold)
        }
        return PostgresAlertStore(loaded, state, share: share, commits: commits)
    }

    /// Executes consecutive commits as one; an erasure comes alone.
    private static func perform(
        _ work: [CommitQueue.Commit], _ state: PostgresState, _ number: SQLValue, _ hold: LeaseHold
    ) async throws(StoreError) -> Int64 {
        guard let first = work.first, let last = work.last else { return 0 }
        let advance: [SQLValue] = [number, .integer(first.number - 1), .integer(last.number)]
        let sql = "SELECT advance_share($1, $2, $3)"
        do throws(StoreError) {
            guard let erasure = first.erasure else {
                // Checked first: a commit that has happened already would fail for other reasons.
                try await state.commit([SQLStatement(sql, advance)] + work.flatMap(\.statements), holding: hold)
                return last.number
            }
            erasure.1.finish(
                try await state.transaction(holding: hold) { connection throws(StoreError) in
                    _ = try connection.rows(sql, advance)
                    return try ShareRows(connection, number).erase(erasure.participant)
                })
            return last.number
        } catch  where error.databaseCode == AlertSchema.otherPosition {
            // An answer was lost, but its commits have happened.
            let position = try await state.transaction(holding: hold) { connection throws(StoreError) in
                try connection.rows("SELECT position FROM share WHERE share = $1", [number]).first?.integer(0) ?? 0
            }
            guard position >= first.number, position <= last.number else {
                throw StoreError(
                    .corrupt, operation: "commit", detail: "the share's commits were counted by somebody else",
                    databaseCode: error.databaseCode)
            }
            return position
        }
    }
}
