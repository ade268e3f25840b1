/// Appends JSON to bytes.
package struct JSONWriter {
    /// The written text.
    package var bytes: [UInt8] = []

    package init() {}

    /// Appends text that needs no escaping.
    package mutating func raw(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a string in quotes.
    package mutating func string(_ text: String) {
        bytes.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C:
                bytes.append(0x5C)
                bytes.append(byte)
            case 0..<0x20: control(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    /// Begins a member of an object: its name, after a comma where it is not the first.
    package mutating func member(_ name: String) {
        if bytes.last != 0x7B { bytes.append(0x2C) }
        string(name)
        bytes.append(0x3A)
    }

    /// Appends a member that is a string.
    package mutating func member(_ name: String, _ text: String) {
        member(name)
        string(text)
    }

    /// Appends a member that is a finite number.
    package mutating func member(_ name: String, _ value: Double) {
        member(name)
        number(value)
    }

    /// Appends a member that is a time as seconds.
    package mutating func member(_ name: String, _ moment: Timestamp) {
        member(name)
        time(moment)
    }

    /// Appends a finite number, in the shortest form that reads back as the same.
    package mutating func number(_ value: Double) {
        if let integer = Int64(exactly: value), integer.magnitude < 1 << 53, value != 0 || value.sign == .plus {
            return self.integer(integer)
        }
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Appends a whole number.
    package mutating func integer(_ value: Int64) {
        var magnitude = value.magnitude
        if value < 0 { bytes.append(0x2D) }
        let start = bytes.count
        repeat {
            let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            bytes.append(0x30 + UInt8(digit))
            magnitude = quotient
        } while magnitude > 0
        bytes[start...].reverse()
    }

    /// Appends a time as seconds, with as many of six decimals as it needs.
    package mutating func time(_ time: Timestamp) {
        if time.microseconds < 0 { bytes.append(0x2D) }
        let (seconds, micros) = time.microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        integer(Int64(seconds))
        guard micros > 0 else { return }
        bytes.append(0x2E)
        var rest = micros
        var divisor: UInt64 = 100_000
        while rest > 0 {
            bytes.append(0x30 + UInt8(rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }

    /// Appends an array of finite numbers.
    package mutating func numbers(_ values: [Double]) { array(values) { $1.number($0) } }

    /// Appends an array of whole numbers.
    package mutating func integers(_ values: [Int64]) { array(values) { $1.integer($0) } }

    /// Appends an array of times, as seconds.
    package mutating func times(_ times: [Timestamp]) { array(times) { $1.time($0) } }

    private mutating func array<Element>(_ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        bytes.append(0x5B)
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(0x2C) }
            isFirst = false
            write(element, &self)
        }
        bytes.append(0x5D)
    }

    private mutating func control(_ byte: UInt8) {
        let digits = Array("0123456789abcdef".utf8)
        raw("\\u00")
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }
}
