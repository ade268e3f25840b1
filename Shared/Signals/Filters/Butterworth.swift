#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Designs Butterworth filters: the analogue prototype's poles, moved by the bilinear transform with pre-warped corners.
///
/// Source: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, ch. 7. Gives the same coefficients as
/// `scipy.signal.butter(…, output="sos")` up to the pairing of zeros. A corner at or above 0.45 of the rate is moved
/// there, so that one recipe serves every rate.
package enum Butterworth {
    /// Passes what is slower than `corner` (Hz, −3 dB there) at `rate` samples a second.
    package static func lowPass(order: Int, corner: Double, rate: Double) -> FilterCascade {
        let warped = warp(corner, rate)
        return cascade(poles: prototype(order).map { $0 * Complex(warped) }, zerosAtNyquist: order, zerosAtZero: 0, unityAt: 0)
    }

    /// Passes what is between `low` and `high`. `order` counts as SciPy counts it: the filter has twice as many poles.
    package static func bandPass(order: Int, low: Double, high: Double, rate: Double) -> FilterCascade {
        let (w1, w2) = (warp(low, rate), warp(high, rate))
        let (width, square) = (w2 - w1, Complex(w1 * w2))
        let poles = prototype(order).flatMap { pole in
            let half = pole * Complex(width / 2)
            let root = (half * half - square).squareRoot
            return [half + root, half - root]
        }
        let centre = 2 * atan((w1 * w2).squareRoot())
        return cascade(poles: poles, zerosAtNyquist: order, zerosAtZero: order, unityAt: centre)
    }

    /// The analogue frequency that the bilinear transform (with T = 2) moves to `corner`.
    private static func warp(_ corner: Double, _ rate: Double) -> Double {
        tan(.pi * min(corner, 0.45 * rate) / rate)
    }

    /// The poles of the low-pass prototype with its corner at 1 rad/s.
    private static func prototype(_ order: Int) -> [Complex] {
        (0..<order).map { index in
            let angle = .pi * Double(2 * index + order + 1) / Double(2 * order)
            return Complex(cos(angle), sin(angle))
        }
    }

    /// Pairs digital poles and zeros to sections, and scales to gain 1 at the angle `unityAt` (radians a sample).
    private static func cascade(poles: [Complex], zerosAtNyquist: Int, zerosAtZero: Int, unityAt angle: Double) -> FilterCascade {
        let digital = poles.map { (Complex(1) + $0) / (Complex(1) - $0) }
        var zeros = Array(repeating: 1.0, count: zerosAtZero) + Array(repeating: -1.0, count: zerosAtNyquist)
        let sections = pairs(digital).map { a1, a2, count in
            // One zero from each end, so that no section alone has an extreme gain.
            let first = zeros.isEmpty ? nil : zeros.removeFirst()
            let second = count == 2 && !zeros.isEmpty ? zeros.removeLast() : nil
            return section(first, second, a1: a1, a2: a2, unityAt: angle)
        }
        return FilterCascade(sections: sections)
    }

    /// Denominators (a1, a2, poles in it): conjugate pairs together, real poles two by two.
    private static func pairs(_ poles: [Complex]) -> [(Double, Double, Int)] {
        let conjugate = poles.filter { $0.imaginary > 1e-12 }.map { (-2 * $0.real, $0.magnitudeSquared, 2) }
        let real = poles.filter { abs($0.imaginary) <= 1e-12 }.map(\.real).sorted()
        let together = stride(from: 0, to: real.count, by: 2).map { index in
            index + 1 < real.count
                ? (-(real[index] + real[index + 1]), real[index] * real[index + 1], 2) : (-real[index], 0.0, 1)
        }
        return conjugate + together
    }

    private static func section(_ first: Double?, _ second: Double?, a1: Double, a2: Double, unityAt angle: Double) -> SecondOrderSection {
        let b1 = -((first ?? 0) + (second ?? 0))
        let b2 = (first ?? 0) * (second ?? 0)
        let z = Complex(cos(angle), -sin(angle))
        let top = Complex(1) + Complex(b1) * z + Complex(b2) * z * z
        let bottom = Complex(1) + Complex(a1) * z + Complex(a2) * z * z
        let gain = (bottom.magnitudeSquared / top.magnitudeSquared).squareRoot()
        return SecondOrderSection(b0: gain, b1: gain * b1, b2: gain * b2, a1: a1, a2: a2)
    }
}

/// One second-order section of a digital filter, with its state: y = (b0 + b1·z⁻¹ + b2·z⁻²) / (1 + a1·z⁻¹ + a2·z⁻²).
///
/// Transposed direct form II in double precision, so that a corner at a few hertz stays exact at 2000 samples a second.
package struct SecondOrderSection: Sendable, Codable {
    /// The numerator.
    package let b0, b1, b2: Double
    /// The denominator without its leading 1.
    package let a1, a2: Double
    private var s1 = 0.0
    private var s2 = 0.0

    /// Makes a section at rest.
    package init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
        (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0, b1, b2, a1, a2)
    }

    /// Filters one sample.
    @inline(__always)
    package mutating func step(_ x: Double) -> Double {
        let y = b0 * x + s1
        s1 = b1 * x - a1 * y + s2
        s2 = b2 * x - a2 * y
        return y
    }

    /// Forgets what was filtered, as if the input had always been 0.
    package mutating func reset() { (s1, s2) = (0, 0) }

    /// Takes the state of an input that has always been `x`, and returns the constant output: no start-up transient.
    package mutating func settle(at x: Double) -> Double {
        let y = x * (b0 + b1 + b2) / (1 + a1 + a2)
        s2 = b2 * x - a2 * y
        s1 = b1 * x - a1 * y + s2
        return y
    }
}

/// A digital filter as second-order sections in series, with its state.
package struct FilterCascade: Sendable, Codable {
    /// In the order in which a sample passes them.
    package private(set) var sections: [SecondOrderSection]

    /// Makes a filter at rest.
    package init(sections: [SecondOrderSection]) { self.sections = sections }

    /// Filters one sample.
    @inline(__always)
    package mutating func step(_ x: Double) -> Double {
        var y = x
        for index in sections.indices { y = sections[index].step(y) }
        return y
    }

    /// Forgets what was filtered.
    package mutating func reset() {
        for index in sections.indices { sections[index].reset() }
    }

    /// Takes the state of an input that has always been `x`.
    package mutating func settle(at x: Double) {
        var level = x
        for index in sections.indices { level = sections[index].settle(at: level) }
    }
}

/// A complex number, as far as filter design needs it.
struct Complex {
    var real: Double
    var imaginary: Double

    init(_ real: Double, _ imaginary: Double = 0) { (self.real, self.imaginary) = (real, imaginary) }

    var magnitudeSquared: Double { real * real + imaginary * imaginary }

    /// The root with a real part that is not negative.
    var squareRoot: Complex {
        let magnitude = magnitudeSquared.squareRoot()
        let real = max(0, (magnitude + self.real) / 2).squareRoot()
        let imaginary = max(0, (magnitude - self.real) / 2).squareRoot()
        return Complex(real, self.imaginary < 0 ? -imaginary : imaginary)
    }

    static func + (left: Complex, right: Complex) -> Complex {
        Complex(left.real + right.real, left.imaginary + right.imaginary)
    }

    static func - (left: Complex, right: Complex) -> Complex {
        Complex(left.real - right.real, left.imaginary - right.imaginary)
    }

    static func * (left: Complex, right: Complex) -> Complex {
        Complex(
            left.real * right.real - left.imaginary * right.imaginary,
            left.real * right.imaginary + left.imaginary * right.real)
    }

    static func / (left: Complex, right: Complex) -> Complex {
        let square = right.magnitudeSquared
        return Complex(
            (left.real * right.real + left.imaginary * right.imaginary) / square,
            (left.imaginary * right.real - left.real * right.imaginary) / square)
    }
}
