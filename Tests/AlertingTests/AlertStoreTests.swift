import Access
import AlertRules
import Foundation
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
            changed: names.keys.sorted(), participant: { StoredParticipant(place: $0, name: names[$0] ?? "", state: [UInt8($0)]) },
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
        try second.eachParticipant { people.append("\($0.place) \($0.name) \($0.state)") }
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
            #expect(try await store.history(participant: "12", rule: "high", limit: 2) == [kept[4].content, kept[3].content])
            #expect(try await store.history(participant: nil, rule: nil, limit: 9).count == 4)
            #expect(try await store.history(participant: "12", rule: "low", limit: 9).isEmpty)
        }
        _ = try second.commit(JournalRecord(), [], published: kept[3].id)
        try await second.commits?.flush()
        let last = try await stores.store()
        #expect(try last.unpublished() == [kept[4]])
        #expect(try await last.history(participant: "12", rule: nil, limit: 9).count == 3, "what was published stays in history")
        #expect(try await last.history(participant: "13", rule: nil, limit: 9).count == 1)
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
            #expect(try await store.history(participant: nil, rule: nil, limit: 9).count == 1)
        }
        let groups = try await stores.store().groups(of: "mail")
        #expect(groups.map(\.name) == ["group=heart"])
        #expect(groups.allSatisfy { !String(decoding: $0.state, as: UTF8.self).contains("12/high") })
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
            #expect(try await store.history(participant: nil, rule: "high", limit: 3) == [early[4], late, early[3]].map(\.content))
        }
        #expect(try await first.history(participant: nil, rule: "low", limit: 3).isEmpty)
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
