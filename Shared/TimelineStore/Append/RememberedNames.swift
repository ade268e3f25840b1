import VigilSchema

/// The participants and sessions of an append, with the numbers that it remembers for them.
///
/// Another process may have removed one since it was met, by an erasure or by undoing an import; and SQLite gives the number that was the highest to
/// whoever comes next, whose record these rows must not get into. Inside its transaction an append makes sure that each number still stands for its
/// name.
struct RememberedNames {
    private struct Participant: Hashable {
        var number: Int32
        var name: String
    }

    private struct Session: Hashable {
        var number: Int32
        var participant: Int32
        var name: String
    }

    private var participants: Set<Participant> = []
    private var sessions: Set<Session> = []

    /// The participants' numbers, sorted.
    var participantNumbers: [Int32] { Set(participants.map(\.number)).sorted() }
    /// The sessions' numbers, sorted.
    var sessionNumbers: [Int32] { Set(sessions.map(\.number)).sorted() }

    mutating func insert(participant name: String, _ number: Int32) { participants.insert(Participant(number: number, name: name)) }

    mutating func insert(session name: String, of participant: Int32, _ number: Int32) {
        sessions.insert(Session(number: number, participant: participant, name: name))
    }

    /// Fails, as `.refused`, where a number stands for nobody any more, or for another.
    func check(on connection: some SQLConnection) throws(StoreError) {
        let people = try Self.rows("id, name", of: "participant", participantNumbers, on: connection).map {
            Participant(number: Int32(truncatingIfNeeded: $0.integer(0)), name: $0.text(1))
        }
        guard participants.isSubset(of: people) else {
            throw StoreError(.refused, operation: "append", detail: "a participant was erased")
        }
        guard !sessions.isEmpty else { return }
        let known = try Self.rows("id, participant, name", of: "session", sessionNumbers, on: connection).map {
            Session(
                number: Int32(truncatingIfNeeded: $0.integer(0)), participant: Int32(truncatingIfNeeded: $0.integer(1)), name: $0.text(2))
        }
        guard sessions.isSubset(of: known) else {
            throw StoreError(.refused, operation: "append", detail: "a session was removed")
        }
    }

    private static func rows(
        _ columns: String, of table: String, _ numbers: [Int32], on connection: some SQLConnection
    ) throws(StoreError) -> [SQLRow] {
        let list = SQLValue.text("[\(numbers.map(String.init).joined(separator: ","))]")
        return try connection.rows("SELECT \(columns) FROM \(table) WHERE id IN (\(type(of: connection).elements(of: "$1")))", [list])
    }
}
