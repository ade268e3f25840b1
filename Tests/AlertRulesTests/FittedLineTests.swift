import SignalSynthesis
import Testing

@testable import AlertRules

@Suite("The straight line through values, and whether its slope is significant")
struct FittedLineTests {
    /// The share of series with a given slope and correlation that count as significant.
    private static func share(slope: Double, correlation: Double = 0, points: Int = 24) -> Double {
        var random = SeededGenerator(seed: 20_261_128)
        let series = 4000
        let found = (0..<series).count { _ in
            var noise = random.normal()
            let values = (0..<points).map { x in
                noise = correlation * noise + (1 - correlation * correlation).squareRoot() * random.normal()
                return (x: Double(x), y: 100 + slope * Double(x) + noise)
            }
            return FittedLine(values)?.isSignificant == true
        }
        return Double(found) / Double(series)
    }

    @Test("of noise alone about one in a hundred is significant", arguments: [5, 8, 24])
    func chance(points: Int) {
        let share = Self.share(slope: 0, points: points)
        #expect((0.003...0.016).contains(share), "\(share)")
    }

    @Test("values that resemble their neighbours count for fewer: far less than the plain test's one in six")
    func correlated() {
        let share = Self.share(slope: 0, correlation: 0.6)
        #expect(share < 0.06, "\(share)")
    }

    @Test("a slope of a fifth of the noise's deviation a step is found")
    func found() {
        #expect(Self.share(slope: 0.2) > 0.95)
        #expect(Self.share(slope: -0.2) > 0.95)
    }

    @Test("a perfect line is significant, a level one and four points are not")
    func edges() {
        func line(_ slope: Double, _ count: Int) -> Bool {
            FittedLine((0..<count).map { (x: Double($0), y: 7 + slope * Double($0)) })?.isSignificant == true
        }
        #expect(line(0.5, 5) && line(-0.5, 24))
        #expect(!line(0, 24) && !line(0.5, 4))
        #expect(FittedLine([(1, 1), (1, 2), (1, 3)]) == nil)
    }

    @Test("a window's trend is its slope where it is significant, and otherwise 0")
    func trend() {
        var (rising, still) = (ValueWindow(), ValueWindow())
        let minute: Int64 = 60_000_000
        for step in Int64(0)..<24 {
            rising.add(Double(90 + step), at: step * minute, over: 24 * minute)
            still.add(step % 2 == 0 ? 90 : 91, at: step * minute, over: 24 * minute)
        }
        #expect(abs((rising.measure(.trend) ?? 0) - 1) < 1e-9)
        #expect(still.measure(.trend) == 0 && still.measure(.slope) != 0)
    }
}
