import Access
import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

@Suite("Stores of alert cores, of lost answers and of people who are erased", .timeLimit(.minutes(5)))
struct AlertStoreEdgeTests {
    private static func message(_ number: UInt8) -> AlertEntry { AlertEntry(kind: .message, topic: "t", content: [number]) }

    /// A share's store with so many commits that the database has not confirmed, of which it has carried out some as if their answer had been lost.
    private static func store(_ stores: ShareStores, queued: UInt8, happened: Int) async throws -> any AlertStore {
        let store = try await stores.store()
        for number in 1...queued { _ = try store.commit(JournalRecord(), [message(number)], published: 0) }
        try PostgresServer.psql("UPDATE vigil_alert.share SET position = position + \(happened)", in: stores.connection)
        return store
    }

    @Test(
        "of several commits those that happened are not repeated, and the others follow",
        arguments: [(1, 1), (2, 1), (3, 1), (3, 2), (3, 3)] as [(UInt8, Int)])
    func lostAnswers(queued: UInt8, happened: Int) async throws {
        let stores = try await ShareStores()
        let store = try await Self.store(stores, queued: queued, happened: happened)
        try await store.commits?.flush()
        let sql = "SELECT string_agg(encode(content, 'hex'), ' ' ORDER BY id) FROM vigil_alert.event"
        let wanted = (1...Int(queued)).dropFirst(happened).map { "0\($0)" }.joined(separator: " ")
        #expect(try PostgresServer.psql(sql, in: stores.connection) == wanted)
        #expect(store.commits?.count == 0 && store.commits?.confirmed == Int64(queued))
    }

    @Test("commits that somebody else has counted end it: what is stored is not this core's")
    func countedByOthers() async throws {
        let stores = try await ShareStores()
        let store = try await Self.store(stores, queued: 2, happened: 3)
        let error = await #expect(throws: StoreError.self) { try await store.commits?.flush() }
        #expect(error?.code == .corrupt)
        #expect(try PostgresServer.psql("SELECT count(*) FROM vigil_alert.event", in: stores.connection) == "0")
    }

    @Test("what the broker has waits no more, and what is erased is not among the newest", arguments: StoreKind.allCases)
    func present(kind: StoreKind) async throws {
        let store = try await kind.stores().store()
        let kept = try store.commit(
            JournalRecord(), [AlertStoreTests.transition(1), AlertStoreTests.transition(1, of: "13"), Self.message(7)], published: 0)
        _ = try store.commit(JournalRecord(), [], published: kept[0].id)
        #expect(try store.unpublished() == Array(kept.dropFirst()))
        _ = try store.commit(JournalRecord(), [], published: kept[2].id)
        #expect(try store.unpublished().isEmpty)
        _ = try store.erase(participant: "12")
        try await store.commits?.flush()
        #expect(try await store.transitions(after: 0, limit: 9).map(\.participant) == ["13"])
        #expect(try await store.transitions([]).isEmpty)
    }

    private static func group(told: Set<String>, escalated: [String: Int64]?) throws -> [UInt8] {
        let kept = NotificationGroup.Kept(
            firing: [], resolved: [:], told: told, newsSince: nil, isUrgent: false, lastSent: nil, number: 1, failures: 0, notBefore: 0,
            escalated: escalated)
        return [UInt8](try JSONEncoder().encode(kept))
    }

    @Test(
        "a group of several people does not name the one who is erased, neither as told nor as escalated, and the others stay",
        arguments: StoreKind.allCases, [["12/high"], []] as [Set<String>])
    func names(kind: StoreKind, told: Set<String>) async throws {
        let stores = try await kind.stores()
        let first = try await stores.store()
        let state = try Self.group(told: told.union(["13/high"]), escalated: ["12/high": 0, "12/low": 7, "123/high": 9])
        let only = try Self.group(told: [], escalated: ["12/high": 5])
        let others = try Self.group(told: ["123/high"], escalated: nil)
        try first.keep(notifier: "page", coveredTo: 1, [("rule=high", state), ("rule=low", only), ("rule=none", others)])
        try await first.commits?.flush()
        let own = String(decoding: try await first.personalData(of: "12").json, as: UTF8.self)
        #expect(own.contains("12\\/low") || own.contains("12/low"), "\(own)")
        #expect(!own.contains("123") && !own.contains("rule=none"))
        // One that nobody has read yet, too.
        let second = try await stores.store()
        let erasure = try second.erase(participant: "12")
        try await second.commits?.flush()
        #expect(erasure.removed.groups == 2)
        for store in [second, try await stores.store()] {
            let groups = try store.groups(of: "page").map {
                try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data($0.state))
            }
            #expect(groups.allSatisfy { !$0.names.contains { $0.hasPrefix("12/") } })
            #expect(groups.contains { $0.told == ["13/high"] && $0.escalated == ["123/high": 9] })
            #expect(groups.contains { $0.told == ["123/high"] && $0.escalated == nil })
        }
    }
}
