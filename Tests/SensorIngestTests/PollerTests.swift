import HTTPClient
import MessageBus
import SensorIngest
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Observability
@testable import ServiceKit
@testable import Settings

@Suite("Polling of HTTP servers", .timeLimit(.minutes(4)))
struct PollerTests {
    private final class Fixture: Sendable {
        let exchange: Exchange
        let source: PolledSource
        let status: PollStatus
        let publisher = InMemoryPublisher()
        let queue: PollQueue
        let poller: Poller
        let answer = Mutex((status: 200, body: #"{"Sensors":{"Pulse":72,"Flux":3}}"#))

        init() async throws {
            exchange = Exchange(store: ParameterStore(path: nil))
            let configuration = try Configuration(PollSettings.eHealth.all, flags: [], environment: [:])
            source = try await PollSettings.eHealth.source(exchange, configuration)
            let log = Logger(service: "test", level: .error, sink: { _ in })
            let metrics = MetricsRegistry()
            status = PollStatus("ehealth", metrics, log)
            queue = PollQueue(publisher: publisher, metrics: metrics, log: log)
            poller = Poller(source: source, client: HTTPClient(), queue: queue, status: status, now: { Timestamp(seconds: 1_700_000_000) })
        }
    }

    /// Runs a server, the poller and its queue beside the body.
    private func run(_ fixture: Fixture, _ body: @Sendable @escaping (Int) async throws -> Void) async throws {
        let route = HTTPRoute("GET", "/sensors") { _ in
            let answer = fixture.answer.withLock { $0 }
            return .text(answer.body, status: answer.status)
        }
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: [route])
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await server.run() }
            tasks.addTask { try await fixture.poller.run() }
            tasks.addTask { try await fixture.queue.run() }
            await server.started()
            try await body(try #require(server.port))
            tasks.cancelAll()
            // A cancelled server ends with an error; what counts was checked.
            while (await tasks.nextResult()) != nil {}
        }
    }

    @Test("publishes what a server answers as a device would, stamped on arrival; address and interval can be set while it runs")
    func polls() async throws {
        let fixture = try await Fixture()
        try await run(fixture) { port in
            try await eventually { fixture.status.text == "off" }
            try await fixture.exchange.set("ehealth-participant", .text("12"))
            try await fixture.exchange.set("ehealth-names", .text("Flux=airflow"))
            try await fixture.exchange.set("ehealth-interval", .text("100ms"))
            try await fixture.exchange.set("ehealth-url", .text("http://127.0.0.1:\(port)/sensors"))
            try await eventually { fixture.publisher.messages.count >= 3 }
        }
        #expect(fixture.status.text == "ok")
        let message = try #require(fixture.publisher.messages.first)
        #expect(message.topic == "vigil/v1/ingest/12/ehealth")
        let readings = try ReadingDecoder().decode(message.payload.span).readings.map(\.observation)
        #expect(readings.map(\.metric) == ["heart-rate", "airflow"])
        #expect(readings.allSatisfy { $0.time == Timestamp(seconds: 1_700_000_000) })
    }

    @Test("tells the first of very many refusals alone, as the queue holds others' readings too")
    func refusals() async throws {
        let fixture = try await Fixture()
        let sensors = (0..<900).map { #""s\#($0)":"x""# }
        fixture.answer.withLock { $0 = (200, "{\"Sensors\":{\"Pulse\":61,\(sensors.joined(separator: ","))}}") }
        try await run(fixture) { port in
            try await fixture.exchange.set("ehealth-url", .text("http://127.0.0.1:\(port)/sensors"))
            try await eventually { fixture.publisher.messages.count >= 21 }
        }
        let rejects = try fixture.publisher.messages.prefix(21).filter { $0.topic.contains("/rejects/") }.map {
            try Reject(decoding: $0.payload)
        }
        #expect(rejects.count == 20 && rejects.allSatisfy { $0.count == 900 })
    }

    @Test("shows failures in its status, pauses longer, and recovers", arguments: [(500, "x"), (200, "<html>"), (200, "[]")])
    func fails(status: Int, body: String) async throws {
        let fixture = try await Fixture()
        fixture.answer.withLock { $0 = (status, body) }
        try await run(fixture) { port in
            try await fixture.exchange.set("ehealth-interval", .text("100ms"))
            try await fixture.exchange.set("ehealth-url", .text("http://127.0.0.1:\(port)/sensors"))
            try await eventually { fixture.status.failures >= 1 }
            #expect(fixture.status.text.hasPrefix("failing, "))
            fixture.answer.withLock { $0 = (200, #"{"speed": 63}"#) }
            try await eventually { fixture.status.text == "ok" }
        }
        let message = try #require(fixture.publisher.messages.last)
        #expect(try ReadingDecoder().decode(message.payload.span).readings.map(\.observation.metric) == ["vehicle-speed"])
    }

    @Test("refuses an address that does not begin with http:// or https://, in words", arguments: ["ftp://a/b", "host/x", "file:///etc"])
    func address(text: String) async throws {
        let fixture = try await Fixture()
        do {
            try await fixture.exchange.set("ehealth-url", .text(text))
            Issue.record("taken")
        } catch {
            #expect("\(error)".contains("http:// or https://"))
        }
    }
}
