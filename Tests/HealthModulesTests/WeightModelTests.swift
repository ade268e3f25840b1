import Testing

@testable import HealthModules

@Suite("Weight: trend and model")
struct WeightModelTests {
    private func weighings(_ values: [Double]) -> [NumberReading] {
        values.enumerated().map { NumberReading(time: Double($0.offset) * 86_400, value: $0.element, day: $0.offset, second: 0) }
    }

    @Test("follows the log of The Hacker's Diet, whose trend is rounded to a tenth each day")
    func hackersDiet() {
        // J. Walker, The Hacker's Diet, "Pencil and paper", log of November 1990: trend 173.6 before the first; 172.5, 171.5, 172, 171.5.
        let trend = SmoothedWeight.trend(weighings([173.6, 172.5, 171.5, 172, 171.5])).map(\.value)
        for (found, printed) in zip(trend.dropFirst(), [173.5, 173.3, 173.2, 173.0]) { #expect(abs(found - printed) < 0.11) }
        #expect(abs(trend[1] - 173.49) < 1e-9)
    }
}
