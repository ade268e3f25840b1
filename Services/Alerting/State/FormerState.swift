import AlertRules
import Foundation
import SQLiteDatabase
import VigilSchema

/// Turns a state file of version 1 into one of today, so that nothing is lost and nothing told twice.
///
/// History becomes the event log, and what waited to be published follows it. Each notifier goes on where it stood. The journal, which names
/// metrics by their places, is written anew with the places of today. To be used within a transaction, once the tables of today are there.
struct FormerState {
    private static let log = """
        INSERT INTO events (kind, participant, rule, topic, content)
            SELECT CASE WHEN json_extract(CAST(event AS TEXT), '$.state') = 'none' THEN 1 ELSE 0 END, participant, rule, '', event
            FROM history ORDER BY id;
        INSERT INTO meta VALUES ('published', (SELECT coalesce(max(id), 0) FROM events));
        """
    private static let end = """
        INSERT INTO events (kind, participant, rule, topic, content)
            SELECT 2 + retained, '', '', topic, payload FROM outbox ORDER BY id;
        DROP TABLE outbox; DROP TABLE notices; DROP TABLE history;
        DELETE FROM meta WHERE name = 'notifier';
        """

    /// The state of all notifiers, as JSON.
    private struct Notifiers: Decodable {
        /// By notifier and group.
        var groups: [String: [String: Group]]
    }

    private struct Group: Decodable {
        var firing: [String: AlertMessage]
        var resolved: [String: AlertMessage]
        var told: Set<String>
        var newsSince: Int64?
        var isUrgent: Bool
        var lastSent: Int64?
        var number: Int
        var failures: Int
        var notBefore: Int64
    }

    private let database: Database

    init(_ database: Database) { self.database = database }

    func upgrade() throws {
        try database.execute(Self.log)
        try takeNotifiers()
        try database.execute(Self.end)
        try rewriteJournal()
    }

    private func takeNotifiers() throws {
        guard let state = try database.rows("SELECT value FROM meta WHERE name = 'notifier'", [], { $0.blob(0) }).first else { return }
        let covered = try covered()
        for (notifier, groups) in try JSONDecoder().decode(Notifiers.self, from: Data(state)).groups {
            try database.run("INSERT INTO notifiers VALUES (?, ?)", [.text(notifier), .integer(covered)])
            for (name, group) in groups {
                let kept = [UInt8](try JSONEncoder().encode(try kept(group)))
                try database.run("INSERT INTO notifier_groups VALUES (?, ?, ?)", [.text(notifier), .text(name), .blob(kept)])
            }
        }
    }

    /// The number of the last transition that the notifiers had taken: the one before the first that waits for them.
    private func covered() throws -> Int64 {
        let last = try database.rows("SELECT coalesce(max(id), 0) FROM events") { $0.integer(0) }.first ?? 0
        guard let waiting = try database.rows("SELECT event FROM notices ORDER BY id LIMIT 1", [], { $0.blob(0) }).first else {
            return last
        }
        return try id(of: try AlertMessage(decoding: waiting)).map { $0 - 1 } ?? 0
    }

    private func kept(_ group: Group) throws -> NotificationGroup.Kept {
        var resolved: [Int64: String] = [:]
        for message in group.resolved.values {
            if let id = try id(of: message) { resolved[id] = message.severity }
        }
        return NotificationGroup.Kept(
            firing: try group.firing.values.compactMap(id).sorted(), resolved: resolved, told: group.told.subtracting(group.resolved.keys),
            newsSince: group.newsSince, isUrgent: group.isUrgent, lastSent: group.lastSent, number: group.number, failures: group.failures,
            notBefore: group.notBefore)
    }

    /// The number of a transition in the event log; nil where history no longer went back so far.
    private func id(of message: AlertMessage) throws -> Int64? {
        try database.rows(
            """
            SELECT id FROM events WHERE participant = ? AND rule = ? AND kind < 2
                AND json_extract(CAST(content AS TEXT), '$.sequence') = ?
            """, [.text(message.participant), .text(message.rule), .integer(Int64(message.sequence))]
        ) { $0.integer(0) }.first
    }

    private func rewriteJournal() throws {
        let records = try database.rows("SELECT id, record FROM journal") { (id: $0.integer(0), bytes: $0.blob(1)) }
        guard !records.isEmpty else { return }
        let files = try database.rows("SELECT name, text FROM rules ORDER BY place") { RuleFile(name: $0.text(0), text: $0.text(1)) }
        let former = RuleSetReader.formerMetrics(files)
        let rules = AlertEngine(rules: try RuleSetReader.readStored(files), now: 0).rules
        for record in records {
            let renamed = try JournalRecord(decoding: record.bytes).renamed {
                former.indices.contains($0) ? rules.metric(named: former[$0]) : nil
            }
            try database.run("UPDATE journal SET record = ? WHERE id = ?", [.blob(renamed.encoded()), .integer(record.id)])
        }
    }
}

extension JournalRecord {
    /// The record with other places of metrics.
    /// - Throws: `Damage` where there is none for one.
    fileprivate func renamed(_ place: (Int) -> Int?) throws(ByteReader.Damage) -> JournalRecord {
        var renamed = self
        for (index, entry) in entries.enumerated() {
            guard case .readings(let participant, let now, var readings) = entry else { continue }
            for reading in readings.indices {
                guard let metric = place(readings[reading].metric) else { throw ByteReader.Damage() }
                readings[reading].metric = metric
            }
            renamed.entries[index] = .readings(participant: participant, now: now, readings)
        }
        return renamed
    }
}
