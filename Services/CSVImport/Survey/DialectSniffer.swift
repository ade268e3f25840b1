/// Finds out how a file's fields are written from its start.
enum DialectSniffer {
    private static let delimiters = [",", ";", "\t", "|"].map { $0.utf8.first ?? 0x2C }
    private static let longestLook = 50

    /// The dialect whose rows agree best on how many fields they have.
    /// - Parameter start: the file's start in UTF-8, after the byte-order mark.
    static func sniff(_ start: [UInt8], encoding: TextEncoding, options: ImportOptions) -> CSVDialect {
        var dialect = CSVDialect(encoding: encoding)
        dialect.quote = quote(start)
        dialect.delimiter = options.delimiter ?? delimiter(start, dialect)
        dialect.decimal = options.decimal ?? decimal(start, dialect)
        return dialect
    }

    /// The first records of a text.
    static func records(_ start: [UInt8], _ dialect: CSVDialect, limit: Int) -> [[String]] {
        // The last line may be cut.
        let whole = start.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { start[...$0] } ?? start[...]
        var reader = CSVReader(MemorySource(Array(whole)), dialect: dialect, capacity: 64 << 10)
        var records: [[String]] = []
        while records.count < limit, let event = try? reader.next(), event != .end {
            if event == .record { records.append(reader.texts()) }
        }
        return records
    }

    private static func delimiter(_ start: [UInt8], _ dialect: CSVDialect) -> UInt8 {
        var best = (delimiter: dialect.delimiter, score: 0.0)
        for delimiter in delimiters {
            var candidate = dialect
            candidate.delimiter = delimiter
            let counts = records(start, candidate, limit: longestLook).map(\.count)
            let common = Dictionary(grouping: counts) { $0 }.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
            guard let common, common.key > 1 else { continue }
            // Agreement counts most; of delimiters with the same agreement, the one that makes more fields.
            let score = Double(common.value.count) / Double(counts.count) + Double(min(common.key, 1000)) / 10_000
            if score > best.score { best = (delimiter, score) }
        }
        return best.delimiter
    }

    /// A single quote only where fields start and end with it and no double quote occurs.
    private static func quote(_ start: [UInt8]) -> UInt8 {
        let double = UInt8(ascii: "\""), single = UInt8(ascii: "'")
        guard !start.contains(double), start.first == single else { return double }
        return single
    }

    /// A comma where cells have commas that cannot separate thousands, and the fields are not separated by commas; or where points do.
    private static func decimal(_ start: [UInt8], _ dialect: CSVDialect) -> UInt8 {
        let point = UInt8(ascii: "."), comma = UInt8(ascii: ",")
        let records = records(start, dialect, limit: longestLook)
        guard dialect.delimiter != comma || start.contains(dialect.quote) else { return groupsByPoint(records) ? comma : point }
        var commas = 0, points = 0
        for cell in records.joined() {
            if isDecimal(cell, ",", other: ".") { commas += 1 }
            if isDecimal(cell, ".", other: ",") { points += 1 }
            // Where commas separate fields, those in quoted numbers rather group digits: one broken cell must not turn 1,630 into 1.63.
            if dialect.delimiter == comma, isGrouped(cell, ",") { points += 1 }
        }
        if commas == 0, points == 0, groupsByPoint(records) { return comma }
        return commas > points ? comma : point
    }

    /// Returns whether points group digits: of a column of counts, such as steps, or of one that has whole numbers below 1,000 without a point
    /// beside `10.213`. A number with three decimals would have them everywhere.
    private static func groupsByPoint(_ records: [[String]]) -> Bool {
        guard let header = records.first(where: { Surveyor.isHeader($0) }), let first = records.firstIndex(of: header) else { return false }
        return header.indices.contains { place in
            let cells = records[(first + 1)...].compactMap { place < $0.count ? $0[place].trimmed : nil }.filter { !$0.isEmpty }
            let grouped = cells.count { isGrouped($0, ".") }
            guard grouped > 0, cells.allSatisfy({ isGrouped($0, ".") || $0.allSatisfy(\.isNumber) }) else { return false }
            return BuiltIn.isCount(header[place]) || cells.contains { $0.count < 4 && $0.allSatisfy(\.isNumber) && $0 != "0" }
        }
    }

    /// Returns whether the cell is a number in groups of three digits with the separator between.
    static func isGrouped(_ cell: String, _ separator: Character) -> Bool {
        let groups = cell.trimmed.split(separator: separator, omittingEmptySubsequences: false)
        return groups.count > 1 && (1...3).contains(groups[0].count) && groups[0] != "0" && groups.dropFirst().allSatisfy { $0.count == 3 }
            && groups.joined().allSatisfy(\.isNumber)
    }

    /// Returns whether the cell is a number in which the separator must be a decimal one: it stands once, and not before three digits, unless only
    /// a 0 stands before it, which nobody groups.
    private static func isDecimal(_ cell: String, _ separator: Character, other: Character) -> Bool {
        let parts = cell.trimmed.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber) else { return false }
        let whole = parts[0].drop { $0 == "-" }
        guard parts[1].count != 3 || whole == "0" else { return false }
        return !whole.isEmpty && whole.allSatisfy { $0.isNumber || $0 == other }
    }
}
