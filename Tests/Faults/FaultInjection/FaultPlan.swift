package import SuiteHarness

/// What a fault run does: how much is published, into which store, and what goes wrong.
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
