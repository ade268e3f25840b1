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

    @Test("says nothing else where all can be")
    func plausible() {
        var report = WearerReport(time: 1_700_000_000)
        report.responseRate = 6
        let told = observations(report)
        #expect(told.contains { $0.metric == "scr-rate" && $0.content == .value(6) })
        #expect(told.last?.content == .text("ok"))
    }
}
