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

    @Test("what is left over is durable, whatever has been queued since, and given out before; what is not stored yet is not durable")
    func leftOver() async throws {
        let stores = try await ShareStores()
        let rules = CoordinatorRig.plain.replacing("warning", with: "critical")
        let first = try await Self.core(stores, rules: [RuleFile(name: "a", text: rules)])
        try await first.commits?.flush()
        let rig = try CoordinatorRig(rules)
        _ = try await first.take([rig.reading(120)], now: Self.moment(100))
        try await first.commits?.flush()
        let next = try await Self.core(stores, rules: [RuleFile(name: "a", text: rules)])
        #expect(next.commits?.count == 1, "the time is to be kept")
        let left = try await next.leftOver()
        #expect(left.isDurable && left.repeated == 2 && left.messages.count >= 2 && left.last > 0)
        let taken = try await next.take([rig.reading(121, of: "13")], now: Self.moment(101))
        #expect(!taken.isDurable && taken.repeated == 0 && taken.messages.count { $0.topic.contains("/alert-events/") } == 1)
        let repeated = try await next.repeated()
        #expect(!repeated.isDurable && repeated.repeated == 4 && repeated.messages.count == 4)
        try await next.commits?.flush()
        #expect(try await next.repeated().isDurable)
        await next.publishingFailed()
        let both = try await next.take([rig.reading(122, of: "14")], now: Self.moment(102))
        #expect(both.repeated >= 4 && both.messages.count == both.repeated + 2)
    }

    @Test("knows the rules that it was judged by and no longer is, wherever a folder lies, until they are in force again")
    func replaced() async throws {
        let stores = try await ShareStores()
        func rules(_ limit: Int, in folder: String = "/one") -> [RuleFile] {
            [RuleFile(name: "\(folder)/rules.json5", text: CoordinatorRig.plain.replacing("110", with: "\(limit)"))]
        }
        let first = try await Self.core(stores)
        #expect(await !first.hasReplaced(rules(110)))
        #expect(await first.files.digest == rules(110, in: "/other").digest)
        for limit in [120, 130] { _ = try await first.reload(rules(limit), now: Self.moment(1)) }
        _ = try await first.reload(rules(130, in: "/moved"), now: Self.moment(1))
        try await first.commits?.flush()
        let next = try await Self.core(stores)
        for (limit, expected) in [(110, true), (120, true), (130, false), (140, false)] {
            #expect(await next.hasReplaced(rules(limit, in: "/other")) == expected, "\(limit)")
        }
        _ = try await next.reload(rules(110), now: Self.moment(2))
        for (limit, expected) in [(110, false), (120, true), (130, true)] {
            #expect(await next.hasReplaced(rules(limit)) == expected, "\(limit)")
        }
    }

    @Test("of the rules in whose place others came the newest 256 are known, also from what was kept of them")
    func newestReplaced() {
        func files(_ number: Int) -> [RuleFile] { [RuleFile(name: "r", text: "\(number)")] }
        var replaced = ReplacedRules(decoding: nil)
        #expect(replaced.encoded.isEmpty)
        replaced.note([], replacedBy: files(0))
        replaced.note(files(0), replacedBy: files(0))
        #expect(replaced.encoded.isEmpty, "nothing came in another's place")
        for number in 0..<257 { replaced.note(files(number), replacedBy: files(number + 1)) }
        let kept = ReplacedRules(decoding: replaced.encoded)
        for known in [replaced, kept] {
            #expect((0...257).map { known.contains(files($0)) } == [false] + Array(repeating: true, count: 256) + [false])
        }
        replaced.note(files(257), replacedBy: files(7))
        #expect(!replaced.contains(files(7)) && replaced.contains(files(257)) && replaced.contains(files(1)))
        replaced.note(files(7), replacedBy: files(300))
        #expect(
            replaced.contains(files(7)) && !replaced.contains(files(1)) && replaced.contains(files(2)) && !replaced.contains(files(300)))
    }
}
