import Access
import AlertRules
import Foundation
import SQLiteDatabase
import Shares
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

@Suite("Stores of alert cores", .timeLimit(.minutes(5)))
struct AlertStoreTests {
    private static let rules = [RuleFile(name: "a.json5", text: "{rules: []}"), RuleFile(name: "b.json5", text: "{}")]

    static func transition(
        _ sequence: UInt32, of participant: String = "12", isOver: Bool = false, decided: Double = 2
    ) throws -> AlertEntry {
        let message = AlertMessage(
            participant: participant, rule: "high", sequence: sequence, transition: isOver ? "cleared" : "raised", cause: "reading",
            time: 1,
            decided: decided, state: isOver ? "none" : "active", severity: "critical", priority: "high", kind: "medical", group: "heart",
            since: 1
        )
        return AlertEntry(kind: isOver ? .end : .transition, participant: participant, rule: "high", content: try message.encoded())
    }

    private static func scores(of participants: [String]) -> AlertEntry {
        let one = Observation(metric: "news2-score", time: Timestamp(microseconds: 1), content: .value(3), unit: "1")
        let groups = participants.map {
            ObservationGroup(participant: $0, source: "vigil-alert", received: Timestamp(microseconds: 1), observations: [one])
        }
        return AlertEntry(kind: .message, topic: "t", content: BatchEncoder.encode(ObservationBatch(id: "1", groups: groups)))
    }

    private static func record(_ batch: String) -> JournalRecord {
        var record = JournalRecord()
        record.batches = [batch]
        return record
    }

    private static func people(_ names: [Int: String]) -> AlertCheckpoint {
        AlertCheckpoint(
            changed: names.keys.sorted(), participant: { StoredParticipant(index: $0, name: names[$0] ?? "", state: [UInt8($0)]) },
            clock: [1], batches: [2, 3], rules: rules)
    }

    @Test("gives back what was stored: journal, checkpoint, rules, clock and the places that changed", arguments: StoreKind.allCases)
    func restores(kind: StoreKind) async throws {
        let stores = try await kind.stores()
        let first = try await stores.store()
        _ = try first.commit(Self.record("before"), [], published: 0)
        _ = try first.commit(JournalRecord(), [], published: 0, checkpoint: Self.people([0: "a", 1: "b", 7: "c"]))
        try first.keep(time: [9])
        _ = try first.commit(Self.record("x"), [], published: 0)
        // Two change places, and one goes.
        _ = try first.commit(JournalRecord(), [], published: 0, checkpoint: Self.people([0: "b", 1: "a", 7: ""]))
        _ = try first.commit(Self.record("y"), [], published: 0)
        _ = try first.commit(Self.record("z"), [], published: 0)
        try await first.commits?.flush()
        let second = try await stores.store()
        #expect(try second.rules() == Self.rules)
        #expect(try second.meta("clock") == [1] && second.meta("batches") == [2, 3] && second.meta("time") == [9])
        #expect(try second.meta("nothing") == nil)
        var people: [String] = [], batches: [String] = []
        try second.eachParticipant { people.append("\($0.index) \($0.name) \($0.state)") }
        try second.eachRecord { batches += try JournalRecord(decoding: $0).batches }
        #expect(people == ["0 b [0]", "1 a [1]"])
        #expect(batches == ["y", "z"])
    }

    @Test("keeps the event log: what is unpublished, what is there, what follows a cursor, and history", arguments: StoreKind.allCases)
    func log(kind: StoreKind) async throws {
        let stores = try await kind.stores()
        let first = try await stores.store()
        let kept = try first.commit(
            JournalRecord(),
            [
                Self.transition(1), Self.scores(of: ["12"]), Self.transition(1, of: "13"), Self.transition(2, isOver: true),
                Self.transition(3),
            ], published: 0)
        #expect(kept.map(\.id) == kept.map(\.id).sorted() && Set(kept.map(\.id)).count == 5 && kept[0].id > 0)
        try await first.commits?.flush()
        let second = try await stores.store()
        for store in [first, second] {
            #expect(try store.lastEntry() == kept[4].id)
            #expect(try store.unpublished() == kept)
            #expect(try store.present().map(\.id) == [kept[2].id, kept[4].id])
            #expect(try await store.transitions(after: kept[0].id, limit: 2).map(\.id) == [kept[2].id, kept[3].id])
            #expect(try await store.transitions(after: 0, limit: 10).map(\.id) == [0, 2, 3, 4].map { kept[$0].id })
            #expect(try await store.transitions([kept[4].id, kept[1].id, 5_000]) == [kept[4].id: kept[4]])
            #expect(try await store.history.newest(participant: "12", rule: "high", limit: 2) == [kept[4].content, kept[3].content])
            #expect(try await store.history.newest(participant: nil, rule: nil, limit: 9).count == 4)
            #expect(try await store.history.newest(participant: "12", rule: "low", limit: 9).isEmpty)
        }
        _ = try second.commit(JournalRecord(), [], published: kept[3].id)
        try await second.commits?.flush()
        let last = try await stores.store()
        #expect(try last.unpublished() == [kept[4]])
        #expect(try await last.history.newest(participant: "12", rule: nil, limit: 9).count == 3, "what was published stays in history")
        #expect(try await last.history.newest(participant: "13", rule: nil, limit: 9).count == 1)
    }

    @Test("keeps each notifier's cursor and groups", arguments: StoreKind.allCases)
    func notifiers(kind: StoreKind) async throws {
        let stores = try await kind.stores()
        let first = try await stores.store()
        #expect(try first.cursor(of: "mail") == nil)
        try first.keep(notifier: "mail", coveredTo: 5, [("a", [1]), ("b", [2])])
        try first.keep(notifier: "mail", coveredTo: 7, [("a", nil), ("b", [3])])
        try first.keep(notifier: "pager", coveredTo: 1, [])
        try await first.commits?.flush()
        let second = try await stores.store()
        #expect(try second.cursor(of: "mail") == 7 && second.cursor(of: "pager") == 1)
        let groups = try second.groups(of: "mail")
        #expect(groups.map(\.name) == ["b"] && groups.map(\.state) == [[3]])
        #expect(try second.groups(of: "pager").isEmpty)
    }

    @Test("forgets one participant everywhere, and nobody else", arguments: StoreKind.allCases)
    func erasure(kind: StoreKind) async throws {
        let stores = try await kind.stores()
        let store = try await stores.store()
        _ = try store.commit(
            JournalRecord(),
            [Self.transition(1), Self.transition(1, of: "13"), Self.scores(of: ["12", "13"]), Self.scores(of: ["12"])], published: 0)
        let group = NotificationGroup.Kept(
            firing: [], resolved: [:], told: ["12/high", "13/high"], newsSince: nil, isUrgent: false, lastSent: nil, number: 0, failures: 0,
            notBefore: 0)
        let state = [UInt8](try JSONEncoder().encode(group))
        try store.keep(notifier: "mail", coveredTo: 1, [("participant=12", state), ("group=heart", state)])
        try await store.commits?.flush()
        #expect(String(decoding: try await store.personalData(of: "12").json, as: UTF8.self).contains("heart"))
        let erasure = try store.erase(participant: "12")
        try await store.commits?.flush()
        #expect(erasure.removed == Erasure.Removed(rules: ["high"], events: 3, groups: 2))
        for store in [store, try await stores.store()] {
            #expect(try store.unpublished().count == 2)
            #expect(try store.unpublished().allSatisfy { !String(decoding: $0.content, as: UTF8.self).contains("\"12\"") })
            #expect(try store.present().map(\.participant) == ["13"])
            #expect(try await store.history.newest(participant: nil, rule: nil, limit: 9).count == 1)
        }
        let groups = try await stores.store().groups(of: "mail")
        #expect(groups.map(\.name) == ["group=heart"])
        #expect(groups.allSatisfy { !String(decoding: $0.state, as: UTF8.self).contains("12/high") })
    }
}

@Suite("A process's state file")
struct AlertFileTests {
    private static func pragma(_ store: SQLiteAlertStore, _ name: String) throws -> Int64? {
        try store.database.rows("PRAGMA \(name)") { $0.integer(0) }.first
    }

    @Test(
        "a commit with events, a written state, a clock or a notifier's state is synced to the disk, and one that only notes readings is not"
    )
    func durability() throws {
        let folder = try TemporaryFolder("alert-file")
        let store = try SQLiteAlertStore(path: folder.path("state.sqlite"))
        var record = JournalRecord()
        record.batches = ["a"]
        let (full, normal): (Int64, Int64) = (2, 1)
        let state = AlertCheckpoint(
            changed: [], participant: { StoredParticipant(index: $0, name: "", state: []) }, clock: [], batches: [], rules: [])
        func readings() throws { _ = try store.commit(record, [], published: 0) }
        let synced: [() throws -> Void] = [
            { _ = try store.commit(record, [try AlertStoreTests.transition(1)], published: 0) },
            { _ = try store.commit(JournalRecord(), [], published: 0, checkpoint: state) }, { try store.keep(time: [1]) },
            { try store.keep(notifier: "mail", coveredTo: 1, []) },
        ]
        #expect(try Self.pragma(store, "synchronous") == full)
        for one in synced {
            try readings()
            #expect(try Self.pragma(store, "synchronous") == normal)
            try one()
            #expect(try Self.pragma(store, "synchronous") == full)
        }
    }

    @Test("holds nothing of a participant once they are erased, nor does its log")
    func erased() throws {
        let folder = try TemporaryFolder("alert-file")
        let path = folder.path("state.sqlite")
        let store = try SQLiteAlertStore(path: path)
        _ = try store.commit(JournalRecord(), [try AlertStoreTests.transition(1, of: "erika-mustermann")], published: 0)
        func names() throws -> [Bool] {
            try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)).range(of: Data("erika-mustermann".utf8)) != nil }
        }
        #expect(try names().contains(true))
        _ = try store.erase(participant: "erika-mustermann")
        #expect(try names() == [false, false])
    }

    @Test("of a newer version is left alone, of this one is opened again")
    func version() throws {
        let folder = try TemporaryFolder("alert-file")
        let path = folder.path("state.sqlite")
        let store = try SQLiteAlertStore(path: path)
        #expect(try Self.pragma(store, "user_version") == 2)
        _ = try SQLiteAlertStore(path: path)
        try store.database.execute("PRAGMA user_version = 3")
        #expect(throws: (any Error).self) { try SQLiteAlertStore(path: path) }
    }

    @Test("an empty record is none, and what was published is not less than it was")
    func small() throws {
        let folder = try TemporaryFolder("alert-file")
        let path = folder.path("state.sqlite")
        let store = try SQLiteAlertStore(path: path)
        let kept = try store.commit(JournalRecord(), [AlertStoreTests.transition(1), AlertStoreTests.transition(2)], published: 0)
        var records = 0
        try store.eachRecord { _ in records += 1 }
        #expect(records == 0)
        _ = try store.commit(JournalRecord(), [], published: kept[1].id)
        _ = try store.commit(JournalRecord(), [], published: kept[0].id)
        #expect(try store.unpublished().isEmpty && SQLiteAlertStore(path: path).unpublished().isEmpty)
    }

    @Test("history goes back 200,000 transitions, and never loses the newest of an alert that is there")
    func history() throws {
        let folder = try TemporaryFolder("alert-file")
        let store = try SQLiteAlertStore(path: folder.path("state.sqlite"))
        func last(_ id: Int64) throws {
            try store.database.execute("DELETE FROM events WHERE id >= 100; INSERT INTO events VALUES (\(id), 2, '', '', 't', x'00')")
        }
        let entries = try [
            AlertStoreTests.transition(1), AlertStoreTests.transition(2), AlertStoreTests.transition(1, of: "13"),
            AlertStoreTests.transition(2, of: "13", isOver: true), AlertStoreTests.transition(1, of: "14"),
        ]
        let kept = try store.commit(JournalRecord(), entries, published: 0)
        #expect(kept.map(\.id) == [1, 2, 3, 4, 5])
        let state = AlertCheckpoint(
            changed: [], participant: { StoredParticipant(index: $0, name: "", state: []) }, clock: [], batches: [], rules: [])
        func left() throws -> [Int64] { try store.database.rows("SELECT id FROM events WHERE id < 100 ORDER BY id") { $0.integer(0) } }
        // What the broker may not have stays.
        try last(300_000)
        _ = try store.commit(JournalRecord(), [], published: 0, checkpoint: state)
        #expect(try left() == [1, 2, 3, 4, 5])
        _ = try store.commit(JournalRecord(), [], published: 5)
        try last(200_003)
        _ = try store.commit(JournalRecord(), [], published: 5, checkpoint: state)
        #expect(try left() == [2, 4, 5], "up to the third")
        try last(200_004)
        _ = try store.commit(JournalRecord(), [], published: 5, checkpoint: state)
        #expect(try left() == [2, 5], "the ended one too")
    }
}

@Suite("A share's state in PostgreSQL", .timeLimit(.minutes(5)))
struct ShareStateTests {
    @Test("tells everybody's history in the order of its times, whichever share numbered most")
    func historyOfAll() async throws {
        let many = try await ShareStores(shares: 4, number: 0)
        let few = try ShareStores(on: many.connection, share: Share(3, of: 4), of: many)
        let (first, second) = (try await many.store(), try await few.store())
        let early = try (1...5).map { try AlertStoreTests.transition(UInt32($0), decided: Double($0)) }
        let late = try AlertStoreTests.transition(1, of: "13", decided: 4.5)
        _ = try first.commit(JournalRecord(), early, published: 0)
        _ = try second.commit(JournalRecord(), [late], published: 0)
        try await first.commits?.flush()
        try await second.commits?.flush()
        for store in [first, second] {
            #expect(try await store.history.newest(participant: nil, rule: "high", limit: 3) == [early[4], late, early[3]].map(\.content))
        }
        #expect(try await first.history.newest(participant: nil, rule: "low", limit: 3).isEmpty)
    }

    @Test("gives the transitions after any number, of which it keeps the newest at hand, and none that is not durable")
    func transitions() async throws {
        let stores = try await ShareStores()
        let store = try await stores.store()
        let kept = try store.commit(
            JournalRecord(), (1...4001).map { try AlertStoreTests.transition(UInt32($0)) }, published: 0)
        #expect(try await store.transitions(after: 0, limit: 10).isEmpty)
        try await store.commits?.flush()
        for index in [0, 1998, 1999, 2000, 2001, 2002, 3998] {
            let next = try await store.transitions(after: kept[index].id, limit: 2)
            #expect(next.map(\.id) == kept[(index + 1)...].prefix(2).map(\.id), "\(index)")
        }
        #expect(try await store.transitions(after: kept[4000].id, limit: 2).isEmpty)
        #expect(try await store.transitions(after: 0, limit: 5000).count == 4001)
    }

    @Test("history of all shares goes back 200,000 transitions, of each its part")
    func history() async throws {
        let stores = try await ShareStores(shares: 4, number: 1)
        _ = try await stores.store()
        let sql = """
            INSERT INTO vigil_alert.event SELECT 1, id, 1, 'p', 'r', '', '' FROM generate_series(1, 50002) AS id;
            UPDATE vigil_alert.share SET published = 50002
            """
        try PostgresServer.psql(sql, in: stores.connection)
        let store = try await stores.store()
        let state = AlertCheckpoint(
            changed: [], participant: { StoredParticipant(index: $0, name: "", state: []) }, clock: [], batches: [], rules: [])
        _ = try store.commit(JournalRecord(), [], published: 0, checkpoint: state)
        try await store.commits?.flush()
        #expect(try PostgresServer.psql("SELECT count(*), min(id) FROM vigil_alert.event", in: stores.connection) == "50000|3")
    }

    @Test("refuses everything from an owner whose share was claimed by somebody else, and stores nothing of it")
    func fence() async throws {
        let stores = try await ShareStores()
        let former = try await stores.store()
        let present = try await stores.store()
        _ = try former.commit(JournalRecord(), [AlertEntry(kind: .message, topic: "t", content: [1])], published: 0)
        let error = await #expect(throws: StoreError.self) { try await former.commits?.flush() }
        #expect(error?.code == .leaseLost)
        #expect(throws: StoreError.self, "it never works again") { try former.keep(time: [1]) }
        _ = try present.commit(JournalRecord(), [AlertEntry(kind: .message, topic: "t", content: [2])], published: 0)
        try await present.commits?.flush()
        #expect(try PostgresServer.psql("SELECT count(*) FROM vigil_alert.event WHERE content = '\\x02'", in: stores.connection) == "1")
        #expect(try PostgresServer.psql("SELECT count(*) FROM vigil_alert.event", in: stores.connection) == "1")
    }

    @Test("the role of the service's name may work on the state, and may neither read nor change anything else")
    func leastRights() async throws {
        let stores = try await ShareStores()
        _ = try await stores.store()
        let sql = """
            CREATE TABLE IF NOT EXISTS public.secret (a integer);
            DO $$ BEGIN CREATE ROLE alert_login LOGIN IN ROLE vigil_alert; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            """
        try PostgresServer.psql(sql, in: stores.connection)
        let login = stores.connection.replacingOccurrences(of: "user=vigil", with: "user=alert_login")
        let own = try ShareStores(on: login, of: stores)
        let store = try await own.store()
        _ = try store.commit(JournalRecord(), [AlertEntry(kind: .message, topic: "t", content: [1])], published: 0)
        try await store.commits?.flush()
        #expect(throws: PostgresServer.Failure.self) { try PostgresServer.psql("SELECT * FROM public.secret", in: login) }
        #expect(throws: PostgresServer.Failure.self) { try PostgresServer.psql("DELETE FROM vigil_alert.schema_version", in: login) }
        #expect(throws: PostgresServer.Failure.self) { try PostgresServer.psql("DROP TABLE vigil_alert.event", in: login) }
    }

    @Test("a commit whose answer was lost is not repeated")
    func lostAnswer() async throws {
        let stores = try await ShareStores()
        let store = try await stores.store()
        var record = JournalRecord()
        record.batches = ["1"]
        _ = try store.commit(record, [AlertEntry(kind: .message, topic: "t", content: [1])], published: 0)
        // As if it had been carried out, and nobody had heard of it.
        let sql = "INSERT INTO vigil_alert.journal VALUES (0, 1, ''); UPDATE vigil_alert.share SET position = position + 1"
        try PostgresServer.psql(sql, in: stores.connection)
        try await store.commits?.flush()
        #expect(try PostgresServer.psql("SELECT count(*) FROM vigil_alert.event", in: stores.connection) == "0")
        _ = try store.commit(JournalRecord(), [AlertEntry(kind: .message, topic: "t", content: [2])], published: 0)
        try await store.commits?.flush()
        #expect(try PostgresServer.psql("SELECT count(*) FROM vigil_alert.event", in: stores.connection) == "1")
    }
}
