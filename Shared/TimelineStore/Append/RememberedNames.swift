import VigilSchema

/// The participants and sessions of an append, with the numbers that it remembers for them.
///
/// Another process may have removed one since it was met, by an erasure or by undoing an import; and SQLite gives the number that was the highest to
/// whoever comes next, whose record these rows must not get into. Inside its transaction an append makes sure that each number still stands for its
/// name.
struct RememberedNames {
    private struct Session: Equatable {
        var participant: Int32
        var name: String
    }

    // By number: as each reading names its participant, a name is hashed once, where it is looked up.
    private var participants: [Int32: String] = [:]
    private var sessions: [Int32: Session] = [:]
    /// One number is remembered for two names: one of them is gone.
    private var isContradictory = false

    /// The participants' numbers, sorted.
    var participantNumbers: [Int32] { participants.keys.sorted() }
    /// The sessions' numbers, sorted.
    var sessionNumbers: [Int32] { sessions.keys.sorted() }

    mutating func insert(participant name: String, _ number: Int32) {
        if let known = participants.updateValue(name, forKey: number), known != name { isContradictory = true }
    }

    mutating func insert(session name: String, of participant: Int32, _ number: Int32) {
        let session = Session(participant: participant, name: name)
        if let known = sessions.updateValue(session, forKey: number), known != session { isContradictory = true }
    }

    /// Fails, as `.refused`, where a number stands for nobody any more, or for another.
    func check(on connection: some SQLConnection) throws(StoreError) {
        guard !isContradictory else { throw StoreError(.refused, operation: "append", detail: "a name was removed") }
        let people = try Self.rows("id, name", of: "participant", participantNumbers, on: connection)
        guard people.count == participants.count, people.allSatisfy({ participants[Self.number($0, 0)] == $0.text(1) }) else {
            throw StoreError(.refused, operation: "append", detail: "a participant was erased")
        }
        guard !sessions.isEmpty else { return }
        let known = try Self.rows("id, participant, name", of: "session", sessionNumbers, on: connection)
        let isKnown = known.allSatisfy { sessions[Self.number($0, 0)] == Session(participant: Self.number($0, 1), name: $0.text(2)) }
        guard known.count == sessions.count, isKnown else {
            throw StoreError(.refused, operation: "append", detail: "a session was removed")
        }
    }

    private static func number(_ row: SQLRow, _ column: Int) -> Int32 { Int32(truncatingIfNeeded: row.integer(column)) }

    private static func rows(
        _ columns: String, of table: String, _ numbers: [Int32], on connection: some SQLConnection
    ) throws(StoreError) -> [SQLRow] {
        let list = SQLValue.text("[\(numbers.map(String.init).joined(separator: ","))]")
        return try connection.rows("SELECT \(columns) FROM \(table) WHERE id IN (\(type(of: connection).elements(of: "$1")))", [list])
    }
}
