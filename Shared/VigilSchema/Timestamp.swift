/// A moment in UTC, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// Whole microseconds, because a `Double` of Unix seconds cannot name every one of them and identities compare times.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970, negative before.
    public var microseconds: Int64

    /// Makes a moment from microseconds since 1970.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Makes a moment from Unix seconds, rounded to the nearest microsecond. What lies further than 253,402,300,800 s (the end of the year 9999) from
    /// 1970 becomes that end, and what is not a number 1970.
    public init(seconds: Double) { microseconds = Self.whole(seconds) }

    /// Unix seconds; exact to about 0.2 µs for present dates.
    public var seconds: Double { Double(microseconds) / 1_000_000 }

    /// Earlier first.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    /// The moment that is `seconds` later, 253,402,300,800 at most; the ends of `Int64` are not passed.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        let (sum, isBeyond) = microseconds.addingReportingOverflow(Self.whole(seconds))
        return Timestamp(microseconds: isBeyond ? microseconds : sum)
    }

    private static let furthest = 253_402_300_800.0

    private static func whole(_ seconds: Double) -> Int64 {
        guard abs(seconds) <= furthest else { return seconds.isNaN ? 0 : Int64(seconds > 0 ? furthest : -furthest) * 1_000_000 }
        return Int64((seconds * 1_000_000).rounded())
    }
}

/// In control messages a time is Unix seconds, as in observations.
extension Timestamp: Codable {
    /// Reads Unix seconds between the years 1 and 9999.
    public init(from decoder: any Decoder) throws {
        let seconds = try decoder.singleValueContainer().decode(Double.self)
        guard abs(seconds) <= Self.furthest else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "the time lies outside the years 1 to 9999"))
        }
        self.init(seconds: seconds)
    }

    /// Writes Unix seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }
}
