extension WearerAnalysis {
    /// A heart or a breath that stands still, told as soon as its signal shows it, and not with the next update, which waits for the other signals too;
    /// nil where there is none, and where it was told already. Call until it returns nil.
    ///
    /// Monitors tell asystole within ten seconds (IEC 60601-2-27).
    mutating func nextStandstill() -> WearerReport? { heartStandstill() ?? breathStandstill() }

    private mutating func heartStandstill() -> WearerReport? {
        guard let last = lastBeat, last != toldBeat, let end = heartEnd, end - last >= Self.asystole, heart.isRateKnown,
            let quality = heart.quality
        else { return nil }
        var report = WearerReport(time: (end - Self.settling).rounded(.down))
        guard isNew(report.time) else { return nil }
        report.isMoving = isMoving(at: report.time)
        addPause(quality, to: &report)
        guard let pause = report.heartPause, pause >= Self.asystole else { return nil }
        toldBeat = last
        settleRhythm(at: report.time, isMoving: report.isMoving)
        return WearerReport(time: report.time, heartPause: pause)
    }

    private mutating func breathStandstill() -> WearerReport? {
        guard let last = lastBreath, last != toldBreath, let end = breathEnd, end - last >= Self.apnoea, breath.isSound
        else { return nil }
        let time = (end - Self.breathSettling).rounded(.down)
        guard isNew(time), let pause = breath.pause(at: time), pause >= Self.apnoea else { return nil }
        toldBreath = last
        return WearerReport(time: time, breathingPause: pause)
    }

    /// Returns whether the updates so far say nothing of a time.
    private func isNew(_ time: Double) -> Bool { nextUpdate.map { time > $0 - Self.step } ?? false }
}
