import Foundation

/// Where the wearer's clock stood: turns the clock's time into UTC.
///
/// Threading: a value; `offset` remembers the last hour asked for.
struct WearerZone: Hashable, Sendable {
    /// `UTC`, `+02:00`, or an IANA name such as `Europe/Berlin`.
    let name: String
    private let fixed: Int?
    private let zone: TimeZone?
    private var knownHour = Int64.min
    private var knownOffset = 0

    /// Coordinated universal time.
    static let utc = WearerZone(name: "UTC", fixed: 0, zone: nil)

    private init(name: String, fixed: Int?, zone: TimeZone?) {
        self.name = name
        self.fixed = fixed
        self.zone = zone
    }

    /// Nil for a name that is no zone's.
    init?(_ name: String) {
        if name == "UTC" || name == "Z" {
            self = .utc
        } else if let minutes = WearerZone.minutes(name) {
            self.init(name: name, fixed: minutes, zone: nil)
        } else if let zone = TimeZone(identifier: name) {
            self.init(name: name, fixed: nil, zone: zone)
        } else {
            return nil
        }
    }

    /// The offset from UTC in minutes when the zone's clocks show `local` (microseconds since 1970 on those clocks).
    ///
    /// Of the two moments at which clocks that are set back show the same, the first; for a time that clocks set forward
    /// leave out, the offset before.
    mutating func offset(atLocal local: Int64) -> Int {
        guard let zone else { return fixed ?? 0 }
        let hour = local / 900_000_000
        if hour != knownHour {
            knownHour = hour
            let seconds = Double(local) / 1_000_000
            // A day before, no change lies between; that offset finds the moment, whose own offset counts.
            let earlier = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds - 86400))
            knownOffset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds - Double(earlier))) / 60
        }
        return knownOffset
    }

    /// Reads `+02:00`, `-0500` or `+2`.
    static func minutes(_ text: String) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard (1...4).contains(digits.count), let number = Int(digits) else { return nil }
        let minutes = digits.count <= 2 ? number * 60 : number / 100 * 60 + number % 100
        guard minutes <= 18 * 60 else { return nil }
        return sign == "-" ? -minutes : minutes
    }
}
