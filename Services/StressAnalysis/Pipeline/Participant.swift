package import Signals
package import VigilSchema

/// One person as the service sees them: signals, calibration, profile, and which device is listened to.
package struct Participant: Sendable, Codable {
    /// After a take-over nothing is said for so long, in seconds of signal: the former owner may have said it, from all that it knew.
    private static let silence = 20.0
    /// After a take-over the values of a minute are not said before there was one, in seconds of signal.
    private static let warmUp = 65.0
    /// A device that stopped for so long gives way to another of the same kind, in seconds.
    private static let handover = 10.0
    /// The lead over the time of receipt beyond which a device's clock counts as wrong, in seconds.
    static let clockTolerance = 60.0

    @Sparse var profile: StressProfile
    private(set) var lastReceived: Timestamp
    private var analysis = WearerAnalysis()
    private var calibrator = Calibrator()
    /// By signal.
    private var sources: [WearerAnalysis.Metric: Listening] = [:]
    private var problem: String?
    /// The remark of the last report that had nothing to say.
    private var lastSilence: String?
    /// The time at which the analysis began that has to warm up.
    private var coldSince: Double?
    private var warmsUp: Bool
    /// The times at which something was received last whose time was right, and something that was passed over as its time was not.
    private var heard = -Double.infinity, passedOver = -Double.infinity
    /// The newest time of which anything was told; nil for none.
    private var told: Double?
    @Sparse private var clocks = ClockTrouble()

    /// - Parameter warmsUp: the person was analysed elsewhere until now, and nothing is left of that.
    package init(profile: StressProfile, received: Timestamp, warmsUp: Bool = false) {
        (self.profile, self.warmsUp) = (profile, warmsUp)
        lastReceived = received
    }

    /// True while guided quiet minutes are running.
    var isCalibrating: Bool { calibrator.isGuided }

    /// Blocks that came twice or too late.
    var dropped: Int { analysis.dropped }

    /// Takes what one device sent.
    /// - Parameter now: The present; nil: the time of receipt. What was received later than that was by a clock that was set back since: what is right
    ///   would come too late, until that time is there again.
    package mutating func take(_ group: ObservationGroup, now: Timestamp? = nil) {
        if let now, group.received.isPlausible(at: now), !lastReceived.isPlausible(at: now) {
            let received = group.received.seconds
            (lastReceived, heard, passedOver) = (group.received, min(heard, received), min(passedOver, received))
        }
        lastReceived = max(lastReceived, group.received)
        for observation in group.observations {
            guard let metric = WearerAnalysis.Metric(rawValue: observation.metric) else { continue }
            let time = observation.time.seconds
            switch observation.content {
            case .value(let value):
                guard !metric.isWaveform, takes(metric, of: group, at: time, until: time) else { continue }
                analysis.add(metric, value, at: time, sequence: observation.sequence)
            case .samples(let samples, let period):
                let end = time + Double(samples.count) * period
                guard metric.isSampled, BlockSequence.periods.contains(period), takes(metric, of: group, at: time, until: end) else {
                    continue
                }
                analysis.add(metric, SampleBlock(start: time, period: period, samples: samples.map { Float($0) }))
            case .text: continue
            }
        }
    }

    private mutating func takes(_ metric: WearerAnalysis.Metric, of group: ObservationGroup, at time: Double, until end: Double) -> Bool {
        let received = group.received.seconds
        guard keepsTime(until: end, received: received) else { return false }
        if isSetBack(metric, of: group.source, until: end, received: received) { beginAnew(behind: received) }
        return listens(to: group.source, for: metric, from: time, until: end, received: received)
    }

    /// Decides if a reading may advance the analysis clock, which never goes back. What comes from the future may do so only while nothing else is
    /// heard, as of a device whose clock is ahead. Where the clock proves to be ahead everything begins anew: what is right would come too late.
    /// What was received long ago and comes only now, as a broker may deliver it after a fault, proves nothing.
    private mutating func keepsTime(until end: Double, received: Double) -> Bool {
        guard end <= received + Self.clockTolerance else {
            let isAlone = received - heard > Self.clockTolerance
            if !isAlone { passedOver = received }
            return isAlone
        }
        heard = max(heard, received)
        if analysis.clock > lastReceived.seconds + Self.clockTolerance { beginAnew() }
        return true
    }

    /// - Parameter received: the receipt of what showed that a clock was set back; nil where one was ahead.
    private mutating func beginAnew(behind received: Double? = nil) {
        if calibrator.isGuided { problem = "calibration failed: a sensor's clock was \(received == nil ? "ahead" : "set back")" }
        (analysis, calibrator, sources, coldSince) = (WearerAnalysis(), Calibrator(), [:], nil)
        if let received {
            clocks.beginAnew(behind: received, told: told)
        } else {
            told = nil
            clocks.beginAnew()
        }
    }

    /// Returns whether a device's clock was set back and nothing else is heard: of the device itself since its clock went on evenly there, of others
    /// for as long as with a clock that is ahead.
    private mutating func isSetBack(_ metric: WearerAnalysis.Metric, of source: String, until end: Double, received: Double) -> Bool {
        let signal = Self.signal(metric)
        guard let known = sources[signal], end < known.until, received > known.received ?? -.infinity else { return false }
        guard var clock = known.behind, clock.source == source || received > clock.latest + Self.clockTolerance else {
            if known.behind == nil { sources[signal]?.behind = ClockRollback(source: source, end: end, received: received) }
            return false
        }
        if clock.source != source { clock = ClockRollback(source: source, end: end, received: received) }
        let goesOn = clock.goesOn(until: end, received: received)
        sources[signal]?.behind = clock
        guard goesOn else { return false }
        let isAlone = sources.values.allSatisfy {
            received - ($0.received ?? -.infinity) >= ($0.source == source ? Self.handover : Self.clockTolerance)
        }
        if !isAlone, known.source == source { clocks.passedOver = received }
        return isAlone
    }

    /// Breath has one place, wherever it is measured.
    private static func signal(_ metric: WearerAnalysis.Metric) -> WearerAnalysis.Metric { metric == .respiration ? .airflow : metric }

    /// Two devices that measure the same at the same time would be taken for one that jumps; so would a belt's breathing and the air's at the mouth.
    private mutating func listens(
        to source: String, for metric: WearerAnalysis.Metric, from time: Double, until end: Double, received: Double
    ) -> Bool {
        let signal = Self.signal(metric)
        let known = sources[signal]
        if let known, known.source != source || known.metric ?? metric != metric, time < known.until + Self.handover {
            return false
        }
        var listening = Listening(source: source, metric: metric, until: max(time, known?.until ?? time), received: received)
        if let known, end < known.until { (listening.received, listening.behind) = (known.received, known.behind) }
        sources[signal] = listening
        return true
    }

    /// The observations that became due; whether the profile has changed meanwhile.
    package mutating func dueObservations(defaultMode: StressMode) -> (observations: [Observation], hasNewProfile: Bool) {
        var observations: [Observation] = []
        var hasNewProfile = false
        while let report = analysis.nextReport() {
            if isCold(report.time) {
                observations += warmingUp(at: report.time)
                continue
            }
            if let outcome = calibrator.add(report, isCalibrated: profile.baseline != nil) {
                hasNewProfile = keep(outcome, at: report.time) || hasNewProfile
            }
            let score = StressScore(
                report.inputs, mode: profile.mode ?? defaultMode, baseline: profile.baseline, bounds: profile.bounds)
            let said = ReportObservations.of(report, score: score, status: status(report, score))
            // That there is nothing to say is said once, not every five seconds.
            let silence = ReportObservations.silence(said)
            if silence == nil || silence != lastSilence { observations += clocks.beside(said, of: report.time) }
            lastSilence = silence
            told = max(told ?? report.time, report.time)
        }
        while !warmsUp, let report = analysis.nextStandstill() {
            observations += clocks.beside(ReportObservations.standstill(report), of: report.time)
            told = max(told ?? report.time, report.time)
        }
        return (observations + dueRhythms(), hasNewProfile)
    }

    /// The rhythms that have ended, and those that were recognised. While the analysis warms up they may be others than the former owner's.
    private mutating func dueRhythms() -> [Observation] {
        let (intervals, changes) = analysis.takeRhythm()
        guard !warmsUp else { return [] }
        return intervals.flatMap { clocks.beside([ReportObservations.of($0)], of: $0.start) }
            + changes.flatMap { change in
                told = max(told ?? change.time, change.time)
                return clocks.beside([ReportObservations.of(change)], of: change.time)
            }
    }

    private mutating func isCold(_ time: Double) -> Bool {
        guard warmsUp else { return false }
        let start = coldSince ?? time
        coldSince = start
        warmsUp = time < start + Self.warmUp
        return warmsUp
    }

    /// Said once. Half a second off the updates' grid: while the database was away the former owner may have gone on for longer than is waited here, and
    /// what it said of that time is not to be replaced by this.
    private mutating func warmingUp(at time: Double) -> [Observation] {
        let words = "warming up: another replica has taken over"
        guard let coldSince, time >= coldSince + Self.silence, lastSilence != words else { return [] }
        lastSilence = words
        return [Observation(metric: "stress-status", time: Timestamp(seconds: time + 0.5), content: .text(words), unit: "1")]
    }

    private mutating func keep(_ outcome: Calibrator.Outcome, at time: Double) -> Bool {
        switch outcome {
        case .finished(let baseline):
            (profile.baseline, profile.calibratedAt, problem) = (baseline, time, nil)
            return true
        case .failed(let reason):
            problem = reason
            return false
        }
    }

    private func status(_ report: WearerReport, _ score: StressScore) -> String {
        var notes = report.reasons
        if calibrator.isGuided { notes.append("calibrating: sit quietly") }
        if !score.isCalibrated { notes.append("not calibrated") }
        if let problem { notes.append(problem) }
        if clocks.isRepeated(report.time) || isRecent(clocks.setBack) { notes.append("a sensor's clock was set back") }
        if isRecent(clocks.passedOver) { notes.append("what a sensor dates into the past is passed over") }
        if isRecent(passedOver) { notes.append("what a sensor dates into the future is passed over") }
        return notes.isEmpty ? "ok" : notes.joined(separator: "; ")
    }

    private func isRecent(_ received: Double?) -> Bool { received.map { lastReceived.seconds - $0 < Self.clockTolerance } ?? false }

    /// Does what a command asks.
    mutating func handle(_ action: StressCommand.Action, calibrationSeconds: Double) {
        switch action {
        case .calibrate(let seconds):
            problem = nil
            calibrator.begin(at: analysis.clock.isFinite ? analysis.clock : lastReceived.seconds, seconds: seconds ?? calibrationSeconds)
        case .cancelCalibration: calibrator.cancel()
        case .forget:
            (profile.baseline, profile.calibratedAt, problem) = (nil, nil, nil)
            calibrator.cancel()
        case .mode(let mode): profile.mode = mode
        case .bounds(let bounds): profile.bounds = bounds
        case .erase: beginAnew()
        case .export: break
        }
    }
}

extension Timestamp {
    /// Returns whether it is not further ahead of the present than a clock may be.
    func isPlausible(at now: Timestamp) -> Bool { seconds <= now.seconds + Participant.clockTolerance }
}
