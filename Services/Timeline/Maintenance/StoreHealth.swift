import Synchronization

/// Whether the writer's last transaction failed: a database that still answers may have no room to write.
package final class StoreHealth: Sendable {
    private let fails = Atomic<Bool>(false)

    package init() {}

    package var writingFails: Bool {
        get { fails.load(ordering: .relaxed) }
        set { fails.store(newValue, ordering: .relaxed) }
    }
}
