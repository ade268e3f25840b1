import VigilSchema

/// A way of writing dates and times, as Unicode's date patterns spell it: `M/d/yyyy h:mm:ss a`.
///
/// `yyyy` or `yy` (1970–2069), `M` or `MM` (one or two digits), `MMM` (a name), `d`, `H`, `h`, `m`, `s` likewise, `S`
/// (any number of digits of a fraction), `a` (AM or PM), `E` (a weekday's name), `Z` (`Z`, `+02:00`, `-0500`, `UTC+0200`), `'T'` and any
/// other character as itself. A point before a fraction may be a comma.
struct TimePattern: Hashable, Sendable {
    /// As it was written.
    let text: String
    private let parts: [Part]

    private enum Part: Hashable, Sendable {
        case year, shortYear, month, monthName, day, hour, halfDayHour, minute, second, fraction, halfDay, offset, weekday, decimalPoint
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
        for index in parts.indices.dropLast() where parts[index] == .literal(UInt8(ascii: ".")) && parts[index + 1] == .fraction {
            parts[index] = .decimalPoint
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
        case "E": .weekday
        case "Z", "X", "x": .offset
        default: nil
        }
    }

    /// The moment that the bytes name, and the offset from UTC in minutes if they name one; nil where they do not follow the pattern.
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
        case .weekday: return scan.weekday(bytes)
        case .halfDay: return scan.halfDay(bytes)
        case .offset: return scan.zoneOffset(bytes)
        case .decimalPoint: return scan.literal(bytes, UInt8(ascii: ".")) || scan.literal(bytes, UInt8(ascii: ","))
        case .literal(let byte): return scan.literal(bytes, byte)
        }
    }
}

/// The state while a time is read by a pattern: how far, and what was found.
struct TimeScan {
    var position: Int
    let end: Int
    var civil = CivilTime()
    var offset: Int?
    private var isAfternoon = false

    init(position: Int, end: Int) {
        self.position = position
        self.end = end
    }

    /// Applies what could only be known at the end; false where the parts do not make a time.
    mutating func finish() -> Bool {
        if isAfternoon { civil.hour += 12 }
        return civil.isValid
    }

    mutating func number(_ bytes: RawSpan, _ digits: ClosedRange<Int>, _ store: (inout TimeScan, Int) -> Void) -> Bool {
        var value = 0
        let first = position
        while position < end, position - first < digits.upperBound {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value * 10 + Int(digit)
            position += 1
        }
        guard position - first >= digits.lowerBound else { return false }
        store(&self, value)
        return true
    }

    /// That character; for a space also a protected or a narrow one, as newer programs write before AM and PM.
    mutating func literal(_ bytes: RawSpan, _ byte: UInt8) -> Bool {
        guard position < end else { return false }
        if bytes.byte(position) == byte {
            position += 1
            return true
        }
        guard byte == 0x20 else { return false }
        if position + 1 < end, bytes.byte(position) == 0xC2, bytes.byte(position + 1) == 0xA0 {
            position += 2
            return true
        }
        guard position + 2 < end, bytes.byte(position) == 0xE2, bytes.byte(position + 1) == 0x80, bytes.byte(position + 2) == 0xAF else {
            return false
        }
        position += 3
        return true
    }

    /// Any number of digits; those past a microsecond are cut.
    mutating func fraction(_ bytes: RawSpan) -> Bool {
        var scale = 100_000
        let first = position
        while position < end {
            let digit = bytes.byte(position) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            civil.microsecond += Int(digit) * scale
            scale /= 10
            position += 1
        }
        return position > first
    }

    /// `AM`, `pm`, `a.m.`, `P. M.`
    mutating func halfDay(_ bytes: RawSpan) -> Bool {
        guard position < end else { return false }
        let letter = bytes.byte(position) | 0x20
        guard letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p") else { return false }
        isAfternoon = letter == UInt8(ascii: "p")
        position += 1
        let skipsDot = literal(bytes, UInt8(ascii: "."))
        if skipsDot { _ = literal(bytes, 0x20) }
        guard position < end, bytes.byte(position) | 0x20 == UInt8(ascii: "m") else { return false }
        position += 1
        if skipsDot { _ = literal(bytes, UInt8(ascii: ".")) }
        return true
    }

    /// A month's name or its short form in one of the languages of `MonthNames`, with or without a point after it.
    mutating func monthName(_ bytes: RawSpan) -> Bool {
        guard let month = MonthNames.month(word(bytes)) else { return false }
        civil.month = month
        _ = literal(bytes, UInt8(ascii: "."))
        return true
    }

    /// A weekday's name, which says nothing that the date does not.
    mutating func weekday(_ bytes: RawSpan) -> Bool {
        let isName = word(bytes).count >= 2
        _ = literal(bytes, UInt8(ascii: "."))
        return isName
    }

    /// The letters from here on.
    private mutating func word(_ bytes: RawSpan) -> String {
        var letters: [UInt8] = []
        while position < end, bytes.byte(position) >= 0x80 || (0x61...0x7A).contains(bytes.byte(position) | 0x20) {
            letters.append(bytes.byte(position))
            position += 1
        }
        return String(decoding: letters, as: UTF8.self)
    }

    mutating func zoneOffset(_ bytes: RawSpan) -> Bool {
        if position < end, bytes.byte(position) == UInt8(ascii: "Z") {
            offset = 0
            position += 1
            return true
        }
        var text = ""
        while position < end, text.count < 9 {
            text.unicodeScalars.append(Unicode.Scalar(bytes.byte(position)))
            position += 1
        }
        offset = WearerZone.offset(text)
        return offset != nil
    }
}

/// A date and a time of day as a calendar and a clock show them, in the proleptic Gregorian calendar.
struct CivilTime: Hashable, Sendable {
    var year = 1970
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    var microsecond = 0

    /// A Boolean value that indicates whether there is such a day and such a time; a leap second counts as the next second.
    var isValid: Bool {
        (1...12).contains(month) && day >= 1 && day <= CivilDate.days(in: month, of: year) && (0...24).contains(hour)
            && (0...59).contains(minute) && (0...60).contains(second) && (hour < 24 || minute + second + microsecond == 0)
            && (1...9999).contains(year)
    }

    /// Microseconds from 1970-01-01T00:00:00 on the same clock.
    var microseconds: Int64 {
        let seconds =
            ((Int64(CivilDate(year: year, month: month, day: day).daysSince1970) * 24 + Int64(hour)) * 60 + Int64(minute)) * 60
            + Int64(second)
        return seconds * 1_000_000 + Int64(microsecond)
    }
}
