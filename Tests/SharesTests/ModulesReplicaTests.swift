import Foundation
import Glibc
import MessageBus
import SuiteHarness
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("vigil-modules with another that stands by", .timeLimit(.minutes(8)))
struct ModulesReplicaTests {
    private let broker: MosquittoServer
    private let server: PostgresServer
    private let database: String
    private let folder: TemporaryFolder

    init() async throws {
        broker = try await MosquittoServer.start()
        server = try PostgresServer()
        database = try server.makeDatabase()
        folder = try TemporaryFolder("vigil-modules-replicas")
    }

    @Test("one tells persons what modules find; killed or frozen, another goes on with what was set, and says nothing a second time")
    func takesOver() async throws {
        let (a, b, c) = (try replica("a"), try replica("b"), try replica("c"))
        let told = Told()
        let events = EventLog()
        let watcher = broker.consumer("test-watcher", "vigil/v1/messages/#", onEvent: events.note)
        try await withRunning(watcher) { watcher in
            try await withRunning({ try await told.collect(watcher) }, stop: { watcher.drain() }) {
                try await events.waitUntilReady()
                try await a.start()
                try await waitForOwner("a")
                try await b.start()
                try await weigh("anna")
                try await eventually("anna told; \(a.lastLines)") { told.persons == ["anna"] }
                #expect(try await modules("set", "anna", "weight.target", "70").isFine)
                // The one that stands by has learnt all of it from the bus.
                try await eventually("the same found") { (b.metric("vigil_modules_evaluations_total") ?? 0) > 0 }
                try await a.kill()
                try await waitForOwner("b")
                #expect(try await modules("get", "anna", "weight.target").text == "70")
                try await weigh("bert")
                try await eventually("bert told; \(b.lastLines)") { told.persons.suffix(1) == ["bert"] }
                // Nobody has told it anything: what was set is in the database.
                try await c.start()
                b.signal(SIGSTOP)
                try await waitForOwner("c")
                #expect(try await modules("get", "anna", "weight.target").text == "70")
                try await weigh("carl")
                try await eventually("carl told; \(c.lastLines)") { told.persons.suffix(1) == ["carl"] }
                b.signal(SIGCONT)
                try await eventually("b stands by") { b.metric("vigil_modules_at_work") == 0 }
                // Anna's may come once more from the one that had just found the same, and bert's.
                #expect(Set(told.persons) == ["anna", "bert", "carl"] && told.persons.count <= 5, "\(told.persons)")
            }
        }
        for one in [b, c] { try await one.stop() }
    }

    @Test("what was set while one was alone goes on where its folder is given to a replica of another name")
    func adoptsFile() async throws {
        let alone = try SuiteService("vigil-modules", brokerPort: broker.port, folder: folder, stateFolder: folder.path("state-b"))
        try await alone.start()
        #expect(try await modules("set", "anna", "weight.target", "70").isFine)
        try await alone.stop()
        // The one that has the lease first knows nothing of it, and learns it from the other.
        let (a, b) = (try replica("a"), try replica("b"))
        try await a.start()
        try await waitForOwner("a")
        try await b.start()
        try await eventually("it is in the database") {
            try server.psql("SELECT person, name, value FROM vigil_modules.setting", in: database) == "anna|weight.target|70"
        }
        try await a.stop()
        try await waitForOwner("b")
        #expect(try await modules("get", "anna", "weight.target").text == "70")
        try await b.stop()
    }

    @Test("a state that is no database is refused in words")
    func refusals() async throws {
        let service = try SuiteService("vigil-modules", settings: ["--state", "sqlite:x"], brokerPort: 1, folder: folder)
        try service.launch()
        try await eventually("the end") { service.hasEnded }
        #expect(service.lastLines.contains("postgresql://"), "\(service.lastLines)")
    }

    private func replica(_ name: String) throws -> SuiteService {
        let state = StoreUnderTest.postgres(server, connection: database).setting()
        return try SuiteService(
            "vigil-modules", settings: ["--state", state, "--instance", name], brokerPort: broker.port, folder: folder,
            stateFolder: folder.path("state-\(name)"))
    }

    private func waitForOwner(_ wanted: String) async throws {
        try await eventually(within: .seconds(90), "\(wanted) at work") {
            // Each look starts a program.
            try await Task.sleep(for: .milliseconds(100))
            return try server.psql("SELECT owner FROM vigil_modules.lease WHERE expires > now()", in: database) == wanted
        }
    }

    /// Two weighings, between which the heart may have failed.
    private func weigh(_ participant: String) async throws {
        let now = Date.now.timeIntervalSince1970
        let observations = [(-86_400.0, 80.0), (-10, 83)].map {
            Observation(metric: "body-weight", time: Timestamp(seconds: now + $0.0), content: .value($0.1), unit: "kg")
        }
        let group = ObservationGroup(
            participant: participant, source: "scale", received: Timestamp(seconds: now), observations: observations)
        let batch = ObservationBatch(id: ULID.make(at: Timestamp(seconds: now)), groups: [group])
        let topic = Topic.readings(Partition(participant: participant))
        try await broker.publish([OutgoingMessage(topic: topic.path, payload: BatchEncoder.encode(batch))])
    }

    /// What `vigil modules …` prints, and whether it ended with 0.
    private func modules(_ arguments: String...) async throws -> (text: String, isFine: Bool) {
        let command = try ChildProcess(
            try BuiltCommand.path("vigil"), ["modules"] + arguments + ["--broker-port", "\(broker.port)"],
            output: folder.path("out-\(UUID().uuidString)"), environment: [:])
        let code = try await command.waitForExit()
        return (command.output.trimmingCharacters(in: .whitespacesAndNewlines), code == 0)
    }
}

/// Who was told something, in order.
private final class Told: Sendable {
    private let list = Mutex<[String]>([])

    var persons: [String] { list.withLock { $0 } }

    func collect(_ consumer: Consumer) async throws {
        for try await delivery in consumer.batches {
            let persons = delivery.messages.filter { !$0.payload.isEmpty }.compactMap { $0.topic.split(separator: "/").dropFirst(3).first }
            list.withLock { $0 += persons.map(String.init) }
            delivery.settle(.committed)
        }
    }
}
