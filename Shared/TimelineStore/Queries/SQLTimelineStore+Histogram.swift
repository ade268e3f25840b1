import Foundation
package import VigilSchema

extension SQLTimelineStore {
    package func histogram(
        _ range: SeriesRange, by binning: HistogramBinning, zone: String, keepsEmpty: Bool
    ) async throws(StoreError) -> [HistogramBin] {
        try await read { connection throws(StoreError) in
            var clock = try LocalClock(zone)
            var bins = binning.empty
            var stream = try BucketStream(connection, range, by: CounterRule(binning, clock))
            try stream?.forEachBucket(of: HistogramBinning.stretches(range, &clock)) { start, aggregate in
                guard start >= range.from else { return }
                let key = binning.key(start, &clock)
                if bins.last?.key != key && !binning.isCyclic { bins.append((key, nil)) }
                let index = binning.isCyclic ? bins.firstIndex { $0.key == key } : bins.indices.last
                guard let index else { return }
                if bins[index].aggregate == nil { bins[index].aggregate = aggregate } else { bins[index].aggregate?.merge(aggregate) }
            }
            if keepsEmpty { bins = binning.filled(bins, range, &clock) }
            return bins.map(HistogramBin.init)
        }
    }
}

extension HistogramBin {
    init(_ bin: (key: String, aggregate: Aggregate?)) {
        let aggregate = bin.aggregate
        self.init(
            key: bin.key, count: aggregate?.count ?? 0, sum: aggregate?.sum ?? 0, min: aggregate?.min, max: aggregate?.max,
            mean: aggregate?.mean)
    }
}

extension HistogramBinning {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let hours = (0..<24).map { ($0 < 10 ? "0" : "") + String($0) }

    /// A Boolean value that indicates whether every bin comes again and again.
    fileprivate var isCyclic: Bool { self == .weekday || self == .hour }

    fileprivate var empty: [(key: String, aggregate: Aggregate?)] {
        switch self {
        case .weekday: Self.weekdays.map { ($0, nil) }
        case .hour: Self.hours.map { ($0, nil) }
        case .day, .week, .month: []
        }
    }

    /// The bins with those between them that hold nothing.
    fileprivate func filled(
        _ bins: [(key: String, aggregate: Aggregate?)], _ range: SeriesRange, _ clock: inout LocalClock
    ) -> [(key: String, aggregate: Aggregate?)] {
        let day = RollupLevel.day.width
        guard !isCyclic, (range.to.microseconds - range.from.microseconds) / day <= 10_000 else { return bins }
        let known = Dictionary(bins.map { ($0.key, $0.aggregate) }) { first, _ in first }
        var all: [(key: String, aggregate: Aggregate?)] = []
        // Twice a day meets every date, also those of 23 hours.
        var time = range.from
        while time < range.to {
            let key = key(time, &clock)
            if all.last?.key != key { all.append((key, known[key] ?? nil)) }
            time.microseconds = min(time.microseconds + day / 2, max(time.microseconds + 1, range.to.microseconds - 1))
            if time.microseconds == range.to.microseconds - 1, all.last?.key == self.key(time, &clock) { break }
        }
        return all
    }

    fileprivate func key(_ time: Timestamp, _ clock: inout LocalClock) -> String {
        switch self {
        case .weekday: Self.weekdays[clock.weekday(time)]
        case .hour: Self.hours[clock.hour(time)]
        case .day: clock.date(time)
        case .week: clock.week(time)
        case .month: clock.month(time)
        }
    }

    /// Hours where the zone's offsets are whole hours, with the minutes before the first and after the last of them; else minutes.
    fileprivate static func stretches(_ range: SeriesRange, _ clock: inout LocalClock) -> [BucketStream.Stretch] {
        let hour = RollupLevel.hour
        let first = hour.start(of: Timestamp(microseconds: range.from.microseconds + hour.width - 1)), last = hour.start(of: range.to)
        guard first < last, hasWholeHours(range, &clock) else {
            return [.init(from: range.from, to: range.to, level: .minute)]
        }
        return [
            .init(from: range.from, to: first, level: .minute), .init(from: first, to: last, level: .hour),
            .init(from: last, to: range.to, level: .minute),
        ]
    }

    private static func hasWholeHours(_ range: SeriesRange, _ clock: inout LocalClock) -> Bool {
        // Once a week is often enough to see every offset that lasts.
        var time = range.from
        while time < range.to {
            if (clock.local(time) - time.microseconds) % RollupLevel.hour.width != 0 { return false }
            time.microseconds += 7 * RollupLevel.day.width
        }
        return true
    }
}

/// Tells the local date and hour of moments in one time zone, daylight saving included.
struct LocalClock {
    private static let day: Int64 = 86_400_000_000
    private static let quarter: Int64 = 900_000_000

    private let zone: TimeZone
    // Offsets change at whole quarters of an hour at most: neighbouring moments share one.
    private var known: (quarter: Int64, offset: Int64)?

    /// Universal time.
    init() { zone = .gmt }

    /// - Parameter identifier: an IANA name such as `Europe/Berlin`.
    init(_ identifier: String) throws(StoreError) {
        guard let zone = TimeZone(identifier: identifier) else {
            throw StoreError(.badRequest, operation: "query", detail: "the time zone is unknown")
        }
        self.zone = zone
    }

    /// Microseconds from 1970-01-01 00:00 on the wearer's clock.
    mutating func local(_ time: Timestamp) -> Int64 {
        let quarter = Self.floor(time.microseconds, Self.quarter)
        if let known, known.quarter == quarter { return time.microseconds + known.offset }
        let offset = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(quarter) / 1_000_000))) * 1_000_000
        known = (quarter, offset)
        return time.microseconds + offset
    }

    /// Days from 1970-01-01 on the wearer's calendar.
    mutating func day(_ time: Timestamp) -> Int64 { Self.floor(local(time), Self.day) / Self.day }

    /// 0 for Monday … 6 for Sunday.
    mutating func weekday(_ time: Timestamp) -> Int {
        // 1970-01-01 was a Thursday.
        let days = Self.floor(local(time), Self.day) / Self.day + 3
        return Int(((days % 7) + 7) % 7)
    }

    /// 0…23.
    mutating func hour(_ time: Timestamp) -> Int {
        let local = local(time)
        return Int((local - Self.floor(local, Self.day)) / 3_600_000_000)
    }

    /// `2017-01-19`.
    mutating func date(_ time: Timestamp) -> String { Self.date(local(time)) }

    /// The date of the Monday of its week.
    mutating func week(_ time: Timestamp) -> String { Self.date(local(time) - Int64(weekday(time)) * Self.day) }

    /// `2017-01`.
    mutating func month(_ time: Timestamp) -> String { String(date(time).dropLast(3)) }

    private static func date(_ local: Int64) -> String {
        let month = Month(local)
        let day = (floor(local, Self.day) - month.start) / Self.day + 1
        return month.suffix.replacing("_", with: "-") + (day < 10 ? "-0" : "-") + String(day)
    }

    private static func floor(_ value: Int64, _ unit: Int64) -> Int64 { value - ((value % unit) + unit) % unit }
}
