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
