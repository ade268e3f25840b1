import AlertRules
import Alerting

/// A simple model of one rule with one level: it keeps everything that ever happened and works out from the whole of it what the alert is.
/// It shares no code with the engine, and is far too slow for anything but this.
struct ReferenceModel {
    struct Parameters {
        let limit: Double
        let slack: Double
        let delay: Int64
        let keep: Int64
        let isLatching: Bool
        let lateness: Int64
        let stale: Int64
    }

    /// What is put into both.
    enum Input: Sendable, CustomStringConvertible {
        /// A reading, and by how much its sensor's time lies before its receiving.
        case reading(Double, late: Int64)
        case pass(Int64)
        case acknowledge
        case clear
        /// Only the engine restarts: nothing may come of it.
        case restart

        var description: String {
            switch self {
            case .reading(let value, let late): "\(Int(value))\(late == 0 ? "" : "(-\(late)s)")"
            case .pass(let seconds): "+\(seconds)s"
            case .acknowledge: "ack"
            case .clear: "clear"
            case .restart: "restart"
            }
        }
    }

    private let rule: Parameters
    private var now: Int64
    /// (event time, received, satisfied), in the order of their coming; those that were too late are left out.
    private var readings: [(time: Int64, clock: Int64, isHigh: Bool)] = []
    private var level = "idle"
    private var since: (time: Int64, clock: Int64) = (0, 0)
    private(set) var log: [String] = []
    private var state = "none"
    private var isAcknowledged = false
    private var isRecovered = false
    private var isLost = false
    private var isQuiet = false

    init(_ rule: Parameters, now: Int64) {
        self.rule = rule
        self.now = now
    }

    mutating func take(_ input: Input) {
        switch input {
        case .reading(let value, let late): read(value, at: now - late)
        case .pass(let seconds): for _ in 0..<seconds { tick() }
        case .acknowledge: acknowledge()
        case .clear: clear()
        case .restart: break
        }
    }

    private mutating func read(_ value: Double, at time: Int64) {
        if let newest = readings.last, time < newest.time {
            if now - newest.clock <= rule.lateness { return interrupt(value, at: time) }
            if level == "pending" { level = "idle" }
        } else if let newest = readings.last, time - newest.time > rule.stale, level == "pending" {
            level = "idle"
        }
        let wasHigh = readings.last?.isHigh ?? false
        readings.append((time, now, value > (wasHigh ? rule.limit - rule.slack : rule.limit)))
        judge(readings[readings.count - 1].isHigh, at: time)
    }

    private mutating func interrupt(_ value: Double, at time: Int64) {
        guard let newest = readings.last, newest.time - time <= rule.lateness else { return }
        if value <= rule.limit - rule.slack, level == "pending", since.time <= time { since.time = time }
    }

    private mutating func tick() {
        now += 1
        guard let newest = readings.last else { return }
        let isKnown = now - newest.clock <= rule.stale
        judge(isKnown ? newest.isHigh : nil, at: nil)
    }

    private mutating func judge(_ isHigh: Bool?, at time: Int64?) {
        step(isHigh, at: time)
        let isFiring = level == "firing" || level == "keeping"
        if !isFiring { isQuiet = false }
        settle(isFiring && !isQuiet)
        let lost = isFiring && isHigh == nil
        if state == "active", lost != isLost {
            isLost = lost
            log.append(lost ? "data-lost" : "data-back")
        }
    }

    private mutating func step(_ isHigh: Bool?, at time: Int64?) {
        func isOver(_ duration: Int64) -> Bool {
            if let time, time - since.time >= duration { return true }
            return now - since.clock >= duration + rule.lateness
        }
        switch (level, isHigh) {
        case ("idle", true) where time != nil:
            since = (time ?? 0, now)
            level = rule.delay == 0 ? "firing" : "pending"
        case ("pending", true): if isOver(rule.delay) { level = "firing" }
        case ("pending", _): level = "idle"
        case ("firing", false):
            since = (time ?? (readings.last?.time ?? 0) + now - (readings.last?.clock ?? 0), now)
            level = rule.keep == 0 ? "idle" : "keeping"
        case ("keeping", true): level = "firing"
        case ("keeping", false): if isOver(rule.keep) { level = "idle" }
        default: break
        }
    }

    private mutating func settle(_ isOn: Bool) {
        if state != "active" {
            if isOn {
                (state, isAcknowledged, isRecovered, isLost) = ("active", false, false, false)
                log.append("raised")
            } else if level == "pending", state == "none" {
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
                end()
            } else if !isRecovered {
                (isRecovered, isLost) = (true, false)
                log.append("recovered")
            }
        }
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
        end()
        guard level == "pending" else { return }
        state = "pending"
        log.append("pending")
    }

    private mutating func clear() {
        guard state == "active" else { return }
        isQuiet = !isRecovered
        endByCommand()
    }

    var present: String { state }
}
