import Foundation

/// Where an axis of numbers has its marks: at multiples of 1, 2 or 5 times a power of ten.
struct AxisTicks: Equatable {
    let range: ClosedRange<Double>
    let step: Double

    /// - Parameters:
    ///   - values: what must fit between the first and the last mark.
    ///   - count: about how many marks.
    init(_ values: ClosedRange<Double>, count: Int) {
        // A series that never changes still gets an axis.
        let span = values.upperBound - values.lowerBound
        let (low, high) = span > 0 ? (values.lowerBound, values.upperBound) : (values.lowerBound - 1, values.upperBound + 1)
        let raw = (high - low) / Double(max(1, count))
        let power = pow(10, floor(log10(raw)))
        let factor = [1, 2, 5, 10].first { $0 * power >= raw } ?? 10
        step = factor * power
        range = floor(low / step) * step...ceil(high / step) * step
    }

    var marks: [Double] {
        let count = Int(((range.upperBound - range.lowerBound) / step).rounded())
        return (0...count).map { range.lowerBound + Double($0) * step }
    }

    /// With just as many decimals as the step has.
    func label(_ mark: Double) -> String {
        let decimals = max(0, Int(-floor(log10(step) + 1e-9)))
        let text = mark.formatted(.number.precision(.fractionLength(decimals)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        return text == "-0" ? "0" : text
    }
}
