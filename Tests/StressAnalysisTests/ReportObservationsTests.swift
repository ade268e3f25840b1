import MessageBus
import Signals
import Testing
import VigilSchema

@testable import StressAnalysis

@Suite("What is told of a wearer")
struct ReportObservationsTests {
    private func observations(_ report: WearerReport) -> [Observation] {
        ReportObservations.of(report, score: StressScore(report.inputs, mode: .enhanced, baseline: nil), status: "ok")
    }

    @Test("leaves a value out that cannot be, and says so")
    func implausible() {
        var report = WearerReport(time: 1_700_000_000)
        (report.responseRate, report.responseAmplitude) = (1e6, 0.5)
        let told = observations(report)
        #expect(told.contains { $0.metric == "scr-amplitude" && $0.content == .value(0.5) })
        #expect(!told.contains { $0.metric == "scr-rate" })
        #expect(told.last?.content == .text("left out as it cannot be: scr-rate"))
    }

    @Test("says how good a signal is before what was found in it: whoever judges the one by the other hears of it in time")
    func order() {
        var report = WearerReport(time: 1_700_000_000)
        (report.heartQuality, report.heartRate, report.breathingQuality) = (0.3, 180, 0)
        let told = observations(report).map(\.metric)
        #expect(told.prefix(3) == ["ecg-quality", "respiration-quality", "heart-rate"])
    }

    @Test("of a standstill tells how long it lasts, with four digits behind the point, and nothing else")
    func standstill() {
        var report = WearerReport(time: 1_700_000_000)
        report.heartRate = 60
        #expect(ReportObservations.standstill(report).isEmpty)
        (report.heartPause, report.breathingPause) = (4.123_46, 20.000_04)
        let told = ReportObservations.standstill(report)
        #expect(told.map(\.metric) == ["ecg-pause", "respiration-pause"] && told.map(\.content) == [.value(4.1235), .value(20)])
        #expect(told.allSatisfy { $0.unit == "s" && $0.time == Timestamp(seconds: 1_700_000_000) })
    }

    @Test("says nothing else where all can be")
    func plausible() {
        var report = WearerReport(time: 1_700_000_000)
        report.responseRate = 6
        let told = observations(report)
        #expect(told.contains { $0.metric == "scr-rate" && $0.content == .value(6) })
        #expect(told.last?.content == .text("ok"))
    }
}

@Suite("Batches and words of what is told")
struct OutputMessagesTests {
    private func observations(_ count: Int) -> [Observation] {
        (0..<count).map {
            Observation(metric: "heart-rate", time: Timestamp(seconds: 1_700_000_000 + Double($0)), content: .value(60), unit: "/min")
        }
    }

    private func batches(_ pending: [String: [Observation]]) throws -> [[ObservationGroup]] {
        try OutputMessages.of(pending, at: Timestamp(seconds: 1_700_000_000)).map { try BatchDecoder().decode($0.payload.span).groups }
    }

    @Test(
        "a batch holds 1500 observations at most, in their order",
        arguments: [(1, [1]), (1500, [1500]), (1501, [1500, 1]), (3700, [1500, 1500, 700])])
    func largest(count: Int, sizes: [Int]) throws {
        let found = try batches(["p1": observations(count)])
        let counts = found.map { (groups: [ObservationGroup]) -> Int in groups.map(\.observations.count).reduce(0, +) }
        #expect(counts == sizes)
        let groups = found.flatMap { $0 }
        #expect(groups.flatMap(\.observations).map(\.time) == observations(count).map(\.time))
        for group in groups {
            #expect(group.participant == "p1" && group.source == "vigil-stress" && group.received.seconds == 1_700_000_000)
        }
    }

    @Test("people of one partition share a batch while there is room; those of another have their own")
    func shared() throws {
        let names = (0..<200).map { "p\($0)" }
        let first = names[0], partition = Partition(participant: first)
        let same = names.dropFirst().filter { Partition(participant: $0) == partition }.sorted()
        let other = try #require(names.first { Partition(participant: $0) != partition })
        try #require(same.count >= 2)
        let pending = [first: observations(900), same[0]: observations(600), same[1]: observations(10), other: observations(5)]
        let messages = OutputMessages.of(pending, at: Timestamp(seconds: 1_700_000_000))
        let counts = try messages.map { try BatchDecoder().decode($0.payload.span).groups.map(\.observations.count) }
        let topics = messages.map(\.topic)
        let own = topics.indices.filter { topics[$0] == Topic.derived(partition).path }.map { counts[$0] }
        let foreign = topics.indices.filter { topics[$0] == Topic.derived(Partition(participant: other)).path }.map { counts[$0] }
        // What just fits goes along: 900 and 600 are as many as a batch may have.
        #expect(own == [[900, 600], [10]] && foreign == [[5]])
        #expect(OutputMessages.of([:], at: Timestamp(seconds: 0)).isEmpty)
    }

    private func minute(_ beats: Int, _ ventricular: Int = 0, _ supraventricular: Int = 0, fibrillation: Double = 0) -> RhythmMinute {
        var minute = RhythmMinute()
        (minute.beats, minute.ventricular, minute.supraventricular, minute.fibrillation) = (
            beats, ventricular, supraventricular, fibrillation
        )
        return minute
    }

    @Test("a minute's rhythm in a word: fibrillation from 30 s on, early beats from three on")
    func rhythm() {
        #expect(RhythmMinute().name == "unknown" && minute(0, fibrillation: 60).name == "unknown" && minute(1).name == "regular")
        #expect(minute(60, fibrillation: 29.9).name == "regular" && minute(60, 5, fibrillation: 30).name == "suspected-atrial-fibrillation")
        for (ventricular, supraventricular, isEarly) in [
            (2, 0, false), (1, 1, false), (3, 0, true), (0, 3, true), (2, 1, true), (1, 2, true),
        ] {
            #expect(minute(60, ventricular, supraventricular).name == (isEarly ? "early-beats" : "regular"))
        }
    }

    private func told(_ report: WearerReport, status: String = "ok") -> [Observation] {
        ReportObservations.of(report, score: StressScore(report.inputs, mode: .enhanced, baseline: nil), status: status)
    }

    @Test("a minute's counts stand at its start and carry its length; one without beats has only its word")
    func counts() {
        var report = WearerReport(time: 1_700_000_040)
        report.rhythm = minute(61, 2, 1, fibrillation: 12.6)
        let found = told(report).filter { $0.interval == 60 }
        #expect(found.map(\.metric) == ["beats-judged", "ventricular-beats", "supraventricular-beats", "fibrillation-suspected", "rhythm"])
        #expect(found.map(\.content) == [.value(61), .value(2), .value(1), .value(13), .text("early-beats")])
        #expect(found.allSatisfy { $0.time.seconds == 1_699_999_980 })
        report.rhythm = RhythmMinute()
        #expect(told(report).filter { $0.interval == 60 }.map(\.content) == [.text("unknown")])
    }

    @Test("values are rounded to four digits behind the point, and what is no number is left out")
    func rounded() {
        var report = WearerReport(time: 1_700_000_000)
        (report.heartRate, report.responseRate, report.responseAmplitude) = (61.234_56, .nan, .infinity)
        let found = told(report, status: "not calibrated")
        #expect(found.first { $0.metric == "heart-rate" }?.content == .value(61.2346))
        #expect(!found.contains { $0.metric == "scr-rate" || $0.metric == "scr-amplitude" })
        #expect(found.last?.content == .text("not calibrated") && found.allSatisfy { $0.time.seconds == 1_700_000_000 })
        report.responseRate = -1
        #expect(told(report, status: "not calibrated").last?.content == .text("not calibrated; left out as it cannot be: scr-rate"))
    }

    @Test("a report is silent that tells only its status, its calibration and its rhythm")
    func silence() {
        var report = WearerReport(time: 1_700_000_040)
        #expect(ReportObservations.silence(told(report, status: "no heart signal")) == "no heart signal")
        report.rhythm = RhythmMinute()
        #expect(ReportObservations.silence(told(report)) == "ok")
        report.heartQuality = 0
        #expect(ReportObservations.silence(told(report)) == nil && ReportObservations.silence([]) == nil)
    }

    @Test("whether the score is calibrated is told as 1 or 0")
    func calibrated() {
        let report = WearerReport(time: 1_700_000_000), rest = StressBaseline.population
        for (baseline, value) in [(nil, 0.0), (rest, 1)] {
            let score = StressScore(report.inputs, mode: .enhanced, baseline: baseline)
            let found = ReportObservations.of(report, score: score, status: "ok").first { $0.metric == "stress-calibrated" }
            #expect(found?.content == .value(value))
        }
    }
}
