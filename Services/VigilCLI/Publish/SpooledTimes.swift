import SensorIngest
import VigilSchema

/// The times of readings without one, in a spool.
///
/// A reading without a time would be a new measurement at each sending, and a spool repeats what has no receipt. So the
/// time of storing is written into it, unique for each. A message without a place for it, in any format but the suite's
/// own, stays unchanged.
struct SpooledTimes {
    private var last = Timestamp(microseconds: 0)

    init() {}

    mutating func timed(_ payload: [UInt8], at now: Timestamp) -> [UInt8] {
        guard JSONShape.of(payload.span) == .native, let plain = Self.decoded(payload), plain.isStamped, plain.refusals.isEmpty,
            let start = payload.firstIndex(of: UInt8(ascii: "{"))
        else { return payload }
        let time = max(now, Timestamp(microseconds: last.microseconds + 1))
        let timed = payload[...start] + Array("\"time\":\(Self.text(time)),".utf8) + payload[(start + 1)...]
        // The decoder finds out whether everything has a time now.
        guard let told = Self.decoded(Array(timed)), !told.isStamped, told.refusals.isEmpty, told.readings.count == plain.readings.count
        else { return payload }
        last = time
        return Array(timed)
    }

    /// Seconds since 1970 to the microsecond, in digits.
    private static func text(_ time: Timestamp) -> String {
        let (seconds, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest)
        return "\(seconds).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }

    private static func decoded(_ payload: [UInt8]) -> DecodedReadings? {
        try? ReadingDecoder().decode(payload.span, received: Timestamp(seconds: 0))
    }
}
