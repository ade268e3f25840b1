/// The life of one alert of one severity, written from the documents: what is told of a condition that begins and ends, and of what people do.
///
/// Seconds throughout.
struct ReferenceAlert {
    /// A rule's members, as far as they are about the alert.
    struct Parameters {
        var isLatching = false
        /// Seconds without an acknowledgement.
        var escalations: [Int64] = []
        /// Seconds; nil: an acknowledgement lasts as long as the alert.
        var acknowledgementLasts: Int64?
    }

    private let rule: Parameters
    /// The transitions that were told, and their times: `raised 12`.
    private(set) var log: [String] = []
    private var now: Int64 = 0
    private var state = "none"
    private(set) var isAcknowledged = false
    private var acknowledgedSince: Int64 = 0
    private var isRecovered = false
    private(set) var isLost = false
    private var lostSince: Int64 = 0
    private var quietUntil: Int64?
    private var unansweredSince: Int64 = 0
    private var endedUnanswered: Int64?
    private var stage = 0

    init(_ rule: Parameters) { self.rule = rule }

    /// The knowledge of the condition at a moment.
    struct Condition {
        var isFiring = false
        var isPending = false
        /// Nothing is known of it any more.
        var isLost = false
        /// By a margin worse than when somebody ended the alert by hand.
        var isWorse = false
        /// By a margin worse than when somebody acknowledged it.
        var isWorseThanAnswered = false
    }

    private mutating func tell(_ transition: String) { log.append("\(transition) \(now)") }

    mutating func judge(_ condition: Condition, now: Int64) {
        self.now = now
        if quietUntil != nil, !condition.isFiring || condition.isWorse { endQuiet() }
        if isLongLost(now: now), condition.isFiring, !condition.isLost { return recur(now) }
        settle(condition, now: now)
        guard state == "active", condition.isLost != isLost else { return }
        (isLost, lostSince) = (condition.isLost, now)
        tell(isLost ? "data-lost" : "data-back")
    }

    /// Does what only time brings. `true`: the quiet is over, and the condition is to be judged again.
    mutating func isQuietOver(now: Int64) -> Bool {
        self.now = now
        guard let quietUntil, quietUntil <= now else { return false }
        endQuiet()
        return true
    }

    mutating func escalate(now: Int64) {
        self.now = now
        while state == "active", !isAcknowledged, stage < rule.escalations.count, unansweredSince + rule.escalations[stage] <= now {
            stage += 1
            tell("escalated")
        }
    }

    private mutating func endQuiet() {
        quietUntil = nil
        tell("clear-ended")
    }

    private mutating func settle(_ condition: Condition, now: Int64) {
        let isOn = condition.isFiring && quietUntil == nil
        if state != "active" {
            if isOn {
                raise(now)
            } else if condition.isPending, state == "none", quietUntil == nil {
                become("pending")
            } else if !condition.isPending, state == "pending" {
                state = "none"
                tell("cancelled")
            }
        } else if isOn, isRecovered {
            isRecovered = false
            tell("recurred")
        } else if !isOn {
            settleEnd(now)
        } else if isAcknowledged, condition.isWorseThanAnswered, !condition.isLost {
            takeAnswerBack("worsened")
        }
    }

    /// Nobody has acknowledged any more.
    private mutating func takeAnswerBack(_ transition: String) {
        (isAcknowledged, unansweredSince, stage) = (false, now, 0)
        tell(transition)
    }

    mutating func remind(now: Int64) {
        self.now = now
        guard state == "active", isAcknowledged, let lasts = rule.acknowledgementLasts, acknowledgedSince + lasts <= now else { return }
        takeAnswerBack("reminded")
    }

    private mutating func settleEnd(_ now: Int64) {
        if !rule.isLatching || isAcknowledged {
            endedUnanswered = isAcknowledged ? nil : now
            end()
        } else if !isRecovered {
            (isRecovered, isLost) = (true, false)
            tell("recovered")
        }
    }

    private mutating func become(_ next: String) {
        state = next
        tell(next)
    }

    private mutating func raise(_ now: Int64) {
        (state, isAcknowledged, isRecovered, isLost) = ("active", false, false, false)
        if let ended = endedUnanswered, now - ended <= 900 {
            unansweredSince += now - ended
        } else {
            (unansweredSince, stage) = (now, 0)
        }
        endedUnanswered = nil
        tell("raised")
    }

    /// Nothing was known for more than a quarter of an hour: what comes next is another episode.
    func isLongLost(now: Int64) -> Bool { state == "active" && isLost && now - lostSince > 900 }

    private mutating func recur(_ now: Int64) {
        (isAcknowledged, isRecovered, isLost, unansweredSince, stage) = (false, false, false, now, 0)
        tell("recurred")
    }

    private mutating func end() {
        (state, isRecovered, isLost) = ("none", false, false)
        tell("cleared")
    }

    mutating func acknowledge(now: Int64, isPending: Bool) {
        self.now = now
        guard state == "active", !isAcknowledged else { return }
        (isAcknowledged, acknowledgedSince) = (true, now)
        tell("acknowledged")
        if isRecovered { endByCommand(isPending) }
    }

    private mutating func endByCommand(_ isPending: Bool) {
        endedUnanswered = nil
        end()
        if isPending { become("pending") }
    }

    /// Ends it by hand; returns false where there is nothing to end.
    mutating func clear(now: Int64, until end: Int64, isPending: Bool) -> Bool {
        self.now = now
        guard state == "active" else { return false }
        if !isRecovered, !isLost { quietUntil = end }
        endByCommand(isPending)
        return true
    }
}

/// The beginning and end of one condition, with its delays, written from the documents.
struct ReferenceLevel {
    let delay: Int64
    let keep: Int64
    let lateness: Int64
    private(set) var phase = "idle"
    var since: (time: Int64, clock: Int64) = (0, 0)

    init(delay: Int64, keep: Int64, lateness: Int64) { (self.delay, self.keep, self.lateness) = (delay, keep, lateness) }

    var isFiring: Bool { phase == "firing" || phase == "keeping" }

    /// The delay did not run: nothing is known of what was in between.
    mutating func reset() { if phase == "pending" { phase = "idle" } }

    /// Begins anew after a time in which nothing was known.
    mutating func restart(_ isFiring: Bool, event: Int64, now: Int64) { (phase, since) = (isFiring ? "firing" : "idle", (event, now)) }

    /// - Parameters:
    ///   - truth: nil: unknown.
    ///   - time: of the reading that is the reason; nil: only time passed.
    ///   - event: the time that it is by the sensor.
    mutating func step(_ truth: Bool?, time: Int64?, event: Int64, now: Int64, mayBegin: Bool, isExpecting: Bool = false) {
        func isOver(_ duration: Int64) -> Bool {
            if let time, time - since.time >= duration { return true }
            return now - since.clock >= duration + lateness
        }
        switch (phase, truth) {
        case ("idle", true) where mayBegin:
            since = (event, now)
            phase = delay == 0 ? "firing" : "pending"
        case ("pending", true): if isOver(delay) { phase = "firing" }
        case ("pending", nil) where isExpecting: break
        case ("pending", _): phase = "idle"
        case ("firing", false):
            since = (event, now)
            phase = keep == 0 ? "idle" : "keeping"
        case ("keeping", true): phase = "firing"
        case ("keeping", false):
            if isOver(keep) { (phase, since) = ("idle", (event, now)) }
        default: break
        }
    }
}
