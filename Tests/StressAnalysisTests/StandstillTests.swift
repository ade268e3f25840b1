import Foundation
import SignalSynthesis
import Signals
import TestSupport
import Testing
import VigilSchema

@testable import DetectorEvaluation
@testable import StressAnalysis

@Suite("A heart or a breath that stands still is told at once")
struct StandstillTests {
    private static let start = 1_700_000_040.0

    /// Beats until a second of the signal, noise from there on.
    private func heart(until end: Double, seconds: Double = 90) -> DrawnHeart {
        var heart = DrawnHeart(seconds: seconds)
        heart.beat(from: 0.5, to: end + 0.01, every: 0.8)
        return heart
    }

    @Test("within eight seconds of the last beat, whenever that is: monitors have ten", arguments: 0..<13)
    func asystole(beats: Int) throws {
        let last = 0.5 + 0.8 * Double(60 + beats)
        let found = heart(until: last).standstills()
        let told = try #require(found.first)
        #expect(told.told <= last + 8 && told.report.heartPause ?? 0 >= 4 && told.report.heartPause ?? 0 <= told.told - last, "\(told)")
        #expect(found.count == 1 && told.report.reasons.isEmpty && told.report.heartQuality == nil)
    }

    @Test("also where another sensor of the person is ten seconds behind, and each time anew")
    func beside() throws {
        var heart = heart(until: 60, seconds: 160)
        heart.beat(from: 80, to: 120, every: 0.8)
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start))
        var told: [(second: Int, value: Double)] = []
        for second in 0..<160 {
            var observations = [heart.observation(second: second, from: Self.start)]
            if second % 10 == 9 {
                let breath = (0..<250).map { sin(2 * .pi * (Double(second) - 9 + Double($0) / 25) / 4) }
                let time = Timestamp(seconds: Self.start + Double(second - 9))
                observations.append(Observation(metric: "airflow", time: time, content: .samples(breath, period: 0.04), unit: ""))
            }
            person.take(
                ObservationGroup(
                    participant: "p1", source: "chest", received: Timestamp(seconds: Self.start + Double(second + 1)),
                    observations: observations))
            for observation in person.dueObservations(defaultMode: .enhanced).observations where observation.metric == "ecg-pause" {
                guard case .value(let value) = observation.content else { continue }
                told.append((second + 1, value))
            }
        }
        let first = try #require(told.first { $0.value >= 4 }), again = try #require(told.first { $0.second > 100 && $0.value >= 4 })
        #expect((64...68).contains(first.second) && (123...128).contains(again.second), "\(first) \(again)")
        #expect(told.allSatisfy { !(20..<64).contains($0.second) || $0.value < 2 })
    }

    @Test("a breath within twenty-two seconds of the last one", arguments: 0..<5)
    func apnoea(phase: Int) throws {
        var random = SeededGenerator(seed: 11)
        let end = 100 + Double(phase)
        let samples = (0..<150 * 25).map { index in
            let time = Double(index) / 25
            return (time < end ? sin(2 * .pi * (time - end) / 4) : 0) + 0.01 * random.normal()
        }
        let found = DrawnSignal.standstills(.airflow, samples, rate: 25)
        let told = try #require(found.first)
        // The last breath's highest point is three seconds before its end.
        #expect(found.count == 1 && (17...19.1).contains(told.told - end) && told.report.breathingPause ?? 0 >= 20, "\(told)")
    }

    @Test(
        "not where an electrode was off, hums or is shaken, nor in a flat line",
        arguments: ["flat", "rail", "noise", "50 Hz", "60 Hz", "beats"])
    func off(kind: String) {
        var heart = heart(until: 130, seconds: 130)
        var random = SeededGenerator(seed: 3)
        let values: [String: (Double) -> Double] = [
            "flat": { _ in 0.1 }, "rail": { _ in 5 }, "noise": { _ in 0.5 * random.normal() },
            "50 Hz": { 2 * sin(2 * .pi * 50 * $0) }, "60 Hz": { 2 * sin(2 * .pi * 60 * $0) },
        ]
        if let value = values[kind] { heart.replace(from: 60, to: 72, by: value) }
        #expect(heart.standstills().isEmpty)
    }

    @Test(
        "also where it fibrillates, as fast as hearts do, with the mains or noise in the line", arguments: [3.0, 5, 7, 9],
        [(0.0, 0.0), (50, 0.1), (60, 0.1), (50, 0.5), (60, 0.3)])
    func fibrillation(waves: Double, mains: (rate: Double, height: Double)) throws {
        var heart = heart(until: 60)
        var random = SeededGenerator(seed: 5), phase = 0.0
        heart.replace(from: 60.3, to: 90) { time in
            // Its frequency wanders by a fifth, its height by half.
            phase += 2 * .pi * waves * (1 + 0.2 * sin(0.9 * time)) / DrawnHeart.rate
            return 0.4 * (1 + 0.5 * sin(1.3 * time)) * sin(phase) + 0.01 * random.normal()
                + mains.height * sin(2 * .pi * mains.rate * time)
        }
        let told = try #require(heart.standstills().first)
        #expect(told.told < 71, "\(told)")
    }

    /// By its annotators record 207 flutters from 248 to 262, from 270 to 281 and from 1541 to 1639 s, besides some seconds; no other flutters.
    @Test(
        "of recorded patients only where the one flutters who does, and there within twelve seconds",
        .enabled(if: RecordedData.has("mitdb"), "\(RecordedData.hint)"))
    func recorded() throws {
        let files = AnnotatedRecording.files(in: try #require(RecordedData.folder).appending(path: "mitdb"))
        #expect(files.count == 24)
        for file in files {
            let recording = try AnnotatedRecording(file)
            let told = DrawnSignal.standstills(.ecg, recording.samples.map { Double($0) }, rate: recording.rate).map(\.told)
            let flutter = recording.name == "207" ? [242.0...264, 270...283, 1541...1649] : []
            for time in told { #expect(flutter.contains { $0.contains(time) }, "\(recording.name): \(time)") }
            guard recording.name == "207" else { continue }
            for start in [248.0, 270, 1541] { #expect(told.contains { ($0 - start) < 12 && $0 > start }, "\(start): \(told)") }
        }
    }

    /// Fifty seconds of beats, and then a wave, as of a heart that fibrillates.
    @Test("not where the wearer moves and shakes the cable", arguments: [true, false])
    func shaken(isMoving: Bool) {
        var heart = heart(until: 50)
        heart.replace(from: 50, to: 90) { 2 * sin(2 * .pi * 5 * $0) }
        var analysis = WearerAnalysis(), told = 0
        for second in 0..<90 {
            let time = Double(second), shake = (0..<32).map { Float(isMoving && second > 45 ? 3 * sin(Double($0)) : 0) }
            _ = DrawnSignal.reports(of: &analysis, on: .accelerationX, SampleBlock(start: time, period: 1 / 32, samples: shake))
            let samples = heart.samples(from: time, to: time + 1)
            _ = DrawnSignal.reports(of: &analysis, on: .ecg, SampleBlock(start: time, period: 0.004, samples: samples))
            while analysis.nextStandstill() != nil { told += 1 }
        }
        #expect((told > 0) == !isMoving)
    }

    @Test("no breath's where its sensor is off, though the line trembles a little")
    func sensorOff() {
        let samples = (0..<150 * 25).map { index in
            let time = Double(index) / 25
            return time < 97.5 ? sin(2 * .pi * time / 4) : 0.2 + 2e-7 * sin(9 * time)
        }
        #expect(DrawnSignal.standstills(.airflow, samples, rate: 25).isEmpty)
        #expect(DrawnSignal.reports(.airflow, samples, rate: 25).last?.reasons.contains("the breathing signal is flat") == true)
    }

    @Test("not while a successor warms up, whose predecessor may have told it")
    func successor() {
        let heart = heart(until: 30, seconds: 60)
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start), warmsUp: true)
        for second in 0..<60 {
            person.take(
                ObservationGroup(
                    participant: "p1", source: "chest", received: Timestamp(seconds: Self.start + Double(second + 1)),
                    observations: [heart.observation(second: second, from: Self.start)]))
            #expect(!person.dueObservations(defaultMode: .enhanced).observations.contains { $0.metric == "ecg-pause" })
        }
    }
}
