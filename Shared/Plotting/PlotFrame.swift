/// The picture's parts that every plot has: title, axis of numbers with its marks, and the area in which the data stands.
struct PlotFrame {
    let canvas: Canvas
    let ticks: AxisTicks
    let left = 64.0
    let top = 48.0
    let right: Double
    let bottom: Double

    init(canvas: Canvas, title: String, subtitle: String, values: ClosedRange<Double>) {
        self.canvas = canvas
        right = canvas.width - 20
        bottom = canvas.height - 44
        ticks = AxisTicks(values, count: max(2, Int((bottom - top) / 50)))
        canvas.colour(.ink)
        canvas.text(title, x: left, y: 22, size: 15)
        canvas.colour(.muted)
        canvas.text(subtitle, x: left, y: 39, size: 11)
        for mark in ticks.marks {
            canvas.colour(.faint)
            canvas.line([(left, y(mark)), (right, y(mark))])
            canvas.colour(.muted)
            canvas.text(ticks.label(mark), x: left - 8, y: y(mark) + 4, size: 11, alignment: .right)
        }
    }

    /// The height at which a value stands.
    func y(_ value: Double) -> Double {
        let share = (value - ticks.range.lowerBound) / (ticks.range.upperBound - ticks.range.lowerBound)
        return bottom - share * (bottom - top)
    }

    /// A mark below the area.
    func mark(_ label: String, x: Double) {
        canvas.colour(.faint)
        canvas.line([(x, bottom), (x, bottom + 5)])
        canvas.colour(.muted)
        canvas.text(label, x: x, y: bottom + 20, size: 11, alignment: .centre)
    }
}
