/// Reads a cell whose kind or spelling is not the usual one.
struct CellReader {
    /// The content of a cell.
    enum Content: Hashable {
        case number(Double)
        case text(String)
        case refused(String)
    }

    let number: NumberFormat

    func read(_ text: String, _ column: ColumnPlan) -> Content {
        if !column.limits.isEmpty, let word = column.limits[text.lowercased()] { return .text(word) }
        return switch column.kind {
        case .number:
            numeric(text).map(Content.number) ?? limit(text, column).map(Content.text) ?? .refused(CellReader.noNumber(text))
        case .flag: CellReader.flag(text).map(Content.number) ?? .refused("this is neither true nor false")
        case .clock: TimeOfDay.minutes(text).map(Content.number) ?? .refused("this is not a time of day")
        case .pace: TimeOfDay.pace(text).map(Content.number) ?? .refused("this is no pace of minutes and seconds")
        case .beforeSlash, .afterSlash:
            half(text, column.kind).map(Content.number) ?? .refused("these are not two numbers with a slash between")
        case .text, .ignore: checked(text, column)
        case .automatic: (numeric(text) ?? CellReader.flag(text)).map(Content.number) ?? checked(text, column)
        }
    }

    /// A half of `120/80`, `120 / 80 mmHg`.
    private func half(_ text: String, _ kind: CellKind) -> Double? {
        let parts = text.split(separator: "/", maxSplits: 1).map { String($0).trimmed }
        guard parts.count == 2 else { return nil }
        let number = (kind == .beforeSlash ? parts[0] : parts[1]).prefix { !$0.isLetter }
        return numeric(String(number).trimmed)
    }

    private func numeric(_ text: String) -> Double? { number.parse(text) }

    /// A sensor's limit at the end of its range, `<2.2`, as a text in the metric's unit; nil for anything else.
    private func limit(_ text: String, _ column: ColumnPlan) -> String? {
        for sign in ["<=", ">=", "≤", "≥", "<", ">"] where text.hasPrefix(sign) {
            guard let value = numeric(String(text.dropFirst(sign.count)).trimmed) else { return nil }
            return sign + (value * column.scale + column.offset).six.short
        }
        return nil
    }

    /// Numbers separated by blanks, `;` or `|`, or those of a JSON array; nil where one is none.
    func samples(_ text: String) -> [Double]? {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        let isList = inner.count < text.count
        let parts = inner.split { $0 == " " || $0 == ";" || $0 == "|" || (isList && $0 == ",") }
        var values: [Double] = []
        values.reserveCapacity(parts.count)
        for part in parts {
            guard let value = number.parse(String(part)) else { return nil }
            values.append(value)
        }
        return values.isEmpty ? nil : values
    }

    private static func noNumber(_ text: String) -> String {
        switch text.first {
        case "[": "this is an array; a profile of the layout long with samples and period says how far its numbers are apart"
        default:
            ["lo", "hi", "low", "high"].contains(text.lowercased())
                ? "this stands for a limit of the sensor's, which the file does not tell; a profile says it, as in limits: ['LO=<40']"
                : "this is not a number"
        }
    }

    private func checked(_ text: String, _ column: ColumnPlan) -> Content {
        if let objection = NameLimits.objection(text: text) { return .refused(objection) }
        guard column.vocabulary.isEmpty || column.vocabulary.contains(text) else {
            return .refused("this is none of \(column.vocabulary.sorted().joined(separator: ", "))")
        }
        return .text(text)
    }

    private static func flag(_ text: String) -> Double? {
        switch text.lowercased() {
        case "true", "yes": 1
        case "false", "no": 0
        default: nil
        }
    }
}

/// Remembers the last few bytes seen in a column, so that a name that stays the same from row to row is compared, not read.
struct CellMemo {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var length = -1

    /// Returns whether the bytes are the ones seen before; if not, they are from now on. Bytes longer than 16 never are.
    ///
    /// The span must go on for eight bytes after `end`.
    @inline(__always)
    mutating func isSame(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Bool {
        let count = end - start
        guard count <= 16 else {
            length = -1
            return false
        }
        let newLow = count == 0 ? 0 : CellMemo.word(bytes, start, min(count, 8))
        let newHigh = count <= 8 ? 0 : CellMemo.word(bytes, start + 8, count - 8)
        if length == count, low == newLow, high == newHigh { return true }
        (low, high, length) = (newLow, newHigh, count)
        return false
    }

    @inline(__always)
    private static func word(_ bytes: RawSpan, _ start: Int, _ count: Int) -> UInt64 {
        bytes.word(start) & (UInt64.max >> UInt64(64 - count * 8))
    }
}

/// Reads times of day and durations: `0:11`, `23:05:30`, `7:05 PM`, `7h 30min`.
enum TimeOfDay {
    /// The minutes of hours and minutes with their letters.
    private static func spoken(_ words: [Substring]) -> Double? {
        guard (1...2).contains(words.count) else { return nil }
        var minutes = 0.0
        for word in words {
            let digits = word.prefix(while: \.isNumber)
            guard let number = UInt16(digits) else { return nil }
            switch word.dropFirst(digits.count).lowercased() {
            case "h", "hr": minutes += Double(number) * 60
            case "m", "min": minutes += Double(number)
            default: return nil
            }
        }
        return minutes
    }

    /// The minutes of a pace: `05:56` are five minutes and 56 seconds, `1:05:56` an hour more.
    static func pace(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt16($0) }
        guard (2...3).contains(parts.count), let minutes = parts[parts.count - 2], let seconds = parts[parts.count - 1], seconds < 60,
            let hours = parts.count == 3 ? parts[0] : 0, parts.count == 2 || minutes < 60
        else { return nil }
        return Double(hours) * 60 + Double(minutes) + Double(seconds) / 60
    }

    /// Minutes, or nil.
    static func minutes(_ text: String) -> Double? {
        let words = text.split(separator: " ")
        if let spoken = spoken(words) { return spoken }
        guard let digits = words.first, words.count <= 2 else { return nil }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false).map { UInt16($0) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1], minute < 60 else { return nil }
        guard let second = parts.count == 3 ? parts[2] : 0, second < 60 else { return nil }
        let minutes = Double(minute) + Double(second) / 60
        switch words.count == 2 ? words[1].uppercased() : "" {
        case "": return Double(hour) * 60 + minutes
        case "AM" where (1...12).contains(hour): return Double(hour % 12) * 60 + minutes
        case "PM" where (1...12).contains(hour): return Double(hour % 12 + 12) * 60 + minutes
        default: return nil
        }
    }
}
