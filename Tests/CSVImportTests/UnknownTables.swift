import Foundation

/// A table of measurements that no profile is for, with the readings that it holds.
struct UnknownTable {
    /// A moment and what was measured at it.
    struct Sample {
        let day: Int
        let hour: Int
        let minute: Int
        let index: Int

        /// Seconds since 1970 on a clock in UTC: March 2026.
        var time: Double { midnight + Double(clock) }
        var midnight: Double { Double(1_772_323_200 + (day - 1) * 86_400) }
        private var clock: Int { hour * 3600 + minute * 60 }
        var systolic: Double { Double(118 + index * 3) }
        var diastolic: Double { Double(74 + index) }
        var pulse: Double { Double(61 + index * 2) }
        var glucose: Double { Double(98 + index * 7) }
        var millimoles: Double { 5.1 + Double(index) * 0.7 }
        var weight: Double { 71.4 + Double(index) * 0.3 }
        var pounds: Double { 158.2 + Double(index) * 0.4 }
        var saturation: Double { Double(95 + index % 4) }
        var celsius: Double { 36.4 + Double(index) * 0.1 }
        var fahrenheit: Double { 97.7 + Double(index) * 0.2 }
        var fat: Double { 22.1 + Double(index) * 0.2 }
        var muscle: Double { 31.2 + Double(index) * 0.1 }
        var bone: Double { 2.9 + Double(index) * 0.1 }
        var steps: Double { Double(8213 + index * 317) }
        var breaths: Double { Double(13 + index % 3) }
        var kilometres: Double { 5.1 + Double(index) * 0.4 }
        var calories: Double { Double(2104 + index * 31) }
        var height: Double { 178 }
    }

    /// A column: its header, what its cells say, and the metric and value that should come of them; nil where nothing should.
    struct Column {
        let header: String
        let cell: (Sample) -> String
        var metric: String?
        var value: (Sample) -> Double = { _ in 0 }
    }

    let name: String
    let delimiter: String
    let preamble: [String]
    let columns: [Column]
    let isOfDays: Bool

    init(_ name: String, _ delimiter: String = ",", preamble: [String] = [], days: Bool = false, _ columns: [Column]) {
        self.name = name
        self.delimiter = delimiter
        self.preamble = preamble
        self.columns = columns
        isOfDays = days
    }

    init(_ name: String, _ columns: [Column]) { self.init(name, ",", columns) }

    static let samples = [(5, 7, 12), (6, 7, 45), (9, 21, 3), (13, 6, 58), (18, 12, 30), (27, 22, 41)].enumerated().map {
        Sample(day: $1.0, hour: $1.1, minute: $1.2, index: $0)
    }

    var text: String {
        let rows = UnknownTable.samples.map { sample in columns.map { quoted($0.cell(sample)) }.joined(separator: delimiter) }
        return (preamble + [columns.map { quoted($0.header) }.joined(separator: delimiter)] + rows).joined(separator: "\n") + "\n"
    }

    private func quoted(_ cell: String) -> String { cell.contains(delimiter) ? "\"\(cell)\"" : cell }

    /// A reading as the table holds it.
    struct Reading: Hashable {
        let metric: String
        let time: Double
        let value: Double

        init(_ metric: String, _ time: Double, _ value: Double) {
            self.metric = metric
            self.time = time
            self.value = (value * 1000).rounded() / 1000
        }
    }

    var readings: Set<Reading> {
        Set(
            columns.flatMap { column in
                UnknownTable.samples.compactMap { sample in
                    column.metric.map { Reading($0, isOfDays ? sample.midnight : sample.time, column.value(sample)) }
                }
            })
    }
}

extension UnknownTable.Column {
    typealias Sample = UnknownTable.Sample

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A column of dates or times; the pattern's letters are those of Unicode's.
    static func time(_ header: String, _ pattern: String) -> Self {
        Self(header: header) { sample in
            let hour = (sample.hour + 11) % 12 + 1
            return
                pattern.replacing("yyyy", with: "2026").replacing("yy", with: "26").replacing("MM", with: "03").replacing("M", with: "3")
                .replacing("dd", with: two(sample.day)).replacing("d", with: "\(sample.day)")
                .replacing("HH", with: two(sample.hour)).replacing("hh", with: two(hour)).replacing("h", with: "\(hour)")
                .replacing("mm", with: two(sample.minute)).replacing("ss", with: "00").replacing("a", with: sample.hour < 12 ? "AM" : "PM")
        }
    }

    /// A column of numbers.
    /// - Parameters:
    ///   - comma: whether the decimals stand behind a comma.
    ///   - unit: written behind the number.
    ///   - scale: from the number to the metric's own unit.
    static func number(
        _ header: String, _ metric: String?, _ value: @escaping (Sample) -> Double, comma: Bool = false, unit: String = "",
        scale: Double = 1, add: Double = 0, grouped: Character? = nil
    ) -> Self {
        Self(
            header: header,
            cell: { sample in
                let number = (value(sample) * 100).rounded() / 100
                var text = number == number.rounded() ? "\(Int(number))" : "\(number)"
                if let grouped, number >= 1000 { text.insert(grouped, at: text.index(text.endIndex, offsetBy: -3)) }
                return (comma ? text.replacing(".", with: ",") : text) + unit
            }, metric: metric, value: { (value($0) * 100).rounded() / 100 * scale + add })
    }

    /// A column whose cells are the same, and of which nothing should come but a text.
    static func constant(_ header: String, _ text: String) -> Self { Self(header: header, cell: { _ in text }) }
}
