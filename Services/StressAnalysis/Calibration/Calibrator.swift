import Signals

/// Finds out what a person is like at rest: when asked to, for some guided quiet minutes; else by itself at the first
/// five quiet minutes.
///
/// A value without I/O; fed with every update.
struct Calibrator: Sendable, Codable {
    /// The result of a calibration.
    enum Outcome: Sendable {
        /// The person at rest.
        case finished(StressBaseline)
        /// A guided calibration that had too little to go by.
        case failed(String)
    }

    /// Seconds of rest that the automatic calibration wants.
    static let automaticSpan = 300.0
    /// Beats a minute within which the heart of someone at rest stays, from a window of a minute to the next.
    private static let calmSpread = 15.0

    private var guidedUntil: Double?
    private var expected = 0
    private var collected: [Update] = []

    /// An update that counts as rest.
    private struct Update: Sendable, Codable {
        var time: Double
        var inputs: StressInputs
    }

    init() {}

    /// True while a guided calibration is running.
    var isGuided: Bool { guidedUntil != nil }

    /// Begins guided quiet minutes at the person's time `start`.
    mutating func begin(at start: Double, seconds: Double) {
        guidedUntil = start + seconds
        expected = Int(seconds / WearerAnalysis.step)
        collected.removeAll(keepingCapacity: true)
    }

    /// Gives a guided calibration up.
    mutating func cancel() {
        guidedUntil = nil
        collected.removeAll(keepingCapacity: true)
    }

    /// Takes an update; `isCalibrated` tells whether a baseline is there already.
    mutating func add(_ report: WearerReport, isCalibrated: Bool) -> Outcome? {
        if let guidedUntil { return guide(report, until: guidedUntil) }
        return isCalibrated ? nil : watch(report).map(Outcome.finished)
    }

    private mutating func guide(_ report: WearerReport, until end: Double) -> Outcome? {
        if isUsable(report) { collected.append(Update(time: report.time, inputs: report.inputs)) }
        guard report.time >= end else { return nil }
        defer { cancel() }
        guard collected.count * 10 >= expected * 6, let baseline = StressBaseline(rest: collected.map(\.inputs)) else {
            return .failed("calibration failed: only \(collected.count) of \(expected) updates could be used")
        }
        return .finished(baseline)
    }

    private mutating func watch(_ report: WearerReport) -> StressBaseline? {
        guard isUsable(report) else {
            collected.removeAll(keepingCapacity: true)
            return nil
        }
        if let last = collected.last, report.time - last.time > 30 { collected.removeAll(keepingCapacity: true) }
        collected.append(Update(time: report.time, inputs: report.inputs))
        while !isCalm { collected.removeFirst() }
        guard let first = collected.first, report.time - first.time >= Self.automaticSpan else { return nil }
        defer { collected.removeAll() }
        return StressBaseline(rest: collected.map(\.inputs))
    }

    private var isCalm: Bool {
        let rates = collected.compactMap(\.inputs.heartRate)
        guard let low = rates.min(), let high = rates.max() else { return true }
        return high - low <= Self.calmSpread
    }

    private func isUsable(_ report: WearerReport) -> Bool {
        !report.isMoving && (report.inputs.heartRate != nil || report.inputs.skinConductance != nil)
    }
}
