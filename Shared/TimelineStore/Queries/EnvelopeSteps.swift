import Foundation
import VigilSchema

/// The smallest and the largest sample in each of many steps of equal length, source by source, in one pass over blocks in the order of time.
///
/// Memory: 8 bytes a step and source, whatever the number of samples.
struct EnvelopeSteps {
    /// The most steps of all sources together: their extremes fit in one answer.
    static let most = 120_000

    private let from: Timestamp
    private let step: Double
    private let width: Int
    private var lanes: [String: Lane] = [:]

    init(from: Timestamp, to: Timestamp, width: Int) {
        self.from = from
        self.width = width
        step = Double(to.microseconds - from.microseconds) / 1_000_000 / Double(width)
    }

    /// Adds a block of samples.
    /// - Parameter period: seconds between samples.
    /// - Throws: `badRequest` where the sources would need more steps than an answer may have.
    mutating func add(source: String, at time: Timestamp, period: Double, _ samples: [Double]) throws(StoreError) {
        guard period > 0 else { return }
        if lanes[source] == nil {
            guard (lanes.count + 1) * width <= Self.most else {
                throw StoreError(
                    .badRequest, operation: "query",
                    detail: "all sources together have more than \(Self.most) steps: ask for fewer steps, or for one source")
            }
            lanes[source] = Lane(width: width)
        }
        let start = Double(time.microseconds - from.microseconds) / 1_000_000
        lanes[source]?.add(samples, from: start, period: period, step: step)
    }

    /// The runs of steps that hold something, by time and source.
    var envelopes: [WaveformEnvelope] {
        let all = lanes.flatMap { source, lane in
            lane.runs.map { run in
                WaveformEnvelope(
                    source: source, time: from.advanced(bySeconds: Double(run.lowerBound) * step), step: step,
                    low: lane.low[run].map(Self.rounded), high: lane.high[run].map(Self.rounded))
            }
        }
        return all.sorted { ($0.time, $0.source) < ($1.time, $1.source) }
    }

    /// Four digits are finer than a pixel.
    private static func rounded(_ value: Float) -> Double {
        guard value != 0 else { return 0 }
        let power = pow(10, 3 - log10(abs(Double(value))).rounded(.down))
        return (Double(value) * power).rounded() / power
    }

    /// The steps of one source; a step without a sample is not a number.
    private struct Lane {
        var low: [Float]
        var high: [Float]
        /// The last sample's time and value.
        private var last: (time: Double, value: Float)?

        init(width: Int) {
            low = [Float](repeating: .nan, count: width)
            high = low
        }

        mutating func add(_ samples: [Double], from start: Double, period: Double, step: Double) {
            // Two samples that are further apart have a gap between them: the same that the pages leave open.
            let longest = 2.5 * period + 0.02
            for (index, sample) in samples.enumerated() {
                let time = start + Double(index) * period
                let value = Float(min(max(sample, -Double(Float.greatestFiniteMagnitude)), Double(Float.greatestFiniteMagnitude)))
                let place = time / step
                if place >= 0, place < Double(low.count) {
                    if let last, time > last.time, time - last.time <= longest { join(last, to: Int(place), value, step) }
                    widen(Int(place), value, value)
                }
                last = (time, value)
            }
        }

        /// Steps that are shorter than the time between samples are no gaps.
        private mutating func join(_ last: (time: Double, value: Float), to place: Int, _ value: Float, _ step: Double) {
            var between = max(0, Int((last.time / step).rounded(.down)) + 1)
            while between < place {
                widen(between, min(last.value, value), max(last.value, value))
                between += 1
            }
        }

        private mutating func widen(_ place: Int, _ least: Float, _ most: Float) {
            if !(low[place] <= least) { low[place] = least }
            if !(high[place] >= most) { high[place] = most }
        }

        /// The runs of steps that have samples.
        var runs: [Range<Int>] {
            var runs: [Range<Int>] = []
            var start: Int?
            for place in low.indices {
                if low[place].isNaN {
                    if let first = start { runs.append(first..<place) }
                    start = nil
                } else if start == nil {
                    start = place
                }
            }
            if let start { runs.append(start..<low.count) }
            return runs
        }
    }
}
