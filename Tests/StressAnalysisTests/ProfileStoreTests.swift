import ServiceKit
import Signals
import StressAnalysis
import TestSupport
import Testing

@Suite("Profiles")
struct ProfileStoreTests {
    @Test("come back as they were kept, after the file was closed")
    func roundTrip() async throws {
        let folder = try TemporaryFolder("vigil-stress")
        var full = StressProfile()
        full.mode = .base
        full.baseline = StressBaseline(heartRate: 61.5, skinConductance: 2.25, breathingRate: nil, temperature: 32)
        full.calibratedAt = 1_700_000_123.5
        full.bounds = StressBounds(
            heartRate: 50...110, skinConductance: 1.5...12, breathingRate: 8...24, temperature: 28...35)
        var half = StressProfile()
        half.bounds = StressBounds(breathingRate: 9...21)
        do {
            let store = SQLiteProfileStore(try ServiceState(path: folder.path("state.sqlite"), migrations: SQLiteProfileStore.migrations))
            try await store.save(StressProfile(), of: "empty")
            try await store.save(StressProfile(), of: "full")
            try await store.save(full, of: "full")
            try await store.save(half, of: "half")
        }
        let again = SQLiteProfileStore(try ServiceState(path: folder.path("state.sqlite"), migrations: SQLiteProfileStore.migrations))
        let kept = try await again.all()
        #expect(kept == ["empty": StressProfile(), "full": full, "half": half])
    }
}
