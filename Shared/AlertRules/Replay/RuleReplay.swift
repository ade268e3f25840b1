package import VigilSchema

/// Plays recorded values against rules and tells what would have happened: unit tests for rules.
///
/// Time is the recording's own: the engine's clock follows it, so that silence, delays and escalations come as they would have come.
package struct RuleReplay {
    /// The outcome of it.
    package struct Result: Sendable {
        package var events: [AlertMessage] = []
        /// The scores and categories, whenever one of them changed.
        package var scores: [Score] = []
        package var readings = 0
        /// The sum over the participants of the time in which each had readings (gaps over five minutes left out), in hours.
        package var personHours = 0.0

        /// The number of medical alerts that were raised and that somebody would have heard.
        package var raised: Int { count(.medical) }
        /// The number of technical ones.
        package var raisedTechnical: Int { count(.technical) }

        private func count(_ kind: Rule.Kind) -> Int {
            events.count { $0.transition == AlertEvent.Transition.raised.rawValue && $0.kind == kind.rawValue && $0.isAudible }
        }
    }

    /// A score's new value.
    package struct Score: Sendable {
        package let participant: String
        package let metric: String
        package let content: DerivedValue.Content
        /// Microseconds since 1970 at which it was worked out.
        package let decided: Int64
    }

    private static let second: Int64 = 1_000_000
    private var engine: AlertEngine
    private var result = Result()
    private var lastTime: [Int: Int64] = [:]

    private init(rules: RuleSet, start: Int64) { engine = AlertEngine(rules: rules, now: start) }

    /// Plays the readings and commands in the order of their times; of one time, commands first.
    /// - Parameter after: how long time goes on after the last, in microseconds: for what only time would still have brought.
    /// - Throws: `CommandRefusal` for a command that the service would refuse.
    package static func run(
        rules: RuleSet, readings: [ReplayReading], commands: [RecordedCommand] = [], after: Int64 = 600 * second
    ) throws(CommandRefusal) -> Result {
        let sorted = readings.sorted { $0.received < $1.received }
        var waiting = commands.sorted { $0.time < $1.time }[...]
        guard let first = [sorted.first?.received, waiting.first?.time].compactMap(\.self).min() else { return Result() }
        let last = max(sorted.last?.received ?? first, waiting.last?.time ?? first)
        var replay = RuleReplay(rules: rules, start: first)
        for reading in sorted {
            while let command = waiting.first, command.time <= reading.received { try replay.play(command, &waiting) }
            replay.play(reading)
        }
        while let command = waiting.first { try replay.play(command, &waiting) }
        replay.advance(to: last + after)
        return replay.result
    }

    private mutating func play(_ command: RecordedCommand, _ waiting: inout ArraySlice<RecordedCommand>) throws(CommandRefusal) {
        waiting.removeFirst()
        advance(to: command.time)
        let request = try command.message.request(now: command.time).get()
        let index = engine.index(of: command.participant)
        let rules = command.rule == "all" ? Array(engine.rules.rules.indices) : engine.rules.rule(named: command.rule).map { [$0] } ?? []
        if rules.isEmpty { throw CommandRefusal(engine.rules.unknownRule(command.rule).description) }
        var output = EngineOutput()
        for rule in rules {
            guard let request = command.rule == "all" ? engine.limited(request, ofAll: index, rule: rule) : request else { continue }
            do throws(AlertCommandError) {
                try engine.apply(request, to: index, rule: rule, now: command.time, into: &output)
            } catch {
                if command.rule != "all" { throw CommandRefusal(error.description) }
            }
        }
        note(output, command.time)
    }

    private mutating func play(_ reading: ReplayReading) {
        advance(to: reading.received)
        result.readings += 1
        let index = engine.index(of: reading.participant)
        if let before = lastTime[index], reading.time >= before, reading.time - before <= 300 * Self.second {
            result.personHours += Double(reading.time - before) / 3.6e9
        }
        lastTime[index] = reading.time
        guard let metric = engine.rules.metric(named: reading.metric) else { return }
        let value: Double
        switch reading.value {
        case .number(let number): value = number
        case .text(let text): value = engine.rules.code(ofText: text)
        }
        var output = EngineOutput()
        engine.take(
            [
                Reading(
                    metric: metric, time: reading.time, received: reading.received, value: value,
                    source: reading.source.map(Reading.source) ?? 0)
            ], of: index, now: reading.received, into: &output)
        note(output, reading.received)
    }

    /// From timer to timer, so that each event bears the moment of its deciding.
    private mutating func advance(to time: Int64) {
        var moment = engine.clock
        while moment < time {
            moment = min(time, engine.nextTimer ?? time)
            var output = EngineOutput()
            engine.advance(to: moment, now: moment, into: &output)
            note(output, moment)
        }
    }

    private mutating func note(_ output: EngineOutput, _ now: Int64) {
        for event in output.events {
            result.events.append(AlertMessage(event, engine.rules, participant: engine.names[event.participant], decided: now))
        }
        result.scores += output.derived.map {
            Score(participant: engine.names[$0.participant], metric: $0.metric, content: $0.content, decided: now)
        }
    }
}

extension RuleSet {
    /// The same limits as a program without any of the engine's care would have them: no delay, no dead band, no repetition, no keeping, no
    /// quality. What alerts are compared with.
    package var naive: RuleSet {
        var naive = self
        naive.levels = levels.map {
            RuleLevel(
                severity: $0.severity, priority: $0.priority, condition: $0.condition, delay: 0, keepFiring: 0, repetition: nil)
        }
        naive.leaves = leaves.map {
            Leaf(
                metric: $0.metric, quantity: $0.quantity, comparison: $0.comparison, slack: 0, staleAfter: $0.staleAfter, quality: nil,
                memory: $0.memory)
        }
        naive.plan()
        return naive
    }
}

/// A recorded value, for trying rules out.
package struct ReplayReading: Hashable, Sendable {
    /// The measured quantity.
    package enum Value: Hashable, Sendable {
        case number(Double)
        case text(String)
    }

    package var participant: String
    package var metric: String
    /// Microseconds since 1970.
    package var time: Int64
    /// The time of receipt by the suite: microseconds since 1970.
    package var received: Int64
    package var value: Value
    /// The sensor that it came from; nil: not known.
    package var source: String?

    /// - Parameter received: nil: at once.
    package init(participant: String, metric: String, time: Int64, received: Int64? = nil, value: Value, source: String? = nil) {
        self.source = source
        self.participant = participant
        self.metric = metric
        self.time = time
        self.received = received ?? time
        self.value = value
    }
}

/// A command in a recording.
package struct RecordedCommand: Hashable, Sendable {
    package var participant: String
    /// A rule's id, or `all`.
    package var rule: String
    /// Microseconds since 1970.
    package var time: Int64
    package var message: CommandMessage

    package init(participant: String, rule: String, time: Int64, message: CommandMessage) {
        self.participant = participant
        self.rule = rule
        self.time = time
        self.message = message
    }
}

extension RuleReplay.Result {
    /// The amount that was played and the number of alerts that came of it.
    package var summary: String {
        let rate = personHours > 0 ? Double(raised) / personHours : 0
        return "\(readings) readings, \(rounded(personHours)) person-hours, \(raised) medical alerts "
            + "(\(rounded(rate)) a person-hour), \(raisedTechnical) technical"
    }

    /// Tells how many more alerts the same limits would have raised without the engine's care.
    package func comparison(_ naive: Self) -> String {
        let factor = raised > 0 ? "factor \(rounded(Double(naive.raised) / Double(raised)))" : "here none at all"
        return "a naive threshold would have raised \(naive.raised) medical alerts: \(factor)"
    }

    private func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}
