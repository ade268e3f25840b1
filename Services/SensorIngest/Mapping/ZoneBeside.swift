import Foundation
import VigilSchema

/// The zone that a record names in a member of its own, for times that name none.
enum ZoneBeside {
    /// The zone; nil where the record names none, or its times bring their own.
    /// - Throws: `PayloadError` where it names one that nobody knows: then it is not known when this was measured.
    static func zone(in record: MappingValue, read: Set<String>) throws(PayloadError) -> TimeZone? {
        for key in keys where !read.contains(key.text) {
            guard let value = record[key], !value.isBlank, hasLocalTime(record) else { continue }
            if let zone = zone(value, isBrowsers: key.text.lowercased().hasPrefix("timezone")) { return zone }
            let reason = "the zone under \"\(key.text)\" cannot be read, and the time beside it names none"
            throw PayloadError(.implausibleTime, "\(reason): write it as Europe/Berlin or +01:00, or send the time with its zone")
        }
        return nil
    }

    private static let keys: [MappingKey] = [
        "timezone", "timeZone", "time_zone", "tz", "TZ", "utcOffset", "utc_offset", "tzOffset", "tz_offset", "timezoneOffset",
        "timezone_offset",
        "zoneOffset", "zone_offset", "zone",
    ]

    private static func hasLocalTime(_ record: MappingValue) -> Bool {
        record.objectMembers.contains { member in
            guard case .string(let text) = member.value, member.value.number == nil, TimeShape.isTime(member.value) else { return false }
            return text.contains(":") && !text.dropFirst(10).contains { "Zz+-".contains($0) } && !text.contains("Date(")
        }
    }

    /// - Parameter isBrowsers: Whether a number may be that of browsers, which has the other sign.
    private static func zone(_ value: MappingValue, isBrowsers: Bool) -> TimeZone? {
        if let number = value.number {
            guard !isBrowsers || number == 0 else { return nil }
            return switch number.magnitude {
            case ...14: TimeZone(secondsFromGMT: Int(number * 3600))
            case 60...840: TimeZone(secondsFromGMT: Int(number * 60))
            case 3600...50_400: TimeZone(secondsFromGMT: Int(number))
            default: nil
            }
        }
        guard let text = value.text, text.utf8.count <= 64 else { return nil }
        if let parts = text.wholeMatch(of: /(?:UTC|GMT)? ?([+-])(\d{1,2}):?(\d{2})?/)?.output, let hours = Int(parts.2), hours <= 14 {
            let seconds = 3600 * hours + 60 * (parts.3.flatMap { Int($0) } ?? 0)
            return TimeZone(secondsFromGMT: parts.1 == "-" ? -seconds : seconds)
        }
        if text == "Z" { return .gmt }
        return text == "local" ? .current : TimeZone(identifier: text)
    }
}
