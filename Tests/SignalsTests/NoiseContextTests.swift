import Foundation
import SignalSynthesis
import Testing

@testable import Signals

/// The measure of noise beside the same from all values at once, plainly and in double precision.
@Suite("The noise between beats")
struct NoiseContextTests {
    /// What is known after so many values, by the words of the measure's description.
    private struct Plain {
        let rate: Double
        var band: [Double] = []
        var level = -2.5, quiet = -2.5, judged = 0.0
        private var mean = -2.5
        private var beat: Double?
        private var last: Int?
        private var between: Double?, interval: Double?

        init(rate: Double) { self.rate = rate }

        private var window: Int { Int(0.2 * rate) }

        private func energy(from start: Int, count: Int) -> Double {
            1e-12 + (start..<start + count).reduce(0) { $0 + ($1 < 0 ? 0 : band[$1] * band[$1]) }
        }

        private func loudness(_ energy: Double) -> Double { max(log(energy / (beat ?? 1)), -6) }

        /// A beat's energy follows the beats by a sixteenth. Midway between two of them, or 0.75 s before one behind a pause, 64 ms tell of 200 ms;
        /// they count the more the longer it was.
        mutating func learn(_ middle: Int) {
            let measured = energy(from: middle - window / 2, count: window)
            beat = beat.map { $0 * 15 / 16 + min(measured, 2 * $0) / 16 } ?? measured
            defer { last = middle }
            guard let last, last < middle else { return }
            let seconds = min(Double(middle - last) / rate, 1.5), count = Int(0.064 * rate)
            let part = seconds / 4
            let former = middle - min(middle - last, Int(1.5 * rate))
            let calm = loudness(energy(from: (former + middle - count) / 2, count: count) / Double(count) * Double(window))
            between = (1 - part) * (between ?? calm) + part * calm
            interval = (1 - part) * (interval ?? seconds) + part * seconds
        }

        mutating func take(_ value: Double) {
            band.append(value)
            let tick = band.count - 1
            guard tick % 8 == 0, beat != nil else { return }
            let step = 8 / rate
            mean += step / 4 * (loudness(energy(from: tick - window + 1, count: window)) - mean)
            level = mean
            // Of beats closer than 0.6 s as much counts as of those 0.6 s apart, beside what lies between them.
            if let between, let interval, interval < 0.6, between < mean { level = between + (mean - between) * interval / 0.6 }
            judged += 1
            quiet = judged <= rate ? level : quiet + step / (level < quiet ? 8 : 900) * (level - quiet)
        }

        mutating func restart() { last = nil }

        /// Returns whether fast beats have quiet between them; nil where that is a close call.
        func hasFastBeats() -> Bool? {
            guard let between, let interval, let last else { return false }
            if abs(between + 1.8) < 1e-3 || abs(interval - 0.6) < 1e-4 { return nil }
            return interval < 0.6 && between < -1.8 && Double(band.count - 1 - last) < 1.5 * rate
        }
    }

    /// A wearer whose beats and noise change from one stretch of twelve seconds to the next.
    private struct Wearer {
        let rate: Double
        var random: SeededGenerator
        private var middle = 0, next = 0, size = 0.0, interval = 1.0

        init(rate: Double, seed: UInt64) { (self.rate, random) = (rate, SeededGenerator(seed: seed)) }

        mutating func change(at tick: Int) {
            size = [0, 0.001, 0.02, 0.1, 0.3, 0.6][Int(random.uniform() * 5.99)]
            interval = [0.3, 0.42, 0.55, 0.8, 1.7, 30][Int(random.uniform() * 5.99)]
            next = tick + Int(interval * rate)
        }

        /// The value at a tick, and the beat whose middle is there.
        mutating func value(at tick: Int) -> (value: Double, beat: Int?) {
            let isBeat = tick == next
            if isBeat { (middle, next) = (tick, tick + Int(interval * (0.95 + 0.1 * random.uniform()) * rate)) }
            let away = Double(tick - (isBeat || tick - middle < next - tick ? middle : next)) / 3
            return (size * random.normal() + exp(-away * away / 2), isBeat ? tick : nil)
        }
    }

    @Test("is what its description says, however fast the heart and loud the noise", arguments: [120.0, 55], 1...4)
    func definition(rate: Double, seed: UInt64) {
        var plain = Plain(rate: rate), context = NoiseContext(tickRate: rate), ring = TickRing(capacity: 256)
        var wearer = Wearer(rate: rate, seed: seed), waiting: [Int] = [], fast = 0
        for tick in 0..<Int(240 * rate) {
            if tick % Int(12 * rate) == 0 { wearer.change(at: tick) }
            if tick % Int(50 * rate) == 0 {
                plain.restart()
                context.restart()
            }
            let (value, beat) = wearer.value(at: tick)
            ring[tick] = Float(value)
            plain.take(Double(Float(value)))
            context.step(ring, at: tick)
            if let beat { waiting.append(beat) }
            if let middle = waiting.first, middle + Int(0.4 * rate) <= tick {
                waiting.removeFirst()
                // One in ten is told of twice: nothing lies between.
                for _ in 0..<(wearer.random.uniform() < 0.1 ? 2 : 1) {
                    plain.learn(middle)
                    context.learn(ring, middle: middle)
                }
            }
            let isFast = plain.hasFastBeats()
            guard abs(Double(context.level) - plain.level) < 3e-3, abs(Double(context.excess) - plain.level + plain.quiet) < 3e-3,
                isFast == nil || context.hasFastBeats(at: tick) == isFast
            else {
                Issue.record("\(tick): \(context) in place of \(plain.level) and \(plain.quiet), \(isFast.map { "\($0)" } ?? "")")
                return
            }
            if isFast == true { fast += 1 }
        }
        #expect(fast > 100)
    }

    /// Of a silence -6 is heard: -6 + 3.5 · 0.984ⁿ is below -4.5 from the 53rd step of eight ticks on.
    @Test("is so little in a silence that the heart stands still, three and a half seconds later")
    func still() {
        var context = NoiseContext(tickRate: 125), beat = TickRing(capacity: 256)
        beat[100] = 1
        context.learn(beat, middle: 100)
        let silence = TickRing(capacity: 256)
        let first = (0..<1000).first { tick in
            context.step(silence, at: tick)
            return context.isStill
        }
        #expect(first == 52 * 8)
    }

    /// Beats 0.5 s apart with nothing between them.
    @Test("of fast beats is trusted for a second and a half behind the last", arguments: [(179, true), (180, false)])
    func fastBeats(after ticks: Int, isFast: Bool) {
        var context = NoiseContext(tickRate: 120), ring = TickRing(capacity: 256)
        for tick in 0..<600 {
            ring[tick] = tick % 60 == 0 ? 1 : 0
            if tick % 60 == 40, tick > 60 { context.learn(ring, middle: tick - 40) }
        }
        #expect(context.hasFastBeats(at: 540 + ticks) == isFast)
        context.restart()
        #expect(!context.hasFastBeats(at: 540) && !NoiseContext(tickRate: 120).hasFastBeats(at: 0))
    }

    // MARK: Flutter

    /// The verdicts after each tick on a signal that begins at a tick.
    private func verdicts(_ watch: inout FlutterWatch, _ signal: [Float], from start: Int = 0) -> [[Bool]] {
        var ring = TickRing(capacity: 16)
        return signal.enumerated().map { index, value in
            ring[start + index] = value
            watch.step(ring, at: start + index)
            return [watch.isFlutter, watch.mayBeFastBeats]
        }
    }

    /// Ramps that are steep for a share of each block, which changes every sixteen blocks.
    private func ramps(_ shares: [Double], block: Int, size: Float = 1) -> [Float] {
        var value: Float = 0
        return shares.flatMap { share in
            (0..<16 * block).map { index in
                value += Double(index % block) < share * Double(block) ? size * (1 + Float(index / block % 3) / 4) : 0
                return value
            }
        }
    }

    /// A block lasts 0.25 s, and a rise spans twice 25 ms, each a tick at least.
    @Test(
        "that is a wave may hide fast beats up to a mean slope of 0.4 of the largest",
        arguments: [(50.0, 12, 1), (60, 15, 2), (100, 25, 3), (124, 31, 3)])
    func mayBeBeats(rate: Double, block: Int, half: Int) {
        let signal = ramps([1, 0.6, 0.3, 0.1, 0.35, 0, 0.45, 0.2, 0.7], block: block)
        let at = { (tick: Int) in tick < 0 ? Float(0) : signal[tick] }
        let rises = signal.indices.map { tick in (0..<half).reduce(Float(0)) { $0 + at(tick - $1) - at(tick - $1 - half) }.magnitude }
        var watch = FlutterWatch(tickRate: rate), expected = [false, false], seen: Set<[Bool]> = []
        for (tick, found) in verdicts(&watch, signal).enumerated() {
            if tick % block == block - 1 {
                let known = min(tick / block + 1, 12)
                let last = rises[(tick + 1 - known * block)...tick], most = last.max() ?? 0
                let mean = last.reduce(0, +) / Float(last.count)
                expected = [known >= 6 && mean > 0.22 * most, known >= 6 && mean > 0.22 * most && mean <= 0.4 * most]
                seen.insert(expected)
            }
            guard found == expected else { Issue.record("\(tick): \(found) in place of \(expected)"); return }
        }
        #expect(seen == [[false, false], [true, false], [true, true]])
    }

    @Test("is no wave on a line that never moves, and leaves nothing behind at a new start", arguments: [1, 500, 517])
    func anew(ticks: Int) {
        var still = FlutterWatch(tickRate: 124), used = still
        #expect(verdicts(&still, [Float](repeating: 3, count: 1000)).allSatisfy { $0 == [false, false] })
        _ = verdicts(&used, Array(ramps([1, 0.3], block: 31).prefix(ticks)))
        used.restart()
        var fresh = FlutterWatch(tickRate: 124)
        let signal = ramps([0.3, 0.05, 1], block: 31, size: 1e-4)
        #expect(!used.isFlutter && !used.mayBeFastBeats)
        #expect(verdicts(&used, signal, from: 2048) == verdicts(&fresh, signal, from: 2048))
    }

    // MARK: The index

    @Test("is good from one half and usable from a quarter of the index on, these included")
    func limits() throws {
        let quality = { (noise: Float, agreement: Float) in
            ECGQuality(fault: .clipped, isFlutter: false, noise: noise, agreement: agreement)
        }
        // Half is all that a signal can be worth that is cut off; of the rest there is an index of a quarter, to the last digit.
        #expect(quality(-3, 1).index == 0.5 && quality(-3, 1).isGood && quality(-3, 1).isUsable && !quality(-2, 1).isGood)
        let near = (-40...40).flatMap { one in (-40...40).map { quality(-1.5375 + Float(one) * 2e-7, 0.82 + Float($0) * 1e-7) } }
        let quarter = try #require(near.first { $0.index == 0.25 })
        #expect(quarter.isUsable && !quarter.isGood && !quality(-1.3, 1).isUsable)
    }

    @Test("is that of a wave where there is no fault")
    func wave() {
        for (isFlutter, fault, isWave) in [
            (true, nil, true), (true, .clipped, false), (false, nil, false), (false, .flat, false), (true, .flat, false),
        ] as [(Bool, SignalFault?, Bool)] {
            #expect(ECGQuality(fault: fault, isFlutter: isFlutter, noise: -3, agreement: 1).isWave == isWave)
        }
    }
}
