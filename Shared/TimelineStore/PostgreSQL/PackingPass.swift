import VigilSchema

/// A pass through everybody's sums of some months, and how far it has come.
struct PackingPass: Hashable, Sendable {
    var from: Month
    /// The month with which the next pass begins.
    var until: Month
    /// The last participant that is done; nil where all are.
    var after: Int64?

    /// The pass's months as parameters of a query.
    var range: [SQLValue] { Self.range(from.start, until.start) }

    /// Parts of it that hold a thousand or two of a metric's sums at most, as many as are moved while others wait.
    func parts(_ level: RollupLevel) -> [[SQLValue]] {
        guard level == .minute else { return [range] }
        let day = RollupLevel.day.width
        return stride(from: from.start, to: until.start, by: Int(day)).map { Self.range($0, min($0 + day, until.start)) }
    }

    private static func range(_ start: Int64, _ end: Int64) -> [SQLValue] {
        [start, end].map { .time(Timestamp(microseconds: $0)) }
    }

    /// `2026_09 2026_10 17` under way, `2026_09 2026_10` when done.
    var text: String { ([from.suffix, until.suffix] + (after.map { [String($0)] } ?? [])).joined(separator: " ") }

    init(from: Month, until: Month, after: Int64?) {
        self.from = from
        self.until = until
        self.after = after
    }

    /// From what was remembered; nil where that is no pass.
    init?(text: String) {
        let words = text.split(separator: " ")
        guard (2...3).contains(words.count), let from = Month(suffix: words[0]), let until = Month(suffix: words[1]) else { return nil }
        guard words.count == 2 || Int64(words[2]) != nil else { return nil }
        self.init(from: from, until: until, after: words.count == 3 ? Int64(words[2]) : nil)
    }
}
