package import MessageBus
import SQLiteDatabase
import ServiceKit
import VigilSchema

extension ModuleState {
    private static let tables = ["reading", "setting", "result", "due", "failure"]

    /// Forgets a person: readings, settings, findings, and what waits to be published; takes back the messages that the broker retains.
    /// - Returns: the number of things that were removed, by what they are.
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

    /// The modules that have said something to a person.
    private func messages(to participant: String) async throws -> [String] {
        try await state.read { database in
            let tables = StateTables(database: database)
            guard let person = try tables.existingPerson(participant) else { return [] }
            return try tables.all("SELECT module FROM result WHERE person = ? AND message IS NOT NULL", [.integer(person)]) { $0.text(0) }
        }
    }
}

extension StateTables {
    /// Removes messages and batches of a person that wait to be published; a batch holds one person's observations only.
    fileprivate func eraseOutbox(of participant: String) throws -> Int {
        let messages = "\(Topic.prefix)messages/\(participant)/", name = "\"\(participant)\""
        try database.run(
            "DELETE FROM outbox WHERE substr(topic, 1, ?2) = ?1 OR instr(payload, ?3) > 0",
            [.text(messages), .integer(Int64(messages.utf8.count)), .blob(Array(name.utf8))])
        return database.changes
    }
}
