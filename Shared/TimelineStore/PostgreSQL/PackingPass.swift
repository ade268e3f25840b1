import VigilSchema

/// A pass through everybody's sums of some months, and how far it has come.
struct PackingPass: Hashable, Sendable {
    var from: Month
    /// The month with which the next pass begins.
    var until: Month
    /// The last participant that is done; nil where all are.
    var after: Int64?
    /// The last metric that is done of the next one.
    var metric: Int64 = 0

    /// The pass's months as parameters of a query.
    var range: [SQLValue] { [.time(start), .time(end)] }
    var start: Timestamp { Timestamp(microseconds: from.start) }
    var end: Timestamp { Timestamp(microseconds: until.start) }

    /// `2026_09 2026_10 17 3` under way, `2026_09 2026_10` when done.
    var text: String { ([from.suffix, until.suffix] + (after.map { ["\($0)", "\(metric)"] } ?? [])).joined(separator: " ") }

    init(from: Month, until: Month, after: Int64?, metric: Int64 = 0) {
        self.from = from
        self.until = until
        self.after = after
        self.metric = metric
    }

    /// From what was remembered; nil where that is no pass.
    init?(text: String) {
        let words = text.split(separator: " ")
        let places = words.dropFirst(2).compactMap { Int64($0) }
        guard words.count == places.count + 2, places.isEmpty || places.count == 2 else { return nil }
        guard let from = Month(suffix: words[0]), let until = Month(suffix: words[1]) else { return nil }
        self.init(from: from, until: until, after: places.first, metric: places.last ?? 0)
    }
}
