import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// Has `vigil-timeline` seal the days of the readings while they come, now and then: each that comes then repeats, corrects or adds to a sealed day.
final class SealingSwitch: Sendable {
    /// Of `vigil-timeline`, which seals only while it is not paused.
    static let settings = ["--seal-after", "1d"]

    private let store: StoreUnderTest
    private let folder: TemporaryFolder
    private let most = Mutex(0)

    init(_ store: StoreUnderTest, in folder: TemporaryFolder) { (self.store, self.folder) = (store, folder) }

    /// The most readings that were sealed when a time of sealing ended.
    var mostSealed: Int { most.withLock { $0 } }

    func set(_ isOn: Bool) async throws {
        if !isOn, let count = try? await store.lines("SELECT coalesce(sum(count), 0) FROM sealed").first.flatMap({ Int($0) }) {
            most.withLock { $0 = max($0, count) }
        }
        try await command([isOn ? "--resume" : "--pause"])
    }

    /// Ends sealing, and moves all back to where the checks look.
    func end() async throws {
        try await set(false)
        try await command(["--unseal"])
    }

    /// Runs `vigil timeline seal`, again while the database is away or full.
    private func command(_ words: [String]) async throws {
        let program = try BuiltCommand.path("vigil")
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VIGIL_") }
        let arguments = ["timeline", "seal"] + words + ["--store", store.setting()]
        try await eventually(within: .seconds(20), "vigil timeline seal") {
            let log = self.folder.path("seal-\(UUID().uuidString).log")
            return try await ChildProcess(program, arguments, output: log, environment: inherited).waitForExit() == 0
        }
    }
}
