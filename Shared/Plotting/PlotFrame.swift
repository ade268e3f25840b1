package import Foundation

/// The surroundings of every plot: title, time and zone, legend, unit, and the axes.
struct PlotFrame {
    let canvas: Canvas
    let ticks: AxisTicks
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double

    /// - Parameters:
    ///   - values: what has to fit; nil for a plot without an axis of numbers.
    ///   - legend: what the colours stand for; not drawn for a single one.
    init(
        canvas: Canvas, caption: PlotCaption, values: ClosedRange<Double>?, legend: [LegendEntry] = [],
        bottomRoom: Double = 46
    ) {
        self.canvas = canvas
        top = legend.isEmpty ? 66 : 82
        bottom = canvas.height - bottomRoom
        right = canvas.width - 18
        let ticks = AxisTicks(values ?? 0...1, count: max(2, Int((bottom - top) / 46)))
        self.ticks = ticks
        let labels = values == nil ? [] : ticks.marks.map { ticks.label($0) }
        let widest = labels.map { canvas.textWidth($0, size: 11) }.max() ?? 0
        left = max(24, widest + 18)
        canvas.colour(.ink)
        canvas.text(Self.fitted(caption.title, canvas, size: 15), x: left, y: 21, size: 15, isBold: true)
        canvas.colour(.muted)
        canvas.text(caption.subtitle, x: left, y: 37, size: 11)
        drawLegend(legend)
        for (mark, label) in zip(ticks.marks, labels) {
            canvas.colour(.faint)
            canvas.line([(left, y(mark)), (right, y(mark))])
            canvas.colour(.muted)
            canvas.text(label, x: left - 8, y: y(mark) + 4, size: 11, alignment: .right)
        }
        canvas.colour(.muted)
        if !caption.unit.isEmpty, values != nil { canvas.text(caption.unit, x: left, y: top - 7, size: 11) }
    }

    private static func fitted(_ title: String, _ canvas: Canvas, size: Double) -> String {
        var title = title
        while title.count > 8, canvas.textWidth(title, size: size) * 1.1 > canvas.width - 40 { title = String(title.dropLast(4)) + "…" }
        return title
    }

    private func drawLegend(_ legend: [LegendEntry]) {
        var x = left
        for entry in legend {
            let label = entry.label.count > 40 ? String(entry.label.prefix(39)) + "…" : entry.label
            guard x + canvas.textWidth(label, size: 11) + 14 < right else { break }
            canvas.colour(entry.colour)
            if let marker = entry.marker {
                canvas.line([(x, 48), (x + 14, 48)], thickness: 1.4)
                canvas.mark(marker, x: x + 7, y: 48, radius: 3.5)
            } else {
                canvas.fillRectangle(x: x, y: 44, width: 10, height: 8)
            }
            canvas.colour(.ink)
            let gap = entry.marker == nil ? 14.0 : 18
            canvas.text(label, x: x + gap, y: 52, size: 11)
            x += canvas.textWidth(label, size: 11) + gap + 18
        }
    }

    /// The height at which a value stands.
    func y(_ value: Double) -> Double {
        let share = (value - ticks.range.lowerBound) / (ticks.range.upperBound - ticks.range.lowerBound)
        return bottom - share * (bottom - top)
    }

    /// Marks of an axis of time below the area: on a first line what changes from mark to mark, on a second the date or year, where it changes.
    func marks(_ ticks: TimeTicks, x: (Double) -> Double) {
        canvas.colour(.muted)
        canvas.line([(left, bottom), (right, bottom)])
        var (free, freeBelow) = (-Double.infinity, -Double.infinity)
        for mark in ticks.marks {
            let place = x(mark.time)
            canvas.colour(.muted)
            canvas.line([(place, bottom), (place, bottom + 5)])
            let width = canvas.textWidth(mark.label, size: 11)
            guard place - width / 2 > free + 6 else { continue }
            canvas.text(mark.label, x: place, y: bottom + 18, size: 11, alignment: .centre)
            free = place + width / 2
            guard let date = mark.date else { continue }
            let below = canvas.textWidth(date, size: 11)
            guard place - below / 2 > freeBelow + 6 else { continue }
            canvas.text(date, x: place, y: bottom + 33, size: 11, alignment: .centre)
            freeBelow = place + below / 2
        }
    }

    /// A mark of a bar below the area.
    func mark(_ label: String, x: Double) {
        canvas.colour(.muted)
        canvas.text(label, x: x, y: bottom + 18, size: 11, alignment: .centre)
    }
}

/// A line of a legend: what a colour stands for, and of points their mark.
struct LegendEntry {
    let label: String
    let colour: Colour
    var marker: Marker?
}

/// The texts above a plot.
package struct PlotCaption: Sendable, Hashable {
    /// Of whom and what.
    package var title: String
    /// From when to when, and on whose clock.
    package var subtitle: String
    /// As people write it; empty where there is none.
    package var unit: String

    package init(title: String, subtitle: String, unit: String) {
        self.title = title
        self.subtitle = subtitle
        self.unit = unit
    }

    /// `19 Jan 2017 15:36 – 20 Jan 2017 15:36, Europe/Berlin`.
    /// - Parameter range: Unix seconds.
    package static func span(_ range: ClosedRange<Double>, zone: TimeZone) -> String {
        let from = Date(timeIntervalSince1970: range.lowerBound)
        var to = Date(timeIntervalSince1970: range.upperBound)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var format = range.upperBound - range.lowerBound < 600 ? "d MMM yyyy HH:mm:ss" : "d MMM yyyy HH:mm"
        if from < to, [from, to].allSatisfy({ calendar.startOfDay(for: $0) == $0 }) {
            // From midnight to midnight are days, the last of which ends there.
            (format, to) = ("d MMM yyyy", to.addingTimeInterval(-1))
        }
        let formatter = TimeTicks.formatter(format, zone)
        let ends = [from, to].map { formatter.string(from: $0) }
        let name = zone.identifier == "GMT" ? "UTC" : zone.identifier
        return "\(ends[0] == ends[1] ? ends[0] : "\(ends[0]) – \(ends[1])"), \(name)"
    }

    /// A UCUM unit as people write it; empty for `1`.
    package static func unit(_ ucum: String) -> String {
        if let known = units[ucum] { return known }
        var text = ucum
        if text.hasPrefix("{"), text.hasSuffix("}") { text = String(text.dropFirst().dropLast()) }
        for (code, sign) in [("m2", "m²"), ("s2", "s²"), ("m3", "m³"), ("[Hg]", "Hg"), ("[H2O]", "H₂O"), ("[", ""), ("]", "")] {
            text = text.replacing(code, with: sign)
        }
        return text
    }

    private static let units = [
        "1": "", "/min": "per minute", "Cel": "°C", "[degF]": "°F", "uS": "µS", "uV": "µV", "ug": "µg", "ug/L": "µg/L", "Ohm": "Ω",
        "[lb_av]": "lb", "{score}": "points",
    ]
}
