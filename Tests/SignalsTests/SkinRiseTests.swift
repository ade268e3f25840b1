import Testing

@testable import Signals

/// At ten samples a second: a response rises for three of them at least.
@Suite("Responses of the skin")
struct SkinRiseTests {
    private func events(_ values: [Double], rate: Double = 10) -> [SkinEvent] {
        var rise = SkinRise(rate: rate)
        return values.enumerated().compactMap { rise.step($0.element, at: Int64($0.offset)) }
    }

    private func responses(_ values: [Double]) -> [SkinResponse] {
        events(values).compactMap { if case .response(let response) = $0 { response } else { nil } }
    }

    @Test("have onset, peak and size, and are half recovered on half their height")
    func whole() {
        // The onset is the first sample above the foot, at 2.
        let found = events([1, 1, 1.125, 1.25, 1.375, 1.5, 1.375, 1.3125, 1.25, 1.125, 1])
        #expect(found == [.response(SkinResponse(onset: 2, peak: 5, amplitude: 0.5)), .halfRecovered(at: 8)])
    }

    /// From 0 up to 0.05, which is the least, in steps that a double holds.
    @Test("are 0.05 µS high at least", arguments: [(0.05, true), (0.0499, false), (0.0501, true)])
    func size(height: Double, isFound: Bool) {
        #expect(responses([0, 0.25, 0.5, 0.75, 1, 0.5].map { $0 * height }).count == (isFound ? 1 : 0))
    }

    @Test("rise for 0.3 s at least", arguments: [(2, false), (3, true), (4, true)])
    func time(steps: Int, isFound: Bool) {
        // The first step up is the onset.
        let values = [0.0] + (0...steps).map { 0.1 + 0.1 * Double($0) } + [0]
        #expect(responses(values).count == (isFound ? 1 : 0))
    }

    @Test("are certain after a fall of a hundredth of a µS", arguments: [(0.0099, false), (0.0101, true)])
    func fall(size: Double, isFound: Bool) {
        #expect(responses([0, 0.1, 0.2, 0.3, 0.4, 0.4 - size]).count == (isFound ? 1 : 0))
        // On the way up a smaller fall changes nothing.
        let onward = responses([0, 0.1, 0.2, 0.2 - size, 0.3, 0.4, 0.5, 0.6, 0.3])
        #expect(onward.last?.amplitude == (isFound ? Float(0.6 - 0.2 + size) : 0.6))
    }

    @Test("begin where the lowest value was, however long before")
    func foot() {
        #expect(responses([3, 2, 1, 1, 1, 1.5, 2, 2.5, 3, 1]) == [SkinResponse(onset: 5, peak: 8, amplitude: 2)])
    }

    /// Steep by 0.009 first, of which a twentieth is 0.00045; then it creeps: what is flatter than that, and below a hundredth, is not the response yet.
    @Test(
        "begin behind what creeps on after a small step",
        arguments: [(0.0003, 0, 6), (0.0005, 0, 1), (0.0003, 0.002, 3)] as [(Double, Double, Int64)])
    func creep(slope: Double, more: Double, onset: Int64) {
        var values = [0, 0.009 - 5 * slope + more]
        for _ in 0..<5 { values.append((values.last ?? 0) + slope) }
        values += [0.1, 0.2, 0.3, 0.4, 0.1]
        #expect(responses(values).first?.onset == onset && responses(values).first?.peak == 10)
    }

    @Test("are told of once each, and the last one's half-way only")
    func several() {
        let first = [0, 0.1, 0.2, 0.3, 0.4], second = [0.35, 0.45, 0.55, 0.65, 0.75]
        let found = events(first + second + [0.7, 0.6, 0.56, 0.54, 0.1, 0])
        // Half of 0.4 below 0.75 is 0.55.
        #expect(found.count == 3)
        #expect(found.last == .halfRecovered(at: 13))
    }

    @Test("are forgotten at a new start, and so is what was to recover")
    func restart() {
        var rise = SkinRise(rate: 10)
        for (position, value) in [0, 0.1, 0.2, 0.3, 0.4].enumerated() { _ = rise.step(value, at: Int64(position)) }
        rise.restart()
        #expect(rise.step(0.1, at: 5) == nil && rise.step(0, at: 6) == nil)
        var later = SkinRise(rate: 10)
        var found = 0
        for (position, value) in [0, 0.1, 0.2, 0.3, 0.4, 0.35].enumerated() where later.step(value, at: Int64(position)) != nil {
            found += 1
        }
        #expect(found == 1)
        later.restart()
        #expect(later.step(0, at: 6) == nil)
    }

    // MARK: The detector

    private func detected(rate: Double = 4, _ feed: (inout SkinConductanceDetector, inout [SkinEvent]) -> Void) -> [SkinEvent] {
        var detector = SkinConductanceDetector(rate: rate), events: [SkinEvent] = []
        feed(&detector, &events)
        return events
    }

    /// A level of 2 µS with a response of 1 µS at 10 s, at four samples a second.
    private let signal: [Float] = (0..<160).map { (index: Int) -> Float in
        let away = Float(index - 46)
        return index < 40 ? 2 : 2 + min(1, Float(index - 40) / 6) / (1 + 0.02 * away * away)
    }

    private func moved(_ events: [SkinEvent], by count: Int64) -> [SkinEvent] {
        events.map { event in
            switch event {
            case .response(let response):
                .response(SkinResponse(onset: response.onset + count, peak: response.peak + count, amplitude: response.amplitude))
            case .halfRecovered(let position): .halfRecovered(at: position + count)
            }
        }
    }

    @Test("shift with what is missing before them, as no numbers or skipped", arguments: [1, 4, 5, 400])
    func shifted(gap: Int) {
        let plain = detected { $0.process(signal.span, into: &$1) }
        let hole = [Float](repeating: .nan, count: gap)
        #expect(plain.count == 2)
        let skipped = detected {
            $0.skip(gap)
            $0.process(signal.span, into: &$1)
        }
        let absent = detected {
            $0.process(hole.span, into: &$1)
            $0.process(signal.span, into: &$1)
        }
        #expect(skipped == moved(plain, by: Int64(gap)) && absent == skipped)
    }

    /// An electrode that is put on anew may give another level; the step between is no sweat.
    @Test("are none after a hole of more than a second, although the level is another", arguments: [5, 6, 400])
    func newLevel(length: Int) {
        let before = [Float](repeating: 2, count: 80), after = [Float](repeating: 9, count: 80),
            hole = [Float](repeating: .nan, count: length)
        for isSkipped in [true, false] {
            var detector = SkinConductanceDetector(rate: 4), events: [SkinEvent] = []
            detector.process(before.span, into: &events)
            if isSkipped { detector.skip(length) } else { detector.process(hole.span, into: &events) }
            detector.process(after.span, into: &events)
            #expect(events.isEmpty && abs((detector.level ?? 0) - 9) < 1e-4)
        }
    }

    @Test("within a second the filters go on, whatever is missing", arguments: [1, 4])
    func shortHole(length: Int) {
        let before = [Float](repeating: 2, count: 80), after = [Float](repeating: 2.5, count: 4)
        var detector = SkinConductanceDetector(rate: 4), events: [SkinEvent] = []
        detector.process(before.span, into: &events)
        detector.skip(length)
        detector.process(after.span, into: &events)
        #expect((detector.level ?? 0) < 2.4)
    }

    @Test("short holes one after the other are no long one")
    func manyHoles() {
        let level = [Float](repeating: 2, count: 80), next = [Float](repeating: 2.5, count: 4)
        var detector = SkinConductanceDetector(rate: 4), events: [SkinEvent] = []
        for _ in 0..<5 {
            detector.process(level.span, into: &events)
            detector.skip(4)
        }
        detector.process(next.span, into: &events)
        #expect((detector.level ?? 0) < 2.4)
    }

    @Test("values from a million µS on are missing", arguments: [1e6, -1e6, .infinity] as [Float])
    func huge(value: Float) {
        var detector = SkinConductanceDetector(rate: 4), events: [SkinEvent] = []
        let samples = [value]
        detector.process(samples.span, into: &events)
        #expect(detector.level == nil)
        let large: [Float] = [999_999]
        detector.process(large.span, into: &events)
        #expect(abs((detector.level ?? 0) - 999_999) < 1)
    }

    /// A Butterworth low-pass of order 2 after another: at its corner of 0.05 Hz half the power is left, of 1 Hz nearly nothing.
    @Test("the level follows what is slower than 0.05 Hz", arguments: [(0.005, 0.99, 1.01), (0.05, 0.68, 0.73), (0.5, 0, 0.03)])
    func level(hertz: Double, least: Double, most: Double) {
        var detector = SkinConductanceDetector(rate: 20), events: [SkinEvent] = [], largest = 0.0
        for index in 0..<20_000 {
            let sample = [Float(5 + sine(2 * .pi * hertz * Double(index) / 20))]
            detector.process(sample.span, into: &events)
            if index > 10_000 { largest = max(largest, abs(Double(detector.level ?? 0) - 5)) }
        }
        #expect((least...most).contains(largest), "\(largest)")
    }
}
