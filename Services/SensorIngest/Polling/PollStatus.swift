package import Observability
import ServiceKit
import Synchronization

/// The way a polled server does, for the exchange list, the metrics and the log. Threading: from anywhere.
package final class PollStatus: Sendable {
    private struct State {
        var text = "not asked yet"
        var failures = 0
    }

    private static let ok = "ok"
    private let state = Mutex(State())
    private let name: String
    private let up: Gauge
    private let polls: Counter
    private let failed: Counter
    private let log: Logger

    package init(_ name: String, _ metrics: MetricsRegistry, _ log: Logger) {
        self.name = name
        self.log = log
        up = metrics.gauge(
            "vigil_ingest_source_up", help: "1 while the polled server answers, else 0", labels: ["source": name])
        up.set(1)
        polls = metrics.counter("vigil_ingest_polls_total", help: "Requests to polled servers", labels: ["source": name])
        failed = metrics.counter("vigil_ingest_poll_failures_total", help: "Requests that failed", labels: ["source": name])
    }

    /// The status in words.
    package var text: String { state.withLock { $0.text } }
    /// Failures in a row.
    package var failures: Int { state.withLock { $0.failures } }

    /// The server is asked from now on; what it did before is another's to know by now.
    func begin() {
        up.set(1)
        state.withLock { $0 = State() }
    }

    /// Nothing is asked. True where the last request had failed.
    func turnedOff() -> Bool {
        up.set(1)
        return state.withLock { state in
            defer { state = State(text: "off", failures: 0) }
            return state.failures > 0
        }
    }

    /// An answer held readings. True where it is the first, or the first after a failure.
    func succeeded() -> Bool {
        polls.add()
        up.set(1)
        let before = state.withLock { state in
            defer { state = State(text: Self.ok, failures: 0) }
            return state
        }
        if before.failures > 0 { log.notice("polled server answers again", ["source": name, "failures": "\(before.failures)"]) }
        return before.text != Self.ok
    }

    /// A request failed. Said once in the log, until it works again.
    func failed(_ reason: String, next: Duration) {
        polls.add()
        failed.add()
        up.set(0)
        let count = state.withLock { state in
            state.failures += 1
            state.text = "failing, \(state.failures) times in a row: \(reason); next try in \(next.wholeMicroseconds / 1000) ms"
            return state.failures
        }
        if count == 1 { log.warning("polled server fails", ["source": name, "error": reason]) }
    }
}
