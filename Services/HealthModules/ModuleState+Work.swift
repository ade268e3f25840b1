import MessageBus
import SQLiteDatabase
import ServiceKit
import VigilSchema

extension ModuleState {
    /// The person who has waited longest for a due module, with all due modules. People who are being read from the
    /// timeline are excluded.
    package func nextDue(before now: Double) async throws -> DuePerson? {
        try await state.read { database in
            let tables = StateTables(database: database)
            let found = try tables.first(
                """
                SELECT p.id, p.name FROM due d JOIN person p ON p.id = d.person
                WHERE d.at <= ? AND p.rebuild IS NULL ORDER BY d.at LIMIT 1
                """, [.real(now)]
            ) { ($0.integer(0), $0.text(1)) }
            guard let (id, name) = found else { return nil }
            let modules = try tables.all("SELECT module, mark FROM due WHERE person = ? AND at <= ?", [.integer(id), .real(now)]) {
                DueModule(module: $0.text(0), mark: $0.integer(1))
            }
            return DuePerson(id: id, name: name, modules: modules)
        }
    }

    /// A person with modules as if they were due; nil: unknown.
    func due(_ participant: String, _ modules: [String]) async throws -> DuePerson? {
        try await state.read { database in
            let tables = StateTables(database: database)
            guard let id = try tables.existingPerson(participant) else { return nil }
            let marked = try modules.map { module in
                let mark = try tables.first("SELECT mark FROM due WHERE person = ? AND module = ?", [.integer(id), .text(module)]) {
                    $0.integer(0)
                }
                return DueModule(module: module, mark: mark ?? -1)
            }
            return DuePerson(id: id, name: participant, modules: marked)
        }
    }

    /// The modules that are on for a person.
    func enabled(_ person: DuePerson, _ registry: ModuleRegistry) async throws -> Set<String> {
        try await state.read { database in
            Set(registry.enabled(try StateTables(database: database).profile(person.id)).map(\.id))
        }
    }

    /// Stores the results, and removes those of modules that were switched off.
    func write(
        _ outcomes: [(module: String, outcome: EvaluationOutcome)], for person: DuePerson, enabled: Set<String>, _ registry: ModuleRegistry,
        now: Double
    ) async throws {
        try await state.transaction { database in
            let writer = ResultWriter(registry: registry, tables: StateTables(database: database), now: now)
            for due in person.modules where !enabled.contains(due.module) { try writer.remove(due.module, for: person) }
            try writer.write(outcomes, for: person)
        }
    }

    /// The modules that fail for anybody.
    package func failing() async throws -> Set<String> {
        try await state.read { database in
            Set(try StateTables(database: database).all("SELECT DISTINCT module FROM failure") { $0.text(0) })
        }
    }

    func nextOutgoing() async throws -> (id: Int64, message: OutgoingMessage)? {
        try await state.read { database in
            try StateTables(database: database).first("SELECT id, topic, payload, retained FROM outbox ORDER BY id LIMIT 1") { row in
                let topic = row.text(1)
                let isBatch = topic.contains("/observations/") || topic.contains("/history/")
                return (
                    row.integer(0),
                    OutgoingMessage(
                        topic: topic, payload: row.blob(2), retained: row.integer(3) == 1,
                        properties: MessageProperties(contentType: isBatch ? MediaType.batch : MediaType.json))
                )
            }
        }
    }

    /// Removes pending messages from before a time.
    func forgetOutgoing(before time: Double) async throws {
        try await state.transaction { try $0.run("DELETE FROM outbox WHERE found < ?", [.real(time)]) }
    }

    func published(_ id: Int64) async throws {
        try await state.transaction { try $0.run("DELETE FROM outbox WHERE id = ?", [.integer(id)]) }
    }
}
