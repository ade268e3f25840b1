import Synchronization

/// Receives from the broker in batches, and acknowledges nothing before its batch is settled.
///
/// Run `run()` in one task, once, and iterate `batches` in another. One thread of its own owns the connection; every member may be
/// called from anywhere. At QoS 1 each message arrives at least once, in the broker's order between two connections.
package struct Consumer: Sendable {
    private let configuration: ConsumerConfiguration
    private let gate = BatchGate()
    private let counting = ConsumerCounting()
    private let onEvent: @Sendable (BusEvent) -> Void

    /// - Parameter onEvent: Called on the connection's thread, which waits for it: to be left quickly.
    package init(configuration: ConsumerConfiguration, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }) {
        self.configuration = configuration
        self.onEvent = onEvent
    }

    /// What was received, for one task to iterate.
    package var batches: MessageBatches { MessageBatches(gate: gate) }

    /// What was done so far.
    package var counters: ConsumerCounters { counting.value }

    /// Connects, and stays connected until `drain()`, cancellation, or an error that a retry does not help.
    ///
    /// Cancelling gives the batch at work back: its messages come again.
    package func run() async throws(BusError) {
        let failure = await withTaskCancellationHandler {
            await onDedicatedThread(named: "mqtt-consumer") { pump() }
        } onCancel: {
            gate.cancel()
        }
        guard let failure else { throw BusError(.internalFailure, during: .connect, detail: "no thread to be had") }
        if case .failure(let error) = failure { throw error }
    }

    /// Takes no more; once the batch at work is settled and acknowledged, disconnects, and `run()` returns.
    package func drain() {
        gate.drain()
    }

    private func pump() -> Result<Void, BusError> {
        do throws(BusError) {
            try configuration.check()
            try ConsumerPump(configuration, gate: gate, counters: counting, onEvent: onEvent).run()
            gate.finish(nil)
            return .success(())
        } catch {
            gate.finish(error)
            return .failure(error)
        }
    }
}
