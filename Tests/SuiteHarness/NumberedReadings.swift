/// Numbered readings: from its number follows everything of a reading, and from its identity its number. `vigil-limits publish` sends
/// them; what is stored is counted by identity, so that a total that fits by chance proves nothing.
package struct NumberedReadings: Sendable {
    /// Seconds since 1970 of the first reading.
    package let base: Int64
    package let participants: Int

    package static let metrics = ["heart-rate", "respiration-rate", "oxygen-saturation", "skin-temperature"]
    private static let lowest: [Double] = [60, 12, 96, 30]
    private static let steps = [40, 8, 4, 5]

    package init(base: Int64, participants: Int = 50) {
        self.base = base
        self.participants = participants
    }

    /// The flags that make `vigil-limits` send the same.
    package var flags: [String] { ["--base", "\(base)", "--participants", "\(participants)"] }

    /// The number of the reading with this identity; nil for one that is none of these.
    package func number(participant: some StringProtocol, metric: some StringProtocol, second: Int64) -> Int? {
        guard participant.hasPrefix("bench-"), let person = Int(participant.dropFirst(6)), (0..<participants).contains(person),
            let kind = Self.metrics.firstIndex(where: { $0 == metric }), second >= base
        else { return nil }
        return (Int(second - base) * Self.metrics.count + kind) * participants + person
    }

    /// A participant's name.
    package func name(of participant: Int) -> String {
        let digits = String(participant)
        return "bench-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    /// The identity of the reading with this number, beside its participant.
    package func reading(_ number: Int) -> (metric: String, second: Int64) {
        let row = number / participants
        return (Self.metrics[row % Self.metrics.count], base + Int64(row / Self.metrics.count))
    }

    /// The value of the reading with this number.
    package func value(_ number: Int) -> Double {
        let row = number / participants
        let kind = row % Self.metrics.count
        return Self.lowest[kind] + Double((number + row / Self.metrics.count) % Self.steps[kind])
    }
}

/// A count of numbered readings in a store, by identity.
package struct Census: Sendable, CustomStringConvertible {
    private let readings: NumberedReadings
    private var seen: [UInt8]
    /// Rows that hold a number other than the one sent.
    package private(set) var altered = 0
    /// Rows that nobody sent.
    package private(set) var foreign = 0

    package init(_ readings: NumberedReadings, expected: Int) {
        self.readings = readings
        seen = Array(repeating: 0, count: expected)
    }

    /// Counts a stored row.
    package mutating func add(participant: some StringProtocol, metric: some StringProtocol, second: Int64, value: Double) {
        guard let number = readings.number(participant: participant, metric: metric, second: second), number < seen.count else {
            foreign += 1
            return
        }
        if seen[number] < .max { seen[number] += 1 }
        if readings.value(number) != value { altered += 1 }
    }

    /// Numbers that are stored nowhere.
    package var missing: [Int] { seen.indices.filter { seen[$0] == 0 } }
    /// The number of are stored more than once.
    package var repeated: Int { seen.count { $0 > 1 } }
    /// Indicates whether everything is stored, once, as it was sent, and nothing else.
    package var isPerfect: Bool { altered == 0 && foreign == 0 && seen.allSatisfy { $0 == 1 } }

    package var description: String {
        let lost = missing
        let examples = lost.isEmpty ? "" : " (from \(lost[0]) to \(lost[lost.count - 1]))"
        return "of \(seen.count): \(lost.count) missing\(examples), \(repeated) repeated, \(altered) altered, \(foreign) foreign"
    }
}
