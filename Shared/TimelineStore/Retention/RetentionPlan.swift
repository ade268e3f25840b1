import VigilSchema

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

    /// Before this moment nothing of any metric is kept; nil where there is no such moment.
    func end(_ kind: RetentionRule.Kind) -> Int64? {
        let ends = metrics.map { horizons[kind]?[$0] }
        return ends.contains(nil) ? nil : ends.compactMap(\.self).min()
    }

    /// The metrics of which nothing before this moment is kept.
    func metrics(_ kind: RetentionRule.Kind, goneBefore end: Int64) -> [Int64] {
        (horizons[kind] ?? [:]).filter { $0.value >= end }.keys.sorted()
    }
}
