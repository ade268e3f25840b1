import Foundation
import Signals
import Testing

@testable import StressAnalysis

/// Single readings and plain blocks, whose reports follow by hand; from a whole minute on.
@Suite("A wearer's reports")
struct WearerReadingsTests {
    static let start = 1_000_020.0

    /// An analysis with its reports, and the clock at which each came.
    private struct Feed {
        var analysis = WearerAnalysis()
        var reports: [(report: WearerReport, clock: Double)] = []

        mutating func reading(_ metric: WearerAnalysis.Metric, _ value: Double, at second: Double) {
            analysis.add(metric, value, at: start + second)
            collect()
        }

        /// A second of one value, from a moment on.
        mutating func block(_ metric: WearerAnalysis.Metric, _ value: Float, at second: Double, rate: Double = 4) {
            analysis.add(metric, SampleBlock(start: start + second, period: 1 / rate, samples: Array(repeating: value, count: Int(rate))))
            collect()
        }

        mutating func collect() { while let report = analysis.nextReport() { reports.append((report, analysis.clock - start)) } }

        func report(at second: Double) -> WearerReport? { reports.first { $0.report.time == start + second }?.report }
        func clock(of second: Double) -> Double? { reports.first { $0.report.time == start + second }?.clock }
        var times: [Double] { reports.map { $0.report.time - start } }
    }

    /// Intervals of as many milliseconds, one a second, and temperatures after them, so that time goes on.
    private func intervals(_ seconds: ClosedRange<Int>, until end: Int, _ milliseconds: (Int) -> Double = { _ in 1000 }) -> Feed {
        var feed = Feed()
        for second in seconds { feed.reading(.interval, milliseconds(second), at: Double(second)) }
        for second in seconds.upperBound...end { feed.reading(.skinTemperature, 33, at: Double(second)) }
        return feed
    }

    // MARK: The heart

    /// The first interval has no neighbour before it, and the last two none behind them: those three are not certain.
    @Test("five intervals of the last minute make a heart rate, three of the last 15 s a present one, twenty a variability")
    func counts() {
        let first = intervals(0...60, until: 70), second = intervals(1...60, until: 70)
        #expect(first.report(at: 5)?.inputs.heartRate == 60 && second.report(at: 5)?.inputs.heartRate == nil)
        #expect(first.report(at: 20)?.variability?.heartRate == 60 && second.report(at: 20)?.variability == nil)
        #expect(first.report(at: 5)?.reasons.isEmpty == true && second.report(at: 5)?.reasons == ["no heart signal"])
        // Of 0…30 those up to 28 are certain: 26, 27 and 28 of the 15 s up to 40.
        #expect(
            intervals(0...30, until: 50).report(at: 40)?.heartRate == 60 && intervals(0...29, until: 50).report(at: 40)?.heartRate == nil)
        #expect(intervals(0...30, until: 120).report(at: 85)?.inputs.heartRate == nil)
        #expect(intervals(0...30, until: 120).report(at: 80)?.inputs.heartRate == 60)
    }

    @Test("the heart rate of the minute is the median's, that of 15 s the mean's")
    func rates() {
        // 800 ms up to 40 s, then 1000 ms: the last 15 s are 1000 ms.
        let feed = intervals(0...70, until: 80) { $0 <= 40 ? 800 : 1000 }
        let report = feed.report(at: 60)
        #expect(report?.inputs.heartRate == 75 && report?.heartRate == 60)
        let all = intervals(0...70, until: 80)
        #expect(all.report(at: 60)?.variability?.sdnn == 0 && report?.variability?.sdnn ?? 0 > 50)
    }

    @Test("the measures of five minutes are told once a minute, from more than four minutes on")
    func longTerm() {
        let feed = intervals(-1...440, until: 450) { $0 <= 100 ? 1000 : 950 }
        let told = feed.reports.filter { $0.report.longTerm != nil }.map { $0.report.time - Self.start }
        #expect(told == [300, 360, 420])
        // The five minutes up to 420 s began after the change.
        #expect(feed.report(at: 420)?.longTerm?.variability.sdnn == 0 && feed.report(at: 360)?.longTerm?.variability.sdnn ?? 0 > 10)
        #expect(feed.report(at: 420)?.longTerm?.variability.heartRate == 60_000.0 / 950)
    }

    @Test("intervals of 310 s are kept, 1500 at most")
    func bounded() {
        let feed = intervals(0...400, until: 400)
        let times = feed.analysis.heart.intervals.map { $0.time - Self.start }
        #expect(times.first == 88 && times.last == 398)
        var many = Feed()
        for count in 0..<2000 { many.reading(.interval, 187.5, at: Double(count) * 0.1875) }
        #expect(many.analysis.heart.intervals.count == 1500)
        #expect(many.analysis.heart.intervals.last?.time == Self.start + 1997 * 0.1875)
    }

    @Test(
        "intervals on both sides of a time that they do not fill do not compare",
        arguments: [(1.0, 17), (1.25, 17), (2.75, 14), (3.25, 14), (20, 14)])
    func gap(pause: Double, count: Int) {
        var feed = Feed()
        for second in 0..<10 { feed.reading(.interval, 1000, at: Double(second)) }
        for second in 0..<10 { feed.reading(.interval, 1000, at: 9 + pause + Double(second)) }
        #expect(feed.analysis.heart.intervals.count == count)
    }

    @Test("an interval that comes twice, or late, counts once")
    func twice() {
        var feed = Feed()
        for second in 0..<10 { for late in [0, 0, -1.5] { feed.reading(.interval, 1000, at: Double(second) + late) } }
        #expect(feed.analysis.heart.intervals.count == 7)
    }

    @Test(
        "while there is an electrocardiogram a device's own intervals are not taken, until 10 s after it",
        arguments: [(14.0, 0), (15, 6), (15.25, 7)])
    func besideECG(first: Double, count: Int) {
        var feed = Feed()
        for second in 0..<5 { feed.block(.ecg, 0, at: Double(second), rate: 50) }
        for second in 0..<10 { feed.reading(.interval, 1000 / 64, at: first + Double(second) / 64) }
        #expect(feed.analysis.heart.intervals.count == count)
    }

    @Test("the heart rate that a device tells counts where nothing else is heard, as the median of a minute")
    func device() {
        var feed = Feed()
        for second in 0...100 { feed.reading(second % 2 == 0 ? .heartRate : .pulseRate, second <= 40 ? 60 : 90, at: Double(second)) }
        for second in 101...200 { feed.reading(.skinTemperature, 33, at: Double(second)) }
        // Of the minute up to 70 s 11…40 and 41…70 are as many.
        #expect(feed.report(at: 65)?.inputs.heartRate == 60 && feed.report(at: 75)?.inputs.heartRate == 90)
        #expect(feed.report(at: 70)?.inputs.heartRate == 75 && feed.report(at: 70)?.heartQuality == nil)
        #expect(feed.report(at: 155)?.inputs.heartRate == 90 && feed.report(at: 160)?.inputs.heartRate == nil)
        #expect(feed.report(at: 160)?.reasons == ["no heart signal"])
    }

    @Test("a device's heart rate does not stand in for an electrocardiogram that is flat, until 15 s after its end")
    func flat() {
        var feed = Feed()
        for second in 0..<100 {
            if second < 40 { feed.block(.ecg, 0, at: Double(second), rate: 50) }
            feed.reading(.heartRate, 70, at: Double(second))
        }
        let report = feed.report(at: 50)
        #expect(report?.heartQuality == 0 && report?.inputs.heartRate == nil && report?.reasons == ["the electrocardiogram is flat"])
        #expect(feed.report(at: 55)?.heartQuality == nil && feed.report(at: 55)?.inputs.heartRate == 70)
    }

    @Test("a flat pulse signal is said to be so, and gives no heart rate")
    func flatPulse() {
        var feed = Feed()
        for second in 0..<60 { feed.block(.bloodVolumePulse, 1, at: Double(second), rate: 32) }
        let report = feed.report(at: 40)
        #expect(report?.heartQuality == 0.2 && report?.reasons == ["the pulse signal is flat"] && report?.inputs.heartRate == nil)
    }

    // MARK: Breath

    @Test("a flat breathing signal is said to be so; without one a device's rate counts, the median of a minute")
    func breathing() {
        var feed = Feed()
        for second in 0..<110 {
            if second < 40 { feed.block(.airflow, 1, at: Double(second)) }
            feed.reading(.respirationRate, second < 60 ? 14 : 20, at: Double(second))
        }
        let report = feed.report(at: 50)
        #expect(report?.breathingQuality == 0 && report?.inputs.breathingRate == nil)
        #expect(report?.reasons.contains("the breathing signal is flat") == true)
        #expect(feed.report(at: 55)?.breathingQuality == nil && feed.report(at: 55)?.inputs.breathingRate == 14)
        #expect(feed.report(at: 95)?.inputs.breathingRate == 20 && feed.report(at: 85)?.inputs.breathingRate == 14)
    }

    @Test("steady breathing has its rate and a quality of 1, irregular breathing is said to be so, and two breaths are too few")
    func patterns() {
        func feed(_ rate: (Double) -> Double, seconds: Int) -> Feed {
            var feed = Feed(), phase = 0.0
            for second in 0..<seconds {
                let samples = (0..<25).map { index -> Float in
                    phase += rate(Double(second) + Double(index) / 25) / 25
                    return Float(sin(2 * .pi * phase))
                }
                feed.analysis.add(.respiration, SampleBlock(start: Self.start + Double(second), period: 0.04, samples: samples))
                feed.collect()
            }
            return feed
        }
        let steady = feed({ _ in 0.25 }, seconds: 100)
        #expect(abs((steady.report(at: 80)?.inputs.breathingRate ?? 0) - 15) < 0.5 && steady.report(at: 80)?.breathingQuality == 1)
        #expect(steady.report(at: 80)?.inputs.breathesIrregularly == false && steady.report(at: 80)?.reasons == ["no heart signal"])
        #expect(steady.report(at: 5)?.breathing == nil && steady.report(at: 5)?.reasons.contains("too few breaths") == true)
        // Four seconds a breath and twelve in turn.
        let uneven = feed({ $0.truncatingRemainder(dividingBy: 24) < 12 ? 1 / 3.0 : 1 / 12.0 }, seconds: 130)
        let report = uneven.report(at: 120)
        #expect(report?.inputs.breathesIrregularly == true && report?.reasons.contains("breathing is irregular (speech)") == true)
        let irregularity = report?.breathing?.irregularity ?? 0
        #expect(irregularity > 0.35 && abs((report?.breathingQuality ?? 0) - min(max(1.2 - irregularity, 0), 1)) < 1e-9)
    }

    // MARK: Skin

    @Test(
        "below 0.05 µS the electrodes are dry, above 60 µS the sensor is at its end",
        arguments: [
            (0.049, 0.0, "the skin electrodes are dry or off"), (0.051, 1, nil), (59.9, 1, nil),
            (60.1, 0, "the skin-conductance sensor is at its end"),
        ]
            as [(Float, Double, String?)])
    func skin(level: Float, quality: Double, reason: String?) {
        var feed = Feed()
        for second in 0..<60 { feed.block(.skinConductance, level, at: Double(second)) }
        let report = feed.report(at: 40)
        #expect(report?.skinQuality == quality && report?.reasons == ["no heart signal"] + (reason.map { [$0] } ?? []))
        #expect((report?.inputs.skinConductance != nil) == (quality == 1))
        #expect(report?.responseRate == (quality == 1 ? 0 : nil) && report?.responseAmplitude == nil)
    }

    @Test("the skin conductance is told until 15 s after its end, half as good while the wearer moves")
    func skinLive() {
        var feed = Feed()
        for second in 0..<80 {
            if second < 40 { feed.block(.skinConductance, 3, at: Double(second)) }
            for tick in 0..<4 where second >= 20 { feed.reading(.skinTemperature, 33, at: Double(second) + Double(tick) / 4) }
            if second >= 30 {
                feed.analysis.add(
                    .accelerationZ, SampleBlock(start: Self.start + Double(second), period: 0.125, samples: [0, 9, 0, 9, 0, 9, 0, 9]))
                feed.collect()
            }
        }
        #expect(feed.report(at: 20)?.skinQuality == 1 && feed.report(at: 45)?.skinQuality == 0.5)
        #expect(feed.report(at: 50)?.inputs.skinConductance == 3 && feed.report(at: 55)?.inputs.skinConductance == nil)
    }

    @Test("responses are counted with their mean height")
    func responses() {
        var feed = Feed()
        for second in 0..<100 {
            let samples = (0..<8).map { index -> Float in
                let time = (Double(second) + Double(index) / 8).truncatingRemainder(dividingBy: 20) - 8
                return Float(3 + (time < 0 ? 0 : exp(-time / 3) - exp(-time / 0.7)))
            }
            feed.analysis.add(.skinConductance, SampleBlock(start: Self.start + Double(second), period: 0.125, samples: samples))
            feed.collect()
        }
        // One every 20 s, at 9 s and so on; the difference of the exponentials is 0.535 at its highest.
        let report = feed.report(at: 80)
        #expect(report?.responseRate == 3 && abs((report?.responseAmplitude ?? 0) - 0.5) < 0.08)
    }

    @Test("single readings are put on a grid of four a second, on the line between two that are at most 2.5 s apart")
    func grid() {
        var single = SkinTrack(), block = SkinTrack()
        let line = { (time: Double) in 2 + 0.5 * time }
        for time in [0.1, 1.05, 1.0, 1.05, 3.5, 5.9, 6.25] { single.add(reading: line(time), at: 1000 + time) }
        // The first tick behind 0.1 is 0.25, the last up to 6.25 is 6.25 itself.
        block.add(SampleBlock(start: 1000.25, period: 0.25, samples: (1...25).map { Float(line(Double($0) / 4)) }))
        #expect(single.end == 1006.5 && block.end == 1006.5)
        #expect(abs((single.level(through: 1006.5) ?? 0) - (block.level(through: 1006.5) ?? 9)) < 0.5)
        let values = { (track: SkinTrack) in track.level(through: 1006.5) ?? 0 }
        #expect(values(single) > 2)
        for (pause, isJoined) in [(2.5, true), (2.51, false)] {
            var track = SkinTrack()
            track.add(reading: 1, at: 1000)
            #expect(track.end == nil)
            track.add(reading: 1, at: 1000 + pause)
            #expect((track.end != nil) == isJoined)
        }
        // Two readings between two ticks give no sample.
        var close = SkinTrack()
        close.add(reading: 1, at: 1000.1)
        close.add(reading: 1, at: 1000.2)
        #expect(close.end == nil)
        close.add(reading: 1, at: 1000.3)
        #expect(close.end == 1000.5)
    }

    // MARK: Time

    @Test("reports come every five seconds, five seconds later")
    func steps() {
        var feed = Feed()
        for second in stride(from: 2.0, through: 40, by: 0.5) { feed.reading(.skinTemperature, 33, at: second) }
        #expect(feed.times == [5, 10, 15, 20, 25, 30, 35])
        #expect(feed.reports.allSatisfy { $0.clock == $0.report.time - Self.start + 5 })
        #expect(feed.report(at: 20)?.inputs.temperature == 33)
    }

    @Test("a reading of an earlier time does not turn the clock back")
    func back() {
        var feed = Feed()
        for second in 0...20 { for late in [0.0, -15] { feed.reading(.skinTemperature, 33, at: Double(second) + late) } }
        #expect(feed.analysis.clock == Self.start + 20 && feed.times == [0, 5, 10, 15])
    }

    @Test("the temperature is the median of a minute")
    func temperature() {
        var feed = Feed()
        for second in 0...140 { feed.reading(.skinTemperature, second <= 40 ? 30 : 34, at: Double(second)) }
        #expect(feed.report(at: 65)?.inputs.temperature == 30 && feed.report(at: 70)?.inputs.temperature == 32)
        #expect(feed.report(at: 75)?.inputs.temperature == 34)
    }

    /// What a signal's end must exceed for its report: 5 s for the heart, 3 for the breath, 1 for the skin; 12 s are waited, but not for one that
    /// ended 20 s before.
    @Test(
        "a report waits for a signal that is a little behind, not for one that has ended",
        arguments: [(WearerAnalysis.Metric.ecg, 5.0), (.airflow, 3), (.skinConductance, 1)])
    func waits(metric: WearerAnalysis.Metric, margin: Double) {
        var feed = Feed()
        for second in 0..<100 {
            if second < 30 { feed.block(metric, 1, at: Double(second), rate: 50) }
            for tick in 0..<4 { feed.reading(.skinTemperature, 33, at: Double(second) + Double(tick) / 4) }
        }
        // The signal ends at 30 s: enough for the report of 25 s, and of 20 s at any rate.
        #expect(feed.clock(of: 20) ?? 99 <= 25.25 && feed.clock(of: 25) == 30)
        #expect(feed.clock(of: 30) == 42 && feed.clock(of: 35) == 47 && feed.clock(of: 50) == 62 && feed.clock(of: 55) == 62)
        #expect(feed.clock(of: 60) == 65)
        // Just enough: a block that ends at the margin.
        var just = Feed(), short = Feed()
        for second in 0..<20 {
            just.block(metric, 1, at: Double(second) + margin - 5, rate: 50)
            short.block(metric, 1, at: Double(second) + margin - 5.25, rate: 50)
        }
        just.reading(.skinTemperature, 33, at: 15 + 5)
        short.reading(.skinTemperature, 33, at: 15 + 5)
        #expect(just.times.last == 10 + 5 - 5 + (margin >= 0 ? 5 : 0) && (short.times.last ?? 99) == 10)
    }

    @Test("after a jump of the clock the minutes between are passed over", arguments: [(125.0, false), (126, true), (1000, true)])
    func jump(to second: Double, isJump: Bool) {
        var feed = Feed()
        feed.reading(.skinTemperature, 33, at: 0)
        feed.reading(.skinTemperature, 33, at: 5)
        #expect(feed.times == [0])
        feed.reading(.skinTemperature, 33, at: second)
        // From a minute before the clock on, in steps of five seconds.
        #expect(feed.times.dropFirst().first == (isJump ? ((second - 60) / 5).rounded(.down) * 5 : 5))
    }
}
