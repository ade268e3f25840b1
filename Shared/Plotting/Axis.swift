import Foundation

/// The ticks of an axis of numbers: at multiples of 1, 2 or 5 times a power of ten.
struct AxisTicks: Equatable {
    let range: ClosedRange<Double>
    let step: Double

    /// - Parameters:
    ///   - values: what must fit between the first and the last mark.
    ///   - count: about how many marks.
    init(_ values: ClosedRange<Double>, count: Int) {
        // Far enough from the ends of what a number can be that neither a span nor a step of it is none.
        let values = Self.cut(values.lowerBound)...Self.cut(values.upperBound)
        // A series that never changes, or by rounding only, still gets an axis, a twentieth of the number to either side.
        let span = values.upperBound - values.lowerBound
        let most = max(abs(values.lowerBound), abs(values.upperBound)), magnitude = most < 1e-290 ? 0 : most
        let room = span > magnitude * 1e-9 && magnitude > 0 ? 0 : max(magnitude * 0.05, magnitude == 0 ? 1 : 0)
        let (low, high) = (values.lowerBound - room, values.upperBound + room)
        let raw = (high - low) / Double(max(1, count))
        let power = pow(10, floor(log10(raw)))
        let factor = [1, 2, 5, 10].first { $0 * power >= raw } ?? 10
        step = factor * power
        range = floor(low / step) * step...ceil(high / step) * step
    }

    private static func cut(_ value: Double) -> Double { min(max(value, -1e300), 1e300) }

    var marks: [Double] {
        let count = Int(((range.upperBound - range.lowerBound) / step).rounded())
        return (0...count).map { range.lowerBound + Double($0) * step }
    }

    /// With just as many decimals as the step has.
    func label(_ mark: Double) -> String {
        let decimals = max(0, Int(-floor(log10(step) + 1e-9)))
        // The locale of programs, en_US_POSIX, knows no groups of digits.
        let text = mark.formatted(
            .number.precision(.fractionLength(decimals)).grouping(abs(mark) < 10_000 ? .never : .automatic).locale(
                Locale(identifier: "en_US")))
        return text == "-0" ? "0" : text
    }
}

/// The ticks of an axis of time: at whole seconds, minutes, hours, days, months or years of a calendar.
struct TimeTicks {
    /// A mark, and on a second line the date or the year, where it is another than at the mark before.
    struct Mark {
        let time: Double
        let label: String
        let date: String?
    }

    let marks: [Mark]

    /// - Parameters:
    ///   - range: Unix seconds.
    ///   - count: about how many marks.
    init(_ range: ClosedRange<Double>, count: Int, zone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let wanted = (range.upperBound - range.lowerBound) / Double(max(1, count))
        let unit = TimeTicks.units.first { $0.seconds >= wanted } ?? TimeTicks.units[TimeTicks.units.count - 1]
        let (formatter, dates) = (Self.formatter(unit.format, zone), unit.dateFormat.map { Self.formatter($0, zone) })
        var marks: [Mark] = [], told: String?
        var date = TimeTicks.start(of: unit, before: Date(timeIntervalSince1970: range.lowerBound), calendar)
        while date.timeIntervalSince1970 <= range.upperBound, marks.count < 100 {
            if date.timeIntervalSince1970 >= range.lowerBound {
                let day = dates?.string(from: date)
                marks.append(Mark(time: date.timeIntervalSince1970, label: formatter.string(from: date), date: day == told ? nil : day))
                told = day
            }
            guard let next = calendar.date(byAdding: unit.component, value: unit.count, to: date), next > date else { break }
            date = next
        }
        self.marks = marks
    }

    /// Dates in English, on the clock of a zone.
    static func formatter(_ format: String, _ zone: TimeZone) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = format
        return formatter
    }

    private struct Unit {
        let component: Calendar.Component
        let count: Int
        let seconds: Double
        let format: String
        let dateFormat: String?
    }

    private static let units: [Unit] =
        [1, 2, 5, 10, 15, 30].map {
            Unit(component: .second, count: $0, seconds: Double($0), format: "HH:mm:ss", dateFormat: "d MMM yyyy")
        }
        + [1, 2, 5, 10, 15, 30].map {
            Unit(component: .minute, count: $0, seconds: Double($0) * 60, format: "HH:mm", dateFormat: "d MMM yyyy")
        }
        + [1, 2, 3, 6, 12].map { Unit(component: .hour, count: $0, seconds: Double($0) * 3600, format: "HH:mm", dateFormat: "d MMM yyyy") }
        + [1, 2, 7, 14].map { Unit(component: .day, count: $0, seconds: Double($0) * 86400, format: "d MMM", dateFormat: "yyyy") }
        + [1, 3, 6].map { Unit(component: .month, count: $0, seconds: Double($0) * 2_629_746, format: "MMM", dateFormat: "yyyy") }
        + [1, 2, 5, 10, 20].map { Unit(component: .year, count: $0, seconds: Double($0) * 31_556_952, format: "yyyy", dateFormat: nil) }

    /// The unit's multiple at or before the date, counted from the start of the next larger unit.
    private static func start(of unit: Unit, before date: Date, _ calendar: Calendar) -> Date {
        let larger: Calendar.Component =
            switch unit.component {
            case .second: .minute
            case .minute: .hour
            case .hour: .day
            case .day: .month
            case .month: .year
            default: .era
            }
        guard larger != .era, let start = calendar.dateInterval(of: larger, for: date)?.start else {
            let year = calendar.component(.year, from: date) / unit.count * unit.count
            return calendar.date(from: DateComponents(year: year, month: 1, day: 1)) ?? date
        }
        let passed = calendar.dateComponents([unit.component], from: start, to: date).value(for: unit.component) ?? 0
        return calendar.date(byAdding: unit.component, value: passed / unit.count * unit.count, to: start) ?? start
    }
}
