import Foundation
package import Plotting
package import TimelineStore
package import VigilSchema

/// Metrics of one participant as a picture: one, or several of one unit, such as the two blood pressures.
package struct MetricDrawing: Sendable {
    /// More samples than this would take more memory than a picture is worth: a longer waveform is asked for in parts.
    private static let samples = 2_000_000

    private let store: any TimelineStore
    private let summaries: [MetricSummary]
    private let range: SeriesRange
    private let zone: TimeZone
    private let size: PictureSize

    /// - Parameters:
    ///   - summaries: the metrics, not none of them.
    ///   - range: whose, from when to when, and of which source; its metric is not looked at.
    ///   - zone: an IANA time zone, for the axis of time and the histogram's bars.
    package init(store: any TimelineStore, summaries: [MetricSummary], range: SeriesRange, zone: String, size: PictureSize) {
        self.store = store
        self.summaries = summaries
        self.range = range
        self.zone = TimeZone(identifier: zone) ?? .gmt
        self.size = size
    }

    private var seconds: ClosedRange<Double> { range.from.seconds...max(range.from.seconds, range.to.seconds) }

    private func range(of metric: String, source: String? = nil) -> SeriesRange {
        var range = range
        range.metric = metric
        range.source = source ?? range.source
        return range
    }

    /// Over time: numbers as lines and bands, counters as bars of hours, days, weeks or months, texts as a strip, an electrocardiogram of a minute
    /// on paper.
    package func overTime() async throws -> [UInt8] {
        guard let first = summaries.first else { return [] }
        let kind = MetricCatalogue.standard.definition(named: first.metric)?.kind
        if first.isWaveform { return try await waveform(first) }
        if kind == .total, summaries.count == 1 { return try await bars(by: counting) }
        if kind == .text || first.unit == "1" && kind == nil, let strip = try await strip(first) { return strip }
        var series: [TimePlot.Series] = []
        for summary in summaries { series += try await lines(summary) }
        var caption = try await caption()
        // A reader has to be told what the band is.
        if series.contains(where: { $0.points.contains { $0.high > $0.low } }) {
            caption.subtitle += "; mean, and range from lowest to highest"
        }
        return try TimePlot(caption: caption, series: series, range: seconds, zone: zone, alarms: try await alarms()).picture(
            size)
    }

    /// By weekday, hour, day, week or month: of counters the sum, of other numbers the mean.
    package func bars(by binning: HistogramBinning) async throws -> [UInt8] {
        guard let summary = summaries.first else { return [] }
        let isCounter = MetricCatalogue.standard.definition(named: summary.metric)?.kind == .total
        let bins = try await store.histogram(range(of: summary.metric), by: binning, zone: zone.identifier, keepsEmpty: true)
        let bars = bins.map { bin in
            let (label, group) = Self.labels(bin.key, binning)
            return BarPlot.Bar(label, group: group, value: bin.count == 0 ? nil : isCounter ? bin.sum : bin.mean)
        }
        let what = isCounter ? "sum" : "mean"
        let words = [.weekday, .hour].contains(binning) ? "\(what) by \(binning.rawValue)" : "\(what) of each \(binning.rawValue)"
        return try BarPlot(caption: try await caption(words), bars: bars).picture(size)
    }

    /// Of what a counter's bars are the sums.
    private var counting: HistogramBinning {
        switch range.to.seconds - range.from.seconds {
        case ...(2.1 * 86_400): .hour
        case ...(400 * 86_400): .day
        case ...(1500 * 86_400): .week
        default: .month
        }
    }

    /// `2017-01-19` as "19 Jan" and "2017".
    private static func labels(_ key: String, _ binning: HistogramBinning) -> (label: String, group: String) {
        let parts = key.split(separator: "-")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count >= 2, let month = Int(parts[1]), (1...12).contains(month) else { return (key, "") }
        guard parts.count == 3, let day = Int(parts[2]) else { return (months[month - 1], String(parts[0])) }
        return ("\(day) \(months[month - 1])", String(parts[0]))
    }

    // MARK: What stands in the picture

    private func caption(_ words: String? = nil) async throws -> PlotCaption {
        let profile = try await store.profile(participant: range.participant)
        let name = [profile?.first, profile?.last].compactMap(\.self).joined(separator: " ")
        let person = name.isEmpty ? "Participant \(range.participant)" : "\(name) (\(range.participant))"
        let titles = summaries.map { Self.title($0.metric) }
        let metric = Self.isBloodPressure(summaries.map(\.metric)) ? "Blood pressure" : titles.joined(separator: ", ")
        let source = range.source.map { ", \($0)" } ?? ""
        return PlotCaption(
            title: TerminalText.printable("\(person): \(metric)\(words.map { ", \($0)" } ?? "")\(source)"),
            subtitle: PlotCaption.span(seconds, zone: zone), unit: PlotCaption.unit(summaries.first?.unit ?? "1"))
    }

    /// The two pressures are read together.
    package static func isBloodPressure(_ metrics: [String]) -> Bool { Set(metrics) == ["systolic-pressure", "diastolic-pressure"] }

    /// As people call it: `heart-rhythm` as "Heart rhythm", where the catalogue has no title.
    private static func title(_ metric: String) -> String {
        if let known = MetricCatalogue.standard.definition(named: metric)?.title { return known }
        let words = metric.split { "-_.".contains($0) }.joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// A line for each source, where there are few.
    private func lines(_ summary: MetricSummary) async throws -> [TimePlot.Series] {
        let title = Self.title(summary.metric)
        var sources = range.source == nil ? try await store.sources(range(of: summary.metric)) : []
        if sources.count > 4 || summaries.count > 1 { sources = [] }
        var lines: [TimePlot.Series] = []
        for source in sources.isEmpty ? [nil] : sources.map(Optional.some) {
            let buckets = try await store.series(range(of: summary.metric, source: source), width: min(10_000, max(1, size.width)))
            let label = source.map(TerminalText.printable) ?? title
            lines.append(
                TimePlot.Series(
                    label: label, points: buckets.map { .init(time: $0.time.seconds, low: $0.min, mean: $0.mean, high: $0.max) }))
        }
        return lines
    }

    private func waveform(_ summary: MetricSummary) async throws -> [UInt8] {
        let segments = try await store.waveform(range(of: summary.metric), limit: Self.samples)
        if summary.metric == "ecg", summary.unit == "mV", range.to.seconds - range.from.seconds <= ECGPaper.longest {
            let strips = segments.map { ECGPaper.Strip(time: $0.time.seconds, period: $0.period, samples: $0.samples) }
            var caption = try await caption()
            let sources = Set(segments.map(\.source))
            if range.source == nil, sources.count == 1, let source = sources.first {
                caption.subtitle += "; \(TerminalText.printable(source))"
            }
            return try ECGPaper(caption: caption, strips: ECGPaper.Strip.joined(strips), range: seconds, zone: zone).picture(size)
        }
        let series = Dictionary(grouping: segments, by: \.source).sorted { $0.key < $1.key }.map { source, segments in
            TimePlot.Series(label: TerminalText.printable(source), points: points(segments))
        }
        return try TimePlot(caption: try await caption(), series: series, range: seconds, zone: zone, alarms: try await alarms()).picture(
            size)
    }

    /// A point for each sample, or where they are many for each pixel.
    private func points(_ segments: [WaveformSegment]) -> [TimePlot.Point] {
        let count = segments.reduce(0) { $0 + $1.samples.count }
        let step = count > 2 * size.width ? (seconds.upperBound - seconds.lowerBound) / Double(size.width) : 0
        var points: [TimePlot.Point] = []
        var (index, held) = (-Double.infinity, 0.0)
        for segment in segments {
            for (number, sample) in segment.samples.enumerated() {
                let time = segment.time.seconds + Double(number) * segment.period
                let pixel = step > 0 ? ((time - seconds.lowerBound) / step).rounded(.down) : time
                if pixel == index, var point = points.last {
                    held += 1
                    point.low = min(point.low, sample)
                    point.high = max(point.high, sample)
                    point.mean += (sample - point.mean) / held
                    points[points.count - 1] = point
                } else {
                    (index, held) = (pixel, 1)
                    points.append(.init(time: time, low: sample, mean: sample, high: sample))
                }
            }
        }
        return points
    }

    /// A text holds until the next one, an hour at most. Nil where the metric has numbers.
    private func strip(_ summary: MetricSummary) async throws -> [UInt8]? {
        var texts: [(time: Double, text: String)] = []
        var cursor: ReadingsCursor?
        repeat {
            let page = try await store.readings(
                participant: range.participant, metric: summary.metric, from: range.from, to: range.to, limit: 5000, after: cursor)
            for reading in page.readings {
                guard let text = reading.text else { return nil }
                texts.append((reading.time.seconds, TerminalText.cell(text, columns: 40)))
            }
            cursor = page.next
        } while cursor != nil && texts.count < 50_000
        var stretches: [TimePlot.Stretch] = []
        for (index, said) in texts.enumerated() {
            let next = index + 1 < texts.count ? texts[index + 1].time : seconds.upperBound
            let end = min(next, said.time + 3600)
            // The same said again goes on.
            if let last = stretches.last, last.label == said.text, last.to >= said.time {
                stretches[stretches.count - 1] = .init(from: last.from, to: end, label: said.text)
            } else {
                stretches.append(.init(from: said.time, to: end, label: said.text))
            }
        }
        return try StripPlot(caption: try await caption(), stretches: stretches, range: seconds, zone: zone).picture(size)
    }

    /// From when to when alarms about the metrics were on.
    private func alarms() async throws -> [TimePlot.Stretch] {
        let metrics = Set(summaries.map(\.metric))
        let events = try await store.alerts(participant: range.participant, from: range.from, to: range.to, limit: 2000)
        var (open, stretches): ([String: Double], [TimePlot.Stretch]) = ([:], [])
        for event in events where event.metric.map(metrics.contains) ?? false {
            if event.state == "active" {
                if open[event.rule] == nil { open[event.rule] = event.time }
            } else if let start = open.removeValue(forKey: event.rule) {
                stretches.append(.init(from: start, to: event.time, label: event.rule))
            }
        }
        return stretches + open.map { .init(from: $0.value, to: seconds.upperBound, label: $0.key) }
    }
}
