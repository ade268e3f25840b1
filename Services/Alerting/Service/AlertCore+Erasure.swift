import AlertRules
import Foundation
import MessageBus
import SQLiteDatabase
import VigilSchema

extension AlertCore {
    /// Forgets a participant: alerts, thresholds, profile and history, in memory and in the file; notifiers forget as soon as they are woken.
    /// - Returns: what takes the retained alerts back, and the number of things that were removed.
    func erase(_ participant: String, now: ClockSample) throws -> (output: Output, removed: [String: Int]) {
        try whole(now) {
            pass(to: now, isHearing: false)
            // What was decided of others goes its way.
            var output = try commit(now: now)
            let place = memory.engine.erase(participant)
            if let place {
                memory.dirty.insert(place)
                memory.zones[place] = nil
                shown.forget(place)
            }
            transaction = AlertTransaction()
            // The state without the participant in place of the journal.
            output.messages += try commit([], now: now, isCheckpoint: true).messages
            let erased = try store.erase(participant: participant)
            output.messages += erased.rules.map {
                Self.message(Topic.alert(participant: participant, rule: $0).path, [], isRetained: true)
            }
            feed.forget(participant)
            return (output, ["alerts": place == nil ? 0 : 1, "transitions": erased.events, "notifications": erased.groups])
        }
    }
}

extension ShownAlerts {
    /// Forgets a participant's alerts.
    mutating func forget(_ participant: Int) {
        alerts[participant] = nil
        touched.remove(participant)
    }
}

extension AlertStore {
    /// The rows that an erasure removed from the file.
    struct Erased: Sendable, Hashable {
        /// The rules of which there were transitions, and whose alerts may be retained.
        var rules: [String] = []
        var events = 0
        var groups = 0
    }

    /// Removes a participant's transitions, scores that wait to be published, and what notifiers keep, and overwrites them in the file and its log.
    func erase(participant: String) throws -> Erased {
        let erased = try database.transaction {
            var erased = Erased()
            erased.rules = try database.rows("SELECT DISTINCT rule FROM events WHERE participant = ? AND kind < 2", [.text(participant)]) {
                $0.text(0)
            }
            try database.run("DELETE FROM events WHERE participant = ?", [.text(participant)])
            erased.events = database.changes
            erased.events += try eraseScores(of: participant)
            erased.groups = try eraseGroups(of: participant)
            return erased
        }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return erased
    }

    /// A notifier's group as it is stored.
    struct NotifierGroup {
        let notifier: String
        let name: String
        let state: [UInt8]

        /// Tells whether it is of one participant alone, and of this one.
        func isOf(_ participant: String) -> Bool { name.split(separator: ",").contains("participant=\(participant)") }
    }

    func notifierGroups() throws -> [NotifierGroup] {
        try database.rows("SELECT notifier, name, state FROM notifier_groups") {
            NotifierGroup(notifier: $0.text(0), name: $0.text(1), state: $0.blob(2))
        }
    }

    /// The scores that wait to be published, by their numbers in the log.
    func batches() throws -> [(id: Int64, batch: ObservationBatch)] {
        try database.rows("SELECT id, content FROM events WHERE kind >= 2", [], { ($0.integer(0), $0.blob(1)) }).compactMap { id, content in
            (try? BatchDecoder().decode(content.span)).map { (id, $0) }
        }
    }

    private func eraseScores(of participant: String) throws -> Int {
        var count = 0
        for (id, found) in try batches() where found.groups.contains(where: { $0.participant == participant }) {
            var batch = found
            batch.groups.removeAll { $0.participant == participant }
            count += 1
            if batch.groups.isEmpty {
                try database.run("DELETE FROM events WHERE id = ?", [.integer(id)])
            } else {
                try database.run("UPDATE events SET content = ? WHERE id = ?", [.blob(BatchEncoder.encode(batch)), .integer(id)])
            }
        }
        return count
    }

    private func eraseGroups(of participant: String) throws -> Int {
        var count = 0
        for group in try notifierGroups() {
            let key: [SQLiteValue] = [.text(group.notifier), .text(group.name)]
            if group.isOf(participant) {
                try database.run("DELETE FROM notifier_groups WHERE notifier = ? AND name = ?", key)
            } else {
                guard var kept = try? JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(group.state)),
                    kept.told.contains(where: { $0.hasPrefix("\(participant)/") })
                else { continue }
                kept.told = kept.told.filter { !$0.hasPrefix("\(participant)/") }
                let state = [UInt8](try JSONEncoder().encode(kept))
                try database.run("UPDATE notifier_groups SET state = ? WHERE notifier = ? AND name = ?", [.blob(state)] + key)
            }
            count += 1
        }
        return count
    }
}
