/// What became of numbered readings in a store, counted by identity.
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
    /// How many are stored more than once.
    package var repeated: Int { seen.count { $0 > 1 } }
    /// Whether everything is stored, once, as it was sent, and nothing else.
    package var isPerfect: Bool { altered == 0 && foreign == 0 && seen.allSatisfy { $0 == 1 } }

    package var description: String {
        let lost = missing
        let examples = lost.isEmpty ? "" : " (from \(lost[0]) to \(lost[lost.count - 1]))"
        return "of \(seen.count): \(lost.count) missing\(examples), \(repeated) repeated, \(altered) altered, \(foreign) foreign"
    }
}
