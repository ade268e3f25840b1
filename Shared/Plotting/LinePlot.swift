package import Foundation

/// Numbers over time as a picture. Where nothing was measured there is no line.
package struct LinePlot: Sendable {
    /// One line.
    package struct Series: Sendable {
        /// As it stands in the legend.
        package let label: String
        /// Unix seconds, rising, with the lowest and the highest value there (the same for a single value).
        package let points: [(time: Double, low: Double, high: Double)]

        package init(label: String, points: [(time: Double, low: Double, high: Double)]) {
            self.label = label
            self.points = points
        }
    }

    private let title: String
    private let unit: String
    private let series: [Series]
    private let range: ClosedRange<Double>
    private let longestGap: Double
    private let zone: TimeZone

    /// - Parameters:
    ///   - range: the time to show, in Unix seconds.
    ///   - longestGap: points further apart, in seconds, are not joined.
    ///   - zone: for the marks on the axis of time.
    package init(title: String, unit: String, series: [Series], range: ClosedRange<Double>, longestGap: Double, zone: TimeZone) {
        self.title = title
        self.unit = unit
        self.series = series
        self.range = range
        self.longestGap = longestGap
        self.zone = zone
    }

    /// The picture, `width` × `height` pixels.
    package func png(width: Int = 1000, height: Int = 420) throws(PlotError) -> [UInt8] {
        let canvas = try Canvas(width: width, height: height)
        let lows = series.flatMap { $0.points.map(\.low) }, highs = series.flatMap { $0.points.map(\.high) }
        guard let low = lows.min(), let high = highs.max(), low.isFinite, high.isFinite else { return try empty(canvas) }
        let frame = PlotFrame(canvas: canvas, title: title, subtitle: unit, values: low...max(low, high))
        for mark in TimeTicks(range, count: width / 110, zone: zone).marks { frame.mark(mark.label, x: x(mark.time, frame)) }
        for (index, one) in series.enumerated() { draw(one, Colour.series[index % Colour.series.count], frame) }
        if series.count > 1 { legend(frame) }
        return try canvas.png()
    }

    private func x(_ time: Double, _ frame: PlotFrame) -> Double {
        let span = max(range.upperBound - range.lowerBound, .leastNonzeroMagnitude)
        return frame.left + (time - range.lowerBound) / span * (frame.right - frame.left)
    }

    private func draw(_ series: Series, _ colour: Colour, _ frame: PlotFrame) {
        frame.canvas.colour(colour)
        var run: [(x: Double, y: Double)] = []
        var last: Double?
        for point in series.points {
            if let last, point.time - last > longestGap {
                draw(run, frame)
                run = []
            }
            last = point.time
            run.append((x(point.time, frame), frame.y(point.low)))
            if point.high != point.low { run.append((x(point.time, frame), frame.y(point.high))) }
        }
        draw(run, frame)
    }

    private func draw(_ run: [(x: Double, y: Double)], _ frame: PlotFrame) {
        // A lone value is a dot, or it would not be seen.
        if run.count == 1 { frame.canvas.dot(x: run[0].x, y: run[0].y, radius: 2) } else { frame.canvas.line(run, thickness: 1.4) }
    }

    private func legend(_ frame: PlotFrame) {
        var place = frame.right
        for (index, one) in series.enumerated().reversed() {
            frame.canvas.colour(Colour.series[index % Colour.series.count])
            frame.canvas.text(one.label, x: place, y: 22, size: 12, alignment: .right)
            place -= Double(one.label.count) * 7 + 18
        }
    }

    private func empty(_ canvas: Canvas) throws(PlotError) -> [UInt8] {
        canvas.colour(.ink)
        canvas.text(title, x: 64, y: 22, size: 15)
        canvas.colour(.muted)
        canvas.text("nothing was measured in this time", x: canvas.width / 2, y: canvas.height / 2, size: 13, alignment: .centre)
        return try canvas.png()
    }
}
