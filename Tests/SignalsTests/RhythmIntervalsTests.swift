import Testing

@testable import Signals

@Suite("Rhythms as intervals")
struct RhythmIntervalsTests {
    /// Beats one after another.
    private struct Heart {
        var intervals = RhythmIntervals()
        var time = 0.0
        var changes: [RhythmChange] = []
        var finished: [RhythmInterval] = []

        mutating func beat(_ interval: Double, _ kind: BeatClass? = .usual, isFibrillating: Bool? = false) {
            time += interval
            intervals.add(JudgedBeat(time: time, interval: interval, kind: kind, isFibrillating: isFibrillating))
            collect()
        }

        mutating func beats(_ count: Int, _ interval: Double, _ kind: BeatClass? = .usual, isFibrillating: Bool? = false) {
            for _ in 0..<count { beat(interval, kind, isFibrillating: isFibrillating) }
        }

        mutating func collect() {
            let (intervals, changes) = intervals.take()
            finished += intervals
            self.changes += changes
        }

        func found(_ rhythm: HeartRhythm) -> [RhythmInterval] { finished.filter { $0.rhythm == rhythm } }
    }

    @Test("three ventricular-like beats above 100 a minute are a run from the first to the last; two are a couplet, one is nothing")
    func ventricularRun() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.beat(0.5, .ventricular)
        heart.beats(5, 0.75)
        heart.beats(2, 0.5, .ventricular)
        heart.beats(5, 0.75)
        #expect(heart.found(.couplet) == [RhythmInterval(.couplet, start: 19.75, end: 20.25)])
        #expect(heart.changes.map(\.rhythm) == [.regular])
        let before = heart.time
        heart.beats(3, 0.5, .ventricular)
        #expect(heart.changes.last == RhythmChange(rhythm: .ventricularRun, time: before + 1.5))
        heart.beats(3, 0.75)
        #expect(heart.found(.ventricularRun) == [RhythmInterval(.ventricularRun, start: before + 0.5, end: before + 1.5)])
        #expect(heart.changes.last == RhythmChange(rhythm: .regular, time: before + 2.25))
        #expect(heart.found(.couplet).count == 1 && heart.intervals.current?.start == before + 1.5)
    }

    @Test("a run is sustained from 30 s on, and stays one interval; no faster than 100 a minute it is idioventricular")
    func sustained() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.beats(60, 0.5, .ventricular)
        #expect(heart.changes.last?.rhythm == .ventricularRun)
        heart.beats(2, 0.5, .ventricular)
        #expect(heart.changes.last == RhythmChange(rhythm: .sustainedVentricularRun, time: 15 + 30.5))
        heart.beats(1, 0.75)
        #expect(heart.found(.sustainedVentricularRun) == [RhythmInterval(.sustainedVentricularRun, start: 15.5, end: 46)])
        #expect(heart.found(.ventricularRun).isEmpty)
        heart.beats(10, 0.75)
        let start = heart.time + 0.75
        heart.beats(8, 0.75, .ventricular)
        heart.beats(2, 0.75)
        #expect(heart.found(.idioventricular) == [RhythmInterval(.idioventricular, start: start, end: start + 5.25)])
    }

    @Test("every second or third beat, three times: bigeminy and trigeminy from the first such beat to the last")
    func successions() {
        var heart = Heart()
        heart.beats(20, 0.75)
        for _ in 0..<2 {
            heart.beat(0.5, .ventricular)
            heart.beat(1)
        }
        #expect(heart.changes.map(\.rhythm) == [.regular])
        heart.beat(0.5, .ventricular)
        #expect(heart.changes.last?.rhythm == .bigeminy)
        heart.beats(3, 1)
        #expect(heart.found(.bigeminy) == [RhythmInterval(.bigeminy, start: 15.5, end: 18.5)])
        heart.beats(20, 0.75)
        let start = heart.time
        for _ in 0..<3 {
            heart.beat(0.5, .ventricular)
            heart.beats(2, 0.75)
        }
        heart.beats(3, 0.75)
        #expect(heart.found(.trigeminy) == [RhythmInterval(.trigeminy, start: start + 0.5, end: start + 4.5)])
        #expect(heart.found(.bigeminy).count == 1)
    }

    @Test("early narrow beats in a row above 100 a minute are a supraventricular run, which ends where the heart is slow again")
    func supraventricularRun() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.beats(3, 0.5, .supraventricular)
        // The mean has followed by now: they no longer count as early.
        heart.beats(5, 0.5)
        heart.beats(3, 0.75)
        #expect(heart.found(.supraventricularRun) == [RhythmInterval(.supraventricularRun, start: 15.5, end: 19)])
        heart.beats(2, 0.5, .supraventricular)
        heart.beats(3, 0.75)
        #expect(heart.found(.supraventricularRun).count == 1)
    }

    @Test("slow and fast hearts by eight intervals, with a dead band")
    func rates() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.beats(8, 1.25)
        #expect(heart.changes.last?.rhythm == .bradycardia)
        heart.beats(20, 1.125)
        #expect(heart.changes.last?.rhythm == .bradycardia)
        heart.beats(8, 0.75)
        #expect(heart.changes.last?.rhythm == .regular)
        heart.beats(9, 0.5)
        #expect(heart.changes.last?.rhythm == .tachycardia)
        heart.beats(20, 0.625)
        #expect(heart.changes.last?.rhythm == .tachycardia)
        heart.beats(9, 0.75)
        #expect(heart.changes.last?.rhythm == .regular)
        #expect(heart.found(.bradycardia).count == 1 && heart.found(.tachycardia).count == 1)
    }

    @Test("fibrillation goes before its rate; a run within it does not end it, and leaves it where it was")
    func fibrillation() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.beats(20, 0.5, isFibrillating: true)
        heart.beats(4, 0.5, .ventricular, isFibrillating: true)
        heart.beats(20, 0.5, isFibrillating: true)
        heart.beats(20, 0.75)
        #expect(heart.found(.suspectedFibrillation).map(\.length) == [10, 10.75])
        #expect(heart.found(.ventricularRun).map(\.length) == [1.5] && heart.found(.tachycardia).isEmpty)
    }

    @Test("the intervals touch, from the first beat on, whatever comes")
    func partition() {
        var heart = Heart(), seed: UInt64 = 5
        for _ in 0..<5000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let draw = Int(seed >> 40)
            let kind: BeatClass? = [.usual, .usual, .ventricular, .ventricular, .supraventricular, nil][draw % 6]
            if draw % 97 == 0 { heart.intervals.gap(after: heart.time) }
            heart.beat(0.25 + Double(draw % 64) / 64, kind, isFibrillating: [true, false, nil][draw / 64 % 40 / 14])
        }
        let whole = heart.finished.filter { !$0.isEvent }
        #expect(whole.count > 100 && whole.allSatisfy { $0.length > 0 })
        #expect(zip(whole, whole.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(zip(heart.changes, heart.changes.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test("nothing is known behind a gap, and a run ends with its last beat")
    func gap() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.beats(4, 0.5, .ventricular)
        heart.intervals.gap(after: heart.time + 1)
        heart.collect()
        #expect(heart.found(.ventricularRun) == [RhythmInterval(.ventricularRun, start: 15.5, end: 17)])
        #expect(heart.changes.last?.rhythm == .unknown && heart.intervals.current?.start == 17)
        heart.time = 30
        heart.beats(5, 0.75, nil, isFibrillating: nil)
        heart.beats(1, 0.75)
        #expect(heart.found(.unknown).last == RhythmInterval(.unknown, start: 17, end: 34.5))
    }

    @Test("pauses above two and three seconds lie within the rhythm; a standstill is a rhythm of its own until a beat comes")
    func pauses() {
        var heart = Heart()
        heart.beats(20, 0.75)
        for (length, rhythm) in [(2, nil), (2.5, .pause), (3, .pause), (3.5, .longPause)] as [(Double, HeartRhythm?)] {
            heart.intervals.pause(from: 15, until: 15 + length)
            heart.collect()
            #expect(heart.finished.last(where: \.isEvent)?.rhythm == rhythm || length == 2 && heart.finished.filter(\.isEvent).isEmpty)
        }
        heart.intervals.standstill(since: 15, at: 19.5, isWave: false)
        heart.collect()
        #expect(heart.found(.regular).last?.end == 15 && heart.changes.last == RhythmChange(rhythm: .asystole, time: 19.5))
        heart.intervals.gap(after: 15)
        heart.intervals.pause(from: 15, until: 22)
        heart.collect()
        #expect(heart.found(.asystole) == [RhythmInterval(.asystole, start: 15, end: 22)] && heart.found(.longPause).count == 1)
    }

    @Test("a standstill that is no longer seen ends where it was seen last, and what it may have hidden is not known")
    func lost() {
        var heart = Heart()
        heart.beats(20, 0.75)
        heart.intervals.standstill(since: 15, at: 19.5, isWave: true)
        heart.intervals.standstill(since: 15, at: 24.5, isWave: true)
        heart.intervals.endStandstill()
        heart.collect()
        #expect(heart.found(.wave) == [RhythmInterval(.wave, start: 15, end: 24.5)] && heart.changes.last?.rhythm == .unknown)
        #expect(heart.changes.map(\.rhythm) == [.regular, .wave, .unknown])
    }

    @Test("a rhythm that goes on is said once a minute, and cut after ten")
    func cut() {
        var heart = Heart()
        heart.beats(1000, 0.75)
        #expect(heart.changes.count == 13 && Set(heart.changes.map(\.rhythm)) == [.regular])
        #expect(heart.finished.filter { $0.rhythm == .regular }.map(\.length) == [600])
    }

    @Test("no more than 128 of a kind wait to be taken")
    func bounded() {
        var intervals = RhythmIntervals(), time = 0.0
        for beat in 0..<4000 {
            time += 0.5
            intervals.add(JudgedBeat(time: time, interval: 0.5, kind: .usual, isFibrillating: beat % 2 == 0))
        }
        let (finished, changes) = intervals.take()
        #expect(finished.count == 128 && changes.count == 128)
        #expect(intervals.take().intervals.isEmpty)
    }
}
