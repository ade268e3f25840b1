import Access
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
    private let replies: ReplyPublisher
    private let instance: String
    private let engines: any EngineSource
    private let mode: LiveValue<StressMode>
    private let calibration: LiveValue<Int>
    private let metrics: StressMetrics
    private let log: Logger
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - instance: of the service, for confirmations.
    ///   - engines: Where the engine comes from, what it is to remember is kept, and where it goes.
    ///   - mode: for participants that have none of their own.
    ///   - calibration: the length of a guided calibration, in seconds.
    package init(
        batches: Batches, publisher: any MessagePublisher, replies: ReplyPublisher, instance: String = "main", engines: any EngineSource,
        mode: LiveValue<StressMode>, calibration: LiveValue<Int>, metrics: StressMetrics, log: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.batches = batches
        self.publisher = publisher
        self.replies = replies
        self.instance = instance
        self.engines = engines
        self.mode = mode
        self.calibration = calibration
        self.metrics = metrics
        self.log = log
        self.now = now
    }

    package func run() async throws {
        var engine = try await engines.open()
        do {
            try await work(&engine)
        } catch {
            await engines.close(engine, isDrained: false)
            throw error
        }
        await engines.close(engine, isDrained: !Task.isCancelled)
    }

    private func work(_ engine: inout StressEngine) async throws {
        var warned: Set<String> = []
        var shown = (people: 0.0, dropped: 0.0)
        defer { show((0, 0), &shown) }
        for try await delivery in batches {
            let start = ContinuousClock.now
            do {
                try await handle(delivery.messages, &engine, &warned)
                delivery.settle(.committed)
                show((Double(engine.participantCount), Double(engine.dropped)), &shown)
                metrics.latency.observe(start.duration(to: .now))
            } catch {
                delivery.settle(.rejected)
                if Task.isCancelled { return }
                log.error("delivery given back", ["messages": "\(delivery.messages.count)", "error": "\(error)"])
            }
        }
    }

    /// Shows an engine's figures; those of several engines add up.
    private func show(_ present: (people: Double, dropped: Double), _ shown: inout (people: Double, dropped: Double)) {
        metrics.participants.add(present.people - shown.people)
        metrics.dropped.add(present.dropped - shown.dropped)
        shown = present
    }

    private func handle(_ messages: [IncomingMessage], _ engine: inout StressEngine, _ warned: inout Set<String>) async throws {
        var answers: [Reply] = []
        let before = engine.taken
        metrics.messages.add(messages.count)
        for message in messages where !message.retained || isFirst(message, &warned) { take(message, &engine, &answers) }
        metrics.observations.add(engine.taken - before)
        try await keep(&engine)
        try await publish(OutputMessages.of(engine.pending, at: now()))
        metrics.derived.add(engine.pending.values.reduce(0) { $0 + $1.count })
        engine.published()
        try await replies.publish(answers)
    }

    /// Passes over retained messages: readings were taken when they came, and a command is an old one, whose sender is told once.
    private func isFirst(_ message: IncomingMessage, _ warned: inout Set<String>) -> Bool {
        guard case .request? = try? Topic(parsing: message.topic), warned.count < 1000 else { return false }
        return warned.insert(message.topic).inserted
    }

    private func take(_ message: IncomingMessage, _ engine: inout StressEngine, _ answers: inout [Reply]) {
        if case .request? = try? Topic(parsing: message.topic) { return handle(message, &engine, &answers) }
        do {
            let batch = try BatchDecoder().decode(message.payload.span)
            engine.take(batch, now: now(), defaultMode: mode.current)
            if let oldest = batch.groups.map(\.received).min() { metrics.lag.set(max(0, now().seconds - oldest.seconds)) }
        } catch {
            metrics.malformed.add()
            log.warning("message is no batch", ["topic": message.topic, "error": "\(error)"])
        }
    }

    private func handle(_ message: IncomingMessage, _ engine: inout StressEngine, _ answers: inout [Reply]) {
        let participant = StressCommand.participant(in: message.payload)
        var reply = StressReply(participant: participant, ok: false)
        var answer: [UInt8]?
        var topic: ReplyTopic?
        do {
            topic = try message.properties.responseTopic.map {
                try ReplyTopic($0, correlation: message.properties.correlationData, of: .account)
            }
            guard !message.retained else {
                throw CommandProblem("a retained command is not carried out: publish it without the retain flag")
            }
            guard participant != "all" || engine.knows(participant) else {
                throw CommandProblem("the command does not say whose analysis: \"participant\" is missing")
            }
            let command = try StressCommand(decoding: message.payload)
            switch command.action {
            case .erase:
                let removed = engine.erase(participant: participant)
                answer = try ErasureConfirmation(service: "vigil-stress", instance: instance, removed: removed).encoded()
            case .export(let part):
                let text = try engine.personalData(of: participant).json
                answer = try PersonalDataPart(of: text, part: part, service: "vigil-stress", instance: instance).encoded()
            default:
                reply = engine.handle(
                    command, participant: participant, at: now(), defaultMode: mode.current,
                    calibrationSeconds: Double(calibration.current))
            }
            metrics.commands.add()
        } catch {
            metrics.refusedCommands.add()
            reply.error = (error as? PayloadError)?.reason ?? "\(error)"
            log.warning("command refused", ["participant": participant, "reason": reply.error ?? ""])
        }
        guard let topic else { return }
        answers.append(Reply(to: topic.path, correlation: topic.correlation) { try answer ?? reply.encoded() })
    }

    private func keep(_ engine: inout StressEngine) async throws {
        try await engines.profiles.remove(engine.erased)
        for (participant, profile) in engine.unsaved { try await engines.profiles.save(profile, of: participant) }
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
        malformed = registry.counter("vigil_stress_messages_malformed_total", help: "Messages that are not a canonical batch")
        observations = registry.counter("vigil_stress_observations_total", help: "Observations received")
        derived = registry.counter("vigil_stress_derived_total", help: "Derived observations published")
        commands = registry.counter("vigil_stress_commands_total", help: "Commands carried out")
        refusedCommands = registry.counter("vigil_stress_commands_refused_total", help: "Commands that were malformed")
        participants = registry.gauge("vigil_stress_participants", help: "Participants in memory")
        dropped = registry.gauge(
            "vigil_stress_blocks_dropped", help: "Blocks that came twice or too late, of the participants in memory")
        lag = registry.gauge(
            "vigil_stress_lag_seconds", help: "Time from the receipt of the oldest observation in the last message to its analysis")
        latency = registry.histogram(
            "vigil_stress_settle_seconds", help: "Time from receiving a delivery to the broker's acknowledgement of its output")
    }
}
