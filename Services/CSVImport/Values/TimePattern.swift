/// A way of writing dates and times, as Unicode's date patterns spell it: `M/d/yyyy h:mm:ss a`.
///
/// `yyyy` or `yy` (1970–2069), `M`, `MM` or `MMM` (English), `d`, `H`, `h`, `m`, `s` (each with one or two digits), `S` (any number
/// of digits of a fraction), `a` (AM or PM), `Z` (`Z`, `+02:00`, `-0500`), `'T'` and any other character as itself.
struct TimePattern: Hashable, Sendable {
    /// As it was written.
    let text: String
    private let parts: [Part]

    private enum Part: Hashable, Sendable {
        case year, shortYear, month, monthName, day, hour, halfDayHour, minute, second, fraction, halfDay, offset
        case literal(UInt8)
    }

    /// Nil for a pattern with a letter that means nothing.
    init?(_ text: String) {
        self.text = text
        var parts: [Part] = []
        var rest = Array(text)[...]
        while let character = rest.first {
            let run = rest.prefix { $0 == character }.count
            if character == "'" {
                let literal = rest.dropFirst().prefix { $0 != "'" }
                parts += String(literal).utf8.map(Part.literal)
                rest = rest.dropFirst(literal.count + 2)
            } else if let part = TimePattern.part(character, run) {
                parts.append(part)
                rest = rest.dropFirst(run)
            } else {
                guard !character.isLetter, let ascii = character.asciiValue else { return nil }
                parts.append(.literal(ascii))
                rest = rest.dropFirst()
            }
        }
        self.parts = parts
    }

    private static func part(_ letter: Character, _ run: Int) -> Part? {
        switch letter {
        case "y": run == 2 ? .shortYear : .year
        case "M": run >= 3 ? .monthName : .month
        case "d": .day
        case "H": .hour
        case "h": .halfDayHour
        case "m": .minute
        case "s": .second
        case "S": .fraction
        case "a": .halfDay
        case "Z", "X", "x": .offset
        default: nil
        }
    }

    /// What the bytes say, and the offset from UTC in minutes if they say one; nil where they do not follow the pattern.
    func parse(_ bytes: RawSpan, _ start: Int, _ end: Int) -> (civil: CivilTime, offset: Int?)? {
        var scan = TimeScan(position: start, end: end)
        for part in parts where !apply(part, bytes, &scan) { return nil }
        guard scan.position == end, scan.finish() else { return nil }
        return (scan.civil, scan.offset)
    }

    private func apply(_ part: Part, _ bytes: RawSpan, _ scan: inout TimeScan) -> Bool {
        switch part {
        case .year: return scan.number(bytes, 4...4) { $0.civil.year = $1 }
        case .shortYear: return scan.number(bytes, 2...2) { $0.civil.year = $1 < 70 ? 2000 + $1 : 1900 + $1 }
        case .month: return scan.number(bytes, 1...2) { $0.civil.month = $1 }
        case .monthName: return scan.monthName(bytes)
        case .day: return scan.number(bytes, 1...2) { $0.civil.day = $1 }
        case .hour: return scan.number(bytes, 1...2) { $0.civil.hour = $1 }
        case .halfDayHour: return scan.number(bytes, 1...2) { $0.civil.hour = $1 == 12 ? 0 : $1 > 12 ? 99 : $1 }
        case .minute: return scan.number(bytes, 1...2) { $0.civil.minute = $1 }
        case .second: return scan.number(bytes, 1...2) { $0.civil.second = $1 }
        case .fraction: return scan.fraction(bytes)
        case .halfDay: return scan.halfDay(bytes)
        case .offset: return scan.zoneOffset(bytes)
        case .literal(let byte): return scan.literal(bytes, byte)
        }
    }
}
