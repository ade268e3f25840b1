/// Bounds of SenML's numbers.
enum SenMLNumber {
    /// The end of the year 9999, in microseconds.
    static let largestTime: UInt64 = 253_402_300_800_000_000

    /// Seconds as whole microseconds, rounded to the nearest; nil outside the years 1 to 9999 and for what is no number.
    static func microseconds(seconds: Double) -> Int64? {
        let microseconds = (seconds * 1_000_000).rounded()
        guard microseconds.magnitude <= Double(largestTime) else { return nil }
        return Int64(microseconds)
    }
}
