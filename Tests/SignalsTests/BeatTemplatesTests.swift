import Foundation
import Testing

@testable import Signals

/// At 120 ticks a second a shape has 9 values before its middle and 14 after; it is looked for up to 7 ticks beside its place.
@Suite("The wearer's usual beats")
struct BeatTemplatesTests {
    private static let sharp: [Float] = (0..<23).map { Float(exp(-pow(Double($0) - 9, 2) / 4)) }
    private static let broad: [Float] = (0..<23).map { Float(sin(2 * .pi * Double($0) / 23)) }
    private static let third: [Float] = (0..<23).map { $0 % 2 == 0 ? 1 : -1 }

    private func ring(_ shape: [Float], times gain: Float = 1, middle: Int = 100) -> TickRing {
        var ring = TickRing(capacity: 256)
        for (index, value) in shape.enumerated() { ring[middle - 9 + index] = gain * value }
        return ring
    }

    private func learn(
        _ templates: inout BeatTemplates, _ shape: [Float], times gain: Float = 1, middle: Int = 100, at tick: Int = 100, offset: Float = 0
    ) {
        templates.learn(ring(shape, times: gain, middle: middle), middle: tick, offset: offset)
    }

    @Test(
        "have 80 ms before and 120 ms after their middle",
        arguments: [(120.0, 9, 23, 30), (125, 10, 25, 32), (10, 2, 5, 6), (250, 20, 50, 65)] as [(Double, Int, Int, Int)])
    func sizes(rate: Double, before: Int, length: Int, reach: Int) {
        let templates = BeatTemplates(tickRate: rate)
        #expect(templates.before == before && templates.length == length && templates.reach == reach)
    }

    @Test("are compared with from the third time on, by gain, correlation and what they leave unexplained")
    func likeness() {
        var templates = BeatTemplates(tickRate: 120)
        for count in 1...3 {
            #expect(
                templates.likeness(ring(Self.sharp), at: 91).correlation == 0 && templates.likeness(ring(Self.sharp), at: 91).residual == 1)
            learn(&templates, Self.sharp)
            #expect((templates.likeness(ring(Self.sharp), at: 91).correlation > 0.99) == (count == 3))
        }
        let twice = templates.likeness(ring(Self.sharp, times: 2), at: 91)
        #expect(abs(twice.gain - 2) < 1e-4 && abs(twice.correlation - 1) < 1e-4 && twice.residual < 1e-3 && twice.template == 0)
        // With something at right angles added: half the energy is unexplained, so that the correlation is the root of a half.
        let energy = Self.sharp.reduce(0) { $0 + $1 * $1 }
        let along = zip(Self.sharp, Self.broad).reduce(0) { $0 + $1.0 * $1.1 } / energy
        var other = zip(Self.sharp, Self.broad).map { $1 - along * $0 }
        let scale = (energy / other.reduce(0) { $0 + $1 * $1 }).squareRoot()
        other = zip(Self.sharp, other).map { $0 + scale * $1 }
        let mixed = templates.likeness(ring(other), at: 91)
        #expect(abs(mixed.gain - 1) < 1e-3 && abs(mixed.correlation - Float(0.5).squareRoot()) < 1e-3 && abs(mixed.residual - 1) < 1e-3)
        // Upside down, it is like none.
        #expect(templates.likeness(ring(Self.sharp, times: -1), at: 91).correlation == 0)
    }

    @Test("are the means of the beats that they were learnt from, and so are their offsets")
    func means() {
        var templates = BeatTemplates(tickRate: 120)
        learn(&templates, Self.sharp, times: 1, offset: 10)
        learn(&templates, Self.sharp, times: 3, offset: 20)
        #expect(abs(templates.offset(of: 0) - 15) < 1e-4)
        learn(&templates, Self.sharp, times: 5, offset: 60)
        // (1 + 3 + 5) / 3 = 3 and (10 + 20 + 60) / 3 = 30.
        #expect(abs(templates.offset(of: 0) - 30) < 1e-4 && abs(templates.likeness(ring(Self.sharp, times: 6), at: 91).gain - 2) < 1e-3)
    }

    /// Uses 1 to 17 give shares of 1/2 to 1/17 (16 beats after the first); the next is one of 1/16.
    @Test("follow the last sixteen beats once they know so many")
    func forgetting() {
        var templates = BeatTemplates(tickRate: 120)
        for _ in 0..<17 { learn(&templates, Self.sharp, offset: 0) }
        var before = templates
        learn(&templates, Self.sharp, offset: 160)
        #expect(abs(templates.offset(of: 0) - 10) < 1e-3)
        before = BeatTemplates(tickRate: 120)
        for _ in 0..<16 { learn(&before, Self.sharp, offset: 0) }
        learn(&before, Self.sharp, offset: 170)
        #expect(abs(before.offset(of: 0) - 10) < 1e-3)
    }

    @Test("are found 60 ms beside the place that is said, and no further", arguments: [-8, -7, -3, 0, 5, 7, 8])
    func slack(shift: Int) {
        var templates = BeatTemplates(tickRate: 120)
        for _ in 0..<3 { learn(&templates, Self.sharp) }
        let agreement = templates.agreement
        learn(&templates, Self.sharp, middle: 100 + shift, at: 100)
        // Within reach the beat agrees wholly: an eighth of the way to 1.
        let isWhole = abs(templates.agreement - (agreement + (1 - agreement) / 8)) < 1e-4
        #expect(isWhole == (abs(shift) <= 7))
    }

    @Test("tell how much the last beats agree with them, by an eighth a beat")
    func agreement() {
        var templates = BeatTemplates(tickRate: 120)
        learn(&templates, Self.sharp)
        #expect(templates.agreement == 0)
        for count in 1...12 {
            learn(&templates, Self.sharp)
            #expect(abs(templates.agreement - Float(1 - pow(0.875, Double(count)))) < 1e-4)
        }
        learn(&templates, Self.sharp, times: 0)
        #expect(abs(templates.agreement - Float(1 - pow(0.875, 12)) * 0.875) < 1e-3)
    }

    @Test("are three at most: a fourth takes the place of the least used")
    func places() {
        var templates = BeatTemplates(tickRate: 120)
        for _ in 0..<5 { learn(&templates, Self.sharp) }
        for _ in 0..<4 { learn(&templates, Self.broad) }
        for _ in 0..<3 { learn(&templates, Self.third) }
        let found = [Self.sharp, Self.broad, Self.third].map { templates.likeness(ring($0), at: 91) }
        #expect(Set(found.map(\.template)) == [0, 1, 2] && found.allSatisfy { $0.correlation > 0.99 })
    }

    @Test("stay as they are while too many beats are unlike them")
    func steadfast() {
        var templates = BeatTemplates(tickRate: 120)
        for _ in 0..<12 { learn(&templates, Self.sharp) }
        // Agreement is 0.77 after eleven, and falls with what is unlike: nothing new is taken any more, and nothing refined.
        #expect(templates.agreement < 0.8)
        for _ in 0..<4 { learn(&templates, Self.third, times: 2) }
        #expect(templates.likeness(ring(Self.third), at: 91).correlation < 0.5)
        let before = templates.likeness(ring(Self.sharp), at: 91).gain
        learn(&templates, Self.sharp, times: 5, offset: 100)
        #expect(templates.likeness(ring(Self.sharp), at: 91).gain == before && templates.offset(of: 0) == 0)
        // Forty good beats later a new shape is taken again.
        for _ in 0..<40 { learn(&templates, Self.sharp) }
        for _ in 0..<3 { learn(&templates, Self.third, offset: 7) }
        #expect(templates.likeness(ring(Self.third), at: 91).correlation > 0.99)
    }
}
