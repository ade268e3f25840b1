import SignalSynthesis
import Testing

@testable import Signals

@Suite("Breaths that are not all known")
struct BreathingStretchesTests {
    // MARK: The pattern

    /// 60 over the mean of the intervals that lie within a stretch.
    @Test(
        "only intervals within a stretch count, two at least",
        arguments: [
            ([[0, 4], [10, 14]], 15), ([[0, 4, 8], [20], [30, 32]], 18), ([[], [0, 3, 6], []], 20), ([[0, 4], [10]], nil),
            ([[0], [4], [8]], nil),
            ([[5, 5, 5]], nil), ([], nil),
        ] as [([[Double]], Double?)])
    func stretches(stretches: [[Double]], rate: Double?) { #expect(BreathingPattern(stretches: stretches)?.rate == rate) }

    /// Of two intervals of 4 s the next breath is overdue behind 6 s. With one more that would end now, 14.4 s for three are 12.5 a minute.
    @Test(
        "a breath that is overdue by half counts as if it came now",
        arguments: [(nil, 15), (0, 15), (6, 15), (6.4, 12.5), (10, 10), (82, 2)] as [(Double?, Double)])
    func overdue(open: Double?, rate: Double) throws {
        let pattern = try #require(BreathingPattern(stretches: [[100, 104, 108]], open: open))
        #expect(abs(pattern.rate - rate) < 1e-9 && pattern.irregularity == 0)
    }

    /// Intervals of 4 s with others between them; the deviation of 22.5 from 20 and 25 is 2.5, of 15 from 4 and 26 it is 11.
    @Test(
        "a pause from 20 s on counts for the rate and not as irregular, where two shorter intervals are known",
        arguments: [
            ([0, 4, 8, 28, 32], 7.5, 0), ([0, 4, 8, 30, 34, 38], 300 / 38.0, 0), ([0, 20, 45], 60 / 22.5, 2.5 / 22.5),
            ([0, 4, 30], 4, 11 / 15.0),
            ([0, 4, 24, 30], 6, 0.2), ([0, 3, 22], 60 / 11.0, 8 / 11.0),
        ] as [([Double], Double, Double)])
    func pause(times: [Double], rate: Double, irregularity: Double) throws {
        let pattern = try #require(BreathingPattern(stretches: [times]))
        #expect(abs(pattern.rate - rate) < 1e-9 && abs(pattern.irregularity - irregularity) < 1e-9)
    }

    // MARK: The detector

    /// A detector of a signal of 25 samples a second, which is fed second by second.
    private struct Feed {
        var detector = BreathDetector(rate: 25)
        var breaths: [Breath] = []
        private var time = 0

        var now: Int64 { Int64(time) }

        /// So many seconds of a signal, by the time in seconds.
        mutating func add(_ seconds: Int, _ value: (Double) -> Double) {
            let samples = (0..<seconds * 25).map { Float(value(Double(time + $0) / 25)) }
            detector.process(samples.span, into: &breaths)
            time += samples.count
        }
    }

    private func breath(_ time: Double) -> Double { sine(2 * .pi * time / 4) }
    private func square(_ time: Double) -> Double { Int(time / 3) % 2 == 0 ? 1 : -1 }

    /// A square wave is nothing from a body once the last fifteen seconds are nothing else, until sixteen seconds behind its begin.
    @Test("what moves in a signal that comes from no body is no breath, but may have hidden one")
    func withheld() throws {
        var feed = Feed()
        feed.add(60, breath)
        #expect(feed.detector.passedOver == nil && feed.breaths.count > 12 && feed.breaths.allSatisfy(\.isNext))
        let end = feed.now
        feed.add(42, square)
        #expect(feed.detector.fault == .stepwise)
        let passed = try #require(feed.detector.passedOver), before = feed.breaths.count
        // A wave every six seconds, the last of which is certain by now.
        #expect(passed > end + 25 * 30 && passed < feed.now && feed.breaths.allSatisfy { $0.position < end + 25 * 20 })
        feed.add(60, breath)
        let later = feed.breaths.dropFirst(before)
        #expect(later.count > 8 && later.map(\.isNext) == [false] + Array(repeating: true, count: later.count - 1))
        #expect(feed.detector.passedOver == nil)
    }

    /// The square wave moves by a fortieth of the jolt: that is no change beside it, and for the range it is no wave.
    @Test("of what may have hidden a breath the last counts, also where it is small beside a jolt")
    func small() throws {
        var feed = Feed()
        feed.add(60, breath)
        feed.add(60, square)
        let jolt = Double(feed.now) / 25
        feed.add(3) { square($0) + ($0 > jolt + 0.5 && $0 < jolt + 2 ? 90 : 0) }
        feed.add(45, square)
        #expect(feed.detector.fault == .stepwise)
        let passed = try #require(feed.detector.passedOver)
        #expect(passed > feed.now - 25 * 13 && passed < feed.now, "\(passed) of \(feed.now)")
    }

    /// A turn goes back by 15 % of the range, which a jolt widens and the memory narrows again: until then no breath is as large.
    @Test("after a jolt waves are told again as the memory of the detector has it", arguments: [4.0, 25])
    func jolt(rate: Double) {
        var random = SeededGenerator(seed: 4)
        let signal = (0..<Int(400 * rate)).map { (index: Int) -> Float in
            let time = Double(index) / rate
            let jolt = time > 100 && time < 103 ? 60 * sine(.pi * (time - 100) / 3) : 0
            return Float(breath(time) + jolt + 0.01 * random.normal())
        }
        var filter = Butterworth.bandPass(order: 1, low: 0.08, high: 0.5, rate: rate)
        filter.settle(at: Double(signal[0]))
        var zigzag = Zigzag(rate: rate, shortest: 1.5, least: 0.7, memory: 60, share: 0.2), expected: [Breath] = []
        for (index, x) in signal.enumerated() {
            if let top = zigzag.step(filter.step(Double(x)), at: Int64(index)) { expected.append(top) }
        }
        var detector = BreathDetector(rate: rate), found: [Breath] = []
        detector.process(signal.span, into: &found)
        #expect(found == expected && found.contains { !$0.isNext } && found.last?.isNext == true)
        // Breaths are told again long before the jolt is forgotten, and long after it was.
        let silent = zip(found.dropFirst(), found).map { Double($0.position - $1.position) / rate }.max() ?? 0
        #expect((30...200).contains(silent), "\(silent)")
    }

    @Test("after a jolt beats of a pulse are told again as the memory of the detector has it", arguments: [25.0, 64])
    func pulseJolt(rate: Double) {
        let signal = (0..<Int(120 * rate)).map { (index: Int) -> Float in
            let time = Double(index) / rate
            let jolt = time > 30 && time < 31 ? 40 * sine(2 * .pi * (time - 30)) : 0
            return Float(sine(2 * .pi * 1.2 * time) + jolt)
        }
        var filter = Butterworth.bandPass(order: 2, low: 0.7, high: 5, rate: rate)
        filter.settle(at: Double(signal[0]))
        var zigzag = Zigzag(rate: rate, shortest: 0.33, least: 0.25, memory: 10, share: 0.35), expected: [Int64] = []
        var integrity = SignalIntegrity(rate: rate, step: 0.05, window: 4, floor: 1e-6)
        for (index, x) in signal.enumerated() {
            integrity.step(x)
            if let top = zigzag.step(filter.step(Double(x)), at: Int64(index)), integrity.isSound { expected.append(top.position) }
        }
        var detector = PulseDetector(rate: rate), beats: [PulseBeat] = []
        detector.process(signal.span, into: &beats)
        let found = beats.map(\.position)
        #expect(found == expected && found.count > 40)
        let silent = zip(found.dropFirst(), found).map { Double($0 - $1) / rate }.max() ?? 0
        #expect((5...60).contains(silent), "\(silent)")
    }
}
