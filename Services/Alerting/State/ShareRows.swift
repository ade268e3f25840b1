import AlertRules
import TimelineStore

/// A share's rows in PostgreSQL, within a transaction.
struct ShareRows {
    private let connection: any SQLConnection
    private let share: SQLValue

    init(_ connection: any SQLConnection, _ share: SQLValue) { (self.connection, self.share) = (connection, share) }

    private func rows(_ sql: String, _ values: SQLValue...) throws(StoreError) -> [SQLRow] { try connection.rows(sql, [share] + values) }

    // MARK: - Loading

    func load() throws(StoreError) -> LoadedShare {
        var loaded = LoadedShare()
        for row in try rows("SELECT position, published FROM share WHERE share = $1") {
            (loaded.position, loaded.published) = (row.integer(0), row.integer(1))
        }
        // Published messages are deleted, but new numbers must still come after them.
        loaded.last = max(
            loaded.published, try newest("SELECT max(id) FROM event WHERE share = $1"),
            try newest("SELECT max(covered) FROM notifier WHERE share = $1"))
        loaded.journal = try newest("SELECT max(id) FROM journal WHERE share = $1")
        loaded.rules = try rows("SELECT name, text FROM rule_file WHERE share = $1 ORDER BY place").map {
            RuleFile(name: $0.text(0), text: $0.text(1))
        }
        for row in try rows("SELECT name, value FROM meta WHERE share = $1") { loaded.meta[row.text(0)] = row.blob(1) }
        loaded.participants = try rows("SELECT place, name, state FROM participant WHERE share = $1 ORDER BY place").map {
            StoredParticipant(index: Int($0.integer(0)), name: $0.text(1), state: $0.blob(2))
        }
        loaded.records = try rows("SELECT record FROM journal WHERE share = $1 ORDER BY id").map { $0.blob(0) }
        loaded.unpublished = try rows("\(LoadedShare.entry) WHERE share = $1 AND id > $2 ORDER BY id", .integer(loaded.published)).map(
            LoadedShare.entry)
        loaded.present = try present()
        loaded.notifiers = try notifiers()
        return loaded
    }

    private func newest(_ sql: String) throws(StoreError) -> Int64 { try rows(sql).first?.optionalInteger(0) ?? 0 }

    private func present() throws(StoreError) -> [AlertEntry] {
        try rows(
            """
            \(LoadedShare.entry) WHERE share = $1 AND kind = 0 AND id IN (
                SELECT max(id) FROM event WHERE share = $1 AND kind < 2 GROUP BY participant, rule)
            ORDER BY id
            """
        ).map(LoadedShare.entry)
    }

    private func notifiers() throws(StoreError) -> LoadedShare.Notifiers {
        var notifiers = LoadedShare.Notifiers()
        for row in try rows("SELECT name, covered FROM notifier WHERE share = $1") { notifiers.cursors[row.text(0)] = row.integer(1) }
        notifiers.groups = try groups()
        return notifiers
    }

    private func groups() throws(StoreError) -> [StoredNotifierGroup] {
        try rows("SELECT notifier, name, state FROM notifier_group WHERE share = $1").map {
            StoredNotifierGroup(notifier: $0.text(0), name: $0.text(1), state: $0.blob(2))
        }
    }

    // MARK: - One participant

    /// A participant's rows, before they are described.
    struct Kept: Sendable {
        var transitions: [[UInt8]]
        var messages: [[UInt8]]
        var groups: [StoredNotifierGroup]
    }

    func kept(of participant: String) throws(StoreError) -> Kept {
        Kept(
            transitions: try rows(
                "SELECT content FROM event WHERE share = $1 AND kind < 2 AND participant = $2 ORDER BY id", .text(participant)
            ).map { $0.blob(0) },
            messages: try messages().map(\.content), groups: try groups())
    }

    private func messages() throws(StoreError) -> [(id: SQLValue, content: [UInt8])] {
        try rows("SELECT id, content FROM event WHERE share = $1 AND kind >= 2").map { (.integer($0.integer(0)), $0.blob(1)) }
    }

    func erase(_ participant: String) throws(StoreError) -> Erasure.Removed {
        var removed = Erasure.Removed()
        removed.rules = try rows(
            "SELECT DISTINCT rule FROM event WHERE share = $1 AND participant = $2 AND kind < 2", .text(participant)
        ).map { $0.text(0) }
        removed.events = try connection.run("DELETE FROM event WHERE share = $1 AND participant = $2", [share, .text(participant)])
        removed.events += try eraseScores(of: participant)
        removed.groups = try eraseGroups(of: participant)
        return removed
    }

    private func eraseScores(of participant: String) throws(StoreError) -> Int {
        var count = 0
        for (id, content) in try messages() {
            switch StoredScores(content)?.without(participant) {
            case nil, .unchanged: continue
            case .removed: try connection.run("DELETE FROM event WHERE share = $1 AND id = $2", [share, id])
            case .changed(let content):
                try connection.run("UPDATE event SET content = $3 WHERE share = $1 AND id = $2", [share, id, .blob(content)])
            }
            count += 1
        }
        return count
    }

    private func eraseGroups(of participant: String) throws(StoreError) -> Int {
        var count = 0
        for group in try groups() {
            let key: [SQLValue] = [share, .text(group.notifier), .text(group.name)]
            // A state that cannot be encoded is omitted, so that nobody is notified of an erased person.
            switch (try? group.without(participant)) ?? .removed {
            case .unchanged: continue
            case .removed: try connection.run("DELETE FROM notifier_group WHERE share = $1 AND notifier = $2 AND name = $3", key)
            case .changed(let state):
                try connection.run(
                    "UPDATE notifier_group SET state = $4 WHERE share = $1 AND notifier = $2 AND name = $3", key + [.blob(state)])
            }
            count += 1
        }
        return count
    }
}
