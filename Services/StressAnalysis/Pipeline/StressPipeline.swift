package import MessageBus
package import Observability
package import ServiceKit
package import Signals
package import VigilSchema

/// Analyses what sensors said, publishes what follows from it, and acknowledges a delivery only once that is published.
///
/// When publishing or keeping a profile fails the delivery is given back; its results wait and are published with the next.
/// A message that is malformed is counted, logged and acknowledged: the timeline answers for it.
package struct StressPipeline<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let publisher: any MessagePublisher
    private let profiles: ProfileStore
    private let mode: LiveValue<StressMode>
    private let calibration: LiveValue<Int>
    private let metrics: StressMetrics
    private let log: Logger
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - mode: for participants that have none of their own.
    ///   - calibration: the length of a guided calibration, in seconds.
    package init(
        batches: Batches, publisher: any MessagePublisher, profiles: ProfileStore, mode: LiveValue<StressMode>,
        calibration: LiveValue<Int>, metrics: StressMetrics, log: Logger, now: @escaping @Sendable () -> Timestamp
    ) {
        self.batches = batches
        self.publisher = publisher
        self.profiles = profiles
        self.mode = mode
        self.calibration = calibration
        self.metrics = metrics
        self.log = log
        self.now = now
    }

    package func run() async throws {
        var engine = StressEngine(profiles: try await profiles.all())
        for try await delivery in batches {
            let start = ContinuousClock.now
            do {
                try await handle(delivery.messages, &engine)
                delivery.settle(.committed)
                metrics.latency.observe(start.duration(to: .now))
            } catch {
                delivery.settle(.rejected)
                if Task.isCancelled { return }
                log.error("delivery given back", ["messages": "\(delivery.messages.count)", "error": "\(error)"])
            }
        }
    }

    private func handle(_ messages: [IncomingMessage], _ engine: inout StressEngine) async throws {
        var replies: [OutgoingMessage] = []
        let before = engine.taken
        metrics.messages.add(messages.count)
        for message in messages { try take(message, &engine, &replies) }
        metrics.observations.add(engine.taken - before)
        metrics.participants.set(Double(engine.participantCount))
        metrics.dropped.set(Double(engine.dropped))
        try await keep(&engine)
        try await publish(OutputMessages.of(engine.pending, at: now()))
        metrics.derived.add(engine.pending.values.reduce(0) { $0 + $1.count })
        engine.published()
        for reply in replies { try await answer(reply) }
    }

    /// Publishes an answer. Where the asker named a topic that cannot be published to, nobody is told.
    private func answer(_ reply: OutgoingMessage) async throws(BusError) {
        do throws(BusError) {
            try await publisher.publish(reply)
        } catch {
            switch error.code {
            case .invalidTopic, .notAuthorized, .messageTooLarge, .refused: return
            default: throw error
            }
        }
    }

    private func take(_ message: IncomingMessage, _ engine: inout StressEngine, _ replies: inout [OutgoingMessage]) throws {
        if case .stressCommand(let participant)? = try? Topic(parsing: message.topic) {
            return try obey(message, participant: participant, &engine, &replies)
        }
        do {
            let batch = try BatchDecoder().decode(message.payload.span)
            engine.take(batch, defaultMode: mode.current)
            if let oldest = batch.groups.map(\.received).min() { metrics.lag.set(max(0, now().seconds - oldest.seconds)) }
        } catch {
            metrics.malformed.add()
            log.warning("message is no batch", ["topic": message.topic, "error": "\(error)"])
        }
    }

    private func obey(
        _ message: IncomingMessage, participant: String, _ engine: inout StressEngine, _ replies: inout [OutgoingMessage]
    ) throws {
        var reply = StressReply(participant: participant, ok: false)
        do {
            reply = engine.obey(
                try StressCommand(decoding: message.payload), participant: participant, at: now(), defaultMode: mode.current,
                calibrationSeconds: Double(calibration.current))
            metrics.commands.add()
        } catch {
            metrics.refusedCommands.add()
            reply.error = "\(error)"
            log.warning("command refused", ["participant": participant, "reason": "\(error)"])
        }
        // An answer must not pass for a message of the suite.
        guard let asked = message.properties.responseTopic,
            let topic = try? ReplyTopic(asked, correlation: message.properties.correlationData, of: .account)
        else { return }
        let properties = MessageProperties(contentType: MediaType.json, correlationData: topic.correlation)
        replies.append(OutgoingMessage(topic: topic.path, payload: try reply.encoded(), properties: properties))
    }

    private func keep(_ engine: inout StressEngine) async throws {
        for (participant, profile) in engine.unsaved { try await profiles.save(profile, of: participant) }
        engine.saved()
    }

    private func publish(_ messages: [OutgoingMessage]) async throws {
        try await withThrowingTaskGroup { tasks in
            for message in messages { tasks.addTask { try await publisher.publish(message) } }
            try await tasks.waitForAll()
        }
    }
}

/// The metrics of the stress analysis.
package struct StressMetrics: Sendable {
    let messages: Counter
    let malformed: Counter
    let observations: Counter
    let derived: Counter
    let commands: Counter
    let refusedCommands: Counter
    let participants: Gauge
    let dropped: Gauge
    let latency: Histogram
    let lag: Gauge

    /// Registers the metrics.
    package init(_ registry: MetricsRegistry) {
        messages = registry.counter("vigil_stress_messages_total", help: "Messages received from the bus")
        malformed = registry.counter("vigil_stress_messages_malformed_total", help: "Messages that are no canonical batch")
        observations = registry.counter("vigil_stress_observations_total", help: "Observations taken in")
        derived = registry.counter("vigil_stress_derived_total", help: "Derived observations published")
        commands = registry.counter("vigil_stress_commands_total", help: "Commands obeyed")
        refusedCommands = registry.counter("vigil_stress_commands_refused_total", help: "Commands that were malformed")
        participants = registry.gauge("vigil_stress_participants", help: "Participants in memory")
        dropped = registry.gauge(
            "vigil_stress_blocks_dropped", help: "Blocks that came twice or too late, of the participants in memory")
        lag = registry.gauge(
            "vigil_stress_lag_seconds", help: "From the suite's receipt of the oldest observation of the last message to its analysis")
        latency = registry.histogram(
            "vigil_stress_settle_seconds", help: "From taking a delivery to the broker's acknowledgement of what it caused")
    }
}
