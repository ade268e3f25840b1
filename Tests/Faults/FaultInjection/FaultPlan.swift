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
    package var kinds = FaultKind.allCases
    /// Services beside `vigil-ingest` and `vigil-timeline`.
    package var others: [String] = []
    /// Of 1000 messages, how many come twice, and how many have a broken copy.
    package var duplicates = 20
    package var poison = 5

    package init(seed: UInt64, store: StoreUnderTest.Kind) {
        self.seed = seed
        self.store = store
    }

    /// All services that run.
    package var services: [String] { ["vigil-timeline", "vigil-ingest"] + others }

    /// The faults, which follow from the plan alone.
    package var schedule: Schedule {
        var kinds = kinds
        if store == .sqlite { kinds.removeAll { $0 == .stopDatabase } }
        if store == .postgres { kinds.removeAll { $0 == .fillDisk } }
        return Schedule(
            seed: seed, seconds: seconds, interval: interval, longest: longest, kinds: kinds, services: services,
            links: store == .sqlite ? [.broker] : Fault.Link.allCases)
    }
}
