/// The time from one beat to the next, after correction.
package struct RRInterval: Hashable, Sendable, Codable {
    /// Its end, in the caller's seconds.
    package var time: Double
    /// In milliseconds.
    package var milliseconds: Double
    /// The artefact in the interval as measured.
    package var kind: Kind
    /// True where it does not follow the one before, but a gap; nil where it does.
    package var isAfterGap: Bool?

    /// Makes an interval.
    package init(time: Double, milliseconds: Double, kind: Kind, isAfterGap: Bool = false) {
        (self.time, self.milliseconds, self.kind) = (time, milliseconds, kind)
        self.isAfterGap = isAfterGap ? true : nil
    }

    /// The classification of an interval.
    package enum Kind: String, Hashable, Sendable, Codable {
        /// As measured.
        case normal
        /// An early beat and its pause: replaced by the local median.
        case ectopic
        /// Too long or too short for its neighbours: replaced by the local median.
        case outlying
        /// A beat was missed in it: halved.
        case missedBeat
        /// A beat too many was found: joined with its neighbour.
        case extraBeat
    }
}

/// Corrects the intervals between beats: early beats, missed and extra detections, outliers.
///
/// Method: J. A. Lipponen, M. P. Tarvainen, J. Med. Eng. Technol. 43(3): 173–181, 2019, made causal: the thresholds are
/// those of the last 91 intervals, and an interval is judged once the two after it are known. A value without I/O.
package struct RRCleaner: Sendable, Codable {
    private static let memory = 91
    /// Below this, in ms, a threshold would turn a calm heart's smallest changes into artefacts.
    private static let leastThreshold = 40.0

    /// An interval as it was found.
    private struct Raw: Sendable, Codable {
        /// Of its end.
        var time: Double
        var value: Double
    }

    private var intervals: [Raw] = []
    private var changes: [Double] = []
    private var deviations: [Double] = []
    private var skipsNext = false
    /// True from a gap to the first interval behind it that is certain.
    private var isAfterGap: Bool?

    /// Makes a cleaner that knows nothing yet.
    package init() {
        intervals.reserveCapacity(16)
        changes.reserveCapacity(Self.memory + 1)
        deviations.reserveCapacity(Self.memory + 1)
    }

    /// Takes an interval that ended at `time`; appends those that are certain now.
    package mutating func push(milliseconds: Double, at time: Double, into cleaned: inout [RRInterval]) {
        intervals.append(Raw(time: time, value: milliseconds))
        if intervals.count > 14 { intervals.removeFirst() }
        guard intervals.count >= 4 else { return }
        judge(intervals.count - 3, into: &cleaned)
    }

    /// Says that the last intervals ended earlier, by so many seconds; those that were certain already stay.
    package mutating func moveBack(_ count: Int, by seconds: Double) {
        for index in intervals.indices.suffix(min(count, 2)) { intervals[index].time -= seconds }
    }

    /// Forgets the neighbours but not the thresholds: intervals before and after a gap do not compare.
    package mutating func gap() {
        intervals.removeAll(keepingCapacity: true)
        skipsNext = false
        isAfterGap = true
    }

    private mutating func judge(_ index: Int, into cleaned: inout [RRInterval]) {
        let (time, value) = (intervals[index].time, intervals[index].value)
        let usual = median(around: index)
        let change = value - intervals[index - 1].value
        let deviation = (value - usual) * (value < usual ? 2 : 1)
        let changeLimit = remember(abs(change), in: \.changes)
        let deviationLimit = remember(abs(deviation), in: \.deviations)
        if skipsNext {
            skipsNext = false
            return
        }
        let kind = kind(index, usual, change / changeLimit, deviation / deviationLimit, limit: deviationLimit, changeLimit: changeLimit)
        append(kind, value: value, next: intervals[index + 1].value, usual: usual, time: time, into: &cleaned)
    }

    private mutating func append(
        _ kind: RRInterval.Kind, value: Double, next: Double, usual: Double, time: Double, into cleaned: inout [RRInterval]
    ) {
        defer { isAfterGap = nil }
        let first = cleaned.count
        defer { if isAfterGap == true, cleaned.indices.contains(first) { cleaned[first].isAfterGap = true } }
        switch kind {
        case .normal: cleaned.append(RRInterval(time: time, milliseconds: value, kind: kind))
        case .ectopic, .outlying: cleaned.append(RRInterval(time: time, milliseconds: usual, kind: kind))
        case .missedBeat:
            cleaned.append(RRInterval(time: time - value / 2000, milliseconds: value / 2, kind: kind))
            cleaned.append(RRInterval(time: time, milliseconds: value / 2, kind: kind))
        case .extraBeat:
            cleaned.append(RRInterval(time: time + next / 1000, milliseconds: value + next, kind: kind))
            skipsNext = true
        }
    }

    private func kind(
        _ index: Int, _ usual: Double, _ change: Double, _ deviation: Double, limit: Double, changeLimit: Double
    ) -> RRInterval.Kind {
        let value = intervals[index].value
        let next = (intervals[index + 1].value - value) / changeLimit
        let afterNext = (intervals[index + 2].value - intervals[index + 1].value) / changeLimit
        let before = index > 1 ? (intervals[index - 1].value - intervals[index - 2].value) / changeLimit : 0
        if isEctopic(change, beside: change > 0 ? max(before, next) : min(before, next)) { return .ectopic }
        let isLong = change > 1 && min(next, afterNext) < -1 || deviation > 3
        let isShort = change < -1 && max(next, afterNext) > 1 || deviation < -3
        if isLong && abs(value / 2 - usual) < limit { return .missedBeat }
        if isShort && abs(value + intervals[index + 1].value - usual) < limit { return .extraBeat }
        return isLong || isShort ? .outlying : .normal
    }

    private func isEctopic(_ change: Double, beside: Double) -> Bool {
        change > 1 && beside < -0.13 * change - 0.17 || change < -1 && beside > -0.13 * change + 0.17
    }

    /// The median of the eleven intervals of which this one is the ninth.
    private func median(around index: Int) -> Double {
        Median.of(intervals[max(0, index - 8)...(index + 2)].map(\.value)) ?? intervals[index].value
    }

    /// 5.2 quartile deviations of the last 91 values, this one included.
    private mutating func remember(_ value: Double, in list: WritableKeyPath<RRCleaner, [Double]>) -> Double {
        self[keyPath: list].append(value)
        if self[keyPath: list].count > Self.memory { self[keyPath: list].removeFirst() }
        let sorted = self[keyPath: list].sorted()
        let deviation = (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / 2
        return max(5.2 * deviation, Self.leastThreshold)
    }
}
