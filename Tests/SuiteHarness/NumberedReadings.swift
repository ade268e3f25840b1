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

    /// What the reading with this number says.
    package func value(_ number: Int) -> Double {
        let row = number / participants
        let kind = row % Self.metrics.count
        return Self.lowest[kind] + Double((number + row / Self.metrics.count) % Self.steps[kind])
    }
}
