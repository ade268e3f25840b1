import Signals
import Testing
import VigilSchema

@testable import StressAnalysis

@Suite("A sensor's clock that is set back")
struct ClockRollbackTests {
    /// On the grid of minutes.
    private static let start = 1_700_000_040.0

    /// A person, and what was told of them with the time of receipt at which it was.
    private struct Course {
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: start))
        var told: [(received: Double, observation: Observation)] = []

        /// Takes what was received at a second after the start.
        mutating func take(_ observation: Observation, source: String = "chest", received: Double) {
            person.take(
                ObservationGroup(
                    participant: "p1", source: source, received: Timestamp(seconds: start + received), observations: [observation]))
            told += person.dueObservations(defaultMode: .enhanced).observations.map { (received, $0) }
        }

        func values(_ metric: String, after received: Double) -> [(received: Double, value: Double)] {
            told.compactMap {
                guard $0.received > received, $0.observation.metric == metric, case .value(let value) = $0.observation.content else {
                    return nil
                }
                return ($0.received, value)
            }
        }

        func statuses(after received: Double) -> [String] {
            told.compactMap {
                guard $0.received > received, $0.observation.metric == "stress-status", case .text(let text) = $0.observation.content else {
                    return nil
                }
                return text
            }
        }

        /// What is told on the grid of updates: a rhythm is dated by its beats.
        var onGrid: [Observation] { told.map(\.observation).filter { !$0.metric.hasPrefix("heart-rhythm") } }

        /// The number of observations that took another's place.
        var replacements: Int {
            told.count - Set(told.map { "\($0.observation.metric) \($0.observation.time.microseconds) \($0.observation.interval)" }).count
        }
    }

    private static func reading(_ value: Double, at time: Double, _ metric: String = "heart-rate") -> Observation {
        Observation(metric: metric, time: Timestamp(seconds: start + time), content: .value(value), unit: "/min")
    }

    /// Beats to a second of the signal, noise from there on.
    private static func heart(until end: Double, seconds: Double) -> DrawnHeart {
        var heart = DrawnHeart(seconds: seconds)
        heart.beat(from: 0.5, to: end, every: 0.8)
        return heart
    }

    @Test(
        "is followed after ten seconds, and a standstill behind it is told at once, without replacing what was told",
        arguments: [3600.0, 240, 60, 20])
    func standstill(step: Double) throws {
        let heart = Self.heart(until: 150, seconds: 220)
        var course = Course()
        for second in 0..<220 {
            course.take(heart.observation(second: second, from: Self.start - (second < 90 ? 0 : step)), received: Double(second + 1))
        }
        let first = try #require(course.values("ecg-quality", after: 90).first)
        #expect(first.received <= 90 + 10 + 15, "\(first)")
        #expect(course.values("heart-rate", after: 90).contains { abs($0.value - 75) < 2 })
        let pause = try #require(course.values("ecg-pause", after: 90).first { $0.value >= 4 })
        #expect((154...160).contains(pause.received), "\(pause)")
        #expect(course.statuses(after: 90).first?.contains("a sensor's clock was set back") == true)
        #expect(!course.statuses(after: 0).contains { $0.contains("passed over") } && course.replacements == 0)
        // Where nothing was told yet the words and the thousandth of a second end.
        let isOver = step <= 60
        #expect(course.statuses(after: 90).last?.contains("set back") == !isOver)
        #expect((course.onGrid.last?.time.microseconds ?? 0) % 1_000_000 == (isOver ? 0 : 1000))
    }

    @Test("is followed twice over the same time, and nothing is replaced")
    func twice() {
        let heart = Self.heart(until: 200, seconds: 200)
        var course = Course()
        for second in 0..<200 {
            course.take(
                heart.observation(second: second, from: Self.start - (second < 70 ? 0 : second < 130 ? 65 : 130)),
                received: Double(second + 1))
        }
        for received in [85.0, 145] { #expect(!course.values("ecg-quality", after: received).isEmpty) }
        let parts = Set(course.onGrid.map { $0.time.microseconds % 1_000_000 })
        #expect(parts == [0, 1000, 2000] && course.replacements == 0)
    }

    @Test("is followed by single readings too, also of another device in the first one's place", arguments: ["wrist", "ring"])
    func readings(source: String) throws {
        var course = Course()
        for second in 0..<60 { course.take(Self.reading(72, at: Double(second)), source: "wrist", received: Double(second)) }
        for second in 60..<200 { course.take(Self.reading(112, at: Double(second) - 3600), source: source, received: Double(second)) }
        let first = try #require(course.values("stress-heart-component", after: 60).first { $0.value == 1 })
        // Another's clock is followed where the first has not been heard for a minute.
        #expect((source == "wrist" ? 70...80 : 119...130).contains(first.received), "\(first)")
        #expect(course.replacements == 0)
    }

    /// What is said of a heart and a skin temperature in three minutes, with something in between.
    private func undisturbed(_ disturb: (inout Course, Int) -> Void) -> (
        undisturbed: [Observation], found: [Observation], statuses: [String]
    ) {
        let heart = Self.heart(until: 200, seconds: 200)
        var (course, other) = (Course(), Course())
        for second in 0..<200 {
            let block = heart.observation(second: second, from: Self.start)
            course.take(block, received: Double(second + 1))
            disturb(&course, second)
            other.take(block, received: Double(second + 1))
        }
        return (other.told.map(\.observation), course.told.map(\.observation), course.statuses(after: 0))
    }

    private func block(_ second: Int) -> Observation { Self.heart(until: 200, seconds: 200).observation(second: second, from: Self.start) }

    @Test("is not what a broker delivers once more, or an outbox late: it was received before", arguments: [40.0, 1.5])
    func redelivery(after delay: Double) {
        let heart = Self.heart(until: 200, seconds: 200)
        let result = undisturbed { course, second in
            guard (100..<160).contains(second) else { return }
            // A second each, at its own pace: only its receipt tells that it is old.
            let old = second - Int(delay.rounded(.up))
            course.take(heart.observation(second: old, from: Self.start), received: Double(old + 1))
        }
        #expect(result.found == result.undisturbed)
        // All of a minute at once, before anything new.
        let again = undisturbed { course, second in
            guard second == 150 else { return }
            for old in 80..<150 { course.take(heart.observation(second: old, from: Self.start), received: Double(old + 1)) }
        }
        #expect(again.found == again.undisturbed)
    }

    @Test("is not what a device sends late beside new blocks, evenly or in a burst", arguments: [1, 20, 120])
    func backfill(pace: Int) {
        let heart = Self.heart(until: 200, seconds: 200)
        let result = undisturbed { course, second in
            guard (100..<130).contains(second) else { return }
            for index in 0..<pace {
                let old = heart.observation(
                    second: (second - 100) * pace % 100 + index % 2, from: Self.start - 3600 + Double((second - 100) * pace + index))
                course.take(old, received: Double(second + 1) + 0.001 * Double(index + 1))
            }
        }
        #expect(result.found == result.undisturbed)
    }

    @Test(
        "is not what a device sends late while it sends nothing new, forwards or backwards, faster than time passes",
        arguments: [2, 20, -1, -20, 0])
    func burst(pace: Int) {
        let heart = Self.heart(until: 250, seconds: 250)
        var course = Course()
        for second in 0..<100 { course.take(heart.observation(second: second, from: Self.start), received: Double(second + 1)) }
        // Half a minute of blocks of an hour ago; with 0 the same one again and again.
        for second in 100..<130 {
            for index in 0..<max(1, abs(pace)) {
                let old = (second - 100) * pace + pace.signum() * index
                course.take(heart.observation(second: 0, from: Self.start - 2000 + Double(old)), received: Double(second + 1))
            }
        }
        #expect(course.statuses(after: 100).isEmpty)
        for second in 100..<130 { course.take(heart.observation(second: second, from: Self.start), received: 131) }
        for second in 130..<250 { course.take(heart.observation(second: second, from: Self.start), received: Double(second + 1)) }
        #expect(!course.statuses(after: 0).contains { $0.contains("set back") || $0.contains("past") } && course.replacements == 0)
        #expect(course.values("ecg-quality", after: 131).count >= 22)
    }

    @Test("beside others that have the right time is passed over, which is said while it lasts")
    func beside() {
        let heart = Self.heart(until: 300, seconds: 300)
        var course = Course()
        for second in 0..<300 {
            let isBack = (90..<150).contains(second)
            course.take(heart.observation(second: second, from: Self.start - (isBack ? 3600 : 0)), received: Double(second + 1))
            course.take(Self.reading(33, at: Double(second + 1), "skin-temperature"), source: "ring", received: Double(second + 1))
        }
        #expect(!course.statuses(after: 0).contains { $0.contains("set back") } && course.replacements == 0)
        let words = "what a sensor dates into the past is passed over"
        let told = course.told.filter { if case .text(let text) = $0.observation.content { text.contains(words) } else { false } }.map(
            \.received)
        #expect(told.first.map { (100...110).contains($0) } == true && told.last.map { (200...210).contains($0) } == true, "\(told)")
        // It has the right time again.
        #expect(course.values("ecg-quality", after: 165).count > 20)
    }

    @Test("ends a calibration, which is said")
    func calibration() {
        var course = Course()
        for second in 0..<30 { course.take(Self.reading(72, at: Double(second)), received: Double(second)) }
        course.person.handle(.calibrate(seconds: 60), calibrationSeconds: 60)
        for second in 30..<60 { course.take(Self.reading(72, at: Double(second) - 3600), received: Double(second)) }
        #expect(
            course.statuses(after: 30).last?.contains("calibration failed: a sensor's clock was set back") == true
                && !course.person.isCalibrating)
    }

    @Test("is known of by the replica that takes over meanwhile", arguments: [95, 120])
    func handOver(at moment: Int) throws {
        let heart = Self.heart(until: 200, seconds: 200)
        var (course, other) = (Course(), Course())
        for second in 0..<200 {
            let block = heart.observation(second: second, from: Self.start - (second < 90 ? 0 : 600))
            if second == moment { other.person = try #require(EngineSnapshot.decode(try EngineSnapshot.encode(other.person))) }
            course.take(block, received: Double(second + 1))
            other.take(block, received: Double(second + 1))
        }
        #expect(course.told.map(\.observation) == other.told.map(\.observation) && !course.values("ecg-quality", after: 115).isEmpty)
    }

    @Test("goes on evenly for ten seconds by the times of receipt, five more or less, however long the blocks are")
    func value() {
        func needed(_ blocks: [(received: Double, end: Double)]) -> Double? {
            var clock = ClockRollback(source: "a", end: blocks[0].end, received: blocks[0].received)
            return blocks.dropFirst().first { clock.goesOn(until: $0.end, received: $0.received) }?.received
        }
        let seconds = (0..<60).map(Double.init)
        #expect(needed(seconds.map { (100 + $0, $0) }) == 110)
        #expect(needed(seconds.map { (100 + $0, 1.4 * $0) }) == 110)
        #expect(needed(seconds.map { (100 + $0, 1.8 * $0) }) == nil)
        #expect(needed(seconds.map { (100 + $0, 0.3 * $0) }) == nil)
        #expect(needed(seconds.map { _ in (100, 1) }) == nil)
        // Sixty blocks each minute.
        #expect(needed(seconds.map { (100, $0) } + seconds.map { (160, 60 + $0) }) == 160)
        #expect(needed([(100, 0), (130, 30)]) == 130)
        // The clock by which it is received was set back too.
        #expect(needed([(100, 0), (50, 5)] + seconds.map { (51 + $0, 6 + $0) }) == 60)
    }
}
