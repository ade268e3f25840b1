import SignalSynthesis
import Testing

@testable import Signals

@Suite("The rhythm of a minute")
struct RhythmAnalysisTests {
    private static func wave(width: Double, height: Double = 1) -> BeatShape {
        BeatShape((0..<64).map { Float(height * gauss((Double($0) * 4 - 100) / width)) })
    }

    private let narrow = wave(width: 12)
    private let broad = wave(width: 40, height: -1)

    /// An analysis of beats half a second apart, which a double holds exactly, from time 0 on.
    private func steady(until end: Double) -> RhythmAnalysis {
        var analysis = RhythmAnalysis()
        for beat in 0...Int(2 * end) { analysis.add(at: Double(beat) / 2, shape: narrow, isUsable: true) }
        return analysis
    }

    @Test("has the beats behind its start up to its end, each of which counts once the next is known")
    func bounds() {
        let analysis = steady(until: 150.5)
        let minute = analysis.minute(endingAt: 150)
        #expect(minute?.beats == 120 && minute?.ventricular == 0 && minute?.supraventricular == 0 && minute?.fibrillation == 0)
        #expect(analysis.minute(endingAt: 150.5)?.beats == 119)
        #expect(analysis.minute(endingAt: 149.75)?.beats == 120)
    }

    @Test("is told from 45 s of judged beats on")
    func enough() {
        let analysis = steady(until: 150)
        // The last beat is not judged yet: 119 beats, then one fewer for each half second.
        #expect(analysis.minute(endingAt: 164.5)?.beats == 90 && analysis.minute(endingAt: 165) == nil)
        #expect(RhythmAnalysis().minute(endingAt: 60) == nil)
    }

    @Test("is taken from the beats of the last minute and a half, eight hundred at most")
    func kept() {
        let analysis = steady(until: 150)
        #expect(analysis.beats.first?.time == 60 && analysis.beats.count == 181)
        var fast = RhythmAnalysis()
        for beat in 0..<1200 { fast.add(at: Double(beat) / 16, shape: nil, isUsable: true) }
        #expect(fast.beats.count == 800 && fast.beats.last?.time == 1199.0 / 16)
    }

    @Test(
        "compares only intervals of up to three seconds, and none that runs backwards",
        arguments: [(0.5, true), (3, true), (3.0625, false), (0, false), (-1, false), (.nan, false)] as [(Double, Bool)])
    func gap(step: Double, isInterval: Bool) {
        var analysis = steady(until: 50)
        let count = analysis.beats.count
        analysis.add(at: 50 + step, shape: narrow, isUsable: true)
        #expect(analysis.beats.count == count + (isInterval ? 1 : 0))
        if isInterval { #expect(analysis.beats.last?.interval == step) }
        // Of the beat before a gap nothing is known, as what follows it is not.
        #expect((analysis.beats[count - 1].kind != nil) == isInterval)
    }

    @Test("knows nothing after a gap or a bad signal until the rhythm is learnt anew, but still the shapes", arguments: [true, false])
    func restarts(isBad: Bool) {
        var analysis = steady(until: 50)
        if isBad { for time in [50.5, 51, 51.5] { analysis.add(at: time, shape: narrow, isUsable: false) } } else { analysis.gap() }
        for beat in 0..<60 { analysis.add(at: 52 + Double(beat) / 2, shape: narrow, isUsable: true) }
        let after = analysis.beats.filter { $0.time > 52 }
        #expect(after.count == 59 && analysis.beats.contains { $0.time == 52 } == false)
        // Five intervals are the mean of the sixth; twenty-four are wanted before fibrillation is spoken of. The last is not judged yet.
        #expect(after.firstIndex { $0.kind != nil } == 5)
        #expect(after.firstIndex { $0.isFibrillating != nil } == 23)
        #expect(after.last?.kind == nil && after.last?.isFibrillating == nil)
    }

    @Test("knows the rhythm through a bad signal of less than a second: so the first beats of a run may look", arguments: [0.875, 1])
    func moment(length: Double) {
        var analysis = steady(until: 50)
        for time in [50.5, 50.5 + length] { analysis.add(at: time, shape: narrow, isUsable: false) }
        analysis.add(at: 52, shape: narrow, isUsable: true)
        analysis.add(at: 52.5, shape: narrow, isUsable: true)
        #expect((analysis.beats.last { $0.time == 52 }?.kind != nil) == (length < 1))
    }

    /// Two beats in four come when they will, the next two after 0.9 s to 1.3 s and 0.8 s.
    private func extrasystoles(_ strange: BeatShape) -> RhythmAnalysis {
        var random = SeededGenerator(seed: 12), analysis = RhythmAnalysis(), time = 0.0
        for beat in 0..<300 {
            let place = beat < 60 ? 3 : beat % 4
            time += place < 2 ? 0.35 + 0.3 * random.uniform() : place == 2 ? 0.9 + 0.4 * random.uniform() : 0.8
            analysis.add(at: time, shape: place < 2 ? strange : narrow, isUsable: true)
        }
        return analysis
    }

    @Test("takes a ventricle that beats for half a minute for a run to its end, and not for a new usual shape")
    func sustained() throws {
        var analysis = steady(until: 150), time = 150.0
        for _ in 0..<100 {
            time += 0.375
            analysis.add(at: time, shape: broad, isUsable: true)
        }
        for _ in 0..<40 {
            time += 0.5
            analysis.add(at: time, shape: narrow, isUsable: true)
        }
        let (intervals, changes) = analysis.takeIntervals()
        let run = try #require(intervals.first { $0.rhythm == .sustainedVentricularRun })
        #expect(abs(run.start - 150.375) < 1e-9 && abs(run.end - 187.5) < 1e-9, "\(intervals)")
        let said = try #require(changes.first { $0.rhythm == .ventricularRun })
        #expect(said.time < 152 && changes.contains { $0.rhythm == .sustainedVentricularRun && abs($0.time - 180.375) < 0.4 })
    }

    @Test("does not take frequent strange beats for fibrillation, whose intervals are no atrium's")
    func strange() throws {
        let analysis = extrasystoles(broad)
        let end = try #require(analysis.beats.last).time - 1
        let minute = try #require(analysis.minute(endingAt: end))
        #expect(minute.fibrillation == 0)
        #expect(abs(2 * minute.ventricular - minute.beats) <= 3 && minute.supraventricular == 0)
        // The same times with the usual shape would be suspected.
        let usual = try #require(extrasystoles(narrow).minute(endingAt: end))
        #expect(usual.fibrillation > 30)
    }

    @Test("calls no beat early while fibrillation is suspected, and counts the seconds of it")
    func fibrillation() throws {
        var random = SeededGenerator(seed: 2), analysis = RhythmAnalysis(), classifier = BeatClassifier()
        var time = 0.0, early = 0
        for _ in 0..<300 {
            let interval = 0.4 + 0.7 * random.uniform()
            time += interval
            analysis.add(at: time, shape: narrow, isUsable: true)
            if classifier.push(interval: interval, shape: narrow) == .supraventricular { early += 1 }
        }
        let end = try #require(analysis.beats.dropLast().last).time
        let minute = try #require(analysis.minute(endingAt: end))
        #expect(early > 20 && minute.supraventricular == 0 && minute.ventricular == 0)
        let seconds = analysis.beats.filter { $0.time > end - 60 && $0.time <= end }.reduce(0) { $0 + $1.interval }
        #expect(abs(minute.fibrillation - seconds) < 1e-9)
    }
}
