import Foundation
import Testing

@testable import HealthModules

@Suite("Glucose")
struct GlucoseTests {
    /// Fourteen days every five minutes, a sum of sines rounded to whole mg/dL.
    private static let curve: [Double] = (0..<14 * 288).map { index in
        let hour = Double(index) / 12
        var value = 135 + 40 * sin(2 * Double.pi * hour / 8)
        value += 28 * sin(2 * Double.pi * hour / 24 + 1)
        value += 18 * sin(2 * Double.pi * hour / 5.3)
        value += 10 * sin(2 * Double.pi * hour / 37)
        return (value + 0.5).rounded(.down)
    }

    /// The measures of the same curve by iglu_python 0.4.3 (PyPI, an independent port of R's iglu): mean_glu, sd_glu, gmi, in_range_percent,
    /// above_percent, below_percent, lbgi, hbgi, mage(direction="service"), and nine level-1 episodes of hypoglycaemia from episode_calculation.
    @Test("agrees with iglu on the mean, the ranges, GMI, LBGI and HBGI")
    func ranges() throws {
        let mean = try #require(Statistics.mean(Self.curve))
        #expect(abs(mean - 135.10391865079364) < 1e-9)
        #expect(abs(try #require(Statistics.deviation(Self.curve)) / mean * 100 - 27.752444602638516) < 1e-9)
        #expect(abs(GlucoseMetrics.managementIndicator(mean: mean) - 6.541685734126984) < 1e-9)
        let ranges = try #require(GlucoseMetrics.Ranges(Self.curve))
        #expect(abs(ranges.target - 84.672619) < 1e-6 && abs(ranges.high - 10.887897) < 1e-6 && ranges.veryHigh == 0)
        #expect(abs(ranges.veryLow - 1.537698) < 1e-6 && abs(ranges.low + ranges.veryLow - 4.439484) < 1e-6)
        #expect(abs(ranges.veryLow + ranges.low + ranges.target + ranges.high + ranges.veryHigh - 100) < 1e-9)
        let risk = try #require(GlucoseMetrics.riskIndices(Self.curve))
        #expect(abs(risk.low - 1.109914166469394) < 1e-9 && abs(risk.high - 2.8622034318303444) < 1e-9)
    }

    @Test("finds excursions as Service counted them: iglu, which smooths first, has 95.0 mg/dL")
    func excursions() throws {
        let mage = try #require(GlucoseMetrics.excursions(Self.curve))
        #expect(abs(mage - 94.97435897435898) < 3, "\(mage)")
        #expect(GlucoseMetrics.excursions([100, 101, 100]) == nil)
    }

    private func readings(_ values: [Double], from: Double = PersonFixture.noon - 14 * 86_400 + 300) -> [(time: Double, value: Double)] {
        values.enumerated().map { (from + Double($0.offset) * 300, $0.element) }
    }

    @Test("counts the episodes of low glucose that iglu counts")
    func episodes() {
        var person = PersonFixture()
        person.add("blood-glucose", readings(Self.curve))
        #expect(GlucoseMetrics.lowEpisodes(person.readings(of: "blood-glucose")).count == 9)
        var short = PersonFixture()
        short.add(
            "blood-glucose",
            [(0, 100), (300, 65), (600, 65), (840, 100), (1200, 100), (3000, 69), (3300, 60), (3900, 60), (4200, 80), (5200, 90)])
        let found = GlucoseMetrics.lowEpisodes(short.readings(of: "blood-glucose"))
        #expect(found.count == 1 && found[0].lowest == 60 && found[0].from == 3000)
    }

    @Test("predicts half an hour better than \"it stays\", and says its error")
    func prediction() throws {
        var person = PersonFixture()
        person.add("blood-glucose", readings(Self.curve))
        let result = try person.evaluate(GlucoseModule())
        let error = try #require(result.number("next-30-minutes-error"))
        let staying = try #require(GlucosePrediction(person.readings(of: "blood-glucose"), now: PersonFixture.noon)).errorOfStaying
        #expect(error < staying / 2)
        #expect(result.number("time-in-range") == 84.7 && result.number("active") == 100)
    }

    @Test("says that it needs a sensor's curve where there are single readings, and warns of a low one")
    func single() throws {
        var person = PersonFixture()
        person.add("blood-glucose", (0..<28).map { (PersonFixture.noon - Double($0) * 43_200 - 60, $0 == 0 ? 62.0 : 110) })
        let result = try person.evaluate(GlucoseModule())
        #expect(result.number("time-in-range") == nil && result.number("next-30-minutes") == nil)
        #expect(result.message?.kind == .warning && result.message?.code == "low")
    }
}
