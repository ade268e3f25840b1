extension ValueFormat where Value == Duration {
    /// A duration with its unit: `250ms`, `1.5s`, `2m`, `1h`, `7d`. A bare number is refused, except 0.
    package static func duration(in range: ClosedRange<Duration> = .zero ... .seconds(366 * 86_400)) -> ValueFormat {
        ValueFormat(
            accepts: "a duration from \(text(range.lowerBound)) to \(text(range.upperBound)), such as 250ms, 5s, 2m, 1h or 7d",
            placeholder: "DURATION",
            read: { text in parse(text).flatMap { range.contains($0) ? $0 : nil } }, write: text)
    }

    /// Longest unit suffix first, so that `ms` is not read as `s`.
    private static var units: [(suffix: String, milliseconds: Double)] {
        [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
    }

    private static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let number = Double(text.dropLast(unit.suffix.count)), number.isFinite, number >= 0, number < 1e12
        else { return nil }
        return .microseconds(Int64((number * unit.milliseconds * 1000).rounded()))
    }

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if attoseconds != 0 { return "\(Double(seconds) * 1000 + Double(attoseconds) / 1e15)ms" }
        for (size, suffix) in [(86_400, "d"), (3600, "h"), (60, "m")] where seconds != 0 && seconds % Int64(size) == 0 {
            return "\(seconds / Int64(size))\(suffix)"
        }
        return "\(seconds)s"
    }
}
