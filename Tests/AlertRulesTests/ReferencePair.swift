/// A model of a rule over the two numbers of a blood pressure, written from the documents: numbers measured within a minute are one reading;
/// a reading counts once, by its own numbers; half of one ends nothing.
struct ReferencePair {
    struct Parameters {
        var limits: [Double] = [180, 120]
        var slack: Double = 5
        var count = 2
        /// Seconds within which so many readings must be over a limit.
        var within: Int64
        var keep: Int64
        var isLatching: Bool
        var stale: Int64
        var escalations: [Int64] = []
        var open: Range<Int64>?
    }

    /// An input of both.
    enum Input: Sendable, CustomStringConvertible {
        /// One of the two numbers, 0 systolic and 1 diastolic, and by how much its sensor's time lies before its receiving.
        case number(Int, Double, late: Int64)
        case other(ReferenceModel.Input)

        var description: String {
            switch self {
            case .number(let kind, let value, let late): "\(kind == 0 ? "sys" : "dia")=\(Int(value))\(late == 0 ? "" : "(-\(late)s)")"
            case .other(let input): input.description
            }
        }
    }

    private struct Taken {
        let time: Int64
        let clock: Int64
        let value: Double
        let isHigh: Bool
    }

    private static let lateness: Int64 = 10
    private let rule: Parameters
    private var now: Int64
    /// Every number that was taken, by kind.
    private var numbers: [[Taken]] = [[], []]
    /// The times of the readings that were over a limit.
    private var counted: [Int64] = []
    private var level: ReferenceLevel
    private var alert: ReferenceAlert
    /// Its distance beyond its limits when somebody ended the alert.
    private var cleared: Double?
    private var answered: Double?
    var log: [String] { alert.log }

    init(_ rule: Parameters, now: Int64) {
        self.rule = rule
        self.now = now
        level = ReferenceLevel(delay: 0, keep: rule.keep, lateness: Self.lateness)
        alert = ReferenceAlert(
            ReferenceAlert.Parameters(isLatching: rule.isLatching, escalations: rule.escalations, acknowledgementLasts: 3600))
    }

    mutating func take(_ input: Input) {
        switch input {
        case .number(let kind, let value, let late): read(kind, value, at: now - late)
        case .other(.pass(let seconds)): for _ in 0..<seconds { tick() }
        case .other(.acknowledge):
            if !alert.isAcknowledged { answered = excess }
            alert.acknowledge(now: now, isPending: false)
        case .other(.clear(let seconds)):
            if alert.isLost { forget() }
            if alert.clear(now: now, until: now + seconds, isPending: false) { cleared = excess }
        case .other: break
        }
    }

    private mutating func read(_ kind: Int, _ value: Double, at time: Int64) {
        if let newest = numbers[kind].last, time < newest.time, now - newest.clock <= max(rule.stale, Self.lateness) { return }
        let wasHigh = numbers[kind].last?.isHigh ?? false
        let isHigh = value > rule.limits[kind] || (wasHigh && value > rule.limits[kind] - rule.slack)
        numbers[kind].append(Taken(time: time, clock: now, value: value, isHigh: isHigh))
        // A number of a reading before the newest is late: it decides nothing.
        guard numbers.allSatisfy({ ($0.last?.time ?? time) - time <= 60 }) else { return judge(at: nil) }
        // A reading counts once, however many of its numbers come.
        if truth(isStrict: true) == true, counted.allSatisfy({ abs(time - $0) > 60 }) { counted.append(time) }
        // Corrected.
        if truth(isStrict: true) == false, counted.contains(time) { counted.removeAll { $0 == time } }
        judge(at: time)
    }

    private mutating func tick() {
        now += 1
        guard numbers.contains(where: { !$0.isEmpty }) else { return }
        judge(at: nil)
        if alert.isQuietOver(now: now) {
            forget()
            judge(at: nil)
        }
        alert.remind(now: now)
        alert.escalate(now: now)
    }

    /// What nothing is known of any more does not hold when a person's answer ends.
    private mutating func forget() {
        if level.isFiring, isLost { level.restart(false, event: present, now: now) }
    }

    /// The time by the sensor whose number is the newest.
    private var present: Int64 { numbers.compactMap { $0.last.map { $0.time + now - $0.clock } }.max() ?? now }

    /// The truth of "one of the two is over its limit" for the newest reading; nil: unknown, also while its other half is missing.
    private func truth(isStrict: Bool) -> Bool? {
        let newest = numbers.compactMap(\.last?.time).max() ?? 0
        let truths = numbers.enumerated().map { kind, taken -> Bool? in
            guard let last = taken.last, newest - last.time <= 60, now - last.clock <= rule.stale, present - last.time <= rule.stale else {
                return nil
            }
            return isStrict ? last.value > rule.limits[kind] : last.isHigh
        }
        return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    }

    private mutating func judge(at time: Int64?) {
        let truth = truth(isStrict: !level.isFiring)
        let event = time ?? present
        let isRepeated = counted.count { event - $0 <= rule.within } >= rule.count
        if level.isFiring, alert.isLongLost(now: now) {
            // After long a reading counts once it is whole, or already over a limit.
            guard let isOver = self.truth(isStrict: true) else { return }
            level.restart(isOver, event: event, now: now)
            return alert.judge(ReferenceAlert.Condition(isFiring: isOver), now: now)
        }
        level.step(
            truth, time: time, event: event, now: now, mayBegin: time != nil && isRepeated && rule.open?.contains(event % 86_400) ?? true)
        alert.judge(
            ReferenceAlert.Condition(
                isFiring: level.isFiring, isLost: level.isFiring && isLost, isWorse: isWorse,
                isWorseThanAnswered: isWorseThanAnswered), now: now)
    }

    /// Nothing is known of a whole reading, or all that is there of half a one is too old: that the other half is missing is no loss.
    private var isLost: Bool {
        let times = numbers.compactMap(\.last?.time)
        if times.count == 2, abs(times[0] - times[1]) <= 60 { return truth(isStrict: false) == nil }
        return numbers.compactMap(\.last).allSatisfy { now - $0.clock > rule.stale || present - $0.time > rule.stale }
    }

    /// By how many margins the worse of the two numbers lies beyond its limit: a margin is the dead band or a twentieth of the limit, the less.
    private var excess: Double? {
        zip(numbers, rule.limits).compactMap { taken, limit in
            taken.last.flatMap { $0.value > limit ? ($0.value - limit) / min(rule.slack, limit / 20) : nil }
        }.max()
    }

    private var isWorseThanAnswered: Bool {
        guard let answered, let excess else { return false }
        return excess >= answered + 2 - 0.000_001
    }

    private var isWorse: Bool {
        guard let cleared, let excess else { return false }
        return excess >= cleared + 1
    }
}
