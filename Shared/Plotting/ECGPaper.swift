package import Foundation

/// An electrocardiogram on millimetre paper as it is read in hospitals: 25 mm a second and 10 mm a millivolt, in rows of some seconds.
package struct ECGPaper: Sendable {
    /// Samples that follow one another without a gap.
    package struct Strip: Sendable {
        /// The time of the first, Unix seconds.
        package let time: Double
        /// Seconds.
        package let period: Double
        /// Millivolts.
        package let samples: [Double]

        package init(time: Double, period: Double, samples: [Double]) {
            (self.time, self.period, self.samples) = (time, period, samples)
        }

        /// Blocks that follow one another as one strip, so that the line through them is whole. A gap remains one.
        package static func joined(_ strips: [Strip]) -> [Strip] {
            strips.sorted { $0.time < $1.time }.reduce(into: []) { joined, strip in
                guard let last = joined.last, last.period == strip.period,
                    abs(last.time + Double(last.samples.count) * last.period - strip.time) < strip.period
                else { return joined.append(strip) }
                joined[joined.count - 1] = Strip(time: last.time, period: last.period, samples: last.samples + strip.samples)
            }
        }
    }

    /// Longer ones are drawn as other numbers are: the paper would not fit on a page.
    package static let longest = 60.0

    /// Millimetres of paper before each row.
    private static let calibration = 10.0
    /// The room for the times below a row.
    private static let times = 18.0

    let caption: PlotCaption
    private let strips: [Strip]
    private let range: ClosedRange<Double>
    private let zone: TimeZone
    private let moment: Double?

    /// - Parameter moment: a time that is marked by a line, such as that of an alarm.
    package init(caption: PlotCaption, strips: [Strip], range: ClosedRange<Double>, zone: TimeZone, moment: Double? = nil) {
        self.caption = caption
        self.strips = strips
        self.range = range
        self.zone = zone
        self.moment = moment
    }

    /// The picture's file. Its height follows from the scale; that of `size` is not looked at.
    package func picture(_ size: PictureSize) throws(PlotError) -> [UInt8] {
        let seconds = min(10, max(1, range.upperBound - range.lowerBound))
        // The mark of a millivolt stands before each row, on paper of its own.
        let millimetre = (Double(size.width) / size.growth - 40) / (seconds * 25 + Self.calibration)
        let rows = Rows(self, seconds: seconds, millimetre: millimetre)
        var size = size
        size.height = Int(((52 + rows.height) * size.growth).rounded(.up))
        let canvas = try Canvas(size, title: caption.title)
        canvas.colour(.ink)
        canvas.text(caption.title, x: 20, y: 21, size: 15, isBold: true)
        canvas.colour(.muted)
        canvas.text("\(caption.subtitle); 25 mm/s, 10 mm/mV", x: 20, y: 37, size: 11)
        draw(rows, x: 20, y: 50, on: canvas)
        return try canvas.finished()
    }

    /// The rows of a paper, as high as its trace needs.
    struct Rows {
        let seconds: Double
        let millimetre: Double
        let count: Int
        /// Millimetres of paper above and below the zero line: whole large boxes, and no more of them than a wandering trace needs.
        let above: Double
        let below: Double

        /// - Parameter millimetre: units of the canvas.
        init(_ paper: ECGPaper, seconds: Double, millimetre: Double) {
            (self.seconds, self.millimetre) = (seconds, millimetre)
            count = max(1, Int(((paper.range.upperBound - paper.range.lowerBound) / seconds - 1e-6).rounded(.up)))
            let all = paper.strips.flatMap(\.samples)
            let (low, high) = (min(-0.5, all.min() ?? 0), max(1, all.max() ?? 0))
            below = min(8, (-low * 2).rounded(.up)) / 2 * 10 + 5
            above = min(8, (high * 2).rounded(.up)) / 2 * 10 + 5
        }

        var width: Double { (seconds * 25 + ECGPaper.calibration) * millimetre }
        var paperHeight: Double { (below + above) * millimetre }
        var height: Double { Double(count) * (paperHeight + ECGPaper.times) }
    }

    /// Draws the rows, their upper left corner at a point.
    func draw(_ rows: Rows, x: Double, y: Double, on canvas: Canvas) {
        let formatter = TimeTicks.formatter("HH:mm:ss", zone)
        let millimetre = rows.millimetre
        for row in 0..<rows.count {
            let start = range.lowerBound + Double(row) * rows.seconds
            let area = Area(
                x: x, y: y + Double(row) * (rows.paperHeight + Self.times), width: rows.width, height: rows.paperHeight,
                millimetre: millimetre)
            drawPaper(area, canvas)
            canvas.colour(.muted)
            for second in stride(from: 0, through: rows.seconds, by: rows.seconds > 5 ? 5 : 1) {
                let time = formatter.string(from: Date(timeIntervalSince1970: start + second))
                let x = area.x + (Self.calibration + second * 25) * millimetre
                // On small paper each second has its time.
                canvas.text(time, x: x, y: area.y + area.height + 12, size: millimetre < 3 ? 8 : 10, alignment: .centre)
            }
            let end = min(start + rows.seconds, range.upperBound)
            draw(from: start, to: end, zero: area.y + rows.above * millimetre, area, canvas)
            if let moment, moment >= start, moment < end { mark(moment - start, area, canvas) }
        }
    }

    private func mark(_ second: Double, _ area: Area, _ canvas: Canvas) {
        let x = area.x + (Self.calibration + second * 25) * area.millimetre
        canvas.colour(.alarm)
        canvas.line([(x, area.y), (x, area.y + area.height)], thickness: 1)
        canvas.mark(.triangle, x: x, y: area.y + area.height + 3, radius: 3)
    }

    private struct Area {
        let x: Double
        let y: Double
        let width: Double
        let height: Double
        let millimetre: Double
    }

    private func drawPaper(_ area: Area, _ canvas: Canvas) {
        func lines(every step: Int, thickness: Double, opacity: Double) {
            canvas.colour(.paper, opacity: opacity)
            let space = area.millimetre * Double(step)
            for index in 0...Int((area.width / space).rounded()) {
                let x = area.x + Double(index) * space
                canvas.line([(x, area.y), (x, area.y + area.height)], thickness: thickness)
            }
            for index in 0...Int((area.height / space).rounded()) {
                let y = area.y + Double(index) * space
                canvas.line([(area.x, y), (area.x + area.width, y)], thickness: thickness)
            }
        }
        // Lines closer than this would be a red area.
        if area.millimetre >= 2 { lines(every: 1, thickness: 0.4, opacity: 0.7) }
        lines(every: 5, thickness: 0.8, opacity: 1)
    }

    private func draw(from start: Double, to end: Double, zero: Double, _ area: Area, _ canvas: Canvas) {
        let first = area.x + Self.calibration * area.millimetre
        canvas.colour(.ink)
        let step = [(1.0, 0.0), (3, 0), (3, 10), (8, 10), (8, 0), (10, 0)].map {
            (x: area.x + $0 * area.millimetre, y: zero - $1 * area.millimetre)
        }
        canvas.line(step, thickness: 1.1)
        canvas.clipped(x: first, y: area.y, width: area.width, height: area.height) {
            for strip in strips {
                var points: [(x: Double, y: Double)] = []
                for (index, sample) in strip.samples.enumerated() {
                    let time = strip.time + Double(index) * strip.period
                    guard time >= start - strip.period, time <= end + strip.period else { continue }
                    points.append((first + (time - start) * 25 * area.millimetre, zero - sample * 10 * area.millimetre))
                }
                canvas.line(points, thickness: 1.1)
            }
        }
    }
}
