import Signals
import Testing

@testable import StressAnalysis

@Suite("Calibration")
struct CalibratorTests {
    private func report(_ time: Double, heartRate: Double? = 60, skin: Double? = nil, isMoving: Bool = false) -> WearerReport {
        var report = WearerReport(time: time)
        report.inputs = StressInputs(heartRate: heartRate, skinConductance: skin)
        report.isMoving = isMoving
        return report
    }

    private func finished(_ outcome: Calibrator.Outcome?) -> StressBaseline? {
        if case .finished(let baseline)? = outcome { baseline } else { nil }
    }

    private func failure(_ outcome: Calibrator.Outcome?) -> String? {
        if case .failed(let reason)? = outcome { reason } else { nil }
    }

    /// The time at which a calibrator that watches by itself has a baseline.
    private func watched(_ reports: [WearerReport]) -> Double? {
        var calibrator = Calibrator()
        return reports.first { finished(calibrator.add($0, isCalibrated: false)) != nil }?.time
    }

    private func calm(_ times: StrideThrough<Double>) -> [WearerReport] { times.map { report($0) } }

    @Test("finds a rest by itself after five minutes, of a wearer who has none yet")
    func automatic() {
        #expect(watched(calm(stride(from: 0, through: 600, by: 5))) == 300)
        var calibrator = Calibrator()
        #expect(calm(stride(from: 0, through: 600, by: 5)).allSatisfy { calibrator.add($0, isCalibrated: true) == nil })
        #expect(!calibrator.isGuided)
    }

    @Test("begins anew after movement, after what cannot be used, and after a pause of more than half a minute")
    func interrupted() {
        let first = calm(stride(from: 0, through: 100, by: 5))
        #expect(watched(first + [report(105, isMoving: true)] + calm(stride(from: 110, through: 600, by: 5))) == 410)
        #expect(watched(first + [report(105, heartRate: nil)] + calm(stride(from: 110, through: 600, by: 5))) == 410)
        #expect(watched(first + calm(stride(from: 130, through: 600, by: 5))) == 300)
        #expect(watched(first + calm(stride(from: 131, through: 600, by: 5))) == 431)
        // Skin conductance alone will do.
        #expect(watched(stride(from: 0, through: 600, by: 5).map { report($0, heartRate: nil, skin: 2) }) == 300)
    }

    @Test("wants a heart that stays within 15 beats a minute", arguments: [(15.0, 300.0), (15.5, 405)])
    func calm(spread: Double, end: Double) {
        // Faster up to 100 s: within the span those updates count, beyond it they are left out.
        let reports = stride(from: 0.0, through: 900, by: 5).map { report($0, heartRate: $0 <= 100 ? 60 + spread : 60) }
        #expect(watched(reports) == end)
        let slower = stride(from: 0.0, through: 900, by: 5).map { report($0, heartRate: $0 <= 100 ? 60 - spread : 60) }
        #expect(watched(slower) == end)
    }

    @Test("takes the medians of the quiet minutes, and then waits for another five")
    func medians() {
        var calibrator = Calibrator()
        var found: [(Double, StressBaseline)] = []
        for update in stride(from: 0.0, through: 700, by: 5) {
            let outcome = calibrator.add(report(update, heartRate: 60 + update / 100, skin: 2), isCalibrated: false)
            if let baseline = finished(outcome) { found.append((update, baseline)) }
        }
        #expect(found.map(\.0) == [300, 605])
        #expect(found.first.map { abs(($0.1.heartRate ?? 0) - 61.5) < 1e-9 && $0.1.skinConductance == 2 } == true)
    }

    @Test("guided minutes end when they are over, and need six of ten updates", arguments: [(14, true), (15, true), (13, false)])
    func guided(usable: Int, isEnough: Bool) {
        // 120 s are 24 updates, of which 14.4 are six in ten.
        var calibrator = Calibrator()
        calibrator.begin(at: 1000, seconds: 120)
        #expect(calibrator.isGuided)
        var outcome: Calibrator.Outcome?
        for index in 1...24 {
            outcome = calibrator.add(report(1000 + 5 * Double(index), isMoving: index > usable), isCalibrated: true)
            #expect((outcome != nil) == (index == 24))
        }
        let enough = usable * 10 >= 24 * 6
        #expect((finished(outcome)?.heartRate == 60) == enough)
        #expect(failure(outcome) == (enough ? nil : "calibration failed: only \(usable) of 24 updates could be used"))
        #expect(!calibrator.isGuided && (isEnough == enough || usable == 14))
    }

    /// 100 s are 20 updates.
    @Test("guided minutes with just six of ten updates are enough", arguments: [(12, true), (11, false)])
    func justEnough(usable: Int, isEnough: Bool) {
        var calibrator = Calibrator(), outcome: Calibrator.Outcome?
        calibrator.begin(at: 1000, seconds: 100)
        for index in 1...20 { outcome = calibrator.add(report(1000 + 5 * Double(index), isMoving: index > usable), isCalibrated: false) }
        #expect((finished(outcome) != nil) == isEnough && (failure(outcome) == nil) == isEnough)
    }

    @Test("guided minutes that are given up, or begun anew, forget what they had")
    func cancelled() {
        var calibrator = Calibrator()
        calibrator.begin(at: 0, seconds: 60)
        for index in 1...11 { _ = calibrator.add(report(5 * Double(index), heartRate: 90), isCalibrated: true) }
        calibrator.cancel()
        #expect(!calibrator.isGuided && calibrator.add(report(60), isCalibrated: true) == nil)
        calibrator.begin(at: 60, seconds: 60)
        for index in 13...23 { _ = calibrator.add(report(5 * Double(index), heartRate: 90), isCalibrated: true) }
        calibrator.begin(at: 120, seconds: 60)
        var last: StressBaseline?
        for index in 25...36 { last = finished(calibrator.add(report(5 * Double(index), heartRate: 70), isCalibrated: true)) ?? last }
        #expect(last?.heartRate == 70)
    }

    @Test("guided minutes without heart and skin fail")
    func nothing() {
        var calibrator = Calibrator()
        calibrator.begin(at: 0, seconds: 60)
        var outcome: Calibrator.Outcome?
        for index in 1...12 { outcome = calibrator.add(report(5 * Double(index), heartRate: nil), isCalibrated: false) }
        #expect(failure(outcome)?.contains("only 0 of 12") == true)
    }

    // MARK: Timed values

    private func values(_ pairs: [(Double, Double)], capacity: Int = 100) -> TimedValues {
        var values = TimedValues(span: 10, capacity: capacity)
        for (time, value) in pairs { values.add(value, at: time) }
        return values
    }

    @Test("values stand in the order of their times, whatever order they come in, and the last of one time counts")
    func order() {
        let found = values([(2, 20), (1, 10), (3, 30), (2, 21), (0, 0), (3, 31), (2.5, 25)])
        #expect(found.items.map(\.time) == [0, 1, 2, 2.5, 3] && found.items.map(\.value) == [0, 10, 21, 25, 31])
    }

    @Test("values are kept for their span behind the newest, and as many as there is room for")
    func kept() {
        #expect(values([(0, 0), (0.5, 0), (10.5, 1)]).items.map(\.time) == [0.5, 10.5])
        #expect(values([(10.5, 1), (0.4, 0), (0.5, 2)]).items.map(\.time) == [0.5, 10.5])
        #expect(values((0..<9).map { (Double($0), 1) }, capacity: 4).items.map(\.time) == [5, 6, 7, 8])
        var emptied = values([(1, 1)])
        emptied.removeAll()
        #expect(emptied.items.isEmpty)
    }

    @Test("a stretch is what is later than its start, up to its end")
    func stretch() {
        let found = values([(1, 10), (2, 20), (3, 30), (4, 40)])
        #expect(found.values(after: 1, through: 3) == [20, 30] && found.median(after: 1, through: 4) == 30)
        #expect(found.median(after: 4, through: 9) == nil && found.values(after: 0, through: 9).count == 4)
        #expect(found.times(after: 1, through: 3) == [2, 3] && found.times(after: 4, through: 9).isEmpty)
    }
}
