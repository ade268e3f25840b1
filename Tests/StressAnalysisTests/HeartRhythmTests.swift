import Signals
import Testing
import VigilSchema

@testable import StressAnalysis

/// A drawn heart as the service takes it, second by second, and the rhythms that it publishes.
@Suite("Rhythms that are published")
struct HeartRhythmTests {
    private static let start = 1_700_000_040.0

    private struct Told {
        /// The rhythms as they were recognised, with the second of the recording of each, and the second at which it was said.
        var changes: [(rhythm: String, time: Double, said: Double)] = []
        var intervals: [(rhythm: String, start: Double, length: Double)] = []

        func change(to rhythm: String) -> (rhythm: String, time: Double, said: Double)? { changes.first { $0.rhythm == rhythm } }
    }

    private func told(_ heart: DrawnHeart, seconds: Int, without hole: Range<Int> = 0..<0) -> Told {
        var (person, told) = (Participant(profile: StressProfile(), received: Timestamp(seconds: Self.start)), Told())
        for second in 0..<seconds where !hole.contains(second) {
            let received = Timestamp(seconds: Self.start + Double(second + 1))
            let block = heart.observation(second: second, from: Self.start)
            person.take(ObservationGroup(participant: "p1", source: "chest", received: received, observations: [block]))
            for observation in person.dueObservations(defaultMode: .enhanced).observations {
                guard case .text(let text) = observation.content else { continue }
                let time = observation.time.seconds - Self.start
                switch observation.metric {
                case "heart-rhythm": told.changes.append((text, time, Double(second + 1)))
                case "heart-rhythm-interval": told.intervals.append((text, time, Double(observation.interval)))
                default: break
                }
            }
        }
        return told
    }

    @Test("a run of broad beats is said within ten seconds of its third beat, and stored from its first to its last")
    func run() throws {
        var heart = DrawnHeart(seconds: 200)
        heart.beat(from: 0.5, to: 100, every: 0.8)
        heart.beat(from: 100.3, to: 104.5, every: 0.4, breadth: 0.035, height: -1.2)
        heart.beat(from: 105.2, to: 200, every: 0.8)
        let told = told(heart, seconds: 200)
        #expect(told.changes.prefix(2).map(\.rhythm) == ["unknown", "regular"])
        let run = try #require(told.change(to: "ventricular-run"))
        // The detector may miss a beat of so strange a shape at first: the rest is the run then.
        #expect((101...103).contains(run.time) && run.said <= run.time + 10, "\(run)")
        let interval = try #require(told.intervals.first { $0.rhythm == "ventricular-run" })
        #expect((100.2...102).contains(interval.start) && (3...5).contains(interval.length), "\(interval)")
        #expect(told.changes.last?.rhythm == "regular")
        #expect(
            told.intervals.allSatisfy { ["unknown", "regular", "ventricular-run", "idioventricular-rhythm"].contains($0.rhythm) },
            "\(told.intervals)")
    }

    @Test("a pause of 2.5 s lies in a regular rhythm; a heart that stands still is told as such, until it beats")
    func standstill() throws {
        var heart = DrawnHeart(seconds: 200)
        heart.beat(from: 0.5, to: 80, every: 0.8)
        let last = 0.5 + 0.8 * 99
        heart.beat(from: last + 2.5, to: 120, every: 0.8)
        heart.beat(from: 130, to: 200, every: 0.8)
        let told = told(heart, seconds: 200)
        let pause = try #require(told.intervals.first { $0.rhythm == "pause" })
        #expect(abs(pause.start - last) < 0.1 && (2...3).contains(pause.length), "\(pause)")
        let asystole = try #require(told.change(to: "asystole"))
        #expect((123...126).contains(asystole.time) && asystole.said <= 130, "\(asystole)")
        let interval = try #require(told.intervals.first { $0.rhythm == "asystole" })
        #expect(abs(interval.start - 119.3) < 1 && abs(interval.start + interval.length - 130) < 1.1, "\(interval)")
        #expect(!told.intervals.contains { $0.rhythm == "long-pause" })
        #expect(told.changes.filter { $0.rhythm == "asystole" }.count == 1)
    }

    @Test("a flat line, and a signal that has ended, are not known")
    func unknown() throws {
        var heart = DrawnHeart(seconds: 200)
        heart.beat(from: 0.5, to: 200, every: 0.8)
        heart.flatten(from: 100, to: 150)
        let flat = told(heart, seconds: 150)
        #expect(flat.changes.last?.rhythm == "unknown" && !flat.intervals.contains { $0.rhythm == "asystole" }, "\(flat.changes)")
        #expect(abs((flat.intervals.last.map { $0.start + $0.length } ?? 0) - 100) < 1.5)
        let gone = told(heart, seconds: 200, without: 90..<140)
        #expect(gone.intervals.contains { $0.rhythm == "unknown" && abs($0.start - 89) < 1.5 && $0.length > 50 }, "\(gone.intervals)")
    }

    @Test("an hour's burden is the share of the beats that were judged, from half an hour on")
    func hour() {
        var (hour, minute) = (RhythmHour(), RhythmMinute())
        (minute.beats, minute.ventricular, minute.supraventricular) = (60, 3, 1)
        for _ in 0..<29 { hour.add(minute) }
        hour.add(RhythmMinute())
        #expect(hour.take() == nil && hour.take() == nil)
        for _ in 0..<30 { hour.add(minute) }
        var report = WearerReport(time: 1_700_002_800)
        report.rhythmHour = hour.take()
        let told = ReportObservations.of(report, score: StressScore(report.inputs, mode: .enhanced, baseline: nil), status: "ok")
        let burden = told.filter { $0.interval == 3600 }
        #expect(burden.map(\.metric) == ["ventricular-burden-hour", "supraventricular-burden-hour"])
        #expect(burden.map(\.content) == [.value(5), .value(1.67)] && burden.allSatisfy { $0.time.seconds == 1_699_999_200 })
    }
}
