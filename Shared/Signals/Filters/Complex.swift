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
