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

@Suite("What is told of polled servers, and of newest readings", .timeLimit(.minutes(1)))
struct PollAnswerTests {
    private static let start = Timestamp(seconds: 1_700_000_000)

    /// A log whose lines can be looked at.
    private final class Lines: Sendable {
        private let noted = Mutex<[String]>([])
        var all: [String] { noted.withLock { $0 } }
        var log: Logger { Logger(service: "test", level: .debug, sink: { line in self.noted.withLock { $0.append("\(line)") } }) }

        func count(_ text: String) -> Int { all.count { $0.contains(text) } }
    }

    // MARK: Status

    @Test("a server that fails is told of once, and once more when it answers again")
    func told() {
        let lines = Lines(), status = PollStatus("vehicle", MetricsRegistry(), lines.log)
        #expect(status.succeeded() && !status.succeeded())
        #expect(lines.all.isEmpty)
        for _ in 0..<3 { status.failed("why", next: .seconds(1)) }
        #expect(lines.count("polled server fails") == 1 && lines.all.count == 1)
        #expect(status.succeeded())
        #expect(lines.count("polled server answers again") == 1 && lines.all.count == 2)
        status.failed("why", next: .seconds(1))
        #expect(lines.count("polled server fails") == 2)
    }

    @Test("a server that is asked anew is up until it fails, whatever was before")
    func anew() {
        let metrics = MetricsRegistry(), status = PollStatus("vehicle", metrics, Lines().log)
        status.failed("why", next: .seconds(1))
        #expect(metrics.render().contains(#"vigil_ingest_source_up{source="vehicle"} 0"#))
        status.begin()
        #expect(metrics.render().contains(#"vigil_ingest_source_up{source="vehicle"} 1"#))
        #expect(status.failures == 0 && status.text == "not asked yet")
        status.failed("why", next: .seconds(1))
        #expect(status.turnedOff() && !status.turnedOff())
        #expect(metrics.render().contains(#"vigil_ingest_source_up{source="vehicle"} 1"#) && status.text == "off")
    }

    // MARK: Answers

    @Test("an answer of a mebibyte is read, and a larger one refused", arguments: [(1 << 20, true), (1 << 20 + 1, false)])
    func size(bytes: Int, isTaken: Bool) async throws {
        let reading = #"{"speed": 63}"#
        let body = reading + String(repeating: " ", count: bytes - reading.utf8.count)
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: [HTTPRoute("GET", "/can") { _ in .text(body, status: 200) }])
        let exchange = Exchange(store: ParameterStore(path: nil)), publisher = InMemoryPublisher(), metrics = MetricsRegistry()
        let status = PollStatus("vehicle", metrics, Lines().log)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await server.run() }
            defer { tasks.cancelAll() }
            await server.started()
            let url = "http://127.0.0.1:\(try #require(server.port))/can"
            let configuration = try Configuration(PollSettings.vehicle.all, flags: [("vehicle-url", url)], environment: [:])
            let poller = Poller(
                source: try await PollSettings.vehicle.source(exchange, configuration), client: HTTPClient(),
                queue: PollQueue(publisher: publisher, metrics: metrics, log: Lines().log), status: status, clock: SteppingClock(0),
                now: { Self.start })
            tasks.addTask { try await poller.run() }
            try await eventually("an answer") { status.text != "not asked yet" }
            #expect((status.text == "ok") == isTaken, "\(status.text)")
        }
    }

    // MARK: Newest readings

    @Test("a newest reading that lies a minute ahead gives way to one that does not, and no other to one that does")
    func ahead() {
        func newest(_ times: Double...) -> [Double] {
            let cache = LatestValueCache()
            for (number, time) in times.enumerated() {
                let reading = Observation(
                    metric: "heart-rate", time: Self.start.advanced(bySeconds: time), content: .value(Double(number)), unit: "/min")
                let group = ObservationGroup(participant: "12", source: "A", received: Self.start, observations: [reading])
                cache.note([ObservationBatch(id: "1", groups: [group])])
            }
            return cache.due(at: Self.start).compactMap { if case .value(let value) = $0.observation.content { value } else { nil } }
        }
        #expect(newest(60, 0) == [1])
        #expect(newest(59.999999, 0) == [0])
        #expect(newest(61, 60) == [0])
        #expect(newest(61, 59.999999) == [1])
    }

    @Test("a reading that could not be told of is a matter for whoever looks closer, and the next is told")
    func untold() async throws {
        let lines = Lines(), publisher = InMemoryPublisher(), clock = SteppingClock(1), cache = LatestValueCache()
        func note(_ metric: String) {
            let reading = Observation(metric: metric, time: Self.start, content: .value(60), unit: "/min")
            let group = ObservationGroup(participant: "12", source: "A", received: Self.start, observations: [reading])
            cache.note([ObservationBatch(id: "1", groups: [group])])
        }
        publisher.failNext(BusError(.closed, during: .publish))
        note("heart-rate")
        let latest = LatestPublisher(cache: cache, publisher: publisher, log: lines.log, clock: clock, now: { Self.start })
        let running = Task { try await latest.run() }
        defer { running.cancel() }
        try await eventually("the second wait") { clock.steps.count == 2 }
        #expect(clock.steps == [.milliseconds(100), .milliseconds(100)])
        #expect(lines.count("latest readings not published") == 1 && publisher.messages.isEmpty)
        note("respiratory-rate")
        clock.allow(1)
        try await eventually("the third wait") { clock.steps.count == 3 }
        #expect(publisher.messages.map(\.topic) == ["vigil/v1/latest/12/respiratory-rate"])
        #expect(publisher.messages.allSatisfy { $0.retained && $0.qos == .atMostOnce })
    }
}
