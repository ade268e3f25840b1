import Foundation
import Plotting
package import TimelineStore
import VigilSchema

/// One metric of one participant as a picture.
package struct MetricDrawing: Sendable {
    private let store: any TimelineStore
    private let summary: MetricSummary
    private let range: SeriesRange
    private let zone: String
    private let width: Int
    private let height: Int

    /// - Parameters:
    ///   - zone: an IANA time zone, for the axis of time and the histogram's bars.
    ///   - width: in pixels, as `height`.
    package init(store: any TimelineStore, summary: MetricSummary, range: SeriesRange, zone: String, width: Int, height: Int) {
        self.store = store
        self.summary = summary
        self.range = range
        self.zone = zone
        self.width = width
        self.height = height
    }

    private var title: String { "\(summary.metric), \(range.participant)" }

    /// A line over time: readings with the extremes of each pixel, or a waveform's samples.
    package func line() async throws -> [UInt8] {
        let points = try await summary.isWaveform ? samples() : steps()
        let span = range.to.seconds - range.from.seconds
        // Two points belong together unless the silence between them shows, and is longer than between most.
        let distances = zip(points, points.dropFirst()).map { $1.time - $0.time }.sorted()
        let usual = distances.isEmpty ? span : distances[distances.count / 2]
        let plot = LinePlot(
            title: title, unit: summary.unit, series: [LinePlot.Series(label: summary.metric, points: points)],
            range: range.from.seconds...range.to.seconds, longestGap: max(5 * usual, span / Double(width) * 2),
            zone: TimeZone(identifier: zone) ?? .gmt)
        return try plot.png(width: width, height: height)
    }

    /// The mean by weekday, hour, day, week or month.
    package func bars(by binning: HistogramBinning) async throws -> [UInt8] {
        let bins = try await store.histogram(range, by: binning, zone: zone)
        let plot = BarPlot(title: "\(title), mean by \(binning.rawValue)", unit: summary.unit, bars: bins.map { ($0.key, $0.mean) })
        return try plot.png(width: width, height: height)
    }

    private func steps() async throws -> [(time: Double, low: Double, high: Double)] {
        try await store.series(range, width: width).map { ($0.time.seconds, $0.min, $0.max) }
    }

    private func samples() async throws -> [(time: Double, low: Double, high: Double)] {
        try await store.waveform(range).flatMap { segment in
            segment.samples.enumerated().map { index, sample in
                (segment.time.seconds + Double(index) * segment.period, sample, sample)
            }
        }.sorted { $0.time < $1.time }
    }
}
