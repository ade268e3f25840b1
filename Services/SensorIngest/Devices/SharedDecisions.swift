import ServiceKit
import Shares
package import TimelineStore

/// What operators have decided, in PostgreSQL, where several processes take each other's place: each learns there what it has missed.
///
/// Of each thing the newest decision, numbered in the order of the commits; one that was taken back stays as such, for those who missed that. Threading:
/// from anywhere.
package struct SharedDecisions: SharedParameters {
    /// The things that are decided about.
    enum Kind: String, Sendable { case quarantine, binding, parameter }

    /// A thing: a device as `participant/device`, a device's name, or a parameter's.
    struct Thing: Hashable, Sendable {
        let kind: Kind
        let name: String
    }

    /// A decision. Of a quarantine `yes` or `no`, of a binding the participant or nothing, of a parameter its text.
    struct Decision: Hashable, Sendable {
        let thing: Thing
        let value: String
        var number: Int64 = 0

        fileprivate var row: [SQLValue] { [.text(thing.kind.rawValue), .text(thing.name), .text(value)] }
    }

    /// The tables' schema, whose name is also that of the role with the least rights. Version 1 had leases only.
    package static let schema = PostgresState.Schema(name: "vigil_ingest", migrations: [PostgresLeases.schema, tables])

    private static let tables = """
        CREATE TABLE decision (
            kind text NOT NULL, name text NOT NULL, value text NOT NULL, number bigint NOT NULL, PRIMARY KEY (kind, name));
        COMMENT ON TABLE decision IS 'What operators decided last about devices and parameters.';
        CREATE TABLE decided (last bigint NOT NULL);
        COMMENT ON TABLE decided IS 'Numbers the decisions.';
        INSERT INTO decided VALUES (0);
        CREATE TABLE adopted (replica text PRIMARY KEY);
        COMMENT ON TABLE adopted IS 'Whose decisions were taken over: those of a process that had kept them for itself.';

        """
    private static let counting = "UPDATE decided SET last = last + 1 RETURNING last"
    /// Those about a participant.
    private static let condition = """
        (kind = 'quarantine' AND left(name, length($1) + 1) = $1 || '/') OR (kind = 'binding' AND value = $1)
        """

    let state: PostgresState

    package init(_ state: PostgresState) { self.state = state }

    /// Keeps a decision; one that is in force already keeps its number.
    /// - Returns: its number.
    func keep(_ decision: Decision) async throws -> Int64 {
        try await state.transaction { connection throws(StoreError) in
            let values = decision.row
            let known = try connection.rows("SELECT value, number FROM decision WHERE kind = $1 AND name = $2", Array(values.prefix(2)))
            if let row = known.first, row.text(0) == decision.value { return row.integer(1) }
            // Locks: whoever reads a number has everything below it.
            let number = try connection.rows(Self.counting, []).first?.integer(0) ?? 0
            try connection.run(
                """
                INSERT INTO decision VALUES ($1, $2, $3, $4)
                ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, number = excluded.number
                """, values + [.integer(number)])
            return number
        }
    }

    package func keep(_ name: String, _ value: String) async throws -> Int64 {
        try await keep(Decision(thing: Thing(kind: .parameter, name: name), value: value))
    }

    /// The number of the newest decision there ever was.
    var last: Int64 {
        get async throws {
            try await state.read { connection throws(StoreError) in
                try connection.rows("SELECT last FROM decided", []).first?.integer(0) ?? 0
            }
        }
    }

    /// The decisions after a number, in their order.
    func all(after number: Int64) async throws -> [Decision] {
        try await state.read { connection throws(StoreError) in
            try connection.rows("SELECT kind, name, value, number FROM decision WHERE number > $1 ORDER BY number", [.integer(number)])
                .compactMap { row in
                    // What a later version decides about is nothing here.
                    Kind(rawValue: row.text(0)).map {
                        Decision(thing: Thing(kind: $0, name: row.text(1)), value: row.text(2), number: row.integer(3))
                    }
                }
        }
    }

    /// Takes over what a replica had kept for itself, when it asks for the first time, beside what is decided already.
    func adopt(_ own: [Decision], of replica: String) async throws {
        try await state.transaction { connection throws(StoreError) in
            guard try connection.run("INSERT INTO adopted VALUES ($1) ON CONFLICT DO NOTHING", [.text(replica)]) == 1 else { return }
            for decision in own {
                let number = try connection.rows(Self.counting, []).first?.integer(0) ?? 0
                try connection.run(
                    "INSERT INTO decision VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", decision.row + [.integer(number)])
            }
        }
    }

    /// Forgets a participant.
    /// - Returns: the number of decisions that were removed.
    func erase(participant: String) async throws -> Int {
        try await state.transaction { connection throws(StoreError) in
            try connection.run("DELETE FROM decision WHERE \(Self.condition)", [.text(participant)])
        }
    }

    /// The decisions about a participant, as objects.
    func about(_ participant: String) async throws -> [[String: any Sendable]] {
        try await state.read { connection throws(StoreError) in
            try connection.rows("SELECT kind, name, value FROM decision WHERE \(Self.condition)", [.text(participant)]).map { row in
                ["kind": row.text(0), "name": row.text(1), "value": row.text(2)]
            }
        }
    }
}
