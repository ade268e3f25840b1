import Foundation
import VigilSchema

/// The time something is kept.
package struct RetentionRule: Hashable, Sendable, Codable {
    /// The data that a rule concerns.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        /// The readings themselves, numbers and texts.
        case raw
        /// Blocks of samples.
        case waveform
        /// The sums by minute, hour and day. They never go before the readings that they are summed from.
        case rollup
    }

    package var kind: Kind
    /// Nil for every metric without a rule of its own.
    package var metric: String?
    /// Whole days of UTC, at least 2.
    package var days: Int

    /// Makes a rule.
    package init(_ kind: Kind, metric: String? = nil, days: Int) {
        self.kind = kind
        self.metric = metric
        self.days = days
    }
}

/// The data that a retention run removed.
package struct RetentionReport: Hashable, Sendable, Codable {
    /// Rows by table, those that lost none left out; rows of dropped partitions are not among them.
    package var rows: [String: Int] = [:]
    /// The PostgreSQL partitions that were dropped.
    package var partitions: [String] = []

    /// A report of nothing.
    package init() {}

    mutating func add(_ count: Int, to table: String) {
        if count > 0 { rows[table, default: 0] += count }
    }
}

/// Until when each metric's rows go, microseconds since 1970: midnights of UTC, so that every rollup's bucket goes or stays whole.
struct RetentionPlan: Sendable {
    /// By the metric's number.
    private(set) var horizons: [RetentionRule.Kind: [Int64: Int64]] = [:]
    private let metrics: [Int64]

    init(_ rules: [RetentionRule], metrics: [(id: Int64, name: String)], now: Timestamp) {
        self.metrics = metrics.map(\.id)
        let today = RollupLevel.day.start(of: now.microseconds)
        for rule in rules.sorted(by: { ($0.metric ?? "") < ($1.metric ?? "") }) {
            for metric in metrics where rule.metric == nil || rule.metric == metric.name {
                horizons[rule.kind, default: [:]][metric.id] = today - Int64(rule.days) * RollupLevel.day.width
            }
        }
        // Rollups stay at least as long as what they could be counted from again.
        let raw = horizons[.raw] ?? [:]
        horizons[.rollup] = horizons[.rollup]?.reduce(into: [:]) { kept, rule in
            if let limit = raw[rule.key] { kept[rule.key] = min(rule.value, limit) }
        }
    }

    /// What begins before this moment is kept of no metric; nil where there is no such moment.
    func end(_ kind: RetentionRule.Kind) -> Int64? {
        let ends = metrics.map { horizons[kind]?[$0] }
        guard !ends.contains(nil), let end = ends.compactMap(\.self).min() else { return nil }
        // A block lasts a day at most, and one that reaches into what is kept is kept.
        return kind == .waveform ? end - RollupLevel.day.width : end
    }

    /// Fails, as `.conflict`, where there are metrics that came after the plan was made: it says nothing of their rows.
    func checkMetrics(on connection: any SQLConnection) throws(StoreError) {
        let known = Set(metrics)
        guard try connection.rows("SELECT id FROM metric").allSatisfy({ known.contains($0.integer(0)) }) else {
            throw StoreError(.conflict, operation: "retention", detail: "a metric came while months were dropped")
        }
    }

    /// The metrics of which nothing before this moment is kept.
    func metrics(_ kind: RetentionRule.Kind, goneBefore end: Int64) -> [Int64] {
        (horizons[kind] ?? [:]).filter { $0.value >= end }.keys.sorted()
    }
}

/// From when on the readings of each metric are kept. What is older is gone from the table of readings but stands in the rollups: such
/// a reading cannot be told from one that was counted already, so none is taken, and no such minute is counted anew.
struct KeptFrom {
    /// Microseconds since 1970, by the metric's number.
    private let moments: [Int32: Int64]

    /// Inside a transaction that writes it holds off a retention run until the end: also a metric's first, before which nothing says from when on it is
    /// kept, so that the metrics are locked whatever is said of them, in one order.
    /// - Parameter metrics: the metrics that are asked about; nil: all.
    init(_ connection: some SQLConnection, of metrics: Set<Int32>? = nil) throws(StoreError) {
        let lock = type(of: connection).lockingClause.isEmpty ? "" : "FOR SHARE"
        let some = metrics.map { _ in "WHERE id IN (\(type(of: connection).elements(of: "$1")))" } ?? ""
        let numbers = metrics.map { [SQLValue.text("[\($0.sorted().map { String($0) }.joined(separator: ","))]")] } ?? []
        var moments: [Int32: Int64] = [:]
        for row in try connection.rows("SELECT id, kept_from FROM metric \(some) ORDER BY id \(lock)", numbers) where !row.isNull(1) {
            moments[Int32(truncatingIfNeeded: row.integer(0))] = row.integer(1)
        }
        self.moments = moments
    }

    func keeps(_ metric: Int32, at time: Int64) -> Bool { moments[metric].map { time >= $0 } ?? true }

    /// Returns whether a row is old enough that a rule, of two days at least, can reach it. So it may be where it is still to come: this machine's clock
    /// may be behind that of whoever runs retention, by decades after a start.
    static func concerns(_ prepared: Prepared) -> Bool {
        let now = Timestamp(seconds: Date().timeIntervalSince1970).microseconds
        let present = now - RollupLevel.day.width...now + RollupLevel.day.width
        return prepared.readings.contains { !present.contains($0.identity.time) }
    }

    /// Rejects the readings that are older than what is kept, which a retention run may not change before the transaction's end.
    static func reject(in prepared: inout Prepared, on connection: some SQLConnection) throws(StoreError) {
        guard concerns(prepared) else { return }
        try KeptFrom(connection, of: Set(prepared.readings.map(\.identity.metric))).reject(in: &prepared)
    }

    private func reject(in prepared: inout Prepared) {
        guard !moments.isEmpty else { return }
        let gone = prepared.readings.filter { !keeps($0.identity.metric, at: $0.identity.time) }
        guard !gone.isEmpty else { return }
        prepared.readings.removeAll { !keeps($0.identity.metric, at: $0.identity.time) }
        for reading in gone { prepared.reject(reading.place, "it is older than what is kept of the metric") }
    }
}
