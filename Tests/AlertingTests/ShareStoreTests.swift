import AlertRules
import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("The state of a share that begins anew", .timeLimit(.minutes(2)))
struct ShareStoreTests {
    private static let rules = [RuleFile(name: "/one/rules.json5", text: CoordinatorRig.plain)]

    private static func core(_ stores: ShareStores, rules: [RuleFile] = rules) async throws -> AlertCore {
        try await stores.core(
            rules: rules, markerTopic: "marker", capacity: 100, now: ClockSample(wall: CoordinatorRig.start * 1_000_000, boot: 0),
            bootID: "one")
    }

    private static func moment(_ second: Int64) -> ClockSample {
        ClockSample(wall: (CoordinatorRig.start + second) * 1_000_000, boot: second * 1_000_000)
    }

    @Test("numbers what it stores after everything that was published or told, where the clock is behind that and the messages are gone")
    func numbersGoOn() async throws {
        for (table, column) in [("share", "published"), ("notifier", "covered")] {
            let stores = try await ShareStores()
            let first = try await stores.store()
            _ = try first.commit(JournalRecord(), [try AlertStoreTests.transition(1)], published: 0)
            try first.keep(notifier: "web", coveredTo: 1, [])
            try await first.commits?.flush()
            // As if the last message had been numbered by a clock that was an hour ahead.
            let ahead = ClockSample.now.wall + 3_600_000_000
            try PostgresServer.psql("UPDATE vigil_alert.\(table) SET \(column) = \(ahead)", in: stores.connection)
            let next = try await stores.store()
            let kept = try next.commit(JournalRecord(), [try AlertStoreTests.transition(2)], published: 0)
            try await next.commits?.flush()
            #expect(kept.allSatisfy { $0.id > ahead }, "\(table)")
            let again = try await stores.store()
            #expect(try again.unpublished().last?.content == AlertStoreTests.transition(2).content, "\(table)")
            #expect(try await again.transitions(after: ahead, limit: 10).count == 1, "\(table)")
        }
    }
}
