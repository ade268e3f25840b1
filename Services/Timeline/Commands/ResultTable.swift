import Foundation
import ServiceKit
package import Settings
package import VigilSchema

/// An answer's JSON as rows and columns, for a terminal or as CSV.
struct ResultTable {
    private var columns: [String] = []
    private var rows: [[String: String]] = []

    /// - Parameters:
    ///   - result: an array of objects or of texts, or an object; an array inside an object (the readings of a page of them)
    ///     stands for the object, and a timeline's page becomes rows by time.
    ///   - columns: what is shown of it, in this order; everything where it is nil.
    init(_ result: Any, columns: [String]? = nil) {
        let object = result as? [String: Any]
        let page = object.flatMap(PageRows.of)
        let columns = columns ?? page.map { _ in PageRows.columns }
        if let list = (page ?? object?["readings"] ?? result) as? [Any] {
            for element in list { add(element as? [String: Any] ?? ["name": element]) }
        } else if let object {
            for (key, value) in object.sorted(by: { $0.key < $1.key }) { add(["field": key, "value": value]) }
        } else {
            add(["value": result])
        }
        if let columns { self.columns = columns }
    }

    private mutating func add(_ object: [String: Any]) {
        rows.append(Dictionary(uniqueKeysWithValues: object.map { ($0.key, Self.text($0.value, of: $0.key)) }))
        for key in object.keys.sorted(by: Self.isBefore) where !columns.contains(key) { columns.append(key) }
        columns.sort(by: Self.isBefore)
    }

    /// Lines with the columns under one another. What a terminal would obey is written out, and long texts are cut.
    var table: String {
        guard !rows.isEmpty else { return "nothing found" }
        let lines = ([columns] + rows.map { row in columns.map { row[$0] ?? "" } }).map { $0.map { TerminalText.cell($0) } }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { cells in
            var line = ""
            for (cell, width) in zip(cells, widths) { line += cell + String(repeating: " ", count: width - cell.count + 2) }
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// RFC 4180; each row ends its line.
    /// - Parameters:
    ///   - raw: leaves texts as they are that a spreadsheet would take for a formula.
    ///   - header: begins with the names of the columns.
    func csv(raw: Bool, header: Bool = true) -> String {
        var lines = header ? [columns] : []
        lines += rows.map { row in
            columns.map { column in
                let cell = row[column] ?? ""
                return raw || Double(decimal: cell) != nil ? cell : CSVCell.harmless(cell)
            }
        }
        return lines.map { $0.map(CSVCell.quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    private static let order = [
        "time", "from", "to", "first", "last", "key", "field", "name", "metric", "description", "value", "text", "count", "min", "mean",
        "max", "sum", "unit", "units", "source", "session",
    ]

    private static func isBefore(_ left: String, _ right: String) -> Bool {
        let (leftRank, rightRank) = (order.firstIndex(of: left) ?? order.count, order.firstIndex(of: right) ?? order.count)
        return (leftRank, left) < (rightRank, right)
    }

    /// Fields that hold Unix seconds, and are shown as ISO 8601. A metric summary's `first` is a time, a series step's a value: only
    /// numbers of the size of a time are taken for one.
    private static let moments: Set<String> = ["time", "from", "to", "first", "last", "ends", "received"]

    private static func text(_ value: Any, of field: String) -> String {
        if moments.contains(field), let seconds = (value as? NSNumber)?.doubleValue, abs(seconds) > 100_000_000 {
            return Timestamp(seconds: seconds).iso8601()
        }
        if field == "mean", let number = value as? NSNumber { return text(shortened(number)) }
        return text(value)
    }

    /// A mean without the digits that only the division gave it. JSON has them all.
    static func shortened(_ number: NSNumber) -> NSNumber { NSNumber(value: (number.doubleValue * 1e6).rounded() / 1e6) }

    private static func text(_ value: Any) -> String {
        switch value {
        case let text as String: text
        case let list as [Any]: list.count > 8 ? "\(list.count) values" : list.map(text).joined(separator: " ")
        case let number as NSNumber: CSVExport.number(number.doubleValue)
        case let groups as [String: [Any]]:
            groups.sorted { $0.key < $1.key }.flatMap { key, list in list.map { "\(key) \(text($0))" } }.joined(separator: ", ")
        case is NSNull: ""
        default: "\(value)"
        }
    }
}

/// Moments as people type them.
package enum TimeText {
    /// For a setting: Unix seconds, a date, a date with a time, or so long before now.
    package static let format = ValueFormat<MomentText>(
        accepts: "Unix seconds, 2017-01-19, 2017-01-19T15:36:22Z, or a time before now such as -10s, -5m, -3h, -7d",
        placeholder: "TIME", read: { read($0) }, write: { _ in "" })

    private static func read(_ text: String) -> MomentText? {
        if let seconds = Double(decimal: text), abs(seconds) < 2.5e11 { return .at(Timestamp(seconds: seconds)) }
        if text.hasPrefix("-"), let ago = ago(text.dropFirst()) { return .ago(ago) }
        if let date = try? Date(text, strategy: .iso8601) { return .at(Timestamp(seconds: date.timeIntervalSince1970)) }
        if let day = try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day()) {
            return .at(Timestamp(seconds: day.timeIntervalSince1970))
        }
        return nil
    }

    private static func ago(_ text: Substring) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Double(decimal: text.dropLast()), count >= 0 else { return nil }
        return count * unit
    }
}

/// A moment that may depend on when the command runs.
package enum MomentText: Sendable, Hashable {
    case at(Timestamp)
    /// Seconds before now.
    case ago(Double)

    package func moment(now: Timestamp) -> Timestamp {
        switch self {
        case .at(let time): time
        case .ago(let seconds): now.advanced(bySeconds: -seconds)
        }
    }
}
