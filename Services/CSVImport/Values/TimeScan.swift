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

    mutating func literal(_ bytes: RawSpan, _ byte: UInt8) -> Bool {
        guard position < end, bytes.byte(position) == byte else { return false }
        position += 1
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

    mutating func halfDay(_ bytes: RawSpan) -> Bool {
        guard position + 2 <= end, bytes.byte(position + 1) | 0x20 == UInt8(ascii: "m") else { return false }
        let letter = bytes.byte(position) | 0x20
        guard letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p") else { return false }
        isAfternoon = letter == UInt8(ascii: "p")
        position += 2
        return true
    }

    mutating func monthName(_ bytes: RawSpan) -> Bool {
        let names = Array("janfebmaraprmayjunjulaugsepoctnovdec".utf8)
        guard position + 3 <= end else { return false }
        for month in 0..<12 where (0..<3).allSatisfy({ bytes.byte(position + $0) | 0x20 == names[month * 3 + $0] }) {
            civil.month = month + 1
            position += 3
            return true
        }
        return false
    }

    mutating func zoneOffset(_ bytes: RawSpan) -> Bool {
        if position < end, bytes.byte(position) == UInt8(ascii: "Z") {
            offset = 0
            position += 1
            return true
        }
        var text = ""
        while position < end, text.count < 6 {
            text.unicodeScalars.append(Unicode.Scalar(bytes.byte(position)))
            position += 1
        }
        offset = WearerZone.minutes(text)
        return offset != nil
    }
}
