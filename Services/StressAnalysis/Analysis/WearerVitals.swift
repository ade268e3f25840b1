import Signals

extension WearerAnalysis {
    /// No beat for so long is reported as such, in seconds: what monitors call asystole (IEC 60601-2-27 tests them with it).
    static let asystole = 4.0
    /// No breath for so long, in seconds: apnoea that needs help at any age (AAP 2003).
    static let apnoea = 20.0

    func addHeart(to report: inout WearerReport) {
        let time = report.time
        if isLive(heart.end, at: time), !heart.isRateKnown {
            report.heartQuality = 0
            report.reasons.append("the electrocardiogram is sampled too coarsely or too finely")
        } else if isLive(heart.end, at: time), let quality = heart.quality {
            addElectrocardiogram(quality, to: &report)
        } else if isLive(heart.pulseEnd, at: time) {
            addPulse(to: &report)
        } else {
            addBeats(to: &report)
        }
        guard report.inputs.heartRate == nil, report.heartQuality == nil else { return }
        report.inputs.heartRate = deviceHeartRate.median(after: time - 60, through: time)
        if report.inputs.heartRate == nil { report.reasons.append("no heart signal") }
    }

    private func addElectrocardiogram(_ quality: ECGQuality, to report: inout WearerReport) {
        let time = report.time
        report.heartQuality = Double(quality.index)
        if let reason = Self.reason(quality) { report.reasons.append(reason) }
        addPause(quality, to: &report)
        if quality.isUsable, report.heartPause ?? 0 < Self.asystole { addBeats(to: &report) }
        if quality.isUsable { report.heartRate = heart.rate(at: time) }
        let isStill = report.heartPause.map { $0 >= Self.asystole } ?? true
        if report.heartRate == nil, quality.isUsable, !isStill { report.reasons.append("too few heart beats") }
        if time.truncatingRemainder(dividingBy: 60) == 0 { report.rhythm = heart.rhythm.minute(endingAt: time) ?? RhythmMinute() }
    }

    /// Says how long there was no beat. A heart that fibrillates makes a wave without beats; so does a shaken cable, while the wearer moves.
    func addPause(_ quality: ECGQuality, to report: inout WearerReport) {
        let time = report.time
        let isWave = quality.isWave && !report.isMoving
        if quality.isGood || isWave { report.heartPause = heart.pause(at: time, isWave: isWave) }
        if quality.isGood, heart.silence(at: time) ?? 0 >= Self.asystole { report.reasons.append("no beats in a good electrocardiogram") }
        report.heartFlat = heart.flatness(at: time)
        guard quality.fault == .flat || quality.fault == .stepwise, report.heartFlat ?? 0 >= Self.asystole else { return }
        report.reasons.append("it was so right after heart beats: an electrode is off, or the heart stands still")
    }

    private func addPulse(to report: inout WearerReport) {
        report.heartQuality = 0.2
        if !heart.isPulseRateKnown {
            report.reasons.append("the pulse signal is sampled too coarsely or too finely")
        } else if let fault = heart.pulseFault {
            report.reasons.append("the pulse signal is \(fault.rawValue)")
        } else if heart.isPulseTooFast {
            report.reasons.append("the pulse is too fast to be told")
        } else if PulseDetector.isIrregular(heart.intervals(after: report.time - 15, through: report.time).map(\.milliseconds)) {
            report.reasons.append("the pulse is too irregular to be counted")
        } else if !report.isMoving {
            report.heartQuality = 0.7
            addBeats(to: &report)
        }
    }

    private func addBeats(to report: inout WearerReport) {
        let time = report.time
        let minute = heart.intervals(after: time - 60, through: time)
        guard minute.count >= 5 else { return }
        report.inputs.heartRate = Median.of(minute.map(\.milliseconds)).map { 60_000 / $0 }
        let recent = minute.filter { $0.time > time - 15 }.map(\.milliseconds)
        if recent.count >= 3 { report.heartRate = 60_000 * Double(recent.count) / recent.reduce(0, +) }
        guard minute.count >= 20 else { return }
        report.variability = HeartRateVariability(minute)
        if time.truncatingRemainder(dividingBy: 60) == 0 { report.longTerm = longTerm(at: time) }
    }

    /// Four minutes of beats; what needs them in a row is left out where a hole is longer than three seconds.
    private func longTerm(at time: Double) -> WearerReport.LongTerm? {
        let minutes = Array(heart.intervals(after: time - 300, through: time))
        let values = minutes.map(\.milliseconds)
        guard values.reduce(0, +) >= 240_000, let variability = HeartRateVariability(minutes) else { return nil }
        let isWhole = zip(minutes.dropFirst(), minutes).allSatisfy { $0.time - $0.milliseconds / 1000 - $1.time <= 3 }
        return .init(
            variability: variability, spectrum: isWhole ? SpectralVariability(minutes) : nil, baevsky: BaevskyIndex.of(values),
            alpha1: isWhole ? DetrendedFluctuation.alpha1(values) : nil)
    }

    func addBreathing(to report: inout WearerReport) {
        let time = report.time
        guard isLive(breath.end, at: time) else {
            report.inputs.breathingRate = deviceBreathing.median(after: time - 60, through: time)
            if !report.isMoving { report.breathingEstimate = heart.breathing(at: time) }
            return
        }
        report.breathingQuality = 0
        if !breath.isRateKnown {
            report.reasons.append("the breathing signal is sampled too coarsely or too finely")
        } else if let fault = breath.fault, fault != .clipped {
            report.reasons.append("the breathing signal is \(fault.rawValue)")
        } else if breath.isTooFast {
            report.reasons.append("the breathing is too fast to be told")
        } else {
            addBreaths(to: &report)
        }
        report.breathingFlat = breath.flatness(at: time)
        guard breath.fault == .flat || breath.fault == .stepwise, report.breathingFlat ?? 0 >= Self.apnoea else { return }
        report.reasons.append("it was so right after breaths: the sensor is off, or nobody breathes")
    }

    private func addBreaths(to report: inout WearerReport) {
        let time = report.time
        report.breathingPause = breath.pause(at: time)
        let isPause = report.breathingPause ?? 0 >= Self.apnoea
        if isPause { report.reasons.append("no breath in a sound breathing signal") }
        guard let pattern = breath.pattern(through: time) else {
            // The signal is as good as it was, and says that nobody breathes.
            report.breathingQuality = isPause ? 1 : 0
            if !isPause { report.reasons.append("too few breaths") }
            return
        }
        report.breathing = pattern
        report.breathingQuality = min(max(1.2 - pattern.irregularity, 0), 1)
        report.inputs.breathingRate = pattern.rate
        report.inputs.breathesIrregularly = pattern.isIrregular
        if pattern.isIrregular { report.reasons.append("breathing is irregular (speech)") }
    }

    private static func reason(_ quality: ECGQuality) -> String? {
        if quality.isFlutter, !quality.isHum { return "the electrocardiogram is a wave without beats" }
        if let fault = quality.fault { return "the electrocardiogram is \(fault.rawValue)" }
        return quality.isUsable ? nil : "the electrocardiogram is too noisy"
    }
}
