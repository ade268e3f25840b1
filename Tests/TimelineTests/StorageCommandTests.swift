import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("Storage report")
struct StorageCommandTests {
    private static let start = Timestamp(seconds: 1_700_000_000)

    private static func report() async throws -> StorageReport {
        let folder = try TemporaryFolder("vigil-storage")
        defer { withExtendedLifetime(folder) {} }
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let groups = ["anna", "ben"].map { name in
            let observations = (0..<200).flatMap { second in
                ["heart-rate", "breathing-rate"].map { metric in
                    Observation(
                        metric: metric, time: start.advanced(bySeconds: Double(second)), content: .value(Double(second)), unit: "/min")
                }
            }
            return ObservationGroup(participant: name, source: "watch", received: start, observations: observations)
        }
        _ = try await store.append([ObservationBatch(id: "01JD", groups: groups)])
        let report = try await store.storage(now: start.advanced(bySeconds: 86_400))
        await store.close()
        return report
    }

    @Test("lists the same bytes by metric, participant and series, the largest first")
    func groupings() async throws {
        let report = try await Self.report()
        func bytes(_ grouping: StorageCommand.Grouping) -> [Int64] {
            StorageCommand.rows(report, by: grouping).map { $0["bytes"] as? Int64 ?? 0 }
        }
        #expect(bytes(.metric).count == 2 && bytes(.participant).count == 2 && bytes(.series).count == 4)
        #expect(bytes(.metric).reduce(0, +) == bytes(.series).reduce(0, +))
        #expect(bytes(.participant).reduce(0, +) == bytes(.series).reduce(0, +))
        #expect(bytes(.kind) == bytes(.kind).sorted(by: >) && bytes(.kind).reduce(0, +) == report.bytes)
    }

    @Test("says how long the disk lasts, or what it does not know")
    func outlook() async throws {
        let report = try await Self.report()
        let perDay = try #require(report.bytesPerDay)
        let outlook = StorageOutlook(report, free: Int64(perDay * 40.5))
        #expect(try #require(outlook.days) >= 40 && outlook.fields["days_left"] as? Int64 == 40)
        #expect(outlook.lines[1].hasSuffix("enough for 40 days"))
        #expect(StorageOutlook(report, free: .max).lines[1].hasSuffix("a century and more"))
        let unknown = StorageOutlook(report, free: nil)
        #expect(unknown.days == nil && unknown.fields["days_left"] == nil && unknown.fields["free_bytes"] == nil)
        #expect(unknown.lines[1].contains("--disk"))
    }
}
