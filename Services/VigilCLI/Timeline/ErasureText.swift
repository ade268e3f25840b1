import Foundation
import TimelineStore

/// What an erasure removed, in lines.
enum ErasureText {
    /// By the table's name, in the order in which they are told.
    private static let kinds = [
        ("reading", "readings"), ("waveform", "waveform blocks"), ("correction", "replaced values"), ("rollup_minute", "sums by minute"),
        ("rollup_hour", "sums by hour"), ("rollup_day", "sums by day"), ("entry", "entries"), ("alert_event", "alerts' transitions"),
        ("session", "sessions"), ("profile", "profile"), ("participant", "name"),
    ]

    /// A line for each kind, with zeros, so that it shows that every kind was looked at; a table without a name here by its own.
    static func lines(_ report: ErasureReport) -> [String] {
        let others = report.rows.keys.filter { key in !kinds.contains { $0.0 == key } }.sorted().map { ($0, $0) }
        let all = kinds + others
        let width = all.map(\.1.count).max() ?? 0
        return all.map { table, words in
            words.padding(toLength: width, withPad: " ", startingAt: 0) + "  \(report.rows[table] ?? 0)"
        }
    }
}
