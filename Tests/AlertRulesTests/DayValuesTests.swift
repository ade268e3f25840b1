import Testing

@testable import AlertRules

@Suite("A person's values by calendar day")
struct DayValuesTests {
    private static let plan = DayPlan(days: 7, minimum: 3, offset: 3600)
    private static let weights = [80, 82, 79.5, 81]

    /// A reading at noon of each day in the plan's zone.
    private static func weighed(_ values: [Double]) -> DayValues {
        values.enumerated().reduce(into: DayValues()) { days, entry in
            days.add(entry.element, at: (Int64(entry.offset) * 86_400 + 11 * 3600) * 1_000_000, plan)
        }
    }

    @Test(
        "are compared with the days before",
        arguments: [
            (WindowMeasure.change, 1), (.rise, 1.5), (.fall, 1), (.mean, 80.625), (.minimum, 79.5), (.maximum, 82),
            // The days before have the mean 80.5 and the standard deviation 1.322 876.
            (.deviation, 0.377_964_473),
        ])
    func measures(_ measure: WindowMeasure, _ expected: Double) throws {
        let value = try #require(Self.weighed(Self.weights).measure(measure, Self.plan))
        #expect(abs(value - expected) < 1e-9)
    }

    @Test("say nothing before enough days have readings, besides today", arguments: WindowMeasure.allCases)
    func minimum(_ measure: WindowMeasure) {
        #expect(DayValues().measure(measure, Self.plan) == nil)
        #expect(Self.weighed([80, 82, 79.5]).measure(measure, Self.plan) == nil)
        #expect((Self.weighed(Self.weights).measure(measure, Self.plan) == nil) == [.slope, .trend].contains(measure))
    }

    @Test("differ by hundredths of the mean where the days before are all alike")
    func alike() throws {
        let deviation = try #require(Self.weighed([80, 80, 80, 82]).measure(.deviation, Self.plan))
        #expect(abs(deviation - 2.5) < 1e-9)
    }

    @Test("deviate by the standard deviation of a sample, from two days on")
    func sample() throws {
        // The mean of 80 and 84 is 82, their variance 8.
        let plan = DayPlan(days: 7, minimum: 2, offset: 3600)
        let deviation = try #require(Self.weighed([80, 84, 90]).measure(.deviation, plan))
        #expect(abs(deviation - 8 / 8.0.squareRoot()) < 1e-9)
    }

    @Test("begin at midnight of the plan's zone")
    func zone() {
        var days = DayValues()
        for second in [82_799, 82_800] as [Int64] { days.add(80, at: second * 1_000_000, Self.plan) }
        #expect(days.days.map(\.number) == [0, 1])
    }

    @Test("keep a day's mean and its newest value, whatever comes late, and a week of days beside today")
    func late() {
        var days = DayValues()
        for (value, hour) in [(80.0, 8), (83, 20), (79.5, 12)] as [(Double, Int64)] { days.add(value, at: hour * 3_600_000_000, Self.plan) }
        #expect(days.days.map(\.last) == [83])
        #expect(abs(days.days[0].mean - 80.833_333_333) < 1e-6)
        days.add(84, at: 20 * 3_600_000_000, Self.plan)
        #expect(days.days.map(\.last) == [84], "of two at the same time the later heard")
        days.add(81, at: 7 * 86_400_000_000, Self.plan)
        #expect(days.days.map(\.number) == [0, 7])
        days.add(81, at: 8 * 86_400_000_000, Self.plan)
        #expect(days.days.map(\.number) == [7, 8])
        days.add(80, at: 3 * 86_400_000_000, Self.plan)
        #expect(days.days.map(\.number) == [3, 7, 8])
    }
}
