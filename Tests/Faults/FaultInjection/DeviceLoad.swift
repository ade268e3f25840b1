package import SuiteHarness

/// What `vigil-limits publish --format device` sends, in the order in which it does.
package struct DeviceLoad: Sendable {
    let readings: NumberedReadings
    let messages: Int
    let perMessage: Int
    let seed: UInt64
    /// Of 1000 messages, how many change places with the participant's next one.
    let reorder: Int

    package init(readings: NumberedReadings, messages: Int, perMessage: Int, seed: UInt64, reorder: Int) {
        self.readings = readings
        self.messages = messages
        self.perMessage = perMessage
        self.seed = seed
        self.reorder = reorder
    }

    /// All numbers of a participant's readings, as they are sent.
    package func numbers(of participant: Int) -> [Int] {
        stride(from: participant, to: messages, by: readings.participants).flatMap { place in
            let block = message(at: place) / readings.participants
            return (0..<perMessage).map { (block * perMessage + $0) * readings.participants + participant }
        }
    }

    /// As `load_message` of load.c.
    func message(at place: Int) -> Int {
        let (block, participants) = (place / readings.participants, readings.participants)
        let pair = block / 2 * participants + place % participants
        let other = block % 2 == 1 ? place - participants : place + participants
        let chance = Self.mix(Self.mix(seed) ^ 3 ^ UInt64(pair)) % 1000
        return other < messages && chance < UInt64(reorder) ? other : place
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        var value = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
