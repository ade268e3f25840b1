import Foundation
import Testing

@testable import Signals

@Suite("The formulas of the stress score")
struct StressFormulaTests {
    private let rest = StressBaseline(heartRate: 60, skinConductance: 2, breathingRate: 12, temperature: 33)

    private func isClose(_ value: Double?, _ expected: Double?) -> Bool {
        guard let value, let expected else { return value == nil && expected == nil }
        return abs(value - expected) < 1e-9
    }

    /// h = (HR − HRb + 5) / 40, s = (ln SCL − ln SCLb + 0.2) / 1.2, b = (BR − BRb + 4) / 16, each between 0 and 1.
    @Test(
        "enhanced: the heart from 5 below rest to 35 above, the breath from 4 below to 12 above",
        arguments: [
            (55, 8, 0, 0), (56, 9, 0.025, 0.0625), (60, 12, 0.125, 0.25), (75, 20, 0.5, 0.75), (94, 23, 0.975, 0.9375), (95, 24, 1, 1),
            (96, 25, 1, 1), (54, 7, 0, 0),
        ] as [(Double, Double, Double, Double)])
    func heartAndBreath(heartRate: Double, breathingRate: Double, heart: Double, breath: Double) {
        let score = StressScore(StressInputs(heartRate: heartRate, breathingRate: breathingRate), mode: .enhanced, baseline: rest)
        #expect(isClose(score.heart, heart) && isClose(score.breath, breath) && score.skin == nil && score.warmth == nil)
        #expect(isClose(score.level, (0.5 * heart + 0.1 * breath) / 0.6))
    }

    @Test(
        "enhanced: the skin from e⁻⁰·² of its rest to e times it",
        arguments: [(-0.2, 0), (-0.1, 1 / 12.0), (0, 1 / 6.0), (0.4, 0.5), (0.9, 11 / 12.0), (1, 1), (2, 1), (-1, 0)] as [(Double, Double)])
    func skin(logarithm: Double, expected: Double) {
        let score = StressScore(StressInputs(skinConductance: 2 * exp(logarithm)), mode: .enhanced, baseline: rest)
        #expect(isClose(score.skin, expected) && isClose(score.level, expected))
    }

    @Test("enhanced: without a rest of its own a component is none, nor is the skin's where it or its rest is nothing")
    func missing() {
        let inputs = StressInputs(heartRate: 80, skinConductance: 3, breathingRate: 16)
        let none = StressScore(inputs, mode: .enhanced, baseline: StressBaseline(heartRate: nil, skinConductance: 2, breathingRate: nil))
        #expect(none.heart == nil && none.breath == nil && none.level == none.skin && none.skin != nil)
        for (value, own) in [(0.0, 2.0), (2, 0), (-1, 2), (2, -1)] {
            let baseline = StressBaseline(heartRate: nil, skinConductance: own, breathingRate: nil)
            #expect(StressScore(StressInputs(skinConductance: value), mode: .enhanced, baseline: baseline).skin == nil)
        }
        let small = StressBaseline(heartRate: nil, skinConductance: 0.5, breathingRate: nil)
        #expect(isClose(StressScore(StressInputs(skinConductance: 0.5), mode: .enhanced, baseline: small).skin, 1 / 6.0))
    }

    @Test("enhanced: breath alone is no score, nor is irregular breath more than nothing")
    func breathAlone() {
        let alone = StressScore(StressInputs(breathingRate: 30), mode: .enhanced, baseline: rest)
        #expect(alone.level == nil && alone.breath == 1)
        let heart = StressScore(StressInputs(heartRate: 95, breathingRate: 30, breathesIrregularly: true), mode: .enhanced, baseline: rest)
        #expect(heart.breath == 0 && isClose(heart.level, 0.5 / 0.6))
        let skin = StressScore(StressInputs(skinConductance: 9, breathingRate: 8), mode: .enhanced, baseline: rest)
        #expect(isClose(skin.level, 0.8))
        #expect(StressInputs().breathesIrregularly == false)
    }

    /// Rest at 72 beats, 3 µS, 15 breaths: the average adult's.
    @Test("enhanced: without a rest an average adult's stands in, and it says so")
    func population() {
        let inputs = StressInputs(heartRate: 72, skinConductance: 3, breathingRate: 15)
        let score = StressScore(inputs, mode: .enhanced, baseline: nil, bounds: StressBounds(heartRate: 40...50))
        #expect(isClose(score.heart, 0.125) && isClose(score.skin, 1 / 6.0) && isClose(score.breath, 0.25) && !score.isCalibrated)
    }

    @Test(
        "is calibrated by a rest in every mode, by bounds in those that use them",
        arguments: StressMode.allCases, [(false, false), (false, true), (true, false), (true, true)])
    func calibrated(mode: StressMode, given: (rest: Bool, bounds: Bool)) {
        let score = StressScore(
            StressInputs(heartRate: 80), mode: mode, baseline: given.rest ? rest : nil, bounds: given.bounds ? .population : nil)
        #expect(score.isCalibrated == (given.rest || given.bounds && mode != .enhanced))
    }

    /// From the rest: 55…95 beats, e⁻⁰·² · 2 … e · 2 µS, 8…24 breaths, 31…35 °C.
    @Test("base and built: the bounds follow from the rest as far as the enhanced mode looks")
    func bounds() throws {
        let bounds = rest.bounds
        #expect(bounds.heartRate == 55...95 && bounds.breathingRate == 8...24 && bounds.temperature == 31...35)
        let skin = try #require(bounds.skinConductance)
        #expect(isClose(skin.lowerBound, 2 * exp(-0.2)) && isClose(skin.upperBound, 2 * exp(1)))
        let dry = try #require(StressBaseline(heartRate: nil, skinConductance: 0, breathingRate: nil).bounds.skinConductance)
        #expect(isClose(dry.lowerBound, 0.01 * exp(-0.2)) && isClose(dry.upperBound, 0.01 * exp(1)))
        #expect(StressBaseline(heartRate: nil, skinConductance: nil, breathingRate: nil).bounds == StressBounds())
        let score = StressScore(StressInputs(heartRate: 65, breathingRate: 20), mode: .base, baseline: rest)
        #expect(isClose(score.heart, 0.25) && isClose(score.breath, 0.75) && isClose(score.level, 0.5))
        let built = StressScore(StressInputs(temperature: 34), mode: .built, baseline: rest)
        #expect(isClose(built.warmth, 0.75) && isClose(built.level, 0.75) && built.heart == nil)
    }

    @Test("base and built: given bounds count before those of the rest, and those before an adult's")
    func completed() {
        let inputs = StressInputs(heartRate: 70, skinConductance: 5, breathingRate: 19, temperature: 34)
        let given = StressBounds(heartRate: 60...80)
        let own = StressBaseline(heartRate: 100, skinConductance: nil, breathingRate: 11)
        let score = StressScore(inputs, mode: .base, baseline: own, bounds: given)
        // 70 of 60…80; 5 of 0…20; 19 of 7…23.
        #expect(isClose(score.heart, 0.5) && isClose(score.skin, 0.25) && isClose(score.breath, 0.75) && isClose(score.level, 0.5))
        // 34 of 28…36.
        #expect(isClose(StressScore(inputs, mode: .built, baseline: own, bounds: given).warmth, 0.75))
        #expect(
            StressBounds.population
                == StressBounds(heartRate: 50...120, skinConductance: 0...20, breathingRate: 8...30, temperature: 28...36))
    }

    @Test("base and built: bounds without width place nothing, and each component weighs the same")
    func weights() {
        let bounds = StressBounds(heartRate: 70...70, skinConductance: 0...10, breathingRate: 10...20, temperature: 30...40)
        let inputs = StressInputs(heartRate: 70, skinConductance: 10, breathingRate: 10, temperature: 30)
        let base = StressScore(inputs, mode: .base, baseline: nil, bounds: bounds)
        #expect(base.heart == nil && base.skin == 1 && base.breath == 0 && base.level == 0.5)
        #expect(StressScore(inputs, mode: .built, baseline: nil, bounds: bounds).level == 0.5)
        let wide = StressBounds(heartRate: 60...70, skinConductance: 0...10, breathingRate: 10...20)
        #expect(isClose(StressScore(inputs, mode: .base, baseline: nil, bounds: wide).level, 2 / 3.0))
    }

    @Test("a person's rest is the median of each reading, and none without heart and skin")
    func baseline() {
        let updates = [(60.0, 3.0), (64, 1), (90, 2)].map { StressInputs(heartRate: $0, skinConductance: $1) }
        let found = StressBaseline(rest: updates + [StressInputs(breathingRate: 11, temperature: 30), StressInputs(breathingRate: 13)])
        #expect(found == StressBaseline(heartRate: 64, skinConductance: 2, breathingRate: 12, temperature: 30))
        #expect(StressBaseline(rest: [StressInputs(breathingRate: 12, temperature: 33)]) == nil && StressBaseline(rest: []) == nil)
        #expect(StressBaseline(rest: [StressInputs(heartRate: 60)])?.skinConductance == nil)
        #expect(StressBaseline(rest: [StressInputs(skinConductance: 2)])?.skinConductance == 2)
    }
}
