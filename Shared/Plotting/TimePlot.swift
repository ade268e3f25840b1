package import Foundation

/// Numbers over time as a picture: points and lines where they are few, and where they are many the mean within a band from the lowest to the
/// highest. Where nothing was measured there is neither.
package struct TimePlot: Sendable {
    /// The figures of one step of the plot; of a single reading all are the same.
    package struct Point: Sendable, Hashable {
        /// Unix seconds.
        package var time: Double
        package var low: Double
        package var mean: Double
        package var high: Double

        package init(time: Double, low: Double, mean: Double, high: Double) {
            (self.time, self.low, self.mean, self.high) = (time, low, mean, high)
        }
    }

    /// One line.
    package struct Series: Sendable {
        /// As it stands in the legend.
        package let label: String
        /// By rising time.
        package let points: [Point]

        package init(label: String, points: [Point]) {
            self.label = label
            self.points = points
        }
    }

    /// A time in which something held: an alarm, or a text that was reported.
    package struct Stretch: Sendable, Hashable {
        /// Unix seconds.
        package let from: Double
        package let to: Double
        package let label: String

        package init(from: Double, to: Double, label: String) {
            (self.from, self.to, self.label) = (from, to, label)
        }
    }

    private let caption: PlotCaption
    private let series: [Series]
    private let range: ClosedRange<Double>
    private let zone: TimeZone
    private let alarms: [Stretch]
    /// The distance between points from which on each is marked.
    private static let markedDistance = 14.0

    /// - Parameters:
    ///   - range: the time to show, in Unix seconds.
    ///   - zone: for the marks on the axis of time.
    ///   - alarms: shaded behind the lines.
    package init(caption: PlotCaption, series: [Series], range: ClosedRange<Double>, zone: TimeZone, alarms: [Stretch] = []) {
        self.caption = caption
        self.series = series.filter { !$0.points.isEmpty }
        self.range = range
        self.zone = zone
        self.alarms = alarms
    }

    /// The picture's file.
    package func picture(_ size: PictureSize) throws(PlotError) -> [UInt8] {
        let canvas = try Canvas(size, title: caption.title)
        draw(on: canvas)
        return try canvas.finished()
    }

    /// Draws over the whole of a canvas.
    func draw(on canvas: Canvas) {
        let lows = series.flatMap { $0.points.map(\.low) }, highs = series.flatMap { $0.points.map(\.high) }
        let isEmpty = !(lows.min()?.isFinite ?? false) || !(highs.max()?.isFinite ?? false)
        let frame = PlotFrame(
            canvas: canvas, caption: caption, values: isEmpty ? nil : (lows.min() ?? 0)...(highs.max() ?? 1), legend: legend)
        frame.marks(TimeTicks(range, count: Int((frame.right - frame.left) / 80), zone: zone)) { x($0, frame) }
        shade(frame)
        if isEmpty {
            canvas.colour(.muted)
            canvas.text(
                "nothing was measured in this time", x: canvas.width / 2, y: (frame.top + frame.bottom) / 2, size: 13, alignment: .centre)
        }
        canvas.clipped(x: frame.left - 4, y: frame.top - 4, width: frame.right - frame.left + 8, height: frame.bottom - frame.top + 8) {
            for (index, one) in series.enumerated() { draw(one, Style(index), frame) }
        }
    }

    /// The look of a series.
    private struct Style {
        let colour: Colour
        let marker: Marker

        init(_ index: Int) {
            colour = Colour.series[index % Colour.series.count]
            marker = Marker.allCases[index % Marker.allCases.count]
        }
    }

    private var legend: [LegendEntry] {
        let lines =
            series.count < 2
            ? []
            : series.enumerated().map { index, one in
                LegendEntry(label: one.label, colour: Style(index).colour, marker: Style(index).marker)
            }
        guard !alarms.isEmpty else { return lines }
        let rules = Set(alarms.map(\.label)).sorted()
        return lines + [
            LegendEntry(label: "alarm: " + rules.prefix(3).joined(separator: ", ") + (rules.count > 3 ? ", …" : ""), colour: .alarm)
        ]
    }

    private func x(_ time: Double, _ frame: PlotFrame) -> Double {
        let span = max(range.upperBound - range.lowerBound, .leastNonzeroMagnitude)
        return frame.left + (time - range.lowerBound) / span * (frame.right - frame.left)
    }

    private func shade(_ frame: PlotFrame) {
        for alarm in alarms {
            let (from, to) = (max(frame.left, x(alarm.from, frame)), min(frame.right, x(alarm.to, frame)))
            guard to >= from else { continue }
            frame.canvas.colour(.alarm, opacity: 0.16)
            frame.canvas.fillRectangle(x: from, y: frame.top, width: max(2, to - from), height: frame.bottom - frame.top)
            frame.canvas.colour(.alarm)
            frame.canvas.fillRectangle(x: from, y: frame.bottom - 3, width: max(2, to - from), height: 3)
        }
    }

    private func draw(_ series: Series, _ style: Style, _ frame: PlotFrame) {
        let points = series.points
        // Points belong together unless the silence between them shows, and is longer than between most.
        let distances = zip(points, points.dropFirst()).map { $1.time - $0.time }.sorted()
        let usual = distances.isEmpty ? 0 : distances[distances.count / 2]
        let pixel = (range.upperBound - range.lowerBound) / (frame.right - frame.left)
        let longestGap = max(5 * usual, pixel * 3)
        let isSparse = Double(points.count) < (frame.right - frame.left) / Self.markedDistance
        var run: [Point] = []
        for point in points {
            if let last = run.last, point.time - last.time > longestGap {
                draw(run, style, isSparse, frame)
                run = []
            }
            run.append(point)
        }
        draw(run, style, isSparse, frame)
    }

    private func draw(_ run: [Point], _ style: Style, _ isSparse: Bool, _ frame: PlotFrame) {
        guard !run.isEmpty else { return }
        let canvas = frame.canvas
        if run.contains(where: { $0.high > $0.low }) {
            canvas.colour(style.colour, opacity: isSparse ? 0.5 : 0.28)
            if run.count == 1 || isSparse {
                // Between few points nothing is known: each has a line of its own from its lowest to its highest.
                for point in run {
                    canvas.line([(x(point.time, frame), frame.y(point.low)), (x(point.time, frame), frame.y(point.high))], thickness: 2)
                }
            } else {
                canvas.area(
                    run.map { (x($0.time, frame), frame.y($0.high)) } + run.reversed().map { (x($0.time, frame), frame.y($0.low)) })
            }
        }
        canvas.colour(style.colour)
        let mean = run.map { (x: x($0.time, frame), y: frame.y($0.mean)) }
        if run.count > 1 { canvas.line(mean, thickness: 1.4) }
        // A lone value, or one of few, would not be seen without.
        if isSparse || run.count == 1 {
            for point in mean { canvas.mark(isSparse ? style.marker : .circle, x: point.x, y: point.y, radius: isSparse ? 3 : 1.6) }
        }
    }
}

/// Texts over time: a strip whose colours stand for what was said, each until the next.
package struct StripPlot: Sendable {
    private let caption: PlotCaption
    private let stretches: [TimePlot.Stretch]
    private let range: ClosedRange<Double>
    private let zone: TimeZone
    /// Of a picture whose height nobody asked for: a strip is as good a low one as a high one.
    private static let height = 210.0

    package init(caption: PlotCaption, stretches: [TimePlot.Stretch], range: ClosedRange<Double>, zone: TimeZone) {
        self.caption = caption
        self.stretches = stretches
        self.range = range
        self.zone = zone
    }

    /// The picture's file.
    package func picture(_ size: PictureSize) throws(PlotError) -> [UInt8] {
        var size = size
        if size.isHeightFree { size.height = Int((Self.height * size.growth).rounded()) }
        let canvas = try Canvas(size, title: caption.title)
        var texts: [String] = []
        for stretch in stretches where !texts.contains(stretch.label) { texts.append(stretch.label) }
        // More colours than there are could not be told apart: what is rarer than five others is grey.
        let shown = Array(texts.prefix(Colour.series.count))
        let legend =
            shown.enumerated().map { LegendEntry(label: $1, colour: Colour.series[$0]) }
            + (texts.count > shown.count ? [LegendEntry(label: "others", colour: .muted)] : [])
        let frame = PlotFrame(canvas: canvas, caption: caption, values: nil, legend: legend)
        let pixel = (frame.right - frame.left) / max(range.upperBound - range.lowerBound, .leastNonzeroMagnitude)
        let x = { (time: Double) in frame.left + (time - range.lowerBound) * pixel }
        frame.marks(TimeTicks(range, count: Int((frame.right - frame.left) / 80), zone: zone), x: x)
        let height = min(frame.bottom - frame.top - 8, 90)
        let y = (frame.top + frame.bottom - height) / 2
        for stretch in stretches {
            let (from, to) = (max(frame.left, x(stretch.from)), min(frame.right, x(stretch.to)))
            guard to >= from else { continue }
            let colour = shown.firstIndex(of: stretch.label).map { Colour.series[$0] } ?? .muted
            canvas.colour(colour)
            canvas.fillRectangle(x: from, y: y, width: max(1.5, to - from), height: height)
            guard canvas.textWidth(stretch.label, size: 11) + 8 < to - from else { continue }
            canvas.colour(colour.contrast)
            canvas.text(stretch.label, x: (from + to) / 2, y: y + height / 2 + 4, size: 11, alignment: .centre, isBold: true)
        }
        if stretches.isEmpty {
            canvas.colour(.muted)
            canvas.text("nothing was said in this time", x: canvas.width / 2, y: y + height / 2, size: 13, alignment: .centre)
        }
        return try canvas.finished()
    }
}
