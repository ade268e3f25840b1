/// Numbers by name as a picture, for histograms. A bar without a value is left out, which is not the same as 0.
package struct BarPlot: Sendable {
    private let title: String
    private let unit: String
    private let bars: [(label: String, value: Double?)]

    package init(title: String, unit: String, bars: [(label: String, value: Double?)]) {
        self.title = title
        self.unit = unit
        self.bars = bars
    }

    /// The picture, `width` × `height` pixels.
    package func png(width: Int = 1000, height: Int = 420) throws(PlotError) -> [UInt8] {
        let canvas = try Canvas(width: width, height: height)
        let values = bars.compactMap(\.value)
        let frame = PlotFrame(canvas: canvas, title: title, subtitle: unit, values: min(0, values.min() ?? 0)...max(0, values.max() ?? 1))
        let slot = (frame.right - frame.left) / Double(max(1, bars.count))
        // Labels that would run into one another are thinned out.
        let every = max(1, Int((Double(bars.map(\.label.count).max() ?? 1) * 7 / slot).rounded(.up)))
        for (index, bar) in bars.enumerated() {
            let middle = frame.left + (Double(index) + 0.5) * slot
            if index % every == 0 { frame.mark(bar.label, x: middle) }
            guard let value = bar.value else { continue }
            canvas.colour(Colour.series[0])
            let (upper, lower) = (frame.y(max(0, value)), frame.y(min(0, value)))
            canvas.fillRectangle(x: middle - slot * 0.36, y: upper, width: slot * 0.72, height: lower - upper)
        }
        return try canvas.png()
    }
}
