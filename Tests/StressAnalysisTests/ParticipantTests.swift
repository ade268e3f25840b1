import Foundation
import Signals
import Testing
import VigilSchema

@testable import StressAnalysis

@Suite("Whom the analysis listens to")
struct ParticipantTests {
    static let start = 1_700_000_000.0

    private func group(_ metric: String, _ value: Double, at second: Double, source: String = "wrist", received: Double? = nil)
        -> ObservationGroup
    {
        ObservationGroup(
            participant: "p1", source: source, received: Timestamp(seconds: Self.start + (received ?? second)),
            observations: [Observation(metric: metric, time: Timestamp(seconds: Self.start + second), content: .value(value), unit: "/min")]
        )
    }

    /// The heart components that follow, by the time of their report in seconds.
    private func components(_ groups: [ObservationGroup]) -> [(time: Double, value: Double)] {
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start))
        return groups.flatMap { group -> [Observation] in
            person.take(group)
            return person.dueObservations(defaultMode: .enhanced).observations
        }.compactMap { observation in
            guard observation.metric == "stress-heart-component", case .value(let value) = observation.content else { return nil }
            return (observation.time.seconds - Self.start, value)
        }
    }

    /// For an average adult (72 − 72 + 5) / 40 = 0.125, and (112 − 72 + 5) / 40 is more than 1. The second device speaks once, after the first.
    @Test(
        "another device of the same kind is listened to ten seconds after the first fell silent",
        arguments: [(9.5, false), (10, true), (11, true)])
    func handover(pause: Double, isHeard: Bool) {
        let groups =
            [group("heart-rate", 72, at: 0), group("heart-rate", 112, at: pause, source: "ring")]
            + (1...80).map { group("skin-temperature", 33, at: pause + Double($0), source: "other") }
        let found = components(groups)
        // Of 72 and 112 the median is 92: (92 − 72 + 5) / 40 = 0.625. After a minute only the second is left.
        #expect(found.first { $0.time == 15 }?.value == (isHeard ? 0.625 : 0.125))
        #expect(found.first { $0.time == 65 }?.value == (isHeard ? 1 : nil))
    }

    @Test("the first device is heard again ten seconds after the second")
    func back() {
        let groups = [
            group("heart-rate", 72, at: 0), group("heart-rate", 112, at: 10, source: "ring"), group("heart-rate", 72, at: 19),
            group("heart-rate", 72, at: 20), group("skin-temperature", 33, at: 40, source: "other"),
        ]
        // Heard: 72, 112 and 72 at 20 s; that of 19 s would make no difference to the median, so that 112 comes twice.
        #expect(components(groups).last { $0.time <= 30 }?.value == 0.125)
        let twice = [
            group("heart-rate", 72, at: 0), group("heart-rate", 112, at: 10, source: "ring"),
            group("heart-rate", 112, at: 11, source: "ring"),
            group("heart-rate", 72, at: 19), group("heart-rate", 72, at: 20), group("skin-temperature", 33, at: 40, source: "other"),
        ]
        // Up to 20 s: 72, 112, 112, not 72 at 19 and 20 (ten seconds after 11 s are 21 s).
        #expect(components(twice).last { $0.time <= 30 }?.value == 1)
    }

    @Test("a device that measures something else does not take another's place")
    func kinds() {
        var groups: [ObservationGroup] = []
        for second in 0..<60 {
            groups.append(group("heart-rate", 72, at: Double(second)))
            groups.append(group("skin-temperature", 33, at: Double(second), source: "ring"))
        }
        #expect(components(groups).count == 11)
    }

    /// They are passed over, and so take the place of no device whose single readings are heard.
    @Test("blocks of what comes as single readings keep nobody from being heard")
    func blocks() {
        var groups: [ObservationGroup] = []
        for second in 0..<60 {
            let time = Timestamp(seconds: Self.start + Double(second))
            let block = Observation(metric: "heart-rate", time: time, content: .samples([112], period: 1), unit: "/min")
            groups.append(ObservationGroup(participant: "p1", source: "ring", received: time, observations: [block]))
            groups.append(group("heart-rate", 72, at: Double(second)))
        }
        let found = components(groups)
        #expect(found.count == 11 && found.allSatisfy { $0.value == 0.125 }, "\(found)")
    }

    /// Fifteen breaths a minute.
    private func breathing(_ metric: String, second: Int, rate: Int, source: String) -> ObservationGroup {
        let samples = (0..<rate).map { sin(2 * .pi * (Double(second) + Double($0) / Double(rate)) / 4) }
        let time = Timestamp(seconds: Self.start + Double(second))
        return ObservationGroup(
            participant: "p1", source: source, received: time,
            observations: [Observation(metric: metric, time: time, content: .samples(samples, period: 1 / Double(rate)), unit: "")])
    }

    @Test("breath at the mouth and at the chest are not taken for one signal that jumps", arguments: ["belt", "monitor"])
    func breaths(belt: String) {
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start))
        var rates: [Double] = []
        for second in 0..<90 {
            // Single readings of a waveform say nothing, and take nobody's place.
            person.take(group("respiration", 1, at: Double(second), source: "spot"))
            person.take(breathing("airflow", second: second, rate: 25, source: "monitor"))
            person.take(breathing("respiration", second: second, rate: 10, source: belt))
            for observation in person.dueObservations(defaultMode: .enhanced).observations where observation.metric == "respiration-rate" {
                if case .value(let rate) = observation.content { rates.append(rate) }
            }
        }
        #expect(rates.count > 5 && rates.allSatisfy { abs($0 - 15) < 0.5 }, "\(rates)")
    }

    @Test(
        "what is dated more than a minute ahead of its receipt is passed over while others are heard",
        arguments: [(60.0, true), (61, false)])
    func ahead(lead: Double, isTaken: Bool) {
        var groups = (0...30).map { group("heart-rate", 72, at: Double($0)) }
        groups.append(group("skin-temperature", 33, at: 30 + lead, source: "ring", received: 30))
        let reports = components(groups)
        // A reading of 90 s lets the reports up to 85 s come at once; one of 91 s is not taken.
        #expect((reports.last?.time ?? 0) == (isTaken ? 85 : 25))
    }

    /// From 30 s on, while a heart rate was heard up to then: it ends at 90 s, as far ahead as may be, or a second later.
    @Test("a block is dated ahead by its end", arguments: [(60, true), (61, false)])
    func aheadBlock(seconds: Int, isTaken: Bool) {
        let time = Timestamp(seconds: Self.start + 30)
        let breath = (0..<seconds * 25).map { sin(2 * .pi * Double($0) / 100) }
        let block = Observation(metric: "airflow", time: time, content: .samples(breath, period: 0.04), unit: "")
        let groups =
            (0...30).map { group("heart-rate", 72, at: Double($0)) }
            + [ObservationGroup(participant: "p1", source: "monitor", received: time, observations: [block])]
        #expect(components(groups).last?.time == (isTaken ? 85 : 25))
    }

    @Test("a time is believed up to a minute ahead of the present", arguments: [(0.0, true), (1060, true), (1060.001, false)])
    func believed(seconds: Double, isBelieved: Bool) {
        #expect(Timestamp(seconds: seconds).isPlausible(at: Timestamp(seconds: 1000)) == isBelieved)
    }

    /// Dated 500 s into the future, while something was heard a minute ago or longer. The reports of the minute before it follow at once.
    @Test("what is dated far ahead is taken once nothing else was heard for more than a minute", arguments: [(60.0, false), (60.5, true)])
    func alone(received: Double, isTaken: Bool) {
        let groups = [
            group("heart-rate", 72, at: 0), group("heart-rate", 112, at: 560, source: "ring", received: received),
            group("heart-rate", 112, at: 570, source: "ring", received: received),
        ]
        #expect(components(groups).contains { $0.time == 560 && $0.value == 1 } == isTaken)
    }

    /// A clock that stands at 560 s: it is ahead by more than a minute of what is received before 500 s.
    @Test("where a clock proves to be more than a minute ahead all begins anew", arguments: [(499.0, true), (500, false)])
    func anew(first: Double, isAnew: Bool) {
        var groups = [group("heart-rate", 72, at: 0), group("heart-rate", 72, at: 560, source: "ring", received: 61)]
        groups += (0..<20).map { group("heart-rate", 72, at: first + Double($0), source: "wrist") }
        #expect(components(groups).contains { $0.time == 505 } == isAnew)
    }

    @Test("a calibration that failed is told of until the next one begins")
    func failedCalibration() {
        var person = Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start))
        func status(_ seconds: Range<Int>) -> String? {
            var last: String?
            for second in seconds {
                // A heart rate that comes only in the last third: too little to calibrate on.
                let isKnown = second % 200 > 160 || second >= 200
                person.take(group(isKnown ? "heart-rate" : "skin-temperature", 60, at: Double(second)))
                for observation in person.dueObservations(defaultMode: .enhanced).observations where observation.metric == "stress-status" {
                    if case .text(let text) = observation.content { last = text }
                }
            }
            return last
        }
        _ = status(0..<2)
        person.handle(.calibrate(seconds: nil), calibrationSeconds: 60)
        #expect(person.isCalibrating && status(2..<40)?.contains("calibrating: sit quietly") == true)
        #expect(status(40..<80)?.contains("calibration failed: only 0 of 12") == true && !person.isCalibrating)
        #expect(status(80..<180)?.contains("calibration failed") == true)
        person.handle(.calibrate(seconds: 120), calibrationSeconds: 60)
        let during = status(180..<290)
        #expect(during?.contains("calibration failed") == false && during?.contains("sit quietly") == true, "\(during ?? "")")
        #expect(status(290..<320) == "ok" && person.profile.baseline?.heartRate == 60)
    }

    @Test("a calibration that succeeds makes a profile that has to be kept, once, and one that fails makes none")
    func newProfile() {
        for (metric, kept) in [("skin-temperature", 0), ("heart-rate", 1)] {
            var person = Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start)), count = 0
            for second in 0..<90 {
                person.take(group(metric, 60, at: Double(second)))
                if second == 1 { person.handle(.calibrate(seconds: 60), calibrationSeconds: 300) }
                if person.dueObservations(defaultMode: .enhanced).hasNewProfile { count += 1 }
            }
            #expect(count == kept && !person.isCalibrating, "\(metric)")
        }
    }
}
