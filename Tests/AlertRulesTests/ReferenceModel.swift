import AlertRules

/// A simple model of one rule with one level: it keeps everything that ever happened and works out from the whole of it what the alert is.
/// It shares no code with the engine, looks at everything every second, and is far too slow for anything but this.
struct ReferenceModel {
    struct Parameters {
        var limit: Double
        var slack: Double
        let delay: Int64
        let keep: Int64
        let isLatching: Bool
        let lateness: Int64
        let stale: Int64
        var escalations: [Int64] = []
        /// Seconds of the day between which it may begin, in UTC.
        var open: Range<Int64>?
    }

    /// An input of both.
    enum Input: Sendable, CustomStringConvertible {
        /// A reading, and by how much its sensor's time lies before its receiving.
        case reading(Double, late: Int64)
        case pass(Int64)
        case acknowledge
        /// Quiet for so long.
        case clear(Int64)
        /// Only the engine restarts: nothing may come of it.
        case restart

        var description: String {
            switch self {
            case .reading(let value, let late): "\(Int(value))\(late == 0 ? "" : "(-\(late)s)")"
            case .pass(let seconds): "+\(seconds)s"
            case .acknowledge: "ack"
            case .clear(let seconds): "clear(\(seconds)s)"
            case .restart: "restart"
            }
        }
    }

    private struct Taken {
        let time: Int64
        let clock: Int64
        let value: Double
        let isHigh: Bool
    }

    private let rule: Parameters
    private(set) var now: Int64
    private var readings: [Taken] = []
    private var gaps: [Int64] = []
    private var level: ReferenceLevel
    private var alert: ReferenceAlert
    private var clearedValue: Double?
    private var answeredValue: Double?
    var log: [String] { alert.log }

    init(_ rule: Parameters, now: Int64) {
        self.rule = rule
        self.now = now
        level = ReferenceLevel(delay: rule.delay, keep: rule.keep, lateness: rule.lateness)
        alert = ReferenceAlert(ReferenceAlert.Parameters(isLatching: rule.isLatching, escalations: rule.escalations))
    }

    mutating func take(_ input: Input) {
        switch input {
        case .reading(let value, let late): read(value, at: now - late)
        case .pass(let seconds): for _ in 0..<seconds { tick() }
        case .acknowledge:
            if !alert.isAcknowledged { answeredValue = readings.last?.value }
            alert.acknowledge(now: now, isPending: level.phase == "pending")
        case .clear(let seconds):
            if alert.isLost { forget() }
            if alert.clear(now: now, until: now + seconds, isPending: level.phase == "pending") { clearedValue = readings.last?.value }
        case .restart: break
        }
    }

    /// Three times the usual interval: shorter gaps count half and at once, longer ones an eighth and at most four times the usual.
    private var habit: Int64 {
        guard gaps.count >= 2 else { return 0 }
        var usual = gaps[0] * 1000
        for gap in gaps.dropFirst().map({ $0 * 1000 }) {
            usual = gap < usual ? usual - (usual - gap) / 2 : usual + (min(gap, usual * 4) - usual) / 8
        }
        return usual * 3
    }

    /// Takes a reading.
    /// - Parameter held: of a score, what it would be were nothing of it too old: what it owes to that ends nothing.
    mutating func read(_ value: Double, at time: Int64, held: Double? = nil) {
        if let held, readings.last?.isHigh == true, value <= rule.limit - rule.slack, held > rule.limit - rule.slack { return }
        if let newest = readings.last {
            if time < newest.time {
                if now - newest.clock <= max(rule.stale, rule.lateness) { return interrupt(value, at: time) }
                level.reset()
            } else {
                let gap = time - newest.time
                if gap > 0 { gaps.append(gap) }
                if gap > rule.stale, gap * 1000 > habit { level.reset() }
            }
        }
        let wasHigh = readings.last?.isHigh ?? false
        readings.append(
            Taken(time: time, clock: now, value: value, isHigh: value > rule.limit || (wasHigh && value > rule.limit - rule.slack)))
        judge(at: time)
    }

    private mutating func interrupt(_ value: Double, at time: Int64) {
        guard let newest = readings.last, newest.time - time <= rule.lateness else { return }
        if value <= rule.limit, level.phase == "pending", level.since.time <= time { level.since.time = time }
        guard value > rule.limit, rule.delay == 0, level.phase == "idle", time > level.since.time else { return }
        // As it would have been told then, and then by what is known since.
        readings.append(Taken(time: time, clock: newest.clock, value: value, isHigh: true))
        judge(at: time)
        readings.removeLast()
        judge(at: newest.time)
    }

    mutating func tick() {
        now += 1
        guard !readings.isEmpty else { return }
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
        guard let newest = readings.last, level.isFiring, now - newest.clock > rule.stale else { return }
        level.restart(false, event: newest.time + now - newest.clock, now: now)
    }

    private mutating func judge(at time: Int64?) {
        guard let newest = readings.last else { return }
        let isKnown = now - newest.clock <= rule.stale
        let truth = isKnown ? (level.isFiring ? newest.isHigh : newest.value > rule.limit) : nil
        let event = time ?? newest.time + now - newest.clock
        if isKnown, level.isFiring, alert.isLongLost(now: now) {
            level.restart(newest.value > rule.limit, event: event, now: now)
            return alert.judge(ReferenceAlert.Condition(isFiring: level.isFiring), now: now)
        }
        level.step(
            truth, time: time, event: event, now: now, mayBegin: rule.open?.contains(event % 86_400) ?? true,
            isExpecting: level.phase == "pending" && newest.value > rule.limit && (now - newest.clock) * 1000 <= habit)
        let margin = rule.slack > 0 ? min(rule.slack, rule.limit / 20) : rule.limit / 20
        let isWorse = clearedValue.map { newest.value > rule.limit && newest.value - $0 >= margin && newest.value > $0 } ?? false
        let answerMargin = rule.slack > 0 ? 2 * rule.slack : rule.limit / 10
        let isWorseThanAnswered = answeredValue.map { newest.value > rule.limit && newest.value - $0 >= answerMargin } ?? false
        alert.judge(
            ReferenceAlert.Condition(
                isFiring: level.isFiring, isPending: level.phase == "pending", isLost: level.isFiring && truth == nil, isWorse: isWorse,
                isWorseThanAnswered: isWorseThanAnswered),
            now: now)
    }
}
