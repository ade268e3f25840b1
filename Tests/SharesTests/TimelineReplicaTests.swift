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

    @Test("one replica killed, another frozen past its lease, under 500 readings a second: nothing is lost, doubled or written late")
    func survives() async throws {
        let cluster = try await Cluster(shares: Self.shares)
        let (a, b) = (try cluster.replica("a"), try cluster.replica("b"))
        for one in [a, b] { try await one.start() }
        try await cluster.waitUntilOwned(["a": 2, "b": 2])
        let stream = ReadingStream(broker: cluster.broker)
        try await withRunning({ try await stream.run() }, stop: {}) {
            try await stream.reach(after: 1500)
            try await b.kill()
            try await cluster.waitUntilOwned(["a": 4])
            try await stream.reach(after: 500)
            try await b.start()
            try await cluster.waitUntilOwned(["a": 2, "b": 2])
            a.signal(SIGSTOP)
            let frozen = ContinuousClock.now
            try await cluster.waitUntilOwned(["b": 4])
            try await eventually("twenty seconds") { ContinuousClock.now - frozen > .seconds(20) }
            a.signal(SIGCONT)
            try await cluster.waitUntilOwned(["a": 2, "b": 2])
            try await stream.reach(after: 500)
            stream.stop()
        }
        let sent = stream.sent
        try await eventually("all \(sent) readings stored; \(a.lastLines)") { try cluster.stored() >= sent }
        #expect(try cluster.stored() == sent)
        #expect(try cluster.psql("SELECT count(*) FROM correction") == "0")
        // A claim ends the right of all before it: whatever is written later under an earlier one would have been refused by the database.
        let log = "sent \(sent), longest pause \(try cluster.longestPause()) s, epochs \(try cluster.psql("SELECT max(epoch) FROM lease"))"
        print("replicas:", log)
        for one in [a, b] { try await one.stop() }
        #expect(try cluster.psql("SELECT count(*) FROM lease WHERE owner IS NOT NULL") == "0", "an orderly end gives every share back")
        #expect(try cluster.psql("SELECT count(*) FROM share_member") == "0")
    }

    @Test("a question is answered once, whoever asks and however many replicas there are; an alert's transition and an import are stored")
    func answersOnce() async throws {
        let cluster = try await Cluster(shares: Self.shares)
        let replicas = try ["a", "b", "c"].map { try cluster.replica($0) }
        for one in replicas { try await one.start() }
        try await eventually("even shares") { try cluster.counts().values.sorted() == [1, 1, 2] }
        let answers = cluster.broker.consumer("test-answers", "vigil/v1/responses/me/#")
        try await withRunning(answers) { answers in
            try await eventually("an answer") {
                try await cluster.broker.publish([
                    OutgoingMessage(
                        topic: "vigil/v1/requests/me/timeline", payload: Array(#"{"query":"participants"}"#.utf8),
                        properties: MessageProperties(responseTopic: "vigil/v1/responses/me/1"))
                ])
                return try await answers.takeMessages(1).count == 1
            }
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
            (["--store", cluster.store, "--shares", "8", "--instance", "b"], "vigil-timeline has 4 shares in this database, not 8"),
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

/// A broker, a database and replicas of vigil-timeline.
struct Cluster {
    let broker: MosquittoServer
    let folder: TemporaryFolder
    let store: String
    /// By replica.
    private let folders: [String: TemporaryFolder]
    private let server: PostgresServer
    private let database: String
    private let shares: Int

    init(shares: Int) async throws {
        self.shares = shares
        broker = try await MosquittoServer.start()
        folder = try TemporaryFolder("vigil-replicas")
        folders = try ["a", "b", "c"].reduce(into: [:]) { $0[$1] = try TemporaryFolder("vigil-replica-\($1)") }
        // Each row's commit has a time: by it pauses are measured.
        server = try PostgresServer(settings: ["track_commit_timestamp = on"])
        database = try server.makeDatabase()
        store = StoreUnderTest.postgres(server, connection: database).setting()
    }

    func replica(_ name: String) throws -> SuiteService {
        try SuiteService(
            "vigil-timeline", settings: ["--store", store, "--shares", "\(shares)", "--instance", name], brokerPort: broker.port,
            folder: folders[name] ?? folder)
    }

    func psql(_ sql: String) throws -> String { try server.psql(sql, in: database) }

    /// The shares that each replica owns by leases that have not ended.
    func counts() throws -> [String: Int] {
        let rows = try psql("SELECT owner, count(*) FROM lease WHERE owner IS NOT NULL AND expires > now() GROUP BY owner").split(
            separator: "\n")
        return rows.reduce(into: [:]) { counts, row in
            let columns = row.split(separator: "|")
            if columns.count == 2 { counts[String(columns[0])] = Int(columns[1]) }
        }
    }

    func waitUntilOwned(_ wanted: [String: Int]) async throws {
        try await eventually(within: .seconds(90), "shares as \(wanted); they are \((try? counts()) ?? [:])") {
            // Each look starts a program.
            try await Task.sleep(for: .milliseconds(100))
            return try counts() == wanted
        }
    }

    func stored() throws -> Int {
        Int(try psql("SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant WHERE p.name LIKE 'stream-%'")) ?? 0
    }

    /// Seconds from a reading's time to its commit, at the most.
    func longestPause() throws -> String {
        try psql(
            """
            SELECT round(max(extract(epoch FROM pg_xact_commit_timestamp(r.xmin) - r.time)), 1) FROM reading r \
            JOIN participant p ON p.id = r.participant WHERE p.name LIKE 'stream-%'
            """)
    }
}

/// Five hundred readings a second of sixty-four people, in ten messages of fifty.
final class ReadingStream: Sendable {
    private let broker: MosquittoServer
    private let count = Atomic<Int>(0)
    private let ends = Atomic<Bool>(false)

    init(broker: MosquittoServer) { self.broker = broker }

    /// Readings that the broker has acknowledged.
    var sent: Int { count.load(ordering: .acquiring) }

    func stop() { ends.store(true, ordering: .releasing) }

    /// Waits until so many more were sent.
    func reach(after more: Int) async throws {
        let goal = sent + more
        try await eventually("\(goal) readings sent") { sent >= goal }
    }

    func run() async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "test-stream")))
        try await withRunning(publisher) { [self] publisher in
            var next = ContinuousClock.now
            var number = 0
            while !ends.load(ordering: .acquiring) {
                for message in (0..<10).map({ _ in message(&number) }) { try await publisher.publish(message) }
                count.store(number, ordering: .releasing)
                next += .seconds(1)
                try await ContinuousClock().sleep(until: next)
            }
        }
    }

    private func message(_ number: inout Int) -> OutgoingMessage {
        let now = Timestamp.now
        let person = "stream-\(number / 50 % 64)"
        let observations = (0..<50).map { place in
            Observation(metric: "heart-rate", time: now.advanced(bySeconds: -Double(place) / 1000), content: .value(60), unit: "/min")
        }
        number += 50
        let group = ObservationGroup(participant: person, source: "watch", received: now, observations: observations)
        return OutgoingMessage(
            topic: Topic.readings(Partition(participant: person)).path,
            payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: now), groups: [group])))
    }
}
