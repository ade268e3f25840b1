import Foundation

/// The zone of the wearer's clock: turns the clock's time into UTC.
///
/// Threading: a value; `reading` remembers the last quarter of an hour asked for.
package struct WearerZone: Hashable, Sendable {
    /// The moment that a clock's time stands for.
    package enum Occurrence: Hashable, Sendable {
        /// One moment, at that offset from UTC in minutes.
        case once(Int)
        /// None: the clocks were set forward past it.
        case never
        /// Two, as the clocks were set back over it: the offsets of the earlier and of the later.
        case twice(Int, Int)
    }

    /// `UTC`, `+02:00`, or an IANA name such as `Europe/Berlin`.
    let name: String
    private let fixed: Int?
    private let zone: TimeZone?
    private var knownQuarter = Int64.min
    private var known = Occurrence.once(0)

    /// Coordinated universal time.
    static let utc = WearerZone(name: "UTC", fixed: 0, zone: nil)

    private init(name: String, fixed: Int?, zone: TimeZone?) {
        self.name = name
        self.fixed = fixed
        self.zone = zone
    }

    /// A Boolean value that indicates whether its clocks are never set.
    var isFixed: Bool { zone == nil }

    /// Nil for a name that is no zone's.
    package init?(_ name: String) {
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

    /// The offset from UTC in minutes at a moment in microseconds.
    func offset(at moment: Int64) -> Int {
        zone.map { $0.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment) / 1_000_000)) / 60 } ?? fixed ?? 0
    }

    /// The reading of a clock that shows `local`, in microseconds since 1970 on that clock.
    package mutating func reading(atLocal local: Int64) -> Occurrence {
        guard let zone else { return .once(fixed ?? 0) }
        let quarter = local / 900_000_000
        if quarter != knownQuarter {
            knownQuarter = quarter
            known = WearerZone.reading(zone, local)
        }
        return known
    }

    /// A day before and a day after, no change of the clocks lies between: whichever of the two offsets holds at the moment that it gives counts.
    private static func reading(_ zone: TimeZone, _ local: Int64) -> Occurrence {
        let seconds = Double(local) / 1_000_000
        let offset = { (moment: Double) in zone.secondsFromGMT(for: Date(timeIntervalSince1970: moment)) }
        let before = offset(seconds - 86400), after = offset(seconds + 86400)
        if before == after { return .once(before / 60) }
        switch (offset(seconds - Double(before)) == before, offset(seconds - Double(after)) == after) {
        case (true, true): return .twice(before / 60, after / 60)
        case (true, false): return .once(before / 60)
        case (false, true): return .once(after / 60)
        case (false, false): return .never
        }
    }

    /// Reads `+02:00`, `-0500`, `+5:30` or `+2`; not `-360`, which in a column of offsets is six hours in minutes.
    static func minutes(_ text: String) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard [1, 2, 4].contains(digits.count) || digits.count == 3 && text.contains(":"), let number = Int(digits) else { return nil }
        let (hours, rest) = digits.count <= 2 ? (number, 0) : (number / 100, number % 100)
        let minutes = hours * 60 + rest
        guard rest < 60, minutes <= 18 * 60 else { return nil }
        return sign == "-" ? -minutes : minutes
    }

    /// Reads what `minutes` does, also after `UTC` or `GMT`, and either of these alone.
    static func offset(_ text: String) -> Int? {
        let trimmed = text.trimmed.uppercased()
        guard let prefix = ["UTC", "GMT"].first(where: trimmed.hasPrefix) else { return trimmed == "Z" ? 0 : minutes(trimmed) }
        return trimmed.count == 3 ? 0 : minutes(String(trimmed.dropFirst(prefix.count)))
    }
}
