import AlertRules
import Alerting
import Foundation
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

/// The service ended instead of starting; what it said.
struct StartFailure: Error {
    let description: String
}

/// A real broker and a real `vigil-alert`, with a publisher for readings and a subscriber that keeps what comes out.
final class AlertRig: Sendable {
    static let base: Int64 = 1_700_000_000
    let server: MosquittoServer
    let folder: TemporaryFolder
    let publisher: Publisher
    let seen = Mutex<[IncomingMessage]>([])
    private let child = Mutex<ChildProcess?>(nil)

    private let form: Topic.Form

    private init(server: MosquittoServer, folder: TemporaryFolder, form: Topic.Form) {
        self.server = server
        self.form = form
        self.folder = folder
        publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "sender")))
    }

    /// Runs a test beside broker, subscriber and publisher; the service itself is started by the test.
    /// - Parameter form: the form of the topics of what is sent.
    static func with(rules: String, form: Topic.Form = .plain, _ body: @Sendable @escaping (AlertRig) async throws -> Void) async throws {
        let rig = AlertRig(server: try await MosquittoServer.start(), folder: try TemporaryFolder("vigil-alert"), form: form)
        try rig.folder.write(rules, to: "rules.json5")
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: rig.server.configuration(clientID: "subscriber"),
                subscriptions: ["alerts/+/+", "alert-events/+/+", "observations/+/readings", "responses/#"].map {
                    Subscription("vigil/v1/\($0)")
                }),
            onEvent: events.note)
        try await withRunning(consumer) { consumer in
            try await withRunning(rig.publisher) { _ in
                try await withRunning({ try await rig.collect(consumer) }, stop: { consumer.drain() }) {
                    try await events.waitUntilReady()
                    try await body(rig)
                }
            }
        }
    }

    private func collect(_ consumer: Consumer) async throws {
        for try await batch in consumer.batches {
            seen.withLock { $0 += batch.messages }
            batch.settle(.committed)
        }
    }

    /// Starts the service; returns once it is ready.
    func start(_ arguments: [String] = []) async throws {
        let log = folder.path("alert-\(UUID().uuidString).log")
        let process = try ChildProcess(
            BuiltProgram.path("vigil-alert"),
            [
                "--broker-port", "\(server.port)", "--rules", folder.path("rules.json5"), "--state-folder", folder.path("state"),
            ] + arguments, output: log, environment: ["PATH": "/usr/bin:/bin"])
        child.withLock { $0 = process }
        try await eventually(within: .seconds(20), "vigil-alert running") {
            guard !process.hasEnded else { throw StartFailure(description: process.output) }
            return process.output.contains("running")
        }
    }

    /// The log of the service since its last start.
    var log: String { child.withLock { $0?.output } ?? "" }

    func signal(_ number: Int32) { child.withLock { $0?.signal(number) } }

    func kill() async throws {
        let process = child.withLock { $0 }
        process?.signal(SIGKILL)
        try await process?.waitForExit()
    }

    /// Publishes one reading in a batch of its own, measured and received at the base time plus `second`.
    func send(_ participant: String, _ metric: String, _ value: Double, at second: Int64, id: String? = nil, isDerived: Bool = false)
        async throws
    {
        let time = Timestamp(microseconds: (Self.base + second) * 1_000_000)
        let unit = MetricCatalogue.standard.definition(named: metric)?.unit ?? "1"
        let group = ObservationGroup(
            participant: participant, source: "test", received: time,
            observations: [Observation(metric: metric, time: time, content: .value(value), unit: unit)])
        let batch = ObservationBatch(id: id ?? ULID.make(at: time), groups: [group])
        let partition = Partition(participant: participant)
        try await publisher.publish(
            OutgoingMessage(
                topic: (isDerived ? Topic.derived(partition) : .readings(partition)).path(form), payload: BatchEncoder.encode(batch)))
    }

    /// A reading measured and received now.
    func sendNow(_ participant: String, _ metric: String, _ value: Double) async throws {
        try await send(participant, metric, value, at: Int64(Date().timeIntervalSince1970) - Self.base)
    }

    func command(_ participant: String, _ rule: String, _ json: String, responseTopic: String? = nil) async throws {
        let answers = responseTopic ?? "vigil/v1/responses/\(participant)"
        try await publisher.publish(
            OutgoingMessage(
                topic: CommandRequest.topic(answeredOn: answers), payload: CommandRequest.payload(json, of: participant, rule: rule),
                properties: MessageProperties(responseTopic: answers)))
    }

    /// The events that were seen, repeats left out.
    var events: [AlertMessage] {
        var known: Set<[UInt8]> = []
        return messages("alert-events/").filter { known.insert($0.payload).inserted }.compactMap { try? AlertMessage(decoding: $0.payload) }
    }

    func messages(_ kind: String) -> [IncomingMessage] {
        seen.withLock { $0.filter { $0.topic.hasPrefix("vigil/v1/" + kind) } }
    }

    /// The newest retained state by topic, those that were removed left out.
    var states: [String: AlertMessage] {
        var states: [String: AlertMessage] = [:]
        for message in messages("alerts/") { states[message.topic] = try? AlertMessage(decoding: message.payload) }
        return states
    }
}
