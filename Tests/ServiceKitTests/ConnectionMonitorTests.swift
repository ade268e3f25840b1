import Observability
import Synchronization
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
}
