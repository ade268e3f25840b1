#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Float {
    /// The natural logarithm.
    static func log(_ value: Float) -> Float { logf(value) }
}

/// The middle of a set of numbers.
package enum Median {
    /// The median, the mean of the two middle ones for an even count; nil for none.
    package static func of(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension Int {
    /// The smallest power of two that is not smaller: ring buffers of that size wrap by a mask.
    var roundedUpToPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
