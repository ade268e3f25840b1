import Access
import SQLiteDatabase

extension SQLiteAlertStore {
    /// Overwrites what it removes, in the file and its log.
    func erase(participant: String) throws -> Erasure {
        let removed = try database.transaction {
            var removed = Erasure.Removed()
            removed.rules = try database.rows("SELECT DISTINCT rule FROM events WHERE participant = ? AND kind < 2", [.text(participant)]) {
                $0.text(0)
            }
            try database.run("DELETE FROM events WHERE participant = ?", [.text(participant)])
            removed.events = database.changes
            removed.events += try eraseScores(of: participant)
            removed.groups = try eraseGroups(of: participant)
            return removed
        }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Erasure(removed)
    }

    func personalData(of participant: String) throws -> PersonalData {
        try PersonalData(
            of: participant, transitions: SQLiteHistory.newest(in: database, participant: participant, rule: nil, limit: .max).reversed(),
            messages: messages().map(\.content), groups: notifierGroups())
    }

    private func notifierGroups() throws -> [StoredNotifierGroup] {
        try database.rows("SELECT notifier, name, state FROM notifier_groups") {
            StoredNotifierGroup(notifier: $0.text(0), name: $0.text(1), state: $0.blob(2))
        }
    }

    private func messages() throws -> [(id: Int64, content: [UInt8])] {
        try database.rows("SELECT id, content FROM events WHERE kind >= 2") { ($0.integer(0), $0.blob(1)) }
    }

    private func eraseScores(of participant: String) throws -> Int {
        var count = 0
        for (id, content) in try messages() {
            switch StoredScores(content)?.without(participant) {
            case nil, .unchanged: continue
            case .removed: try database.run("DELETE FROM events WHERE id = ?", [.integer(id)])
            case .changed(let content): try database.run("UPDATE events SET content = ? WHERE id = ?", [.blob(content), .integer(id)])
            }
            count += 1
        }
        return count
    }

    private func eraseGroups(of participant: String) throws -> Int {
        var count = 0
        for group in try notifierGroups() {
            let key: [SQLiteValue] = [.text(group.notifier), .text(group.name)]
            switch try group.without(participant) {
            case .unchanged: continue
            case .removed: try database.run("DELETE FROM notifier_groups WHERE notifier = ? AND name = ?", key)
            case .changed(let state):
                try database.run("UPDATE notifier_groups SET state = ? WHERE notifier = ? AND name = ?", [.blob(state)] + key)
            }
            count += 1
        }
        return count
    }
}
