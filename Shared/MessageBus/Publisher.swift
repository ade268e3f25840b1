/// Takes messages for the bus.
package protocol MessagePublisher: Sendable {
    /// Publishes and waits: for the broker's acknowledgement at QoS 1, for the hand-over to the connection at QoS 0.
    ///
    /// Suspends while too much is in flight. After an error at QoS 1 the message may have arrived all the same.
    func publish(_ message: OutgoingMessage) async throws(BusError)
}

/// Publishes over a connection of its own, many messages in flight at once, each awaited by its caller.
///
/// Run `run()` in one task, once, and publish from any others, also before. What was not acknowledged when the connection broke is
/// sent again, so a message may arrive twice. Messages of one caller that awaits each arrive in order.
package final class Publisher: MessagePublisher {
    private let configuration: PublisherConfiguration
    private let pending: PendingPublishes
    private let onEvent: @Sendable (BusEvent) -> Void
    private let onAnswer: @Sendable (IncomingMessage) -> Void

    /// Both are called on the connection's thread, which waits for them: to be left quickly.
    /// - Parameter onAnswer: Takes what arrives on the configuration's `answers`.
    package init(
        configuration: PublisherConfiguration, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in },
        onAnswer: @escaping @Sendable (IncomingMessage) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.onEvent = onEvent
        self.onAnswer = onAnswer
        pending = PendingPublishes(capacity: configuration.maximumInFlight)
    }

    /// The work done so far.
    package var counters: PublisherCounters { pending.withQueue { $0.counters } }

    /// Connects, and stays connected until `drain()`, cancellation, or an error that a retry does not help.
    ///
    /// Cancelling fails every waiting `publish` at once.
    package func run() async throws(BusError) {
        let result = await withTaskCancellationHandler {
            await onDedicatedThread(named: "mqtt-publisher") { [self] in pump() }
        } onCancel: {
            pending.finish(BusError(.cancelled, during: .publish, detail: "the publisher was cancelled"))
        }
        guard let result else { throw BusError(.internalFailure, during: .connect, detail: "no thread to be had") }
        if case .failure(let error) = result { throw error }
    }

    /// Takes nothing new, waits for what is in flight, also through reconnections, disconnects, and `run()` returns.
    /// A message that never gets through is abandoned by cancelling.
    package func drain() {
        pending.withQueue { $0.drain() }
        pending.wakeUp.signal()
    }

    package func publish(_ message: OutgoingMessage) async throws(BusError) {
        try await pending.publish(message)
    }

    private func pump() -> Result<Void, BusError> {
        do throws(BusError) {
            try configuration.broker.check()
            try PublisherPump(configuration, pending: pending, onEvent: onEvent, onAnswer: onAnswer).run()
            pending.finish(BusError(.closed, during: .publish))
            return .success(())
        } catch {
            pending.finish(error)
            return .failure(error)
        }
    }
}

/// The way a publisher connects and how much it keeps in flight.
package struct PublisherConfiguration: Sendable, Hashable {
    package var broker: BrokerConfiguration
    /// The most messages handed over and not yet acknowledged; further callers of `publish` are suspended. The broker's Receive Maximum lowers it.
    package var maximumInFlight: Int

    /// Messages to receive over this connection too, such as answers. They are acknowledged once they are read, so nothing may depend on
    /// what becomes of them: what must be processed before it is acknowledged is for a `Consumer`, which has its own connection.
    package var answers: Subscription?

    package init(broker: BrokerConfiguration, maximumInFlight: Int = 1_000, answers: Subscription? = nil) {
        self.broker = broker
        self.maximumInFlight = maximumInFlight
        self.answers = answers
    }
}

/// The counters of a publisher.
package struct PublisherCounters: Sendable, Hashable {
    /// Calls of `publish` that were accepted for sending.
    package var accepted = 0
    /// Acknowledged by the broker, or at QoS 0 handed to the connection.
    package var delivered = 0
    /// Refused by the broker, given up by the caller, or cut off by the end of the publisher.
    package var failed = 0
    /// Sent once more after a reconnection.
    package var repeated = 0
    /// Connections after the first.
    package var reconnects = 0
    /// Callers that wait for room or for an acknowledgement.
    package var inFlight: Int { accepted - delivered - failed }

    package init() {}
}
