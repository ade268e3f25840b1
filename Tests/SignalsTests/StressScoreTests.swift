import Signals
import Testing

@Suite("Stress score")
struct StressScoreTests {
    private let bounds = StressBounds(
        heartRate: 60...100, skinConductance: 2...10, breathingRate: 10...30, temperature: 30...34)

    @Test("is, in base mode, the mean of the three readings between a person's bounds")
    func base() {
        let inputs = StressInputs(heartRate: 70, skinConductance: 6, breathingRate: 25)
        let score = StressScore(inputs, mode: .base, baseline: nil, bounds: bounds)
        #expect(score.heart == 0.25)
        #expect(score.skin == 0.5)
        #expect(score.breath == 0.75)
        #expect(score.level == 0.5)
        #expect(score.isCalibrated)
    }

    @Test("is clipped to 0 and 1")
    func clipped() {
        let high = StressInputs(heartRate: 190, skinConductance: 60, breathingRate: 50)
        let low = StressInputs(heartRate: 40, skinConductance: 0.5, breathingRate: 5)
        for mode in [StressMode.base, .enhanced] {
            #expect(StressScore(high, mode: mode, baseline: .population, bounds: bounds).level == 1)
            #expect(StressScore(low, mode: mode, baseline: .population, bounds: bounds).level == 0)
        }
    }

    @Test("is, as it was built, the mean of skin conductance and temperature")
    func built() {
        let inputs = StressInputs(heartRate: 100, skinConductance: 4, temperature: 33)
        let score = StressScore(inputs, mode: .built, baseline: nil, bounds: bounds)
        #expect(score.level == 0.5)
        #expect(score.heart == nil)
    }

    @Test("weighs heart, skin and breath against the person's rest in enhanced mode")
    func enhanced() throws {
        let rest = StressBaseline(heartRate: 65, skinConductance: 2, breathingRate: 14)
        let score = StressScore(
            StressInputs(heartRate: 80, skinConductance: 2, breathingRate: 18), mode: .enhanced, baseline: rest)
        #expect(score.heart == 0.5)
        let skin = try #require(score.skin)
        #expect(abs(skin - 0.2 / 1.2) < 1e-12)
        #expect(score.breath == 0.5)
        let expected: Double = 0.25 + 0.4 / 6 + 0.05
        let level = try #require(score.level)
        #expect(abs(level - expected) < 1e-12)
    }

    @Test("counts irregular breathing as 0, because it is speech")
    func speech() {
        let rest = StressBaseline(heartRate: 65, skinConductance: 2, breathingRate: 14)
        let inputs = StressInputs(heartRate: 80, breathingRate: 25, breathesIrregularly: true)
        #expect(StressScore(inputs, mode: .enhanced, baseline: rest).breath == 0)
    }

    @Test("says that it is not calibrated, and says nothing without heart and skin")
    func uncalibrated() {
        #expect(!StressScore(StressInputs(heartRate: 80), mode: .enhanced, baseline: nil).isCalibrated)
        #expect(StressScore(StressInputs(breathingRate: 20), mode: .enhanced, baseline: .population).level == nil)
        #expect(StressScore(StressInputs(), mode: .base, baseline: .population).level == nil)
    }

    @Test("leaves out what was not measured at rest")
    func partial() {
        let rest = StressBaseline(heartRate: nil, skinConductance: 2, breathingRate: nil)
        let score = StressScore(StressInputs(heartRate: 150, skinConductance: 2), mode: .enhanced, baseline: rest)
        #expect(score.heart == nil)
        #expect(score.level == score.skin)
    }
}
