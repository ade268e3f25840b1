import Foundation
import SignalSynthesis
import Testing

@testable import Signals

/// The second opinion beside its parts, each of which has tests of its own, put together over the whole of a signal.
@Suite("The second opinion by its parts")
struct SecondOpinionReferenceTests {
    private struct Found: Equatable {
        var centre: Int64
        var gain: Float
        var template: Int
    }

    /// Filter, noise, waves and shapes, and every value there ever was.
    private struct Plain {
        let stride: Int
        let tickRate: Double
        private(set) var noise: NoiseContext, flutter: FlutterWatch, integrity: SignalIntegrity, templates: BeatTemplates
        private(set) var likenesses: [Int: Likeness] = [:]
        private var filter: FilterCascade
        private var band = TickRing(capacity: 8192), signal = TickRing(capacity: 8192)
        private var lessons: [(middle: Int, offset: Float)] = []

        init(rate: Double, level: Double) {
            stride = max(1, Int(rate / 110))
            tickRate = rate / Double(stride)
            (noise, flutter, templates) = (
                NoiseContext(tickRate: tickRate), FlutterWatch(tickRate: tickRate), BeatTemplates(tickRate: tickRate)
            )
            integrity = SignalIntegrity(rate: tickRate, step: 0.02, window: 3, floor: 0.02)
            filter = Butterworth.bandPass(order: 2, low: 5, high: 40, rate: rate)
            filter.settle(at: level)
            for tick in 0..<8192 { signal[tick] = Float(level) }
        }

        mutating func willLearn(_ centre: Int64, offset: Float) { lessons.append((Int(centre) / stride, offset)) }

        /// Takes a sample; at every so manyth returns what is beat-like a little before, which nothing within 90 ms exceeds.
        mutating func take(_ x: Float, at index: Int) -> Found? {
            let filtered = Float(filter.step(Double(x))), tick = index / stride
            guard index % stride == 0 else { return nil }
            (band[tick], signal[tick]) = (filtered, x)
            noise.step(band, at: tick)
            flutter.step(signal, at: tick)
            integrity.step(x)
            if let lesson = lessons.first, Double(tick - lesson.middle) >= (0.4 * tickRate).rounded(.down) {
                lessons.removeFirst()
                noise.learn(band, middle: lesson.middle)
                templates.learn(band, middle: lesson.middle, offset: lesson.offset)
            }
            // The middle of the newest beat that could be there whole.
            let middle = tick - Int(0.12 * tickRate), reach = Int(0.09 * tickRate)
            likenesses[middle] = noise.mayBeNoisy ? templates.likeness(band, at: middle - Int(0.08 * tickRate)) : Likeness()
            guard noise.mayBeNoisy else { return nil }
            let scores = (0...2 * reach).map { score(middle - $0) }, own = likenesses[middle - reach] ?? Likeness()
            guard scores[reach] == scores.max(), scores[reach] > 0.1, own.gain > 0.2 else { return nil }
            return Found(centre: Int64((middle - reach) * stride), gain: own.gain, template: own.template)
        }

        private func score(_ tick: Int) -> Float { likenesses[tick].map { max($0.gain, 0) * $0.correlation } ?? 0 }

        /// Returns whether the signal is a wave, and why not where it looks like one.
        func wave(at tick: Int) -> (isWave: Bool, words: String) {
            guard flutter.isFlutter else { return (false, "none") }
            if noise.isStill { return (false, "still") }
            if flutter.mayBeFastBeats, templates.agreement > 0.85, noise.hasFastBeats(at: tick) { return (false, "fast") }
            return (true, "wave")
        }
    }

    /// Twenty seconds each: of beats, of beats in noise, of a wave, of broad beats at 200 a minute, and of a wave as small as of no heart.
    private func signal(rate: Double, seed: UInt64) -> (samples: [Float], beats: [Int64]) {
        var random = SeededGenerator(seed: seed), electrodes = ElectrodeNoise(rate: rate, seed: seed)
        var samples = [Float](repeating: 0, count: Int(100 * rate)), beats: [Int64] = []
        func draw(_ time: Double, breadth: Double) {
            let centre = Int(time * rate)
            // In the noise nothing is learnt.
            if time < 20 || time > 60 { beats.append(Int64(centre)) }
            for index in max(0, centre - Int(5 * breadth * rate))..<min(samples.count, centre + Int(5 * breadth * rate)) {
                samples[index] += Float(gauss((Double(index) / rate - time) / breadth))
            }
        }
        for beat in 0..<48 { draw(0.5 + Double(beat) * 0.8 + 0.02 * random.normal(), breadth: 0.012) }
        for beat in 0..<66 { draw(60.1 + Double(beat) * 0.3, breadth: 0.03) }
        for index in samples.indices {
            let time = Double(index) / rate
            samples[index] += Float(0.01 * random.normal())
            if time >= 20, time < 40 { samples[index] += Float(0.2 * electrodes.next()) }
            if time >= 40, time < 60 { samples[index] = Float(sine(2 * .pi * 4 * time)) }
            if time >= 80 { samples[index] = Float(0.02 * sine(2 * .pi * 4 * time)) }
        }
        return (samples, beats)
    }

    @Test("is its parts put together, whatever the signal", arguments: [100.0, 250, 360], [1, 2] as [UInt64])
    func parts(rate: Double, seed: UInt64) {
        let (samples, beats) = signal(rate: rate, seed: seed)
        var opinion = SecondOpinion(rate: rate), plain = Plain(rate: rate, level: Double(samples[0]))
        opinion.restart(level: Double(samples[0]))
        var next = 0, count = 0, seen: Set<String> = []
        for (index, x) in samples.enumerated() {
            let filtered = opinion.filter(x), expected = plain.take(x, at: index), tick = index / opinion.stride
            if next < beats.count, Int64(index) == beats[next] {
                next += 1
                opinion.willLearn(centre: Int64(index), offset: -3)
                plain.willLearn(Int64(index), offset: -3)
            }
            guard index % opinion.stride == 0 else { continue }
            let found = opinion.step(filtered, signal: x, at: tick).map {
                Found(centre: $0.centre, gain: $0.likeness.gain, template: $0.likeness.template)
            }
            let wave = plain.wave(at: tick), past = opinion.likeness(at: Int64((tick - Int(0.5 * plain.tickRate)) * opinion.stride))
            let same = [
                found == expected, opinion.isFlutter(at: tick) == wave.isWave, opinion.agreement == plain.templates.agreement,
                opinion.noise.level == plain.noise.level, opinion.integrity.fault == plain.integrity.fault,
                past.gain == plain.likenesses[tick - Int(0.5 * plain.tickRate)]?.gain ?? 0,
                opinion.hasNoBeats(at: tick) == (wave.isWave || plain.integrity.carriesNothing),
            ]
            guard !same.contains(false) else {
                Issue.record("\(index): \(same), \(String(describing: found)), \(String(describing: expected)), \(wave)")
                return
            }
            if found != nil { count += 1 }
            seen.insert(wave.words)
        }
        #expect(count > 10 && seen == ["none", "wave", "fast", "still"], "\(count) \(seen)")
    }

    // MARK: Lessons

    /// An opinion of 125 values a second after so many of a signal with beats of one shape, the middle of each at a multiple of 100.
    private func opinion(after ticks: Int) -> SecondOpinion {
        var opinion = SecondOpinion(rate: 250)
        opinion.restart(level: 0)
        for tick in 0..<ticks { feed(&opinion, tick) }
        return opinion
    }

    private func feed(_ opinion: inout SecondOpinion, _ tick: Int) {
        let away = Float(tick % 100 - (tick % 100 > 50 ? 100 : 0))
        _ = opinion.step(away == 0 ? 1 : -0.5 / (1 + away * away), signal: 0.1 * Float(tick % 7), at: tick)
    }

    /// The first beat is taken over; each like one after it brings the agreement an eighth nearer to 1.
    @Test("eight beats wait at most to be learnt from", arguments: [(1, 0), (3, 2), (8, 7), (9, 7), (20, 7)])
    func waiting(count: Int, learnt: Int) {
        var opinion = opinion(after: 440)
        for _ in 0..<count { opinion.willLearn(centre: 800, offset: 0) }
        for tick in 440..<480 { feed(&opinion, tick) }
        #expect(abs(opinion.agreement - Float(1 - pow(0.875, Double(learnt)))) < 1e-4)
    }

    /// Of 256 values the shape's 32 must be there behind the middle: 223 before the next one, and not 224.
    @Test("a beat that is too long past is not learnt from", arguments: [(723, true), (724, false)])
    func past(tick: Int, isLearnt: Bool) {
        var opinion = opinion(after: tick)
        for _ in 0..<2 { opinion.willLearn(centre: 1000, offset: 0) }
        feed(&opinion, tick)
        for later in tick + 1..<tick + 20 { feed(&opinion, later) }
        // Noise is measured from the first beat on.
        #expect((opinion.noise.level != -2.5) == isLearnt)
    }

    /// 50 ticks behind its middle at tick 405, before tick 456, which is the next at which noise is measured.
    @Test("a beat is learnt from 0.4 s behind its middle", arguments: [(405, 456), (406, 464)])
    func delay(middle: Int, first: Int) {
        var opinion = opinion(after: 440)
        opinion.willLearn(centre: 2 * Int64(middle), offset: 0)
        let found = (440..<500).first { tick in
            feed(&opinion, tick)
            return opinion.noise.level != -2.5
        }
        #expect(found == first)
    }

    @Test("a new start forgets what waited, what it was like and what it saw")
    func restart() {
        var opinion = opinion(after: 440)
        opinion.willLearn(centre: 800, offset: 0)
        opinion.restart(level: 0)
        for tick in 440..<460 { feed(&opinion, tick) }
        #expect(opinion.noise.level == -2.5 && opinion.agreement == 0)
        var fast = SecondOpinion(rate: 250)
        fast.restart(level: 0)
        for tick in 0..<900 {
            _ = fast.step(tick % 60 == 0 ? 1 : 0, signal: 0.1 * Float(tick % 7), at: tick)
            if tick % 60 == 0 { fast.willLearn(centre: 2 * Int64(tick), offset: 0) }
        }
        #expect(fast.noise.hasFastBeats(at: 900))
        fast.restart(level: 0)
        #expect(!fast.noise.hasFastBeats(at: 900))
        // A beat learnt from right behind the start is measured with the silence before it, not with what was there.
        var used = self.opinion(after: 440), fresh = SecondOpinion(rate: 250)
        used.restart(level: 2)
        fresh.restart(level: 2)
        var same = true
        for index in 0..<3000 {
            let x = index < 1200 ? 2 : Float(2 + sine(Double(index) / 9)), tick = 512 + index / 2
            if index == 40 {
                used.willLearn(centre: 1024 + 20, offset: 0)
                fresh.willLearn(centre: 1024 + 20, offset: 0)
            }
            let (one, other) = (used.filter(x), fresh.filter(x))
            guard index % 2 == 0 else { continue }
            _ = (used.step(one, signal: x, at: tick), fresh.step(other, signal: x, at: tick))
            same =
                same && one == other && used.noise.level == fresh.noise.level && used.flutter.isFlutter == fresh.flutter.isFlutter
                && used.integrity.fault == fresh.integrity.fault && used.agreement == fresh.agreement
        }
        #expect(same)
    }
}
