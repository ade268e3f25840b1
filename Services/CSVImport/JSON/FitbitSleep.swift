/// Converts nights of Fitbit's account archive (`sleep-….json`) and web interface to a table with a row per value.
///
/// Times are the wearer's. Short wake periods (`shortData`, at most three minutes) overlap the stages and have a metric
/// of their own, because they would otherwise count twice.
/// Source: https://dev.fitbit.com/build/reference/web-api/sleep/get-sleep-log-by-date/
struct FitbitSleep: ByteSource {
    /// The columns of the table, which `BuiltIn.fitbitSleep` reads.
    static let header = ["sleep start", "until", "metric", "value", "unit"]

    /// Minutes and percentages of a night, by their members.
    private static let values = [
        ("minutesAsleep", "sleep-minutes", "min"), ("timeInBed", "time-in-bed", "min"),
        ("minutesToFallAsleep", "minutes-to-fall-asleep", "min"), ("minutesAfterWakeup", "minutes-after-wakeup", "min"),
        ("efficiency", "sleep-efficiency", "%"),
    ]

    /// Stages of a night, with lengths in seconds.
    private static let stages = [
        ("deep", "sleep-deep"), ("light", "sleep-light"), ("rem", "sleep-rem"), ("wake", "sleep-awake"), ("awake", "sleep-awake"),
        ("restless", "sleep-restless"),
    ]

    private var items: JSONItems
    private var times: TimeParser
    private var pending: [UInt8]
    private var taken = 0

    /// Returns whether JSON with this start contains nights.
    static func fits(_ start: [UInt8]) -> Bool {
        let text = String(decoding: start, as: UTF8.self)
        return ["\"logId\"", "\"dateOfSleep\"", "\"startTime\"", "\"minutesAsleep\""].allSatisfy(text.contains)
    }

    /// The nights as a CSV file.
    static func file(_ file: ImportFile, _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource) -> ImportFile {
        ImportFile(name: file.name) { () throws(ImportError) in try FitbitSleep(JSONItems(try open(), name: file.name)) }
    }

    private init(_ items: JSONItems) throws(ImportError) {
        self.items = items
        times = try TimeParser(TimeFormat.iso8601, zone: nil)
        pending = Array((CSVText.record(Self.header, delimiter: ",") + "\n").utf8)
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            guard let item = try items.next() else { return 0 }
            pending = Array(rows(item.value).map { CSVText.record($0, delimiter: ",") + "\n" }.joined().utf8)
            taken = 0
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }

    private mutating func rows(_ night: JSONNode) -> [[String]] {
        guard night["dateOfSleep"] != nil, let start = night["startTime"]?.text else { return [] }
        let end = night["endTime"]?.text ?? ""
        var rows = Self.values.compactMap { member, metric, unit in night[member]?.text.map { [start, end, metric, $0, unit] } }
        for (stage, metric) in Self.stages {
            guard let minutes = night.at("levels", "summary", stage, "minutes")?.number else { continue }
            rows.append([start, end, metric, (minutes * 60).short, "s"])
        }
        for (list, metric) in [("data", "sleep-stage"), ("shortData", "sleep-stage-short")] {
            for part in night.at("levels", list)?.elements ?? [] {
                guard let time = part["dateTime"]?.text, let level = part["level"]?.text else { continue }
                rows.append([time, later(time, by: part["seconds"]?.number), metric, level, "1"])
            }
        }
        return rows
    }

    /// The local time some seconds later; empty if it is unknown.
    private mutating func later(_ time: String, by seconds: Double?) -> String {
        guard let seconds, (1...86_400).contains(seconds), let start = times.parse(time) else { return "" }
        return ListRowsSource.text(start.microseconds + Int64((seconds * 1_000_000).rounded()), start.zone)
    }
}
