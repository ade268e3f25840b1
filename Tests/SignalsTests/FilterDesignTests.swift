import Foundation
import Testing

@testable import Signals

/// A Butterworth low-pass of order n has |H|² = 1 / (1 + (w/wc)²ⁿ), a band-pass 1 / (1 + ((w² − w₁w₂) / (w (w₂ − w₁)))²ⁿ), where w = tan(πf/fs).
@Suite("The design of filters")
struct FilterDesignTests {
    private func warp(_ frequency: Double, _ rate: Double) -> Double { tan(.pi * frequency / rate) }

    /// The gain of sections at a frequency, from their coefficients.
    private func gain(_ sections: some Sequence<SecondOrderSection>, at frequency: Double, rate: Double) -> Double {
        let angle = 2 * Double.pi * frequency / rate
        return sections.reduce(1) { product, section in
            let top = (
                section.b0 + section.b1 * cos(angle) + section.b2 * cos(2 * angle), section.b1 * sin(angle) + section.b2 * sin(2 * angle)
            )
            let bottom = (1 + section.a1 * cos(angle) + section.a2 * cos(2 * angle), section.a1 * sin(angle) + section.a2 * sin(2 * angle))
            return product * ((top.0 * top.0 + top.1 * top.1) / (bottom.0 * bottom.0 + bottom.1 * bottom.1)).squareRoot()
        }
    }

    private func isStable(_ filter: FilterCascade) -> Bool {
        filter.sections.allSatisfy { abs($0.a2) < 1 && abs($0.a1) < 1 + $0.a2 }
    }

    @Test(
        "a low-pass lets through what the definition says, at every frequency", arguments: 1...6,
        [(1.0, 50.0), (4, 50), (20, 250), (0.05, 4)])
    func lowPass(order: Int, design: (corner: Double, rate: Double)) {
        let filter = Butterworth.lowPass(order: order, corner: design.corner, rate: design.rate)
        #expect(filter.sections.count == (order + 1) / 2 && isStable(filter))
        for share in [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49] {
            let frequency = share * design.rate
            let ratio = pow(warp(frequency, design.rate) / warp(design.corner, design.rate), Double(2 * order))
            let (found, expected) = (gain(filter.sections, at: frequency, rate: design.rate), (1 / (1 + ratio)).squareRoot())
            #expect(abs(found / expected - 1) < 1e-6)
        }
        // Every section has gain 1 at rest, and none at half the rate.
        #expect(filter.sections.allSatisfy { abs(gain([$0], at: 0, rate: 1) - 1) < 1e-9 && gain([$0], at: 0.5, rate: 1) < 1e-9 })
    }

    /// The last band is so wide that the poles of order one are real.
    @Test(
        "a band-pass lets through what the definition says, at every frequency", arguments: 1...4,
        [(8.0, 30.0, 360.0), (0.7, 3.5, 25), (0.08, 0.5, 25), (5, 40, 250), (0.1, 20, 50)])
    func bandPass(order: Int, design: (low: Double, high: Double, rate: Double)) {
        let filter = Butterworth.bandPass(order: order, low: design.low, high: design.high, rate: design.rate)
        #expect(filter.sections.count == order && isStable(filter))
        let (low, high) = (warp(design.low, design.rate), warp(design.high, design.rate))
        for share in [0.001, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45] {
            let w = warp(share * design.rate, design.rate)
            let distance = (w * w - low * high) / (w * (high - low))
            let expected = (1 / (1 + pow(distance, Double(2 * order)))).squareRoot()
            #expect(abs(gain(filter.sections, at: share * design.rate, rate: design.rate) / expected - 1) < 1e-5)
        }
        // Every section has a zero at either end, and gain 1 in the middle.
        let middle = atan((low * high).squareRoot()) / .pi
        for section in filter.sections {
            #expect(gain([section], at: 0, rate: 1) < 1e-9 && gain([section], at: 0.5, rate: 1) < 1e-9)
            #expect(abs(gain([section], at: middle, rate: 1) - 1) < 1e-9)
        }
    }

    @Test("a corner from 0.45 of the rate on is moved there", arguments: [45.0, 46, 60, 1000])
    func beyond(corner: Double) {
        let filter = Butterworth.lowPass(order: 2, corner: corner, rate: 100)
        #expect(abs(gain(filter.sections, at: 45, rate: 100) - 0.5.squareRoot()) < 1e-9)
        let below = Butterworth.lowPass(order: 2, corner: 44, rate: 100)
        #expect(abs(gain(below.sections, at: 44, rate: 100) - 0.5.squareRoot()) < 1e-9)
    }

    /// y = b0 x + b1 x′ + b2 x″ − a1 y′ − a2 y″.
    @Test("a section is the difference equation of its coefficients, from rest and after it was reset")
    func differences() {
        var section = SecondOrderSection(b0: 0.5, b1: -0.25, b2: 2, a1: 0.75, a2: -0.125)
        let inputs = [1, -2, 0.5, 3, 0, 0, 1, 7]
        for _ in 0..<2 {
            var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
            for x in inputs {
                let y = 0.5 * x - 0.25 * x1 + 2 * x2 - 0.75 * y1 + 0.125 * y2
                #expect(section.step(x) == y)
                (x1, x2, y1, y2) = (x, x1, y, y1)
            }
            section.reset()
        }
    }

    @Test("settled at a level, all goes on as if the input had always been there", arguments: [-3.0, 0, 2])
    func settled(level: Double) {
        var section = SecondOrderSection(b0: 0.5, b1: -0.25, b2: 2, a1: 0.25, a2: -0.125)
        // (0.5 − 0.25 + 2) / (1 + 0.25 − 0.125) = 2.
        #expect(section.settle(at: level) == 2 * level)
        for _ in 0..<5 { #expect(abs(section.step(level) - 2 * level) < 1e-12) }
        var cascade = FilterCascade(sections: [section, section])
        cascade.settle(at: level)
        for _ in 0..<5 { #expect(abs(cascade.step(level) - 4 * level) < 1e-12) }
        cascade.reset()
        #expect(cascade.step(0) == 0 && cascade.step(0) == 0)
        cascade.reset()
        #expect(cascade.step(1) == 0.25)
    }

    @Test("complex numbers are added, multiplied and divided as they are, and have the root to the right")
    func complex() {
        let (a, b) = (Complex(3, 4), Complex(-1, 2))
        for (found, real, imaginary) in [
            (a + b, 2.0, 6.0), (a - b, 4, 2), (a * b, -11, 2), (a / b, 1, -2), (a.squareRoot, 2, 1), (Complex(3, -4).squareRoot, 2, -1),
            (Complex(-4).squareRoot, 0, 2), (Complex(9).squareRoot, 3, 0), (Complex(0).squareRoot, 0, 0),
            (Complex(-5, 12).squareRoot, 2, 3),
        ] {
            #expect(abs(found.real - real) < 1e-12 && abs(found.imaginary - imaginary) < 1e-12)
        }
        #expect(a.magnitudeSquared == 25)
    }

    @Test(
        "the median is the middle one, or the mean of the two in the middle",
        arguments: [([], nil), ([3], 3), ([1, 2], 1.5), ([9, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([5, 5, 1, 7, 9, 8], 6)]
            as [([Double], Double?)])
    func median(values: [Double], expected: Double?) { #expect(Median.of(values) == expected) }
}
