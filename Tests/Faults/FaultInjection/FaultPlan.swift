import Foundation
import SignalSynthesis
import Signals
package import SuiteHarness

/// The plan of a fault run: how much is published, into which store, and what goes wrong.
package struct FaultPlan: Sendable {
    package var seed: UInt64
    package var store: StoreUnderTest.Kind
    /// Readings that are published, numbered.
    package var readings = 200_000
    /// Readings in a device's message.
    package var perMessage = 5
    /// Seconds over which they are published.
    package var seconds = 60.0
    /// Mean seconds between two faults.
    package var interval = 2.5
    /// Seconds that a fault lasts at most.
    package var longest = 5.0
    /// The same for what freezes and for wrong clocks.
    package var longestFreeze = 30.0
    /// Seconds that a disk stays full where that is to be long: more than ten deliveries are tried and given back.
    package var longFullDisk = 25.0
    package var kinds = FaultKind.allCases
    /// Services beside `vigil-ingest` and `vigil-timeline`.
    package var others = ["vigil-stress", "vigil-alert"]
    /// Of 1000 messages, how many come twice, how many have a broken copy, and how many change places with the participant's next.
    package var duplicates = 20
    package var poison = 5
    package var reorder = 20
    /// The most resident memory that a service may take, in megabytes.
    package var memory = 60

    package init(seed: UInt64, store: StoreUnderTest.Kind) {
        self.seed = seed
        self.store = store
    }

    /// All services that run.
    package var services: [String] { ["vigil-timeline", "vigil-ingest"] + others }

    /// Indicates whether nothing goes wrong but what hostile clients do: then nobody else may be made to wait.
    var isHostileOnly: Bool { kinds.allSatisfy { FaultKind.hostile.contains($0) } }

    /// Indicates whether months are packed without an end, behind which nothing is sealed.
    var repeatsPacking: Bool { store == .postgres && (!kinds.contains(.seal) || (seed / 2).isMultiple(of: 2)) }

    /// Connections that lead through a proxy.
    var links: [Fault.Link] { store == .sqlite ? [.broker] : Fault.Link.allCases }

    /// The faults, which follow from the plan alone.
    package var schedule: Schedule { Schedule(self) }

    /// The readings that a device sends.
    var load: DeviceLoad {
        DeviceLoad(
            readings: NumberedReadings(base: 1_700_000_000), messages: readings / perMessage, perMessage: perMessage, seed: seed,
            reorder: reorder)
    }
}

/// The faults of a run and their times, which follow from a seed alone.
package struct Schedule: Sendable, CustomStringConvertible {
    /// A fault and when it begins, in seconds from the start of the stream.
    package struct Entry: Sendable, Hashable, CustomStringConvertible {
        package let at: Double
        package let fault: Fault

        package var description: String { "\(String(format: "%4.1f", at)) s: \(fault)" }
    }

    package let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    /// Random faults of the plan's kinds, about one every `interval` seconds.
    package init(_ plan: FaultPlan) {
        var random = SeededGenerator(seed: plan.seed)
        var busy: [String: Double] = [:]
        var entries: [Entry] = []
        var time = 0.5
        while time < plan.seconds {
            if let fault = plan.kinds.randomElement(using: &random)?.fault(plan, using: &random), busy[fault.target, default: 0] <= time {
                entries.append(Entry(at: time, fault: fault))
                busy[fault.target] = time + fault.seconds + 1
            }
            time += Double.random(in: 0.1...2 * plan.interval, using: &random)
        }
        self.entries = entries
    }

    /// Indicates whether the broker forgets: then only a receipt says that a reading is safe.
    package var killsBroker: Bool { entries.contains { $0.fault == .killBroker } }

    package var description: String { entries.map(\.description).joined(separator: "\n") }
}

/// The readings of `vigil-limits publish --format device`, in the order of sending.
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
