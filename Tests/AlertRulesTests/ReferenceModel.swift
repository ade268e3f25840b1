import AlertRules

/// A simple model of one rule with one level: it keeps everything that ever happened and works out from the whole of it what the alert is.
/// It shares no code with the engine, looks at everything every second, and is far too slow for anything but this.
struct ReferenceModel {
    struct Parameters {
        let limit: Double
        let slack: Double
        let delay: Int64
        let keep: Int64
        let isLatching: Bool
        let lateness: Int64
        let stale: Int64
        /// Seconds without an acknowledgement.
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
    private var now: Int64
    private var readings: [Taken] = []
    private var gaps: [Int64] = []
    private var level = "idle"
    private var since: (time: Int64, clock: Int64) = (0, 0)
    private(set) var log: [String] = []
    private var state = "none"
    private var isAcknowledged = false
    private var isRecovered = false
    private var isLost = false
    private var quiet: (value: Double, end: Int64)?
    private var unansweredSince: Int64 = 0
    private var endedUnanswered: Int64?
    private var stage = 0

    init(_ rule: Parameters, now: Int64) {
        self.rule = rule
        self.now = now
    }

    mutating func take(_ input: Input) {
        switch input {
        case .reading(let value, let late): read(value, at: now - late)
        case .pass(let seconds): for _ in 0..<seconds { tick() }
        case .acknowledge: acknowledge()
        case .clear(let seconds): clear(seconds)
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

    private mutating func read(_ value: Double, at time: Int64) {
        if let newest = readings.last {
            if time < newest.time {
                if now - newest.clock <= max(rule.stale, rule.lateness) { return interrupt(value, at: time) }
                if level == "pending" { level = "idle" }
            } else {
                let gap = time - newest.time
                if gap > 0 { gaps.append(gap) }
                if gap > rule.stale, gap * 1000 > habit, level == "pending" { level = "idle" }
            }
        }
        let wasHigh = readings.last?.isHigh ?? false
        readings.append(
            Taken(time: time, clock: now, value: value, isHigh: value > rule.limit || (wasHigh && value > rule.limit - rule.slack)))
        judge(at: time)
    }

    private mutating func interrupt(_ value: Double, at time: Int64) {
        guard let newest = readings.last, newest.time - time <= rule.lateness else { return }
        if value <= rule.limit, level == "pending", since.time <= time { since.time = time }
    }

    private mutating func tick() {
        now += 1
        guard !readings.isEmpty else { return }
        judge(at: nil)
        if let quiet, quiet.end <= now {
            endQuiet()
            judge(at: nil)
        }
        while state == "active", !isAcknowledged, stage < rule.escalations.count, unansweredSince + rule.escalations[stage] <= now {
            stage += 1
            log.append("escalated")
        }
    }

    private mutating func judge(at time: Int64?) {
        guard let newest = readings.last else { return }
        let isKnown = now - newest.clock <= rule.stale
        let isBegun = level == "firing" || level == "keeping"
        let truth = isKnown ? (isBegun ? newest.isHigh : newest.value > rule.limit) : nil
        step(truth, at: time)
        let isFiring = level == "firing" || level == "keeping"
        let margin = rule.slack > 0 ? min(rule.slack, rule.limit / 20) : rule.limit / 20
        if let quiet, !isFiring || (newest.value > rule.limit && newest.value - quiet.value >= margin) { endQuiet() }
        settle(isFiring && quiet == nil)
        let lost = isFiring && truth == nil
        if state == "active", lost != isLost {
            isLost = lost
            log.append(lost ? "data-lost" : "data-back")
        }
    }

    private mutating func endQuiet() {
        quiet = nil
        log.append("clear-ended")
    }

    private mutating func step(_ truth: Bool?, at time: Int64?) {
        guard let newest = readings.last else { return }
        let event = time ?? newest.time + now - newest.clock
        func isOver(_ duration: Int64) -> Bool {
            if let time, time - since.time >= duration { return true }
            return now - since.clock >= duration + rule.lateness
        }
        switch (level, truth) {
        case ("idle", true) where rule.open?.contains(event % 86_400) ?? true:
            since = (event, now)
            level = rule.delay == 0 ? "firing" : "pending"
        case ("pending", true): if isOver(rule.delay) { level = "firing" }
        case ("pending", nil) where newest.value > rule.limit && (now - newest.clock) * 1000 <= habit: break
        case ("pending", _): level = "idle"
        case ("firing", false):
            since = (event, now)
            level = rule.keep == 0 ? "idle" : "keeping"
        case ("keeping", true): level = "firing"
        case ("keeping", false): if isOver(rule.keep) { level = "idle" }
        default: break
        }
    }

    private mutating func settle(_ isOn: Bool) {
        if state != "active" {
            if isOn {
                raise()
            } else if level == "pending", state == "none", quiet == nil {
                state = "pending"
                log.append("pending")
            } else if level != "pending", state == "pending" {
                state = "none"
                log.append("cancelled")
            }
        } else if isOn, isRecovered {
            isRecovered = false
            log.append("recurred")
        } else if !isOn {
            if !rule.isLatching || isAcknowledged {
                endedUnanswered = isAcknowledged ? nil : now
                end()
            } else if !isRecovered {
                (isRecovered, isLost) = (true, false)
                log.append("recovered")
            }
        }
    }

    private mutating func raise() {
        (state, isAcknowledged, isRecovered, isLost) = ("active", false, false, false)
        if let ended = endedUnanswered, now - ended <= 900 {
            unansweredSince += now - ended
        } else {
            (unansweredSince, stage) = (now, 0)
        }
        endedUnanswered = nil
        log.append("raised")
    }

    private mutating func end() {
        (state, isRecovered, isLost) = ("none", false, false)
        log.append("cleared")
    }

    private mutating func acknowledge() {
        guard state == "active", !isAcknowledged else { return }
        isAcknowledged = true
        log.append("acknowledged")
        if isRecovered { endByCommand() }
    }

    private mutating func endByCommand() {
        endedUnanswered = nil
        end()
        guard level == "pending" else { return }
        state = "pending"
        log.append("pending")
    }

    private mutating func clear(_ seconds: Int64) {
        guard state == "active" else { return }
        if !isRecovered { quiet = (readings.last?.value ?? 0, now + seconds) }
        endByCommand()
    }

    var present: String { state }
}
