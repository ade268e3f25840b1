import Foundation
import SignalSynthesis
import Signals
import TestSupport
import Testing

@Suite("Pulse and motion")
struct PulseAndMotionTests {
    @Test("finds the beats of a blood-volume pulse", arguments: [25.0, 64, 250])
    func pulse(rate: Double) {
        let signal = TestSignals.wave(Self.pulse, hertz: 1.2, rate: rate, seconds: 120)
        var detector = PulseDetector(rate: rate)
        var beats: [PulseBeat] = []
        detector.process(signal.span, into: &beats)
        #expect(abs(beats.count - 144) <= 4)
        #expect(detector.fault == nil)
    }

    @Test("finds weak beats between strong ones, as in alternating pulse and extrasystoles, and not the second wave of each")
    func alternating() {
        let signal = (0..<64 * 120).map { (index: Int) -> Float in
            let beat = Double(index) / 64 / 0.75
            return Float((Int(beat) % 2 == 0 ? 1 : 0.45) * Double(Self.pulse(beat.truncatingRemainder(dividingBy: 1))))
        }
        var detector = PulseDetector(rate: 64), beats: [PulseBeat] = []
        detector.process(signal.span, into: &beats)
        #expect((150...162).contains(beats.count), "\(beats.count)")
    }

    @Test(
        "a rate is told unless more than a quarter of the intervals lie apart",
        arguments: [
            ([800, 800, 800], false), ([800, 790], false), ([800, 1600, 780, 810, 790, 800, 805, 795], false),
            ([800, 1600, 780, 1590, 790, 800, 805, 795], true), ([600, 900, 700, 800, 1000, 650, 850, 750], false),
            ([400, 900, 600, 800, 1200, 450, 850, 500], true),
        ] as [([Double], Bool)])
    func irregular(intervals: [Double], isIrregular: Bool) {
        #expect(PulseDetector.isIrregular(intervals) == isIrregular)
    }

    @Test("invents no pulse in a square wave, and says why")
    func square() {
        let (count, fault) = Self.follow(TestSignals.wave({ $0 < 0.5 ? 1 : 0 }, hertz: 1, rate: 64, seconds: 60))
        #expect(count == 0)
        #expect(fault == .stepwise)
    }

    @Test("invents no pulse in a flat line, and says why")
    func flat() {
        let (count, fault) = Self.follow([Float](repeating: 2, count: 3840))
        #expect(count == 0)
        #expect(fault == .flat)
    }

    /// One beat: the systolic wave and the smaller one after it.
    private static func pulse(_ phase: Double) -> Double {
        let first = (phase - 0.2) / 0.1
        let second = (phase - 0.55) / 0.12
        return exp(-first * first) + 0.35 * exp(-second * second)
    }

    private static func follow(_ signal: [Float]) -> (count: Int, fault: SignalFault?) {
        var detector = PulseDetector(rate: 64)
        var beats: [PulseBeat] = []
        detector.process(signal.span, into: &beats)
        return (beats.count, detector.fault)
    }

    @Test("agrees with the electrocardiogram on the number of beats", .enabled(if: RecordedData.has("neurokit"), "\(RecordedData.hint)"))
    func recorded() throws {
        var detector = PulseDetector(rate: 100)
        var beats: [PulseBeat] = []
        let signal = try TestSignals.neurokit("bio_resting_5min_100hz.csv", column: 1)
        detector.process(signal.span, into: &beats)
        #expect(abs(beats.count - 432) < 9)
    }

    @Test("tells a moving wrist from a resting one, whatever its angle to gravity")
    func motion() {
        var random = SeededGenerator(seed: 3)
        var still = MotionMeter()
        var moving = MotionMeter()
        #expect(still.intensity == nil)
        for axis in 0..<3 {
            Self.feed(&still, axis: axis) { _ in 5 + 0.05 * random.normal() }
            Self.feed(&moving, axis: axis) { 5 + 3 * sin(Double($0) / 5) }
        }
        #expect(!still.isMoving)
        #expect(moving.isMoving)
    }

    private static func feed(_ meter: inout MotionMeter, axis: Int, _ value: (Int) -> Double) {
        let samples = (0..<320).map { Float(value($0)) }
        meter.process(samples.span, axis: axis, rate: 32)
    }
}
