import Foundation
import Glibc
import MessageBus
import ServiceKit
import SuiteHarness
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Shares

@Suite("vigil-timeline as replicas", .timeLimit(.minutes(8)))
struct TimelineReplicaTests {
    private static let shares = 4

    @Test(
        "one replica killed, another frozen past its lease, under 500 readings a second: nothing is lost, doubled or written late",
        arguments: TestBroker.Kind.installed)
    func survives(_ broker: TestBroker.Kind) async throws {
        let shares = broker == .nats ? 16 : Self.shares
        let cluster = try await Cluster(shares: shares, broker)
        let (a, b) = (try cluster.replica("a"), try cluster.replica("b"))
        for one in [a, b] { try await one.start() }
        let (all, half) = (shares, shares / 2)
        try await cluster.waitUntilOwned(["a": half, "b": half])
        let stream = ReadingStream(broker: cluster.broker)
        try await withRunning({ try await stream.run() }, stop: {}) {
            try await stream.reach(after: 1500)
            try await b.kill()
            try await cluster.waitUntilOwned(["a": all])
            try await stream.reach(after: 500)
            try await b.start()
            try await cluster.waitUntilOwned(["a": half, "b": half])
            a.signal(SIGSTOP)
            let frozen = ContinuousClock.now
            try await cluster.waitUntilOwned(["b": all])
            try await eventually("twenty seconds") { ContinuousClock.now - frozen > .seconds(20) }
            a.signal(SIGCONT)
            try await cluster.waitUntilOwned(["a": half, "b": half])
            try await stream.reach(after: 500)
            stream.stop()
        }
        let sent = stream.sent
        try await eventually("all \(sent) readings stored; \(a.lastLines)") { try cluster.stored() >= sent }
        #expect(try cluster.stored() == sent)
        #expect(try cluster.psql("SELECT count(*) FROM correction") == "0")
        // A claim ends the right of all before it: whatever is written later under an earlier one would have been refused by the database.
        let log = "sent \(sent), longest pause \(try cluster.longestPause()) s, epochs \(try cluster.psql("SELECT max(epoch) FROM lease"))"
        print("replicas on \(broker):", log)
        for one in [a, b] { try await one.stop() }
        #expect(try cluster.psql("SELECT count(*) FROM lease WHERE owner IS NOT NULL") == "0", "an orderly end gives every share back")
        #expect(try cluster.psql("SELECT count(*) FROM share_member") == "0")
    }

    @Test("a question is answered by one replica of three, each time, and what publishers without shares say is stored")
    func answersOnce() async throws {
        let cluster = try await Cluster(shares: Self.shares)
        let replicas = try ["a", "b", "c"].map { try cluster.replica($0) }
        for one in replicas { try await one.start() }
        try await eventually("even shares") { try cluster.counts().values.sorted() == [1, 1, 2] }
        let answers = cluster.broker.consumer("test-answers", "vigil/v1/responses/me/#")
        try await withRunning(answers) { answers in
            // The session of questions is not kept: the first ones may come before it.
            try await eventually("an answer") {
                try await cluster.ask(["first"])
                return try await answers.takeMessages(1).count == 1
            }
            let names = (0..<20).map { "\($0)" }
            try await cluster.ask(names)
            var heard: [String] = []
            while !Set(names).isSubset(of: heard) { heard += try await answers.takeMessages(1).compactMap(\.topic.lastLevel) }
            // Whoever else had answered would have done so before the answer to a question asked now.
            try await cluster.ask(["last"])
            while !heard.contains("last") { heard += try await answers.takeMessages(1).compactMap(\.topic.lastLevel) }
            #expect(heard.filter { $0 != "first" }.sorted() == (names + ["last"]).sorted())
        }
        let now = Timestamp.now
        let one = Observation(metric: "heart-rate", time: now, content: .value(60), unit: "/min")
        let batches = (0..<64).map { number in
            let person = "imported-\(number)"
            let group = ObservationGroup(participant: person, source: "file", received: now, observations: [one])
            return OutgoingMessage(
                topic: Topic.history(Partition(participant: person)).path,
                payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: now), groups: [group])))
        }
        try await cluster.broker.publish(batches)
        try await eventually("every import stored") {
            try cluster.psql("SELECT count(*) FROM participant WHERE name LIKE 'imported-%'") == "64"
        }
        for one in replicas { try await one.stop() }
    }

    @Test("a second process by the same name waits and then refuses, in words; another number of shares and SQLite are refused at once")
    func refusals() async throws {
        let cluster = try await Cluster(shares: Self.shares)
        let first = try cluster.replica("a")
        try await first.start()
        try await cluster.waitUntilOwned(["a": 4])
        for (settings, words) in [
            (["--store", cluster.store, "--shares", "16", "--instance", "b"], "vigil-timeline has 4 shares in this database, not 16"),
            (["--store", cluster.store, "--shares", "8", "--instance", "b"], "accepts 1, 4, 16 or 64"),
            (["--store", "sqlite:\(cluster.folder.path("x.sqlite"))", "--shares", "4"], "replicas share one database"),
            (["--store", cluster.store, "--shares", "4", "--instance", "a"], "another process lives as a"),
        ] {
            let folder = try TemporaryFolder("vigil-refused")
            let other = try SuiteService("vigil-timeline", settings: settings, brokerPort: cluster.broker.port, folder: folder)
            try other.launch()
            try await eventually(within: .seconds(120), "the end of the other") { other.hasEnded }
            #expect(other.lastLines.contains(words), "\(other.lastLines)")
        }
        try await cluster.waitUntilOwned(["a": 4])
        try await first.stop()
    }
}

extension String {
    /// Of a topic.
    fileprivate var lastLevel: String? { split(separator: "/").last.map(String.init) }
}
