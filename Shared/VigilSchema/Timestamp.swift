/// A moment in UTC, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// Whole microseconds, because a `Double` of Unix seconds cannot name every one of them and identities compare times.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970, negative before.
    public var microseconds: Int64

    /// Makes a moment from microseconds since 1970.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Makes a moment from Unix seconds, rounded to the nearest microsecond. Traps outside ±292,000 years.
    public init(seconds: Double) { microseconds = Int64((seconds * 1_000_000).rounded()) }

    /// Unix seconds; exact to about 0.2 µs for present dates.
    public var seconds: Double { Double(microseconds) / 1_000_000 }

    /// Earlier first.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    /// The moment that is `seconds` later.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64((seconds * 1_000_000).rounded()))
    }
}

/// In control messages a time is Unix seconds, as in observations.
extension Timestamp: Codable {
    /// Reads Unix seconds between the years 1 and 9999.
    public init(from decoder: any Decoder) throws {
        let seconds = try decoder.singleValueContainer().decode(Double.self)
        guard abs(seconds) <= 253_402_300_800 else {
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
