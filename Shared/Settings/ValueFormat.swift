import VigilSchema

/// The way a setting's value is written: reads it from text, writes it back, and says in words what it accepts.
package struct ValueFormat<Value: Sendable>: Sendable {
    /// In words after "accepts", for example `a whole number from 1 to 65535`.
    package let accepts: String
    /// The placeholder for the value in the help, for example `N`.
    package let placeholder: String
    /// A Boolean value that indicates whether the flag may stand alone, meaning true.
    package let isSwitch: Bool
    /// The value that the text stands for; nil where it stands for none.
    package let read: @Sendable (String) -> Value?
    /// The text that stands for the value; `read(write(value))` is the value.
    package let write: @Sendable (Value) -> String

    package init(
        accepts: String, placeholder: String, isSwitch: Bool = false,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        self.accepts = accepts
        self.placeholder = placeholder
        self.isSwitch = isSwitch
        self.read = read
        self.write = write
    }
}

extension ValueFormat where Value == String {
    /// Any text that is not empty.
    package static let text = ValueFormat(
        accepts: "a text that is not empty", placeholder: "TEXT", read: { $0.isEmpty ? nil : $0 }, write: { $0 })

    /// A file's or folder's path.
    package static let path = ValueFormat(
        accepts: "a path", placeholder: "PATH", read: { $0.isEmpty || $0.contains("\0") ? nil : $0 }, write: { $0 })

    /// Text that `isValid` agrees with; `accepts` says in words what that is.
    package static func text(
        accepts: String, placeholder: String = "TEXT", where isValid: @escaping @Sendable (String) -> Bool
    ) -> ValueFormat {
        ValueFormat(accepts: accepts, placeholder: placeholder, read: { isValid($0) ? $0 : nil }, write: { $0 })
    }

    /// A name that may stand in a topic: 1–64 of `A-Za-z0-9_.-`.
    package static let name = text(accepts: "1 to 64 of A-Z a-z 0-9 _ . -", placeholder: "NAME") { text in
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(Self.isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension ValueFormat where Value == Int {
    /// A whole number in the range.
    package static func integer(in range: ClosedRange<Int>) -> ValueFormat {
        ValueFormat(
            accepts: "a whole number from \(range.lowerBound) to \(range.upperBound)", placeholder: "N",
            read: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }, write: { String($0) })
    }

    /// A TCP port; 0 lets the system choose or switches off, as the setting says.
    package static let port = integer(in: 0...65535)
}

extension ValueFormat where Value == Double {
    /// A finite number in the range.
    package static func number(in range: ClosedRange<Double>) -> ValueFormat {
        ValueFormat(
            accepts: "a number from \(range.lowerBound) to \(range.upperBound)", placeholder: "X",
            read: { text in Double(decimal: text).flatMap { range.contains($0) ? $0 : nil } }, write: { String($0) })
    }
}

extension ValueFormat where Value == Bool {
    /// `true` or `false`; the flag alone means true.
    package static let boolean = ValueFormat(
        accepts: "true or false", placeholder: "true|false", isSwitch: true,
        read: {
            ["true": true, "yes": true, "on": true, "1": true, "false": false, "no": false, "off": false, "0": false][$0.lowercased()]
        },
        write: { String($0) })
}

extension ValueFormat where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the enumeration's raw values.
    package static var choice: ValueFormat {
        let names = Value.allCases.map(\.rawValue)
        return ValueFormat(
            accepts: "one of \(names.joined(separator: ", "))", placeholder: names.joined(separator: "|"),
            read: { Value(rawValue: $0) }, write: { $0.rawValue })
    }
}

extension ValueFormat {
    /// Several of the format, with commas between them; none for an empty text.
    package static func list<Element: Sendable>(of format: ValueFormat<Element>) -> ValueFormat where Value == [Element] {
        ValueFormat(
            accepts: "a list with commas between, each \(format.accepts)", placeholder: "\(format.placeholder),…",
            read: { text in
                let parts = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
                let values = parts.compactMap { format.read(String($0)) }
                return values.count == parts.count ? values : nil
            },
            write: { $0.map(format.write).joined(separator: ",") })
    }
}

extension ValueFormat where Value == Duration {
    /// A duration with its unit: `250ms`, `1.5s`, `2m`, `1h`, `7d`. A bare number is refused, except 0.
    package static func duration(in range: ClosedRange<Duration> = .zero ... .seconds(366 * 86_400)) -> ValueFormat {
        ValueFormat(
            accepts: "a duration from \(text(range.lowerBound)) to \(text(range.upperBound)), such as 250ms, 5s, 2m, 1h or 7d",
            placeholder: "DURATION",
            read: { text in parse(text).flatMap { range.contains($0) ? $0 : nil } }, write: text)
    }

    /// Longest unit suffix first, so that `ms` is not read as `s`.
    private static var units: [(suffix: String, milliseconds: Double)] {
        [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
    }

    private static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let number = Double(decimal: text.dropLast(unit.suffix.count)), number >= 0, number < 1e12
        else { return nil }
        return .microseconds(Int64((number * unit.milliseconds * 1000).rounded()))
    }

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if attoseconds != 0 { return "\(Double(seconds) * 1000 + Double(attoseconds) / 1e15)ms" }
        for (size, suffix) in [(86_400, "d"), (3600, "h"), (60, "m")] where seconds != 0 && seconds % Int64(size) == 0 {
            return "\(seconds / Int64(size))\(suffix)"
        }
        return "\(seconds)s"
    }
}
