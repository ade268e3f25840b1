package import Access
package import MessageBus
import SQLiteDatabase
import ServiceKit
import VigilSchema

extension ModuleState {
    private static let tables = ["reading", "setting", "result", "due", "failure"]

    /// Erases a person's readings, settings, results and pending messages, and removes retained messages from the
    /// broker.
    /// - Returns: the number of removed items, by kind.
    package func erase(_ participant: String, publisher: any MessagePublisher) async throws -> [String: Int] {
        let modules = try await messages(to: participant)
        var removed = try await state.transaction { database in
            var removed: [String: Int] = [:]
            let tables = StateTables(database: database)
            if let person = try tables.existingPerson(participant) {
                for table in Self.tables {
                    try database.run("DELETE FROM \(table) WHERE person = ?", [.integer(person)])
                    removed[table + "s"] = database.changes
                }
                try database.run("DELETE FROM person WHERE id = ?", [.integer(person)])
                removed["persons"] = 1
            }
            removed["waiting messages"] = try tables.eraseOutbox(of: participant)
            return removed
        }
        for module in modules {
            try await publisher.publish(
                OutgoingMessage(topic: Topic.message(participant: participant, module: module).path, payload: [], retained: true))
        }
        removed["messages"] = modules.count
        try await state.wipe()
        return removed
    }

    /// Everything that `erase` would remove. Times are microseconds since 1970 for readings, seconds elsewhere.
    package func personalData(of participant: String) async throws -> PersonalData {
        try await state.read { database in
            let tables = StateTables(database: database)
            var data = PersonalData()
            if let person = try tables.existingPerson(participant) {
                let own: [SQLiteValue] = [.integer(person)]
                try data.add("persons", database.objects("SELECT * FROM person WHERE id = ?", own))
                for table in Self.tables {
                    let names = table == "reading" ? "(SELECT name FROM metric WHERE id = reading.metric) AS name, " : ""
                    try data.add(table + "s", database.objects("SELECT \(names)* FROM \(table) WHERE person = ?", own))
                }
                try data.add(
                    "messages", database.objects("SELECT module, message FROM result WHERE person = ? AND message IS NOT NULL", own))
            }
            try data.add("waiting messages", tables.outbox(of: participant))
            return data
        }
    }

    /// The modules with a message to a person.
    private func messages(to participant: String) async throws -> [String] {
        try await state.read { database in
            let tables = StateTables(database: database)
            guard let person = try tables.existingPerson(participant) else { return [] }
            return try tables.all("SELECT module FROM result WHERE person = ? AND message IS NOT NULL", [.integer(person)]) { $0.text(0) }
        }
    }
}

extension StateTables {
    /// Removes pending messages and batches of a person; a batch has one person's observations only.
    fileprivate func eraseOutbox(of participant: String) throws -> Int {
        try database.run("DELETE FROM outbox \(Self.waiting)", Self.values(of: participant))
        return database.changes
    }

    fileprivate func outbox(of participant: String) throws -> [[String: Any]] {
        try database.objects("SELECT topic, payload FROM outbox \(Self.waiting)", Self.values(of: participant))
    }

    private static let waiting = "WHERE substr(topic, 1, ?2) = ?1 OR instr(payload, ?3) > 0"

    private static func values(of participant: String) -> [SQLiteValue] {
        let messages = "\(Topic.prefix)messages/\(participant)/", name = "\"\(participant)\""
        return [.text(messages), .integer(Int64(messages.utf8.count)), .blob(Array(name.utf8))]
    }
}
