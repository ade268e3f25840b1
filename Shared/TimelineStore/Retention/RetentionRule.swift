/// How long something is kept.
package struct RetentionRule: Hashable, Sendable, Codable {
    /// What is kept.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        /// The readings themselves, numbers and texts.
        case raw
        /// Blocks of samples.
        case waveform
        /// What readings come to by minute, hour and day. They never go before the readings that they are summed from.
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

/// What a retention run removed.
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
