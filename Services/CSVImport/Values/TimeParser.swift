/// Parses a time column: the formats in order, the last successful one first.
///
/// When a clock is set back, a time occurs twice. The order of the file decides: it is the later one once the times of
/// the same series have gone back by more than half an hour within the hour.
///
/// Threading: a value with state, used by one task.
struct TimeParser {
    private enum Compiled {
        case unix(unit: Int64)
        case nanoseconds
        case clock(unit: Int64)
        case days
        case pattern(TimePattern)
    }

    private let formats: [Compiled]
    /// The zone of times without a zone in their cell or row; nil: UTC, and observations have no offset.
    private let common: WearerZone?
    private var zone: WearerZone
    private var keepsZone: Bool
    private var preferred = 0
    private var orders = ClockOrders()
    /// The last local time without a zone, if its zone changes its clocks.
    private var clockTime: ClockTime?

    /// The problem with the last time that was refused.
    private(set) var problem = TimeParser.unreadable
    private static let unreadable = "the time cannot be read"

    /// The number of times that occur twice because a clock was set back.
    var doubleCount: Int { orders.doubleCount }
    /// Whether a time without a zone occurred.
    private(set) var hasZoneless = false

    /// - Parameter zone: the zone of times without a zone; nil: UTC, and observations have no offset.
    /// - Throws: `ImportError` for an invalid pattern.
    init(_ formats: [TimeFormat], zone: WearerZone?) throws(ImportError) {
        var compiled: [Compiled] = []
        for format in formats {
            switch format {
            case .unix(let unit): compiled.append(.unix(unit: unit))
            case .nanoseconds: compiled.append(.nanoseconds)
            case .clock(let unit): compiled.append(.clock(unit: unit))
            case .days: compiled.append(.days)
            case .pattern(let text):
                guard let pattern = TimePattern(text) else {
                    throw ImportError(.usage, "the time format \"\(text)\" is neither unix, unix-ms, unix-us nor a date pattern")
                }
                compiled.append(.pattern(pattern))
            }
        }
        self.formats = compiled
        common = zone
        self.zone = zone ?? .utc
        keepsZone = zone != nil
    }

    /// Parses a time; nil: refused, and `problem` says why.
    /// - Parameter offset: from UTC in minutes, if another cell of the row gives it.
    mutating func parse(_ bytes: RawSpan, _ start: Int, _ end: Int, offset: Int? = nil) -> ParsedTime? {
        read(bytes, start, end, offset: offset).map { settle($0, of: ClockSeries()) }
    }

    /// Parses a time; the first of two possible ones, until `settle` decides.
    @inline(__always)
    mutating func read(_ bytes: RawSpan, _ start: Int, _ end: Int, offset: Int? = nil) -> ParsedTime? {
        if !formats.isEmpty, case .unix(let unit) = formats[preferred], let moment = UnixTime.parse(bytes, start, end, unit: unit) {
            return ParsedTime(microseconds: moment, zone: offset.map { Int16($0) } ?? ParsedTime.noZone)
        }
        return search(bytes, start, end, offset)
    }

    /// Sets the zone that a row names for its times; nil: none, and the file's zone applies.
    mutating func follow(_ zone: WearerZone?) {
        self.zone = zone ?? common ?? .utc
        keepsZone = zone != nil || common != nil
    }

    /// Parses a text.
    mutating func parse(_ text: String, offset: Int? = nil) -> ParsedTime? {
        read(text, offset: offset).map { settle($0, of: ClockSeries()) }
    }

    /// Parses a text; the first of two possible times, until `settle` decides.
    mutating func read(_ text: String, offset: Int? = nil) -> ParsedTime? {
        let bytes = Array(text.utf8)
        return read(bytes.span.bytes, 0, bytes.count, offset: offset)
    }

    /// Whether the last time may be the second of two possible ones, by the earlier times of its series.
    var isUnsettled: Bool { clockTime != nil }

    /// Decides between the possible times by the earlier times of the series.
    mutating func settle(_ time: ParsedTime, of series: ClockSeries) -> ParsedTime {
        guard let shown = clockTime else { return time }
        clockTime = nil
        return orders.offset(shown, of: series).map { moment(shown.local, $0) } ?? time
    }

    /// Parses the end of an interval, which does not count for the order of times.
    mutating func parse(_ text: String, offset: Int? = nil, endOf start: ParsedTime) -> ParsedTime? {
        guard let time = read(text, offset: offset) else { return nil }
        guard let shown = clockTime else { return time }
        clockTime = nil
        return ClockOrders.offset(shown, endOf: start.microseconds).map { moment(shown.local, $0) }
    }

    @inline(never)
    private mutating func search(_ bytes: RawSpan, _ start: Int, _ end: Int, _ offset: Int?) -> ParsedTime? {
        problem = TimeParser.unreadable
        clockTime = nil
        var start = start, end = end
        while start < end, bytes.byte(start) == 0x20 { start += 1 }
        while start < end, bytes.byte(end - 1) == 0x20 { end -= 1 }
        for turn in formats.indices {
            let index = (preferred + turn) % formats.count
            guard let time = parse(bytes, start, end, offset, formats[index]) else { continue }
            preferred = index
            return time
        }
        return nil
    }

    private mutating func parse(_ bytes: RawSpan, _ start: Int, _ end: Int, _ offset: Int?, _ format: Compiled) -> ParsedTime? {
        let zone = offset.map { Int16($0) } ?? ParsedTime.noZone
        switch format {
        case .unix(let unit):
            return UnixTime.parse(bytes, start, end, unit: unit).map { ParsedTime(microseconds: $0, zone: zone) }
        case .nanoseconds:
            return UnixTime.parse(bytes, start, max(start, end - 3), unit: 1).map { ParsedTime(microseconds: $0, zone: zone) }
        case .clock(let unit): return UnixTime.parse(bytes, start, end, unit: unit).flatMap { resolve(local: $0, offset) }
        case .days: return UnixTime.days(bytes, start, end).flatMap { resolve(local: $0, offset) }
        case .pattern(let pattern):
            guard let (civil, own) = pattern.parse(bytes, start, end) else { return nil }
            return resolve(local: civil.microseconds, own ?? offset)
        }
    }

    private mutating func resolve(local: Int64, _ offset: Int?) -> ParsedTime? {
        if let offset { return ParsedTime(microseconds: local - Int64(offset) * 60_000_000, zone: Int16(offset)) }
        hasZoneless = true
        let reading = zone.reading(atLocal: local)
        switch reading {
        case .never:
            problem = "the clocks of \(zone.name) were set forward past this time"
            return nil
        case .once(let minutes), .twice(let minutes, _):
            clockTime = zone.isFixed ? nil : ClockTime(local: local, reading: reading)
            return moment(local, minutes)
        }
    }

    private func moment(_ local: Int64, _ minutes: Int) -> ParsedTime {
        ParsedTime(microseconds: local - Int64(minutes) * 60_000_000, zone: keepsZone ? Int16(minutes) : ParsedTime.noZone)
    }
}

/// A format of a time column.
package enum TimeFormat: Hashable, Sendable {
    /// A number since 1970; the value is the unit's length in microseconds: 1,000,000 for seconds.
    case unix(unit: Int64)
    /// Nanoseconds since 1970, truncated to microseconds.
    case nanoseconds
    /// Like `unix`, but on the wearer's clock: a whole number of days is the wearer's day.
    case clock(unit: Int64)
    /// Days since 1899-12-30 on the wearer's clock, as in spreadsheets.
    case days
    /// A date and time in a `TimePattern`.
    case pattern(String)

    /// The form in profiles: `unix`, `unix-ms`, `unix-us`, or a pattern.
    package init(_ name: String) {
        switch name {
        case "unix": self = .unix(unit: 1_000_000)
        case "unix-ms": self = .unix(unit: 1000)
        case "unix-us": self = .unix(unit: 1)
        case "unix-ns": self = .nanoseconds
        case "unix-ms-clock": self = .clock(unit: 1000)
        case "spreadsheet": self = .days
        default: self = .pattern(name)
        }
    }

    /// The form in profiles.
    package var name: String {
        switch self {
        case .unix(let unit): unit == 1_000_000 ? "unix" : unit == 1000 ? "unix-ms" : "unix-us"
        case .nanoseconds: "unix-ns"
        case .clock: "unix-ms-clock"
        case .days: "spreadsheet"
        case .pattern(let text): text
        }
    }

    /// Whether such a time is local and needs a zone.
    package var isOfClock: Bool {
        switch self {
        case .unix, .nanoseconds: false
        case .clock, .days: true
        case .pattern(let text): !text.contains("Z")
        }
    }

    /// Groups of formats with a name of their own.
    private static let groups = [("iso8601", iso8601), ("month-first", monthFirst), ("day-first", dayFirst)]

    /// The formats of names and groups in profiles.
    package static func all(named names: [String]) -> [TimeFormat] {
        names.flatMap { name in groups.first { $0.0 == name }?.1 ?? [TimeFormat(name)] }
    }

    /// The form in profiles, with groups by their names.
    package static func names(of formats: [TimeFormat]) -> [String] {
        var names: [String] = []
        var rest = formats[...]
        while let first = rest.first {
            let group = groups.first { rest.starts(with: $0.1) }
            names.append(group?.0 ?? first.name)
            rest = rest.dropFirst(group?.1.count ?? 1)
        }
        return names
    }

    /// ISO 8601 as exports write it, the most complete form first, and dates with a month's name.
    package static let iso8601: [TimeFormat] = [
        "yyyy-MM-dd'T'HH:mm:ss.SZ", "yyyy-MM-dd'T'HH:mm:ssZ", "yyyy-MM-dd HH:mm:ss Z", "yyyy-MM-dd HH:mm:ssZ", "yyyy-MM-dd'T'HH:mm:ss.S",
        "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss.S", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mmZ", "yyyy-MM-dd'T'HH:mm",
        "yyyy-MM-dd HH:mm", "yyyy-MM-dd", "yyyy/MM/dd HH:mm:ss", "yyyy/MM/dd HH:mm", "yyyy/MM/dd", "MMM d yyyy h:mm a", "MMM d yyyy HH:mm",
        "MMM d, yyyy h:mm a", "MMM d, yyyy HH:mm", "MMM d yyyy", "d MMM yyyy HH:mm", "d MMM yyyy", "yyyy-MM-dd HH:mm:ss.S Z",
        "yyyy-MM-dd HH:mm:ss.SZ", "yyyy-MM-dd HH:mm Z", "yyyy-MM-dd h:mm:ss a", "yyyy-MM-dd h:mm a", "yyyy-MM-dd h:mma",
        "yyyy/MM/dd h:mm a",
        "yyyy.MM.dd HH:mm:ss",
        "yyyy.MM.dd HH:mm", "yyyy.MM.dd", "yyyyMMdd'T'HHmmssZ", "yyyyMMdd'T'HHmmss", "yyyyMMddHHmmss", "yyyyMMdd HH:mm:ss", "yyyyMMdd",
        "MMM d, yyyy h:mm:ss a", "MMM d, yyyy, h:mm:ss a", "MMM d, yyyy, h:mm a", "MMM d, yyyy HH:mm:ss", "MMM d, yyyy",
        "MMM d, yyyy 'at' h:mm a", "d MMM yyyy HH:mm:ss", "d MMM yyyy h:mm a", "d MMM yyyy, HH:mm", "d MMM yyyy, HH:mm:ss",
        "d. MMM yyyy HH:mm:ss",
        "d. MMM yyyy HH:mm", "d. MMM yyyy, HH:mm", "d. MMM yyyy", "d-MMM-yyyy HH:mm:ss", "d-MMM-yyyy HH:mm", "d-MMM-yyyy", "d-MMM-yy HH:mm",
        "d-MMM-yy", "d 'de' MMM 'de' yyyy HH:mm", "d 'de' MMM 'de' yyyy", "E, d MMM yyyy HH:mm:ss Z", "E MMM d HH:mm:ss yyyy",
        "E, MMM d, yyyy h:mm a", "E, MMM d, yyyy",
        "yyyy'年'M'月'd'日' H:mm:ss", "yyyy'年'M'月'd'日' H:mm", "yyyy'年'M'月'd'日' H'時'm'分'", "yyyy'年'M'月'd'日'", "yyyy. M. d. H:mm",
        "yyyy. M. d.", "yyyy. M. d. H:mm:ss", "yyyy-MM-dd - HH:mm", "yyyy-MM-dd - HH:mm:ss",
    ].map(TimeFormat.pattern)

    /// Month first, as in the United States.
    package static let monthFirst: [TimeFormat] = [
        "M/d/yyyy h:mm:ss a", "M/d/yyyy h:mm a", "M/d/yyyy H:mm:ss", "M/d/yyyy H:mm", "M/d/yyyy", "M/d/yy h:mm a", "M/d/yy H:mm", "M/d/yy",
        "M-d-yyyy h:mm a", "M-d-yyyy H:mm", "M-d-yyyy", "M/d/yyyy, h:mm:ss a", "M/d/yyyy, h:mm a", "M/d/yy, h:mm a", "M/d/yy H:mm:ss",
        "M/d/yy h:mm:ss a", "M-d-yyyy H:mm:ss", "M-d-yyyy h:mm:ss a", "M-d-yy H:mm", "M-d-yy",
        "M/d/yyyy - H:mm", "M/d/yyyy - H:mm:ss", "M/d/yyyy - h:mm a",
    ].map(TimeFormat.pattern)

    /// Day first, as in most of Europe.
    package static let dayFirst: [TimeFormat] = [
        "d/M/yyyy H:mm:ss", "d/M/yyyy H:mm", "d/M/yyyy h:mm a", "d/M/yyyy", "d.M.yyyy H:mm:ss", "d.M.yyyy H:mm", "d.M.yyyy",
        "d-M-yyyy H:mm:ss", "d-M-yyyy H:mm", "d-M-yyyy h:mm a", "d-M-yyyy", "d.M.yy H:mm", "d/M/yy", "d/M/yyyy, H:mm:ss", "d/M/yyyy, H:mm",
        "d/M/yyyy h:mm:ss a", "d/M/yyyy, h:mm:ss a", "d.M.yyyy, H:mm:ss", "d.M.yyyy, H:mm", "d.M.yyyy H:mm:ss.S", "d.M.yy H:mm:ss",
        "d.M.yy",
        "d/M/yy H:mm", "d/M/yy H:mm:ss", "d/M/yy h:mm a", "d-M-yyyy h:mm:ss a", "d-M-yy H:mm", "d-M-yy", "d. M. yyyy H:mm", "d. M. yyyy",
        "d.M.yyyy - H:mm", "d.M.yyyy - H:mm:ss", "d/M/yyyy - H:mm", "d/M/yyyy - H:mm:ss", "d-M-yyyy - H:mm", "d. M. yyyy H:mm:ss",
    ].map(TimeFormat.pattern)
}

/// A parsed time.
struct ParsedTime: Hashable, Sendable {
    /// The offset for "no zone known".
    static let noZone = Int16.min

    /// Microseconds since 1970, UTC.
    var microseconds: Int64
    /// The wearer's offset from UTC in minutes, or `noZone`.
    var zone: Int16 = noZone
}

/// Parses Unix times: digits with a fraction after a point or a comma, rounded to the nearest microsecond.
enum UnixTime {
    /// The time in microseconds since 1970, or nil.
    /// - Parameter unit: microseconds in one unit of the number: 1,000,000 for seconds.
    @inline(__always)
    static func parse(_ bytes: RawSpan, _ start: Int, _ end: Int, unit: Int64) -> Int64? {
        var position = start
        let negative = position < end && bytes.byte(position) == UInt8(ascii: "-")
        if negative { position += 1 }
        let first = position
        var whole: Int64 = 0
        while position < end {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            whole = whole &* 10 &+ Int64(digit)
            position += 1
        }
        // 13 digits of seconds or 16 of milliseconds: past the year 9999, and no overflow above.
        guard position > first, position - first <= 16, whole <= 253_402_300_800_000_000 / unit else { return nil }
        var result = whole &* unit
        if position < end {
            guard let fraction = parseFraction(bytes, position, end, unit: unit) else { return nil }
            result += fraction
        }
        return negative ? -result : result
    }

    /// Local microseconds since 1970 from days since 1899-12-30, to the nearest millisecond.
    static func days(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Int64? {
        guard
            let days = NumberFormat(decimal: UInt8(ascii: ".")).parse(bytes, start, end)
                ?? NumberFormat(decimal: UInt8(ascii: ",")).parse(bytes, start, end), (1...100_000).contains(days)
        else { return nil }
        return Int64(((days - 25569) * 86_400_000).rounded()) * 1000
    }

    /// Microseconds since 1970 as seconds, with every digit.
    static func text(_ microseconds: Int64) -> String {
        let fraction = String(microseconds.magnitude % 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
        return "\(microseconds < 0 ? "-" : "")\(microseconds.magnitude / 1_000_000).\(zeros)\(fraction)"
    }

    /// The fraction in microseconds, from its point or comma on. Further digits round it.
    @inline(__always)
    private static func parseFraction(_ bytes: RawSpan, _ start: Int, _ end: Int, unit: Int64) -> Int64? {
        guard bytes.byte(start) == UInt8(ascii: ".") || bytes.byte(start) == UInt8(ascii: ",") else { return nil }
        var result: Int64 = 0
        var scale = unit
        var position = start + 1
        var rounding: UInt8 = 0
        while position < end {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            if scale > 1 {
                scale /= 10
                result += Int64(digit) &* scale
            } else if scale == 1 {
                rounding = digit
                scale = 0
            }
            position += 1
        }
        return rounding >= 5 ? result + 1 : result
    }
}
