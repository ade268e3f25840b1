import SignalSynthesis
import Testing

@testable import AlertRules

@Suite("Values of a window of time")
struct ValueWindowTests {
    private static let second: Int64 = 1_000_000
    private static let start: Int64 = 1_700_000_000

    /// A window of values at seconds.
    private static func window(_ readings: [(second: Int64, value: Double)], over: Int64) -> ValueWindow {
        readings.reduce(into: ValueWindow()) { $0.add($1.value, at: $1.second * second, over: over * second) }
    }

    /// The measure over plain readings in the order of their times.
    private static func reference(_ measure: WindowMeasure, _ readings: [(second: Int64, value: Double)]) -> Double? {
        let values = readings.map(\.value)
        guard let first = values.first, let last = values.last, let least = values.min(), let most = values.max() else { return nil }
        switch measure {
        case .change: return last - first
        case .rise: return last - least
        case .fall: return most - last
        case .mean: return values.reduce(0, +) / Double(values.count)
        case .minimum: return least
        case .maximum: return most
        case .slope: return line(readings)?.slope
        case .deviation, .trend: return nil
        }
    }

    /// The line of least squares by its normal equations: slope per minute and height at the newest reading.
    private static func line(_ readings: [(second: Int64, value: Double)]) -> (slope: Double, present: Double)? {
        guard readings.count >= 3, let newest = readings.last?.second else { return nil }
        var (n, sx, sy, sxx, sxy) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for reading in readings {
            let (x, y) = (Double(reading.second - newest) / 60, reading.value)
            (n, sx, sy, sxx, sxy) = (n + 1, sx + x, sy + y, sxx + x * x, sxy + x * y)
        }
        let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
        return (slope, (sy - slope * sx) / n)
    }

    @Test("are measured as a plain list of all readings within it, in whatever order they come", arguments: 0..<8)
    func plain(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var window = ValueWindow()
        var taken: [(second: Int64, value: Double)] = []
        var clock = Self.start
        for _ in 0..<120 {
            clock += Int64.random(in: 1...5, using: &random)
            // Of a bucket of a second there is one reading at most, so that nothing is thinned.
            let late = Int64.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: 1...30, using: &random) : 0
            guard !taken.contains(where: { $0.second == clock - late }) else { continue }
            let reading = (second: clock - late, value: Double(Int.random(in: 40...160, using: &random)))
            window.add(reading.value, at: reading.second * Self.second, over: 24 * Self.second)
            taken.append(reading)
            taken.sort { $0.second < $1.second }
            let newest = taken[taken.count - 1].second
            taken.removeAll { $0.second < newest - 24 }
            for measure in WindowMeasure.allCases where measure != .trend {
                let (found, wanted) = (window.measure(measure), Self.reference(measure, taken))
                #expect((found == nil) == (wanted == nil), "\(measure) of \(taken)")
                if let found, let wanted { #expect(abs(found - wanted) < 1e-6, "\(measure) of \(taken)") }
            }
            let predicted = window.predicted(ahead: 90 * Self.second)
            let wanted = Self.line(taken).map { $0.present + $0.slope * 1.5 }
            #expect((predicted == nil) == (wanted == nil))
            if let predicted, let wanted { #expect(abs(predicted - wanted) < 1e-6, "ahead of \(taken)") }
        }
    }

    @Test("keep of several in one bucket the first, the last, the least, the most, the sum and the number")
    func buckets() {
        // Four minutes in buckets of ten seconds.
        var window = Self.window([(2, 5), (3, 9), (3, 7), (1, 4), (1, 8)], over: 240)
        let bucket = ValueWindow.Bucket(
            number: 0, firstTime: 1_000_000, first: 4, lastTime: 3_000_000, last: 7, least: 4, most: 9, sum: 33, count: 5)
        #expect(window.buckets == [bucket])
        window.add(1, at: 9_999_999, over: 240_000_000)
        window.add(2, at: 10_000_000, over: 240_000_000)
        window.add(3, at: -1, over: 240_000_000)
        #expect(window.buckets.map(\.number) == [-1, 0, 1])
        #expect(window.buckets.map(\.count) == [1, 6, 1])
        #expect(window.measure(.mean) == 39.0 / 8)
        window.reset()
        #expect(window.buckets.isEmpty && WindowMeasure.allCases.allSatisfy { window.measure($0) == nil })
    }

    @Test("are forgotten once they lie before it, by the microsecond")
    func forgetting() {
        for (last, kept) in [(24, [0, 24]), (25, [25])] as [(Int64, [Int64])] {
            var window = ValueWindow()
            for time in [0, last] { window.add(1, at: time, over: 24) }
            #expect(window.buckets.map(\.lastTime) == kept)
        }
        // However short a window is, a bucket is a microsecond long.
        var short = ValueWindow()
        for time in [0, 1, 2] as [Int64] { short.add(Double(time), at: time, over: 3) }
        #expect(short.buckets.map(\.number) == [0, 1, 2])
    }

    @Test(
        "have a line through them that does not follow a single jump, and none before three buckets",
        arguments: [
            ([(0, 1), (60, 3)], nil), ([(0, 1), (60, 3), (120, 5)], [2, 8]),
            // Mean −1 min and 2: (−1 · −2 + 0 + 1 · 1) ÷ 2, and at the newest 2 + 1.5.
            ([(0, 0), (60, 3), (120, 3)], [1.5, 3.5 + 1.5 * 1.5]),
            // The bucket of the first two lies at their middle, 6 s, with their mean.
            ([(0, 2), (12, 4), (66, 5), (126, 7)], [2, 10]),
        ] as [([(second: Int64, value: Double)], [Double]?)])
    func lines(readings: [(second: Int64, value: Double)], wanted: [Double]?) throws {
        let window = Self.window(readings, over: 480)
        let found = [window.measure(.slope), window.predicted(ahead: 90 * Self.second)].compactMap(\.self)
        #expect(found.count == wanted?.count ?? 0)
        for (one, other) in zip(found, wanted ?? []) { #expect(abs(one - other) < 1e-9, "\(found)") }
    }
}

@Suite("The spread of a person's values")
struct ValueHistoryTests {
    private static let plan = HistoryPlan(metric: 0, range: 0...64, halfLife: 8000)

    private static func history(_ values: [Double], _ plan: HistoryPlan = ValueHistoryTests.plan) -> ValueHistory {
        values.reduce(into: ValueHistory()) { $0.add($1, at: 0, plan: plan) }
    }

    @Test(
        "gives the value below which a share of them lies",
        arguments: [
            // One between 10 and 11, three between 20 and 21.
            (0, 10), (12.5, 10.5), (25, 11), (50, 20 + 1.0 / 3), (75, 20 + 2.0 / 3), (100, 21),
        ] as [(Double, Double)])
    func percentiles(rank: Double, value: Double) throws {
        let found = try #require(Self.history([20.1, 10.9, 20.5, 20.9]).percentile(rank, plan: Self.plan))
        #expect(abs(found - value) < 1e-5)
        // The same in a range of 100 to 228: each bin is two wide.
        let wide = HistoryPlan(metric: 0, range: 100...228, halfLife: 8000)
        let other = try #require(Self.history([140.2, 121.8, 141, 141.8], wide).percentile(rank, plan: wide))
        #expect(abs(other - (100 + 2 * value)) < 1e-4)
    }

    @Test(
        "counts what lies beyond the range at its ends, and no value that is none",
        arguments: [(-5, 0), (0, 0), (0.99, 0), (1, 1), (63, 63), (64, 63), (1e300, 63), (-1e300, 0)] as [(Double, Int)])
    func ends(value: Double, bin: Int) {
        let history = Self.history([value])
        #expect(history.bins.count == 64 && history.bins[bin] == 1 && history.total == 1)
    }

    @Test("knows nothing without a value", arguments: [[], [.nan], [.infinity]] as [[Double]])
    func none(values: [Double]) {
        let history = Self.history(values)
        #expect(history.total == 0 && history.percentile(50, plan: Self.plan) == nil)
    }

    @Test(
        "counts half of what is a half-life old, in eight steps",
        arguments: [(0, 2, 0), (999, 2, 0), (1000, 1.917_004, 1000), (1999, 1.917_004, 1999), (2000, 1.840_896, 2000), (8000, 1.5, 8000)]
            as [(Int64, Float, Int64)])
    func fading(time: Int64, total: Float, faded: Int64) {
        var history = Self.history([10])
        history.add(30, at: time, plan: Self.plan)
        #expect(abs(history.total - total) < 1e-4 && history.faded == faded)
        #expect(abs(history.bins[10] - (total - 1)) < 1e-4 && history.bins[30] == 1)
    }

    @Test("goes by the time of its first value")
    func begin() {
        var history = ValueHistory()
        history.add(10, at: 1_000_000, plan: Self.plan)
        history.add(10, at: 1_000_999, plan: Self.plan)
        #expect(history.total == 2)
        history.add(10, at: 1_001_000, plan: Self.plan)
        #expect(abs(history.total - 2.834_008) < 1e-4)
        // A half-life of less than eight fades by single steps.
        var quick = Self.history([10], HistoryPlan(metric: 0, range: 0...64, halfLife: 4))
        quick.add(10, at: 1, plan: HistoryPlan(metric: 0, range: 0...64, halfLife: 4))
        #expect(abs(quick.total - 1.917_004) < 1e-4)
    }
}
