import Foundation
import VigilSchema

/// The notation of times in a mapped message.
struct MappingTime: Sendable {
    /// The kinds of times.
    enum Kind: String, Sendable, CaseIterable {
        /// A text as ISO 8601 writes it, also with a blank in place of T; a number by its size in seconds to nanoseconds, as a text of nine
        /// digits at least.
        case auto
        case iso
        case seconds = "s"
        case milliseconds = "ms"
        case microseconds = "us"
        /// Nanoseconds since 2000, as Polar's sensors count.
        case nanosecondsSince2000 = "ns2000"
    }

    var kind = Kind.auto
    /// The notation of texts that are not ISO 8601.
    var pattern: MappingTimePattern?
    /// Of times that name no zone; UTC unless said otherwise.
    var zone: TimeZone?

    /// 1990-01-01: what a bridge passes on was measured later. Before lie counts from a device's start, and clocks that were never set.
    static let earliest = Timestamp(seconds: 631_152_000)

    /// The moment, and the zone in minutes where the text tells it; nil where the value is no such time.
    func moment(_ value: MappingValue) -> (time: Timestamp, zone: Int16?)? {
        if let pattern {
            guard case .string(let text) = value else { return nil }
            return pattern.iso(text).flatMap { moment($0) }
        }
        switch kind {
        case .iso:
            guard case .string(let text) = value else { return nil }
            return moment(text)
        case .seconds: return value.number.flatMap { Self.moment($0) }
        case .milliseconds: return value.number.flatMap { Self.moment($0 / 1000) }
        case .microseconds: return value.number.flatMap { Self.moment($0 / 1_000_000) }
        case .nanosecondsSince2000: return value.number.flatMap { Self.moment($0 / 1e9 + 946_684_800) }
        case .auto:
            guard case .string(let text) = value else { return value.number.flatMap { Self.bySize($0) } }
            // A year, or a day without its dashes, is no count of seconds.
            if let number = value.number { return number.magnitude < 1e8 ? nil : Self.bySize(number) }
            return moment(text)
        }
    }

    private static func bySize(_ number: Double) -> (Timestamp, Int16?)? {
        switch number.magnitude {
        case ..<1e11: moment(number)
        case ..<1e14: moment(number / 1e3)
        case ..<1e17: moment(number / 1e6)
        default: moment(number / 1e9)
        }
    }

    private static func moment(_ seconds: Double) -> (Timestamp, Int16?)? {
        guard seconds.magnitude < 250_000_000_000 else { return nil }
        return (Timestamp(seconds: seconds), nil)
    }

    /// ISO 8601, with a blank for T, a zone behind a blank, or none.
    private func moment(_ text: String) -> (Timestamp, Int16?)? {
        var bare = text.trimmingCharacters(in: .whitespaces)
        if let start = bare.range(of: "Date(") {
            // As .NET writes times: /Date(1462404576000)/, also with the zone behind the milliseconds.
            return Double(bare[start.upperBound...].prefix { $0.isNumber }).flatMap { Self.moment($0 / 1000) }
        }
        if bare.utf8.count == 10 { bare += "T00:00:00" }
        if bare.utf8.count > 10, Array(bare.utf8)[10] == 0x20 {
            bare = bare.prefix(10) + "T" + bare.dropFirst(11)
        }
        bare.removeAll { $0 == " " }
        // Some leave the seconds out.
        if bare.utf8.count == 16 { bare += ":00" }
        if let known = DateTimeText(bare) { return (known.time, known.zone) }
        guard let local = DateTimeText(bare + "Z") else { return nil }
        guard let zone else { return (local.time, nil) }
        let date = Date(timeIntervalSince1970: local.time.seconds)
        // The offset at the local time taken for UTC, and once more at the time that gives, which is right but within an hour of a change.
        let first = zone.secondsFromGMT(for: date)
        let offset = zone.secondsFromGMT(for: date.addingTimeInterval(-Double(first)))
        return (local.time.advanced(bySeconds: -Double(offset)), Int16(clamping: offset / 60))
    }
}
