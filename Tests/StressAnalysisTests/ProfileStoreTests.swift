import Foundation
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
        half.bounds = StressBounds(breathingRate: 9...21, temperature: 30...30)
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

    @Test("of whoever was removed nothing is left in the file and its log, and the others stay")
    func removed() async throws {
        let folder = try TemporaryFolder("vigil-stress"), names = ["somebody-removed", "somebody-kept"]
        let store = SQLiteProfileStore(try ServiceState(path: folder.path("state.sqlite"), migrations: SQLiteProfileStore.migrations))
        for name in names { try await store.save(StressProfile(), of: name) }
        func files(holding name: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count {
                try Data(contentsOf: URL(filePath: folder.path($0))).range(of: Data(name.utf8)) != nil
            }
        }
        #expect(try files(holding: names[0]) > 0)
        try await store.remove([names[0]])
        #expect(try files(holding: names[0]) == 0 && files(holding: names[1]) > 0)
        #expect(try await Array(store.all().keys) == [names[1]])
    }

    @Test("of the first version's file are read")
    func firstVersion() async throws {
        let folder = try TemporaryFolder("vigil-stress"), path = folder.path("state.sqlite")
        do {
            let first = SQLiteProfileStore(try ServiceState(path: path, migrations: [Migration(1, SQLiteProfileStore.migrations[0].sql)]))
            try await first.save(StressProfile(), of: "p1")
        }
        let store = SQLiteProfileStore(try ServiceState(path: path, migrations: SQLiteProfileStore.migrations))
        #expect(try await store.all() == ["p1": StressProfile()])
    }
}
