import SignalSynthesis
import Testing

@testable import AlertRules

/// Everything that is kept of a person, over writing and reading.
@Suite("A person's state as bytes")
struct StateCodingTests {
    private static let rules = """
        {scores: {news2: {}, bloodPressure: {}, glucose: true}, rules: [
          {id: "high", metric: "heart-rate", levels: [{severity: "notice", above: 100}, {severity: "warning", above: 110, for: "1m",
            repeat: {count: 3, of: 5, within: "1h"}}, {severity: "critical", above: 130}], quality: {metric: "ecg-quality", atLeast: 0.5}},
          {id: "rise", metric: "heart-rate", severity: "warning", take: "rise", over: "2m", above: 30},
          {id: "stress", metric: "stress-level", severity: "notice", above: {default: 0.9, percentile: 95, minimumReadings: 100}},
          {id: "weight", metric: "body-weight", severity: "notice", take: "rise", days: 7, above: 2, staleAfter: "2d"},
          {id: "stand", metric: "systolic-pressure", severity: "notice", take: "fall", after: {metric: "x-posture", equals: "standing"},
            within: "3m", atLeast: 20},
          {id: "shock", severity: "notice", expression: "heart-rate / systolic-pressure", above: 1},
          {id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "5m"}]}
        """

    private static func set() throws -> RuleSet {
        var set = try RuleSetReader.read([RuleFile(name: "r", text: rules)])
        ScoreTracker.intern(into: &set)
        return set
    }

    private static func time(_ random: inout SeededGenerator) -> Int64 {
        1_700_000_000_000_000 + Int64.random(in: -9_000_000_000...9_000_000_000, using: &random)
    }

    private static func number(_ random: inout SeededGenerator) -> Double {
        Bool.random(using: &random) ? Double(Int.random(in: -999...9999, using: &random)) / 10 : Double.random(in: -1...1, using: &random)
    }

    private static func count(_ random: inout SeededGenerator) -> Int { Int.random(in: 1...4, using: &random) }

    /// A state of which about half of everything was never heard of.
    private static func state(_ rules: RuleSet, _ random: inout SeededGenerator) throws -> ParticipantState {
        var state = ParticipantState(rules, name: "12", clock: 0)
        for index in state.alerts.indices where Bool.random(using: &random) { state.alerts[index] = try alert(&random) }
        for index in state.levels.indices where Bool.random(using: &random) {
            let phase = try #require(LevelState.Phase(rawValue: UInt8.random(in: 0...3, using: &random)))
            let isCounted = phase == .pending && Bool.random(using: &random)
            state.levels[index] = LevelState(
                phase: phase, readings: isCounted ? UInt16.random(in: 2...65535, using: &random) : phase == .idle ? 0 : 1,
                since: time(&random), sinceClock: time(&random))
            if isCounted { state.levels[index].missed = state.levels[index].readings / 2 }
        }
        for index in state.leaves.indices where Int.random(in: 0..<3, using: &random) > 0 {
            if let twin = state.leaves[..<index].last(where: \.isSeen), Bool.random(using: &random) { state.leaves[index] = twin }
            if !state.leaves[index].isSeen { state.leaves[index] = leaf(&random) }
            state.leaves[index].isSatisfied = Bool.random(using: &random)
            state.leaves[index].isExceeded = Bool.random(using: &random)
        }
        for index in state.rings.indices where Bool.random(using: &random) { state.rings[index] = -time(&random) }
        fillMemories(&state, rules, &random)
        fillPerson(&state, &random)
        fillRuns(&state, rules, &random)
        return state
    }

    private static func alert(_ random: inout SeededGenerator) throws -> AlertState {
        func severity() -> Severity { Severity.allCases.randomElement(using: &random) ?? .none }
        var alert = AlertState()
        alert.flags = AlertState.Flags(rawValue: UInt8.random(in: 0...15, using: &random))
        // Of most only the flags are kept.
        guard Bool.random(using: &random) else { return alert }
        alert.phase = try #require(AlertState.Phase(rawValue: UInt8.random(in: 0...2, using: &random)))
        (alert.severity, alert.acknowledged, alert.rearm, alert.silence) = (severity(), severity(), severity(), severity())
        alert.stage = UInt8.random(in: 0...255, using: &random)
        alert.sequence = UInt32.random(in: 1...2_000_000_000, using: &random)
        (alert.since, alert.alarmedClock, alert.endedClock, alert.silencedUntil) = (
            time(&random), time(&random), time(&random), time(&random)
        )
        return alert
    }

    private static func leaf(_ random: inout SeededGenerator) -> LeafState {
        LeafState(
            time: time(&random), arrival: time(&random), value: number(&random), gaps: UInt8.random(in: 0...255, using: &random),
            interval: UInt32.random(in: 0...(.max), using: &random), runClock: time(&random),
            unseen: Bool.random(using: &random) ? 0 : UInt32.random(in: 1...(.max), using: &random), source: source(&random))
    }

    private static func source(_ random: inout SeededGenerator) -> UInt32 { [0, 1, 7, .max].randomElement(using: &random) ?? 0 }

    private static func fillMemories(_ state: inout ParticipantState, _ rules: RuleSet, _ random: inout SeededGenerator) {
        for _ in 0..<count(&random) { state.windows[0].add(number(&random), at: time(&random), over: 10_000_000_000) }
        for _ in 0..<3 { state.windows[0].add(number(&random), at: 1_700_000_000_000_000, over: 10_000_000_000) }
        for _ in 0..<count(&random) * 20 {
            state.histories[0].add(Double.random(in: 0...1, using: &random), at: time(&random), plan: rules.histories[0])
        }
        for _ in 0..<count(&random) { state.days[0].add(number(&random), at: time(&random), rules.days[0]) }
        state.anchors[0] = AnchorState(time: time(&random), baseline: number(&random), newest: number(&random), newestTime: time(&random))
        state.inputs[1] = InputState(value: number(&random), time: time(&random))
        state.qualities[0] = QualityState(value: number(&random), arrival: time(&random), source: source(&random))
        for _ in 0..<count(&random) where Bool.random(using: &random) {
            state.sourceStates.append(
                SourceState(
                    metric: Int.random(in: rules.metrics.indices, using: &random), source: UInt32.random(in: 1...(.max), using: &random),
                    value: number(&random), time: time(&random), arrival: time(&random),
                    interval: UInt32.random(in: 0...(.max), using: &random), runClock: time(&random)))
        }
        for index in 0..<ScoreTracker.newestSlots where Bool.random(using: &random) {
            state.scores?.values[index] = number(&random)
            state.scores?.measured[index] = time(&random)
            state.scores?.times[index] = time(&random)
        }
        for _ in 0..<count(&random) * 9 {
            _ = state.scores?.timeInRange.add(Double.random(in: 50...220, using: &random), at: time(&random))
        }
        state.scores?.said = [
            "news2-risk": .text("low"), "news2-at-least": .number(3), "temperature-category": .text("fever"),
            "glucose-time-in-range": .number(number(&random)), "of-a-later-version": .text("x"),
        ]
    }

    private static func fillRuns(_ state: inout ParticipantState, _ rules: RuleSet, _ random: inout SeededGenerator) {
        for metric in rules.metrics.indices where Int.random(in: 0..<4, using: &random) == 0 {
            state.lateRuns[metric] = LateRun(source: source(&random), time: time(&random), arrival: time(&random))
        }
    }

    private static func fillPerson(_ state: inout ParticipantState, _ random: inout SeededGenerator) {
        state.profile.born = Bool.random(using: &random) ? time(&random) : nil
        state.profile.delivered = Bool.random(using: &random) ? time(&random) : nil
        state.profileUntil = state.profile.isTimed ? 1_800_000_000_000_000 : .max
        (state.profile.isPregnant, state.profile.usesScale2) = (Bool.random(using: &random), Bool.random(using: &random))
        state.profile.height = Bool.random(using: &random) ? number(&random) : nil
        state.isClockOff = Bool.random(using: &random)
        state.heartRateClock = Bool.random(using: &random) ? time(&random) : .min
        state.uncovered = Bool.random(using: &random) ? [] : [0, 2]
        state.overrides = Bool.random(using: &random) ? [:] : [0: number(&random), 3: number(&random)]
        state.notes[1] = AlertNote(
            acknowledgedBy: "a", silencedBy: Bool.random(using: &random) ? "b" : nil, silenceReason: "c", silenceEnd: time(&random),
            clearedUntil: time(&random), clearEnd: time(&random), clearedValue: number(&random))
        if Bool.random(using: &random) {
            state.notes[4] = AlertNote(clearedUntil: 1, clearEnd: 2, clearedValue: 3)
        }
    }

    @Test("is read as it was written, and again as the same bytes", arguments: 0..<60)
    func roundTrip(seed: Int) throws {
        let rules = try Self.set()
        var random = SeededGenerator(seed: UInt64(seed))
        var state = try Self.state(rules, &random)
        if Bool.random(using: &random) {
            state.limits = []
        } else {
            (state.limits[0], state.limits[2]) = (Self.number(&random), Self.number(&random))
        }
        let bytes = state.encoded(rules)
        var reader = ByteReader(bytes)
        let read = try ParticipantState(&reader, rules, name: "12", clock: 0)
        #expect(reader.isAtEnd)
        #expect(read.alerts == state.alerts)
        #expect(read.sourceStates == state.sourceStates && read.qualities == state.qualities && read.lateRuns == state.lateRuns)
        #expect(read.levels == state.levels)
        #expect(read.leaves == state.leaves)
        #expect(read.rings == state.rings && read.windows == state.windows && read.histories == state.histories)
        #expect(read.days == state.days && read.anchors == state.anchors && read.qualities == state.qualities)
        #expect(read.inputs[1] == state.inputs[1] && read.inputs[0].time == 0)
        #expect(
            read.profile == state.profile && read.profileUntil == state.profileUntil && read.isClockOff == state.isClockOff
                && read.heartRateClock == state.heartRateClock)
        #expect(read.uncovered == state.uncovered && read.overrides == state.overrides && read.notes[1] == state.notes[1])
        #expect(Set(read.notes.keys) == Set(state.notes.keys))
        #expect(read.limits == state.limits)
        #expect(read.scores?.measured == state.scores?.measured && read.scores?.times == state.scores?.times)
        #expect(read.scores?.said == state.scores?.said && read.scores?.timeInRange == state.scores?.timeInRange)
        #expect(read.scores?.values.map(\.bitPattern) == state.scores?.values.map(\.bitPattern))
        #expect(read.encoded(rules) == bytes)
    }

    @Test("is refused where it is cut off, at whatever byte, and never traps", arguments: 0..<3)
    func cutOff(seed: Int) throws {
        let rules = try Self.set()
        var random = SeededGenerator(seed: UInt64(seed) + 100)
        var state = try Self.state(rules, &random)
        state.limits = []
        let bytes = state.encoded(rules)
        // The versions before ended where the next birthday stands now, and where the sources do.
        var (birthday, sources) = (ByteWriter(), ByteWriter())
        if state.profile.born != nil, state.profile.delivered == nil { birthday.write(state.profileUntil) }
        state.encodeSources(into: &sources, rules)
        let former = bytes.count - sources.bytes.count
        for count in bytes.indices where count != former && count != former - birthday.bytes.count {
            var reader = ByteReader(Array(bytes[..<count]))
            #expect(throws: ByteReader.Damage.self, "\(count) of \(bytes.count)") {
                try ParticipantState(&reader, rules, name: "12", clock: 0)
            }
        }
        // Whatever a byte becomes, reading ends.
        for _ in 0..<300 {
            var damaged = bytes
            damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            var reader = ByteReader(damaged)
            _ = try? ParticipantState(&reader, rules, name: "12", clock: 0)
        }
    }
}
