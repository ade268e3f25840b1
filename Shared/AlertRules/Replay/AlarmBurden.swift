import VigilSchema

/// The number of alarms rules make of recordings, and what they miss: a line a rule.
package struct AlarmBurden: Sendable {
    /// The outcome of one medical rule.
    package struct Line: Sendable, Hashable {
        package let rule: String
        /// The number of times that somebody would have heard it.
        package var alarms = 0
        /// Crossings of one of its limits that lasted at least two minutes.
        package var crossings = 0
        /// Those of them during which its alert was not active.
        package var missed = 0
    }

    /// A crossing as short as this must not be missed, in microseconds.
    package static let leastCrossing: Int64 = 120 * 1_000_000
    package private(set) var lines: [Line]
    private let personDays: Double

    /// - Parameter readings: those that `result` came of.
    package init(_ rules: RuleSet, _ result: RuleReplay.Result, _ readings: [ReplayReading]) {
        personDays = result.personHours / 24
        lines = rules.rules.filter { $0.kind == .medical && ($0.ages.isEmpty || $0.ages.contains(.adult)) }.map { Line(rule: $0.id) }
        let bySeries = Dictionary(grouping: readings) { Series(participant: $0.participant, metric: $0.metric) }
            .mapValues { $0.sorted { $0.time < $1.time } }
        for index in lines.indices {
            let events = result.events.filter { $0.rule == lines[index].rule }
            lines[index].alarms = events.count { $0.transition == "raised" && $0.isAudible }
            guard let rule = rules.rule(named: lines[index].rule) else { continue }
            for (series, values) in bySeries {
                let crossings = Self.crossings(of: rule, rules, series.metric, values)
                let active = Self.active(events.filter { $0.participant == series.participant })
                lines[index].crossings += crossings.count
                lines[index].missed += crossings.count { crossing in !active.contains { $0.overlaps(crossing) } }
            }
        }
    }

    private struct Series: Hashable {
        let participant: String
        let metric: String
    }

    /// The whole as a table in Markdown.
    package var table: String {
        let told = lines.filter { $0.alarms + $0.crossings > 0 }
        let rows = told.map { "| `\($0.rule)` | \($0.alarms) | \(rate($0.alarms)) | \($0.crossings) | \($0.missed) |" }
        let sums = told.reduce(into: (0, 0, 0)) { $0 = ($0.0 + $1.alarms, $0.1 + $1.crossings, $0.2 + $1.missed) }
        return
            (["| rule | alarms | a person-day | crossings of 2 min and more | missed |", "|---|---|---|---|---|"] + rows + [
                "| all | \(sums.0) | \(rate(sums.0)) | \(sums.1) | \(sums.2) |"
            ]).joined(separator: "\n")
    }

    private func rate(_ count: Int) -> String { personDays > 0 ? AlertTexts.number(Double(count) / personDays) : "–" }

    /// The stretches of at least two minutes in which the limit of the mildest level was exceeded without a gap.
    private static func crossings(of rule: Int, _ rules: RuleSet, _ metric: String, _ readings: [ReplayReading]) -> [Range<Int64>] {
        guard case .leaf(let index) = rules.levels[rules.rules[rule].levelRange.lowerBound].condition else { return [] }
        let leaf = rules.leaves[index]
        guard rules.metrics[leaf.metric] == metric, leaf.quantity == .value else { return [] }
        return crossings(of: leaf, readings, limit: \.standard)
    }

    /// The stretches of at least two minutes in which a limit was exceeded without a gap.
    static func crossings(of leaf: Leaf, _ readings: [ReplayReading], limit: (Threshold) -> Double) -> [Range<Int64>] {
        var (found, start, last): ([Range<Int64>], Int64?, Int64) = ([], nil, 0)
        func end() {
            if let first = start, last - first >= leastCrossing { found.append(first..<last) }
            start = nil
        }
        for reading in readings {
            guard case .number(let value) = reading.value else { continue }
            if start != nil, reading.time - last > leaf.staleAfter { end() }
            if leaf.comparison.isSatisfied(by: value, slack: 0, limit: limit) {
                start = start ?? reading.time
                last = reading.time
            } else {
                end()
            }
        }
        end()
        return found
    }

    /// Returns the times in which one person's alert of a rule was active.
    static func active(_ events: [AlertMessage]) -> [Range<Int64>] {
        var (found, start): ([Range<Int64>], Int64?) = ([], nil)
        for event in events {
            let time = Timestamp(seconds: event.time).microseconds
            if event.transition == "raised" { start = time }
            if event.transition == "cleared", let first = start {
                found.append(first..<max(first, time) + 1)
                start = nil
            }
        }
        return start.map { found + [$0..<Int64.max] } ?? found
    }
}
