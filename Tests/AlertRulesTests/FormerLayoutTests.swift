import Testing

@testable import AlertRules

/// States as the versions before the present layout wrote them: everything that they knew means the same today.
@Suite("States of former layouts")
struct FormerLayoutTests {
    private static let text = """
        {scores: {news2: {}, glucose: true}, rules: [
          {id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "1m", repeat: {count: 2, within: "1h"}, clearFor: "2h",
            quality: {metric: "ecg-quality", atLeast: 0.5}},
          {id: "rise", metric: "heart-rate", severity: "warning", take: "rise", over: "2m", above: 30},
          {id: "stress", metric: "stress-level", severity: "notice", above: {default: 0.9, percentile: 95, minimumReadings: 100}},
          {id: "weight", metric: "body-weight", severity: "notice", take: "rise", days: 7, above: 2, staleAfter: "2d"},
          {id: "stand", metric: "systolic-pressure", severity: "notice", take: "fall", after: {metric: "x-posture", equals: "standing"},
            within: "3m", atLeast: 20},
          {id: "shock", severity: "notice", expression: "heart-rate / systolic-pressure", above: 1}]}
        """

    private static func rules() throws -> RuleSet {
        var set = try RuleSetReader.read([RuleFile(name: "r", text: text)])
        ScoreTracker.intern(into: &set)
        return set
    }

    /// Writes the first layout, which had no number, or the second.
    private struct Writer {
        let isSecond: Bool
        var bytes = ByteWriter()

        mutating func integers(_ numbers: Int64...) { for number in numbers { bytes.write(number) } }
        mutating func doubles(_ numbers: Double...) { for number in numbers { bytes.write(number) } }
        mutating func flags(_ flags: Bool...) { for flag in flags { bytes.write(flag) } }

        /// The profile, a threshold and a note of the first rule.
        mutating func person() {
            if isSecond { bytes.write(UInt8(2)) }
            bytes.write(Int64?(5000))
            flags(true, false)
            bytes.write(Double?(1.75))
            flags(true)
            if isSecond { integers(77, 2, 0, 2) }
            integers(1, 2)
            doubles(0.8)
            integers(1, 0)
            for text in ["ann", nil, "bath"] as [String?] { bytes.write(text) }
            integers(21)
            guard isSecond else { return }
            integers(22, 23)
            doubles(24.5)
        }

        /// The alert and the level of the first rule.
        mutating func alerts() {
            integers(1, 0)
            for byte in [2, 2, 0, 1, 1, 2, 1] as [UInt8] { bytes.write(byte) }
            integers(7, 100, 200, 300)
            if isSecond { integers(400) }
            integers(1, 0)
            bytes.write(UInt8(2))
            integers(11, 12)
        }

        /// The first leaf and the third.
        mutating func leaves() {
            if isSecond { integers(1000) }
            integers(2, 0, isSecond ? 10 : 1010, isSecond ? 20 : 1020)
            doubles(100.5)
            flags(true)
            integers(3)
            if isSecond {
                flags(false)
                bytes.write(UInt8(4))
                integers(5, 6)
            }
            integers(2, isSecond ? -1000 : 0, isSecond ? -1 : .min)
            doubles(0.25)
            flags(false)
            integers(0)
            guard isSecond else { return }
            flags(true)
            bytes.write(UInt8(9))
            integers(8, 7)
        }

        /// A repetition, a window of two buckets, a history, and what came with the second layout.
        mutating func memories() {
            integers(1, 0, 33, 1, 0, 2)
            for bucket in [1, 2] as [Int64] {
                integers(bucket, 10 * bucket, 11 * bucket)
                for number in 1...6 { doubles(Double(number) * Double(bucket)) }
            }
            integers(1, 0)
            for bin in 0..<64 { doubles(bin == 5 ? 3 : bin == 63 ? 0.5 : 0) }
            doubles(3.5)
            integers(44)
            guard isSecond else {
                // A quality, by its metric: it comes anew.
                integers(1, 1)
                return doubles(0.75)
            }
            integers(1, 0, 1, 3, 2, 55)
            doubles(80.5, 81)
            integers(1, 0, 61, 62)
            doubles(130, 129)
            integers(1, 1)
            doubles(90)
            integers(63, 1, 0)
            doubles(0.75)
            integers(64)
        }

        /// A limit for each of the first thresholds: the standard one and as much more as its place says.
        mutating func limits(_ rules: RuleSet, count: Int) {
            integers(Int64(count))
            for slot in 0..<count {
                integers(Int64(slot))
                doubles(rules.thresholds[slot].standard + Double(slot))
            }
        }

        /// Two vital signs, an hour of glucose, two scores that were told, and the next birthday.
        mutating func scores() {
            flags(true)
            if isSecond { integers(2) }
            for place in 0..<8 as Range<Int64> {
                let isKnown = place == 0 || place == 3
                guard isKnown || !isSecond else { continue }
                if isSecond { integers(place) }
                doubles(isKnown ? 16 + Double(place) : .nan)
                integers(isKnown ? 71 + place : .min, isKnown ? 81 + place : .min)
            }
            integers(1, 91, 12, 7, 2)
            bytes.write("news2-risk")
            flags(false)
            bytes.write("low")
            bytes.write("news2-at-least")
            flags(true)
            doubles(3)
            integers(99)
        }
    }

    private static func written(_ rules: RuleSet, isSecond: Bool, limits: Int) -> [UInt8] {
        var writer = Writer(isSecond: isSecond)
        writer.person()
        writer.alerts()
        writer.leaves()
        writer.memories()
        writer.limits(rules, count: limits)
        writer.scores()
        return writer.bytes.bytes
    }

    private static func read(isSecond: Bool, limits missing: Int = 0) throws -> (state: ParticipantState, rules: RuleSet) {
        let rules = try rules()
        var reader = ByteReader(written(rules, isSecond: isSecond, limits: rules.thresholds.count - missing))
        let state = try ParticipantState(&reader, rules, name: "12", clock: 1000)
        #expect(reader.isAtEnd)
        return (state, rules)
    }

    @Test("what is known of the person is read", arguments: [false, true])
    func person(isSecond: Bool) throws {
        let state = try Self.read(isSecond: isSecond).state
        var facts = PersonFacts()
        (facts.born, facts.isPregnant, facts.height) = (5000, true, 1.75)
        #expect(state.profile == facts && state.profileUntil == 99 && state.isClockOff && state.overrides == [2: 0.8])
        #expect(state.heartRateClock == (isSecond ? 77 : .min) && state.uncovered == (isSecond ? [0, 2] : []))
        let note = try #require(state.notes[0])
        #expect(note.acknowledgedBy == "ann" && note.silencedBy == nil && note.silenceReason == "bath" && note.silenceEnd == 21)
        // A clearance had no end once, and gets the last that its rule allows.
        #expect(note.clearedUntil == (isSecond ? 22 : 7_200_001_000) && note.clearEnd == (isSecond ? 23 : 7_200_001_000))
        #expect(isSecond ? note.clearedValue == 24.5 : note.clearedValue.isNaN)
        #expect(state.notes.count == 1)
    }

    @Test("what is known of alerts and comparisons is read", arguments: [false, true])
    func alerts(isSecond: Bool) throws {
        let state = try Self.read(isSecond: isSecond).state
        #expect(
            state.alerts[0]
                == AlertState(
                    phase: .active, severity: .warning, flags: .recovered, rearm: .notice, silence: .warning, stage: 1, sequence: 7,
                    since: 100, alarmedClock: 200, endedClock: isSecond ? 400 : 0, silencedUntil: 300))
        #expect(state.alerts.dropFirst().allSatisfy { $0 == AlertState() })
        #expect(state.levels[0] == LevelState(phase: .firing, readings: 1, since: 11, sinceClock: 12))
        #expect(state.levels.dropFirst().allSatisfy { $0 == LevelState() })
        let first = LeafState(time: 1010, arrival: 1020, value: 100.5, isSatisfied: true, isExceeded: true, unseen: 3)
        let second = LeafState(
            time: 1010, arrival: 1020, value: 100.5, isSatisfied: true, gaps: 4, interval: 5, runClock: 1006, unseen: 3)
        let third = LeafState(time: 0, arrival: 999, value: 0.25, isExceeded: true, gaps: 9, interval: 8, runClock: 1007)
        #expect(state.leaves[0] == (isSecond ? second : first) && state.leaves[2] == (isSecond ? third : LeafState(value: 0.25)))
        #expect(state.leaves.count { $0.isSeen } == (isSecond ? 2 : 1))
    }

    @Test("what rules remember is read", arguments: [false, true])
    func memories(isSecond: Bool) throws {
        let state = try Self.read(isSecond: isSecond).state
        #expect(state.rings == [33, 0])
        #expect(
            state.windows[0].buckets == [
                .init(number: 1, firstTime: 10, first: 1, lastTime: 11, last: 2, least: 3, most: 4, sum: 5, count: 6),
                .init(number: 2, firstTime: 20, first: 2, lastTime: 22, last: 4, least: 6, most: 8, sum: 10, count: 12),
            ])
        #expect(state.histories[0].bins.enumerated().filter { $0.element != 0 }.map(\.offset) == [5, 63])
        #expect(state.histories[0].bins[5] == 3 && state.histories[0].bins[63] == 0.5 && state.histories[0].bins.count == 64)
        #expect(state.histories[0].total == 3.5 && state.histories[0].faded == 44)
        guard isSecond else {
            #expect(state.days[0].days.isEmpty && !state.anchors[0].isKnown && state.qualities[0].arrival == LeafState.never)
            return
        }
        #expect(state.days[0].days == [.init(number: 3, count: 2, mean: 80.5, last: 81, lastTime: 55)])
        #expect(state.anchors[0] == AnchorState(time: 61, baseline: 130, newest: 129, newestTime: 62))
        #expect(state.inputs[1] == InputState(value: 90, time: 63) && state.inputs[0].value.isNaN)
        #expect(state.qualities[0] == QualityState(value: 0.75, arrival: 64))
    }

    @Test("what scores are made of, and what was told of them, is read", arguments: [false, true])
    func scores(isSecond: Bool) throws {
        let scores = try #require(try Self.read(isSecond: isSecond).state.scores)
        #expect(scores.values[0] == 16 && scores.values[3] == 19 && scores.values.count { $0.isNaN } == 6)
        #expect(scores.measured == [71, .min, .min, 74, .min, .min, .min, .min])
        #expect(scores.times == [81, .min, .min, 84, .min, .min, .min, .min])
        #expect(scores.timeInRange.hours == [.init(number: 91, readings: 12, inRange: 7)])
        #expect(scores.said == ["news2-risk": .text("low"), "news2-at-least": .number(3)])
    }

    @Test("limits are read, in the first layout without that of the rule which came later; fewer are damage", arguments: [false, true])
    func limits(isSecond: Bool) throws {
        let (state, rules) = try Self.read(isSecond: isSecond)
        #expect(state.limits == rules.thresholds.enumerated().map { $1.standard + Double($0) })
        if isSecond {
            #expect(throws: ByteReader.Damage.self) { try Self.read(isSecond: true, limits: 1) }
        } else {
            let fewer = try Self.read(isSecond: false, limits: 1).state.limits
            #expect(fewer == Array(state.limits.dropLast()) + [rules.thresholds[rules.thresholds.count - 1].standard])
        }
        #expect(try Self.read(isSecond: isSecond, limits: rules.thresholds.count).state.limits.isEmpty, "the standard ones")
    }
}
