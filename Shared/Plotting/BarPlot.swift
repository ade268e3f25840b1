/// Numbers by name as a picture, for histograms. A bar without a value is left out, which is not the same as 0.
package struct BarPlot: Sendable {
    /// A bar, as what it stands for is written below it.
    package struct Bar: Sendable, Hashable {
        package let label: String
        /// On a second line, where it changes from bar to bar: a year.
        package let group: String
        package let value: Double?

        package init(_ label: String, group: String = "", value: Double?) {
            self.label = label
            self.group = group
            self.value = value
        }
    }

    private let caption: PlotCaption
    private let bars: [Bar]

    package init(caption: PlotCaption, bars: [Bar]) {
        self.caption = caption
        self.bars = bars
    }

    /// The picture's file.
    package func picture(_ size: PictureSize) throws(PlotError) -> [UInt8] {
        let canvas = try Canvas(size, title: caption.title)
        let values = bars.compactMap(\.value)
        let highest = max(0, values.max() ?? 0), lowest = min(0, values.min() ?? 0)
        let frame = PlotFrame(canvas: canvas, caption: caption, values: lowest...(highest > lowest ? highest : lowest + 1))
        let slot = (frame.right - frame.left) / Double(max(1, bars.count))
        // Labels that would run into one another are thinned out, evenly.
        let widest = bars.map { canvas.textWidth($0.label, size: 11) }.max() ?? 0
        let every = max(1, Int(((widest + 8) / slot).rounded(.up)))
        var group = "", free = -Double.infinity
        for (index, bar) in bars.enumerated() {
            let middle = frame.left + (Double(index) + 0.5) * slot
            if index % every == 0 {
                frame.mark(bar.label, x: middle)
                if bar.group != group, middle > free {
                    canvas.text(bar.group, x: middle, y: frame.bottom + 33, size: 11, alignment: .centre)
                    group = bar.group
                    free = middle + canvas.textWidth(group, size: 11) + 6
                }
            }
            guard let value = bar.value else { continue }
            canvas.colour(Colour.series[0])
            let (upper, lower) = (frame.y(max(0, value)), frame.y(min(0, value)))
            canvas.fillRectangle(x: middle - slot * 0.38, y: upper, width: slot * 0.76, height: lower - upper)
        }
        canvas.colour(.muted)
        canvas.line([(frame.left, frame.y(0)), (frame.right, frame.y(0))])
        if values.isEmpty {
            canvas.text(
                "nothing was measured in this time", x: canvas.width / 2, y: (frame.top + frame.bottom) / 2, size: 13, alignment: .centre)
        }
        return try canvas.finished()
    }
}
