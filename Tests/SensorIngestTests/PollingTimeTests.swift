import HTTPClient
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Observability
@testable import SensorIngest
@testable import ServiceKit
@testable import Settings

@Suite("Times and troubles of polling", .timeLimit(.minutes(2)))
struct PollingTimeTests {
    private final class Fixture: Sendable {
        let exchange = Exchange(store: ParameterStore(path: nil))
        let metrics = MetricsRegistry()
        let publisher = InMemoryPublisher()
        let statuses = DeviceStatusTracker()
        let status: PollStatus
        let queue: PollQueue
        let clock: SteppingClock
        let poller: Poller

        init(_ flags: [String: String] = [:], steps: Int) async throws {
            let configuration = try Configuration(PollSettings.vehicle.all, flags: flags.map { ($0.key, $0.value) }, environment: [:])
            let source = try await PollSettings.vehicle.source(exchange, configuration)
            let log = Logger(service: "test", level: .error, sink: { _ in })
            status = PollStatus("vehicle", metrics, log)
            queue = PollQueue(publisher: publisher, metrics: metrics, log: log)
            clock = SteppingClock(steps)
            poller = Poller(
                source: source, client: HTTPClient(), queue: queue, status: status, statuses: statuses, clock: clock,
                now: { Timestamp(seconds: 1_700_000_000) })
        }

        func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
            let poller = poller
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { try await poller.run() }
                defer { tasks.cancelAll() }
                try await body()
            }
        }

        /// What is told of participants' servers.
        func told() -> [String] { statuses.due(at: Timestamp(seconds: 1_700_000_000)).map { "\($0.participant) \($0.content)" } }
    }

    @Test("a poller without a server looks once a second whether there is one, in steps of half a second")
    func off() async throws {
        let fixture = try await Fixture(steps: 3)
        try await fixture.run {
            try await eventually("the steps") { fixture.clock.steps.count == 4 }
            #expect(fixture.clock.steps == Array(repeating: .milliseconds(500), count: 4) && fixture.status.text == "off")
        }
    }

    @Test("a poller asks at its interval, counted from one question to the next, also of a server that fails")
    func interval() async throws {
        let nobody = "http://127.0.0.1:\(try LoopbackPort.free())/"
        let fixture = try await Fixture(["vehicle-url": nobody, "vehicle-interval": "5m"], steps: 600)
        try await fixture.run {
            try await eventually("the second question") { fixture.status.failures == 2 }
            let steps = fixture.clock.steps
            // What the question itself took is not waited for once more: it shortens the last step, or saves whole ones.
            let whole = steps.prefix { $0 == .milliseconds(500) }
            let waited = whole.reduce(.zero, +) + (try #require(steps.dropFirst(whole.count).first))
            #expect(waited < .seconds(300) && waited > .seconds(240))
            #expect(fixture.status.text.contains("next try in 300000 ms"))
        }
        #expect(fixture.metrics.render().contains(#"vigil_ingest_source_up{source="vehicle"} 0"#))
        #expect(fixture.metrics.render().contains(#"vigil_ingest_poll_failures_total{source="vehicle"} 2"#))
        #expect(fixture.metrics.render().contains(#"vigil_ingest_polls_total{source="vehicle"} 2"#))
    }

    @Test("an interval or address that changes is heeded at the next step")
    func changes() async throws {
        let nobody = "http://127.0.0.1:\(try LoopbackPort.free())/"
        let fixture = try await Fixture(["vehicle-url": nobody, "vehicle-interval": "1d"], steps: 1)
        try await fixture.run {
            try await eventually("a step") { fixture.clock.steps.count == 2 }
            #expect(fixture.status.failures == 1)
            try await fixture.exchange.set("vehicle-interval", .text("12h"))
            fixture.clock.allow(1)
            try await eventually("another question") { fixture.status.failures == 2 }
            try await eventually("a step") { fixture.clock.steps.count == 3 }
            try await fixture.exchange.set("vehicle-url", .text(nobody + "other"))
            fixture.clock.allow(1)
            try await eventually("another question") { fixture.status.failures == 3 }
            try await fixture.exchange.set("vehicle-url", .text(""))
            fixture.clock.allow(1)
            try await eventually("no question") { fixture.status.text == "off" }
        }
    }

    @Test("a server that fails is told of for whoever it is asked, and well again for whoever it was asked before")
    func trouble() async throws {
        let nobody = "http://127.0.0.1:\(try LoopbackPort.free())/"
        let fixture = try await Fixture(["vehicle-url": nobody, "vehicle-participant": "anna"], steps: 0)
        try await fixture.run {
            try await eventually("the failure") { fixture.status.failures == 1 && !fixture.clock.steps.isEmpty }
            #expect(fixture.told() == ["anna text(\"failing\")"])
            try await fixture.exchange.set("vehicle-participant", .text("bernd"))
            fixture.clock.allow(2)
            try await eventually("the next failure") { fixture.status.failures == 2 && fixture.clock.steps.count == 3 }
            #expect(fixture.told() == ["anna text(\"answering\")", "bernd text(\"failing\")"])
            try await fixture.exchange.set("vehicle-participant", .text("carl"))
            try await fixture.exchange.set("vehicle-url", .text(""))
            fixture.clock.allow(1)
            try await eventually("off") { fixture.status.text == "off" }
            #expect(fixture.told() == ["bernd text(\"answering\")", "carl text(\"answering\")"])
        }
    }

    @Test("what a server says that is no reading is refused as a device's would be, beside what is one")
    func refusals() async throws {
        let route = HTTPRoute("GET", "/can") { _ in .text(#"{"speed": 63, "oxygen-saturation": 900, "heart-rate": "fast"}"#, status: 200) }
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: [route])
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await server.run() }
            defer { tasks.cancelAll() }
            await server.started()
            let fixture = try await Fixture(
                ["vehicle-url": "http://127.0.0.1:\(try #require(server.port))/can", "vehicle-participant": "anna"], steps: 0)
            let queue = fixture.queue
            tasks.addTask { try await queue.run() }
            try await fixture.run {
                try await eventually("both") { Set(fixture.publisher.messages.map(\.topic)).count == 2 }
            }
            let topics = fixture.publisher.messages.map(\.topic)
            #expect(
                topics.first == "vigil/v1/ingest/anna/vehicle" && topics.dropFirst().allSatisfy { $0 == "vigil/v1/rejects/anna/vehicle" })
            #expect(fixture.publisher.messages.first?.properties.contentType == NativeFormat.contentType)
            #expect(fixture.status.text == "ok")
        }
    }

    private func queue(_ capacity: Int, _ publisher: InMemoryPublisher, _ metrics: MetricsRegistry) -> PollQueue {
        PollQueue(publisher: publisher, capacity: capacity, metrics: metrics, log: Logger(service: "test", level: .error, sink: { _ in }))
    }

    private func message(_ number: Int) -> OutgoingMessage { OutgoingMessage(topic: "t/\(number)", payload: []) }

    @Test("a queue keeps its order and lets the oldest go where nothing is taken from it, and counts that")
    func bounded() async throws {
        let publisher = InMemoryPublisher(), metrics = MetricsRegistry()
        let queue = queue(3, publisher, metrics)
        for number in 1...3 { queue.add(message(number)) }
        #expect(metrics.render().contains("vigil_ingest_polled_dropped_total 0"))
        for number in 4...5 { queue.add(message(number)) }
        #expect(metrics.render().contains("vigil_ingest_polled_dropped_total 2"))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await queue.run() }
            try await eventually("the others") { publisher.messages.count == 3 }
            tasks.cancelAll()
        }
        #expect(publisher.messages.map(\.topic) == ["t/3", "t/4", "t/5"])
    }

    @Test("a queue goes on after a message that was not published, and counts it as let go")
    func goesOn() async throws {
        let publisher = InMemoryPublisher(), metrics = MetricsRegistry()
        let queue = queue(10, publisher, metrics)
        publisher.failNext(BusError(.refused, during: .publish))
        for number in 1...2 { queue.add(message(number)) }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await queue.run() }
            try await eventually("the second") { publisher.messages.map(\.topic) == ["t/2"] }
            tasks.cancelAll()
        }
        #expect(metrics.render().contains("vigil_ingest_polled_dropped_total 1"))
    }

    @Test("a queue has room for a thousand messages where nothing else is said")
    func room() {
        let metrics = MetricsRegistry()
        let queue = PollQueue(publisher: InMemoryPublisher(), metrics: metrics, log: Logger(service: "test", level: .error, sink: { _ in }))
        for number in 1...1_000 { queue.add(message(number)) }
        #expect(metrics.render().contains("vigil_ingest_polled_dropped_total 0"))
        queue.add(message(1_001))
        #expect(metrics.render().contains("vigil_ingest_polled_dropped_total 1"))
    }
}
