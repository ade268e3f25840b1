import Foundation
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil timeline storage`: the bytes that a timeline takes, by what they are, and how long the disk lasts.
enum StorageCommand {
    private static let by = Setting(
        "by", ValueFormat<Grouping>.choice, default: .kind, help: "List the bytes by kind, metric, participant or series."
    )
    private static let disk = Setting.optional(
        "disk", .path, help: "A folder on the database's disk, for its free space; for SQLite the file's own by default.")

    /// The rows of the answer.
    enum Grouping: String, CaseIterable, Sendable { case kind, metric, participant, series }

    static let command = Command(
        name: "storage", summary: "shows the size of a timeline and how long the disk lasts",
        details: """
            The days left are the disk's free space divided by the daily size of the last week's measurements. \
            An unusual week changes them, and retention is not subtracted. Reads every page of a SQLite file.
            """,
        settings: [by, disk, TimelineSettings.output, TimelineSettings.raw] + CommonSettings.database, operands: .none
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let report: StorageReport
        do {
            report = try await store.storage(now: .now)
            await store.close()
        } catch {
            await store.close()
            throw error
        }
        let outlook = StorageOutlook(report, free: try free(invocation))
        let rows = rows(report, by: try invocation[by])
        switch try invocation[TimelineSettings.output] {
        case .table: print(([ResultTable(rows, columns: columns(rows)).table, ""] + outlook.lines).joined(separator: "\n"))
        case .csv: print(ResultTable(rows, columns: columns(rows)).csv(raw: try invocation[TimelineSettings.raw]).dropLast(1))
        case .json:
            let answer = outlook.fields.merging(["rows": rows]) { known, _ in known }
            let data = try JSONSerialization.data(withJSONObject: answer, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            print(String(decoding: data, as: UTF8.self))
        }
    }

    /// The free bytes of the database's disk; nil where it is another machine's, or unknown.
    private static func free(_ invocation: Invocation) throws -> Int64? {
        if let folder = try invocation[disk] {
            guard let free = freeBytes(folder) else { throw CommandError(.noInput, "\(folder) is no folder") }
            return free
        }
        guard case .sqlite(let path) = try TimelineCommands.address(invocation[CommonSettings.store]) else { return nil }
        return freeBytes(URL(filePath: path).deletingLastPathComponent().path)
    }

    private static func freeBytes(_ folder: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    private static func columns(_ rows: [[String: Any]]) -> [String] {
        ["kind", "participant", "metric", "count", "bytes", "bytes_per_day"].filter { name in rows.contains { $0[name] != nil } }
    }

    /// The largest first.
    static func rows(_ report: StorageReport, by grouping: Grouping) -> [[String: Any]] {
        let rows: [[String: Any]] =
            switch grouping {
            case .kind: report.kinds.map { ["kind": $0.key.rawValue, "bytes": $0.value] }
            case .metric: sums(report) { ["kind": $0.kind.rawValue, "metric": $0.metric] }
            case .participant: sums(report) { ["participant": $0.participant] }
            case .series: sums(report) { ["kind": $0.kind.rawValue, "metric": $0.metric, "participant": $0.participant] }
            }
        return rows.sorted { bytes($0) > bytes($1) }
    }

    private static func bytes(_ row: [String: Any]) -> Int64 { row["bytes"] as? Int64 ?? 0 }

    private static func sums(_ report: StorageReport, _ key: (StorageReport.Series) -> [String: String]) -> [[String: Any]] {
        Dictionary(grouping: report.series, by: key).map { names, series in
            var row: [String: Any] = names
            row["count"] = series.reduce(0) { $0 + $1.count }
            row["bytes"] = series.reduce(0) { $0 + $1.bytes }
            row["bytes_per_day"] = Int64(series.reduce(0) { $0 + $1.bytesPerDay }.rounded())
            return row
        }
    }
}

/// The totals of a storage report, and when the disk is full.
struct StorageOutlook {
    let bytes: Int64
    /// Nil where the last week brought nothing.
    let perDay: Double?
    /// The free bytes of the disk, where they are known.
    let free: Int64?

    init(_ report: StorageReport, free: Int64?) { (bytes, perDay, self.free) = (report.bytes, report.bytesPerDay, free) }

    /// The days until the disk is full; nil where its space or the growth is unknown.
    var days: Double? {
        guard let free, let perDay else { return nil }
        return Double(free) / perDay
    }

    var fields: [String: Any] {
        let fields: [String: Any?] = [
            "bytes": bytes, "bytes_per_day": perDay.map { Int64($0.rounded()) }, "free_bytes": free, "days_left": days.map { Int64($0) },
        ]
        return fields.compactMapValues { $0 }
    }

    var lines: [String] {
        let growth = perDay.map { "\(Self.size($0)) a day in the last week" } ?? "nothing was measured in the last week"
        let disk = free.map { "\(Self.size(Double($0))) free" } ?? "free space unknown: --disk names a folder on the database's disk"
        let rest = days.map { ", enough for \(Self.span($0))" } ?? ""
        return ["\(Self.size(Double(bytes))) in all; \(growth)", disk + rest]
    }

    private static func size(_ bytes: Double) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (number, unit) = (bytes, 0)
        while number >= 1000, unit + 1 < units.count { (number, unit) = (number / 1000, unit + 1) }
        return "\(String(format: unit == 0 || number >= 100 ? "%.0f" : "%.1f", number)) \(units[unit])"
    }

    private static func span(_ days: Double) -> String {
        switch days {
        case ..<100: "\(Int(days)) days"
        case ..<36_525: "\(Int(days / 365.25 * 12)) months"
        default: "a century and more"
        }
    }
}
