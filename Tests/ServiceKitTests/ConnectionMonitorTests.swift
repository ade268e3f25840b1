import Cryptography
import Foundation
import Observability
import Synchronization
import TestSupport
import Testing

@testable import MessageBus
@testable import ServiceKit

@Suite("A connection's monitor")
struct ConnectionMonitorTests {
    /// It once called through one more function with each batch, until the stack of a service that had run for an hour overflowed.
    @Test("tells of the millionth batch as it told of the first")
    func manyBatches() {
        let told = Atomic(0)
        let monitor = ConnectionMonitor("devices", Logger(service: "test", level: .error), MetricsRegistry(), Readiness())
        monitor.onAcknowledged { told.add(1, ordering: .relaxed) }
        for _ in 0..<1_000_000 { monitor.handle(.acknowledgementsSent) }
        #expect(told.load(ordering: .relaxed) == 1_000_000)
    }

    @Test("tells of each connection that is made, with its terms")
    func connections() {
        let versions = Mutex<[BrokerConfiguration.ProtocolVersion]>([])
        let monitor = ConnectionMonitor("devices", Logger(service: "test", level: .error), MetricsRegistry(), Readiness())
        monitor.handle(.connected(ConnectionInfo(version: .v5)))
        monitor.onConnected { info in versions.withLock { $0.append(info.version) } }
        monitor.handle(.connected(ConnectionInfo(version: .v311)))
        #expect(versions.withLock { $0 } == [.v311])
    }

    @Test("shows when the broker's certificate ends, and nothing of it where there is none")
    func certificate() async throws {
        let files = try await TestCertificates()
        let metrics = MetricsRegistry()
        let monitor = ConnectionMonitor("devices", Logger(service: "test", level: .error), metrics, Readiness())
        monitor.handle(.connected(ConnectionInfo(version: .v5)))
        monitor.handle(.connected(ConnectionInfo(version: .v5, certificate: [0x30, 0x82, 1])))
        #expect(!metrics.render().contains("certificate"))
        let text = try String(contentsOfFile: files.serverCertificate, encoding: .utf8)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }.dropFirst().prefix { !$0.hasPrefix("-----END") }
        let bytes = try #require(Data(base64Encoded: lines.joined()))
        monitor.handle(.connected(ConnectionInfo(version: .v5, certificate: Array(bytes))))
        let end = try #require(Certificate(pem: text)?.end)
        #expect(metrics.render().contains("vigil_bus_certificate_end_seconds{connection=\"devices\"} \(end)"), "\(metrics.render())")
    }

    /// What a connection's events leave of the work, five minutes after the last of them.
    private func stalled(_ events: BusEvent...) -> [String] {
        let clock = StandingClock()
        let liveness = Liveness { clock.now }
        let monitor = ConnectionMonitor(
            "devices", Logger(service: "test", level: .error, sink: { _ in }), MetricsRegistry(), Readiness(), liveness: liveness)
        for event in events { monitor.handle(event) }
        clock.pass(.seconds(301))
        return liveness.stalled
    }

    @Test("has nothing to do where what it took up was lost with a session that the broker does not keep")
    func lostWork() {
        let new = BusEvent.connected(ConnectionInfo(version: .v5)),
            kept = BusEvent.connected(ConnectionInfo(version: .v5, sessionPresent: true))
        #expect(stalled(new, .batchTaken(count: 1)) == ["devices"])
        #expect(stalled(new, .batchTaken(count: 1), .batchOrphaned(count: 1), new, .orphanReleased).isEmpty)
        #expect(stalled(new, .batchTaken(count: 1), .batchRejected(count: 1), new).isEmpty)
        // It comes again, and is to be finished then.
        #expect(stalled(new, .batchTaken(count: 1), .batchOrphaned(count: 1), kept, .orphanReleased) == ["devices"])
        #expect(stalled(new, .batchTaken(count: 1), .batchRejected(count: 1), kept) == ["devices"])
        // The service still holds it, and takes nothing else before it lets go.
        #expect(stalled(new, .batchTaken(count: 1), .batchOrphaned(count: 1), new) == ["devices"])
    }
}
