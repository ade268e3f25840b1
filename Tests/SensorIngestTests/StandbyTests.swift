import MessageBus
import Observability
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest
@testable import ServiceKit

@Suite("Ingest that stands by, or takes over", .timeLimit(.minutes(2)))
struct StandbyTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let address = DeviceAddress(participant: "12", device: "A")

    @Test("what was wrong before another had its turn is neither told nor told again; what an operator decided is")
    func forgets() {
        let tracker = DeviceStatusTracker()
        for aspect in DeviceAspect.allCases { tracker.set(aspect, of: Self.address, 1, at: Self.start) }
        #expect(tracker.due(at: Self.start).count == DeviceAspect.allCases.count)
        tracker.set(.clock, of: Self.address, 2, at: Self.start)
        tracker.forgetObserved()
        #expect(tracker.due(at: Self.start).isEmpty)
        let later = Self.start.advanced(bySeconds: 1801)
        #expect(tracker.due(at: later).map(\.aspect) == [.admission])
        // What is found wrong from then on is told.
        tracker.set(.server, of: Self.address, 1, at: later)
        #expect(tracker.due(at: later).map(\.aspect) == [.server])
    }

    @Test("a polled server that answers is told so once each time that asking it is this process's")
    func polls() {
        let status = PollStatus("ehealth", MetricsRegistry(), Logger(service: "test", level: .error, sink: { _ in }))
        for _ in 0..<2 {
            status.begin()
            #expect(status.succeeded() && !status.succeeded())
        }
        status.failed("no", next: .seconds(1))
        status.begin()
        #expect(status.failures == 0 && !status.turnedOff())
    }

    @Test("the one that stands by tells nothing of devices, asks no server and takes no message", arguments: [false, true])
    func members(standsBy: Bool) async throws {
        let flags = standsBy ? ["state": try PostgresServer.shared().makeDatabase().uri] : [:]
        let names = try await SensorIngestService.command.build(IngestContext.make(flags, in: TemporaryFolder("standby"))).map(\.name)
        for name in ["device-status", "poll-ehealth", "poll-vehicle", "pipeline"] { #expect(names.contains(name) != standsBy, "\(name)") }
        for name in ["decisions", "shares"] { #expect(names.contains(name) == standsBy, "\(name)") }
    }
}

extension String {
    /// A database's connection string, `key=value …`, as a URI.
    fileprivate var uri: String {
        let parts = Dictionary(split(separator: " ").map { $0.split(separator: "=").map(String.init) }.map { ($0[0], $0.last ?? "") }) {
            $1
        }
        return "postgresql://\(parts["user"] ?? "")@\(parts["host"] ?? ""):\(parts["port"] ?? "")/\(parts["dbname"] ?? "")"
    }
}
