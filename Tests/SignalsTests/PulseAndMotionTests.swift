import Foundation
import Signals
import TestSupport
import Testing

@Suite("Pulse and motion")
struct PulseAndMotionTests {
    @Test("finds the beats of a blood-volume pulse", arguments: [25.0, 64, 250])
    func pulse(rate: Double) {
        let signal = (0..<Int(120 * rate)).map { index in
            let phase = (Double(index) / rate * 1.2).truncatingRemainder(dividingBy: 1)
            return Float(exp(-pow((phase - 0.2) / 0.1, 2)) + 0.35 * exp(-pow((phase - 0.55) / 0.12, 2)))
        }
        var detector = PulseDetector(rate: rate)
        var beats: [Int64] = []
        detector.process(signal.span, into: &beats)
        #expect(abs(beats.count - 144) <= 3)
        #expect(detector.fault == nil)
    }

    @Test("invents no pulse in a square wave or a flat line, and says why")
    func nothing() {
        for (signal, fault) in [
            (TestSignals.wave({ $0 < 0.5 ? 1 : 0 }, hertz: 1, rate: 64, seconds: 60), SignalFault.stepwise),
            ([Float](repeating: 2, count: 3840), .flat),
        ] {
            var detector = PulseDetector(rate: 64)
            var beats: [Int64] = []
            detector.process(signal.span, into: &beats)
            #expect(beats.count <= 1)
            #expect(detector.fault == fault)
        }
    }

    @Test("agrees with the electrocardiogram on the number of beats", .enabled(if: RecordedData.has("neurokit"), "\(RecordedData.hint)"))
    func recorded() throws {
        var detector = PulseDetector(rate: 100)
        var beats: [Int64] = []
        detector.process(try TestSignals.neurokit("bio_resting_5min_100hz.csv", column: 1).span, into: &beats)
        #expect(abs(beats.count - 432) < 9)
    }

    @Test("tells a moving wrist from a resting one, whatever its angle to gravity")
    func motion() {
        var random = SeededGenerator(seed: 3)
        var (still, moving) = (MotionMeter(), MotionMeter())
        #expect(still.intensity == nil)
        for axis in 0..<3 {
            let rest = (0..<320).map { _ in Float(5 + 0.05 * random.normal()) }
            let walk = (0..<320).map { Float(5 + 3 * sin(Double($0) / 5) + 0.05 * random.normal()) }
            still.process(rest.span, axis: axis, rate: 32)
            moving.process(walk.span, axis: axis, rate: 32)
        }
        #expect(!still.isMoving)
        #expect(moving.isMoving)
    }
}
