import Foundation
import Testing

@testable import Plotting

@Suite("Plots")
struct PlottingTests {
    private func isPicture(_ bytes: [UInt8], width: UInt32, height: UInt32) -> Bool {
        // The PNG signature, then the header chunk with width and height in network order.
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let size = bytes[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Array(bytes.prefix(8)) == signature && size == UInt64(width) << 32 | UInt64(height)
    }

    @Test("a line plot is a PNG of the size asked for, and not the empty one")
    func line() throws {
        let points = (0..<100).map { (second: Int) -> (time: Double, low: Double, high: Double) in
            let value = sin(Double(second) / 9)
            return (time: 1.7e9 + Double(second), low: value, high: value)
        }
        func plot(_ series: [LinePlot.Series]) throws -> [UInt8] {
            try LinePlot(title: "ECG", unit: "mV", series: series, range: 1.7e9...1.7e9 + 100, longestGap: 5, zone: .gmt)
                .png(width: 640, height: 300)
        }
        let drawn = try plot([.init(label: "a", points: points)])
        #expect(isPicture(drawn, width: 640, height: 300))
        let empty = try plot([])
        #expect(isPicture(empty, width: 640, height: 300))
        #expect(drawn != empty)
        // A gap leaves the line out: the picture differs from the one in which all points are joined.
        let gapped = points.filter { $0.time < 1.7e9 + 40 || $0.time >= 1.7e9 + 60 }
        #expect(try plot([.init(label: "a", points: gapped)]) != drawn)
    }

    @Test("a bar plot tells a bar of 0 from no bar by nothing but its neighbours, and stands over 366 bars")
    func bars() throws {
        let year = try BarPlot(title: "Steps", unit: "{steps}", bars: (0..<366).map { ("\($0)", Double($0 % 7)) }).png()
        #expect(isPicture(year, width: 1000, height: 420))
        #expect(isPicture(try BarPlot(title: "Steps", unit: "{steps}", bars: []).png(width: 10, height: 10), width: 10, height: 10))
    }

    @Test(
        "marks stand at round numbers that hold all values",
        arguments: [(0.0...9.7, 5, 2.0, "10"), (36.2...37.9, 4, 0.5, "38.0"), (-3.0...250.0, 5, 100.0, "300"), (5.0...5.0, 4, 0.5, "6.0")])
    func ticks(values: ClosedRange<Double>, count: Int, step: Double, last: String) {
        let ticks = AxisTicks(values, count: count)
        #expect(abs(ticks.step - step) < 1e-9)
        #expect(ticks.range.lowerBound <= values.lowerBound && ticks.range.upperBound >= values.upperBound)
        #expect(ticks.label(ticks.marks[ticks.marks.count - 1]) == last)
    }

    @Test("marks of time stand at midnight in the zone, also across the change to summer time")
    func timeTicks() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let start = 1_711_666_800.0  // 2024-03-29T00:00+01:00; summer time begins on the 31st
        let marks = TimeTicks(start...start + 4 * 86400, count: 4, zone: berlin).marks
        #expect(marks.map(\.label) == ["29 Mar", "30 Mar", "31 Mar", "1 Apr", "2 Apr"])
        #expect(marks[3].time - marks[2].time == 23 * 3600)
    }
}
