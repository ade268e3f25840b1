/// One second-order section of a digital filter, with its state: y = (b0 + b1·z⁻¹ + b2·z⁻²) / (1 + a1·z⁻¹ + a2·z⁻²).
///
/// Transposed direct form II in double precision, so that a corner at a few hertz stays exact at 2000 samples a second.
package struct SecondOrderSection: Sendable {
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
