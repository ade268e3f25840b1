import VigilSchema

/// Rows that hold a list of durations and one of values from a start on, as Withings' `raw_….csv` have them, as a row an element.
///
/// A row whose lists differ in length, or are none, stays as it is, and its value is refused.
struct ListRowsSource: ByteSource {
    private static let header = ["start", "duration", "value"].map(HeaderName.init)

    private var reader: CSVReader
    private var times: TimeParser
    private let cells: CellReader
    private var pending: [UInt8]
    private var taken = 0

    /// Returns whether a header is that of such a file.
    static func fits(_ header: [String]) -> Bool { header.map(HeaderName.init) == ListRowsSource.header }

    /// The file with its lists spread over rows. Its column of values is called as the file: nothing else says what they are.
    static func file(
        _ file: ImportFile, _ dialect: CSVDialect, _ open: @escaping @Sendable () throws(ImportError) -> any ByteSource
    ) -> ImportFile {
        let name = file.name.split { $0 == "/" || $0 == "!" }.last?.split(separator: ".").first.map(String.init) ?? "value"
        return ImportFile(name: file.name) { () throws(ImportError) in
            try ListRowsSource(try open(), dialect: dialect, column: name)
        }
    }

    private init(_ source: any ByteSource, dialect: CSVDialect, column: String) throws(ImportError) {
        reader = CSVReader(source, dialect: dialect)
        times = try TimeParser(TimeFormat.iso8601, zone: nil)
        cells = CellReader(number: NumberFormat(decimal: UInt8(ascii: ".")))
        pending = Array(("start,until," + CSVText.record([column], delimiter: ",") + "\n").utf8)
        // The header of the lists.
        _ = try reader.next()
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == pending.count {
            let event = try reader.next()
            if event == .end { return 0 }
            pending = event == .record ? rows() : ListRowsSource.row(reader.originalRecord(), "[]")
            taken = 0
        }
        let count = min(limit, pending.count - taken)
        for index in 0..<count { buffer[offset + index] = pending[taken + index] }
        taken += count
        return count
    }

    private mutating func rows() -> [UInt8] {
        let texts = reader.texts().map(\.trimmed)
        guard texts.count == 3, let start = times.parse(texts[0]), let durations = cells.samples(texts[1]),
            let values = cells.samples(texts[2]),
            durations.count == values.count, durations.allSatisfy({ (0...86_400).contains($0) })
        else { return ListRowsSource.row(texts[0], ListRowsSource.refused(texts)) }
        var lines = "", elapsed = 0.0
        for (duration, value) in zip(durations, values) {
            let from = start.microseconds + Int64((elapsed * 1_000_000).rounded())
            elapsed += duration
            let until = start.microseconds + Int64((elapsed * 1_000_000).rounded())
            lines += "\(ListRowsSource.text(from, start.zone)),\(ListRowsSource.text(until, start.zone)),\(value.short)\n"
        }
        return Array(lines.utf8)
    }

    private static func row(_ start: String, _ value: String) -> [UInt8] {
        Array((CSVText.record([start, "", value], delimiter: ",") + "\n").utf8)
    }

    /// The value of a row that is none of lists, in brackets: a number that stands there alone would be taken for a reading of that moment.
    private static func refused(_ texts: [String]) -> String {
        let value = texts.dropFirst(min(2, texts.count - 1)).joined(separator: ",")
        return value.isEmpty || value.hasPrefix("[") ? value : "[\(value)]"
    }

    /// A time as ISO 8601 has it, with the offset that the start names, if it names one.
    static func text(_ microseconds: Int64, _ zone: Int16) -> String {
        let offset = zone == ParsedTime.noZone ? 0 : Int64(zone)
        let local = microseconds + offset * 60_000_000
        let day = local.flooredQuotient(by: 86_400_000_000)
        let rest = local - day * 86_400_000_000
        let two = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
        let seconds = rest / 1_000_000, fraction = String(1_000_000 + rest % 1_000_000).dropFirst()
        let clock = "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(fraction)"
        let sign = offset < 0 ? "-" : "+"
        let suffix = zone == ParsedTime.noZone ? "" : "\(sign)\(two(abs(offset) / 60)):\(two(abs(offset) % 60))"
        return "\(CivilDate(daysSince1970: Int(day)).text)T\(clock)\(suffix)"
    }
}
