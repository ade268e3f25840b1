import Foundation
import Testing

@testable import Signals

@Suite("Noise and flutter")
struct NoiseAndFlutterTests {
    /// A band that is `size` everywhere; in 200 ms at 125 ticks a second its energy is 25 times the square.
    private func band(_ size: Float) -> TickRing {
        var band = TickRing(capacity: 256)
        for tick in 0..<256 { band[tick] = size }
        return band
    }

    /// Noise as it is told after so many ticks of a band `size` times as large as a beat's.
    private func context(after ticks: Int, size: Float) -> NoiseContext {
        var context = NoiseContext(tickRate: 125)
        context.learn(band(1), middle: 100)
        let quiet = band(size)
        for tick in 0..<ticks { context.step(quiet, at: tick) }
        return context
    }

    @Test("begin at a clean recording's noise, and learn nothing before the first beat")
    func start() {
        var context = NoiseContext(tickRate: 125)
        for tick in 0..<400 { context.step(band(1), at: tick) }
        #expect(context.level == -2.5 && context.excess == 0 && !context.isNoisy && !context.mayBeNoisy)
    }

    /// A step is 8/125 s = 0.064 s, of which a quarter is 0.016: at every eighth tick a 1.6 % of the way to the log of the energies' ratio, -6 at the least.
    @Test(
        "follow the log of the energy between beats by 1.6 % every eighth tick",
        arguments: [
            (1, 1.0), (8, 1), (9, 1), (100, 1), (1000, 1), (400, 0.5), (400, 0.001), (400, 2),
        ] as [(Int, Float)])
    func level(ticks: Int, size: Float) {
        let steps = (ticks + 7) / 8
        let target = max(2 * log(Double(size)), -6)
        let expected = target + (-2.5 - target) * pow(1 - 0.016, Double(steps))
        #expect(abs(Double(context(after: ticks, size: size).level) - expected) < 1e-3)
    }

    /// For eight seconds, which are 125 steps, the quiet level is the level itself; then it follows downwards by 0.8 % and upwards by 0.0071 % a step.
    @Test("are compared with the wearer's quiet times, which rise slowly and fall fast")
    func quiet() {
        #expect(context(after: 1000, size: 1).excess == 0)
        var (level, quiet) = (-2.5, -2.5)
        var context = NoiseContext(tickRate: 125)
        context.learn(band(1), middle: 100)
        var largest = 0.0
        for (size, seconds) in [(0.3, 20), (1.0, 20), (0.1, 20)] {
            let now = band(Float(size))
            for tick in 0..<(seconds * 125) where tick % 8 == 0 {
                context.step(now, at: tick)
                level += 0.016 * (2 * log(size) - level)
                largest += 1
                quiet = largest * 8 <= 1000 ? level : quiet + 0.064 / (level < quiet ? 8 : 900) * (level - quiet)
                if abs(Double(context.level) - level) > 2e-3 || abs(Double(context.excess) - (level - quiet)) > 2e-3 {
                    Issue.record("\(context.level) and \(context.excess) in place of \(level) and \(level - quiet)")
                    return
                }
                // The lines are drawn at -2.8 and 0.5, and at -3 and 0.3.
                #expect(context.isNoisy == (context.level > -2.8 && context.excess > 0.5))
                #expect(context.mayBeNoisy == (context.level > -3 && context.excess > 0.3))
            }
        }
    }

    /// Of beats with 1, 3 and 1.5 times the size: energy 25; then 25 + (50 - 25) / 16, twice being the most; then an eighth of …
    @Test("take a beat's energy from the beats, a sixteenth each, twice the usual at most")
    func beatEnergy() {
        var context = NoiseContext(tickRate: 125)
        for size in [1, 3, 0.5] as [Float] { context.learn(band(size), middle: 100) }
        let energy = 26.5625 + (6.25 - 26.5625) / 16
        context.step(band(1), at: 0)
        #expect(abs(Double(context.level) - (-2.5 + 0.016 * (log(25 / energy) + 2.5))) < 1e-4)
    }

    @Test("measure the 200 ms around a beat's middle, and the last 200 ms before now")
    func windows() {
        var context = NoiseContext(tickRate: 125), band = TickRing(capacity: 256)
        for tick in 88..<113 { band[tick] = 1 }
        band[87] = 100
        band[113] = 100
        context.learn(band, middle: 100)
        var now = TickRing(capacity: 256)
        for tick in 104...128 { now[tick] = 1 }
        now[103] = 100
        now[129] = 100
        context.step(now, at: 128)
        // As loud as a beat: 1.6 % of the way from -2.5 to 0.
        #expect(abs(context.level - -2.46) < 1e-4)
    }

    /// Beats of 80 ms whose energy is that of a band of 1; between them a tenth of it.
    private func beating(every interval: Int, seconds: Int = 40) -> NoiseContext {
        var context = NoiseContext(tickRate: 125), band = TickRing(capacity: 256)
        for tick in 0..<seconds * 125 {
            band[tick] = tick % interval < 10 ? 1.58 : 0.05
            context.step(band, at: tick)
            if tick % interval == 50 % interval, tick >= 100 { context.learn(band, middle: tick - (50 % interval) + 5) }
        }
        return context
    }

    @Test("are no louder for a heart that beats twice as fast, and as loud as ever for a slow one", arguments: [62, 50, 42, 36, 34])
    func fast(interval: Int) {
        let (slow, fast) = (beating(every: 75), beating(every: interval))
        #expect(fast.level < slow.level + 0.35 && fast.level > slow.level - 0.6, "\(fast.level) beside \(slow.level)")
        #expect(!fast.isNoisy)
    }

    // MARK: Flutter

    /// At 124 ticks a second blocks have 31 and a rise spans 3.
    private func flutter(_ signal: [Float]) -> [Bool] {
        var watch = FlutterWatch(tickRate: 124), ring = TickRing(capacity: 16)
        return signal.enumerated().map { tick, value in
            ring[tick] = value
            watch.step(ring, at: tick)
            return watch.isFlutter
        }
    }

    @Test("is where the mean slope of the last three seconds is above 0.22 of the largest")
    func plain() {
        // Ramps that are steep for a share of each quarter of a second, which changes from one to the next.
        var signal: [Float] = [], value: Float = 0
        for block in 0..<60 {
            let steep = [31, 20, 10, 6, 4, 2, 3, 5][block / 8 % 8]
            for index in 0..<31 {
                value += index < steep ? 1 + Float(block % 3) / 4 : 0
                signal.append(value)
            }
        }
        let rises = signal.indices.map { tick in
            (0..<3).reduce(Float(0)) { sum, back in
                sum + (tick - back < 0 ? 0 : signal[tick - back]) - (tick - back - 3 < 0 ? 0 : signal[tick - back - 3])
            }.magnitude
        }
        var expected = false, changes = 0
        let found = flutter(signal)
        for tick in signal.indices {
            if tick % 31 == 30 {
                let blocks = tick / 31 + 1, known = min(blocks, 12)
                let last = rises[(tick + 1 - known * 31)...tick]
                let was = expected
                expected = known >= 6 && last.reduce(0, +) / Float(last.count) > 0.22 * (last.max() ?? 0)
                if was != expected { changes += 1 }
            }
            if found[tick] != expected { Issue.record("tick \(tick)"); return }
        }
        #expect(changes > 1)
    }

    @Test("is not told of before a second and a half, and not kept over a restart")
    func early() {
        let ramp = (0..<400).map { Float($0) }
        #expect(flutter(ramp).firstIndex(of: true) == 185)
        var watch = FlutterWatch(tickRate: 124), ring = TickRing(capacity: 16)
        for tick in 0..<200 {
            ring[tick] = Float(tick)
            watch.step(ring, at: tick)
        }
        #expect(watch.isFlutter)
        watch.restart()
        #expect(!watch.isFlutter)
        var first: Int?
        for tick in 200..<400 {
            ring[tick] = Float(tick)
            watch.step(ring, at: tick)
            if watch.isFlutter, first == nil { first = tick }
        }
        #expect(first == 200 + 185)
    }
}
