import Foundation
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("Backing up and restoring", .timeLimit(.minutes(4)))
struct BackupTests {
    private static let start = Timestamp(seconds: 1_484_840_182)
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/timeline-backup").path

    /// A setting as `--store` and the script take it, and the store there.
    private typealias RowPosition = (setting: String, store: any SQLTimelineStore)

    private static func places(_ kind: String, in folder: TemporaryFolder) throws -> (RowPosition, RowPosition) {
        func place(_ name: String) throws -> RowPosition {
            guard kind == "postgres" else { return ("sqlite:\(folder.path(name))", SQLiteStore(path: folder.path(name))) }
            let server = try PostgresServer.shared(), connection = try server.makeDatabase()
            let database = connection.split(separator: "dbname=").last ?? ""
            return (
                "postgresql://vigil@127.0.0.1:\(server.port)/\(database)", PostgresStore(PostgresConfiguration(connection: connection))
            )
        }
        return (try place("first.sqlite"), try place("second.sqlite"))
    }

    private static var batch: ObservationBatch {
        var observations = (0..<200).map {
            Observation(
                metric: "heart-rate", time: start.advanced(bySeconds: Double($0) * 3600), content: .value(60 + Double($0 % 40)),
                unit: "/min")
        }
        observations.append(Observation(metric: "note", time: start, content: .text("walked"), unit: "1"))
        observations.append(Observation(metric: "ecg", time: start, content: .samples([0.1, 0.25, -0.1], period: 0.004), unit: "mV"))
        let group = ObservationGroup(participant: "12", source: "A01", session: "5", received: start, observations: observations)
        return ObservationBatch(id: "a", groups: [group])
    }

    /// Everything that the store holds of everybody.
    private static func contents(_ store: any SQLTimelineStore) async throws -> [String: [SQLRow]] {
        let tables = [
            "participant", "source", "session", "metric", "reading", "waveform", "correction", "rollup_minute", "rollup_hour",
            "rollup_day", "profile", "entry", "retention", "setting",
        ]
        return try await store.read { connection throws(StoreError) in
            var contents: [String: [SQLRow]] = [:]
            for table in tables { contents[table] = try connection.rows("SELECT * FROM \(table) ORDER BY 1, 2") }
            return contents
        }
    }

    @Test("gives back everything that was stored, and goes on from there", arguments: ["sqlite", "postgres"])
    func restore(_ kind: String) async throws {
        let folder = try TemporaryFolder("vigil-backup")
        let (first, second) = try Self.places(kind, in: folder)
        #expect(try await first.store.append([Self.batch])[0].stored == 202)
        try await first.store.setProfile(ParticipantProfile(first: "Ada", timeZone: "Europe/Berlin"), participant: "12")
        let entry = TimelineEntry(id: "e1", kind: .note, time: Self.start, description: "slept well")
        try await first.store.post(entry, participant: "12", received: Self.start)
        try await first.store.setRetention(RetentionRule(.waveform, days: 30))
        let file = folder.path("backup")
        // The store stays open: a backup is made while it is written.
        _ = try await ChildProcess.run("/bin/bash", [Self.script, "save", first.setting, file], in: folder)
        _ = try await first.store.append([ObservationBatch(id: "b", groups: [])])
        _ = try await ChildProcess.run("/bin/bash", [Self.script, "restore", file, second.setting], in: folder)
        let (saved, restored) = (try await Self.contents(first.store), try await Self.contents(second.store))
        for (table, rows) in saved { #expect(restored[table] == rows, "\(table)") }
        #expect(try await second.store.append([Self.batch])[0].duplicates == 202)
        #expect(try await second.store.entries(participant: "12", from: Self.start, to: Self.start.advanced(bySeconds: 1)) == [entry])
        await first.store.close()
        await second.store.close()
    }

    @Test("restores over nothing that exists")
    func occupied() async throws {
        let folder = try TemporaryFolder("vigil-backup")
        let (first, second) = try Self.places("sqlite", in: folder)
        for place in [first, second] {
            _ = try await place.store.append([Self.batch])
            await place.store.close()
        }
        _ = try await ChildProcess.run("/bin/bash", [Self.script, "save", first.setting, folder.path("backup")], in: folder)
        await #expect(throws: (any Error).self) {
            try await ChildProcess.run("/bin/bash", [Self.script, "restore", folder.path("backup"), second.setting], in: folder)
        }
    }
    @Test("restores beside no log of another database, whose pages SQLite would write over the backup's", arguments: ["-wal", "-journal"])
    func log(_ ending: String) async throws {
        let folder = try TemporaryFolder("vigil-backup")
        let (first, second) = try Self.places("sqlite", in: folder)
        _ = try await first.store.append([Self.batch])
        await first.store.close()
        _ = try await ChildProcess.run("/bin/bash", [Self.script, "save", first.setting, folder.path("backup")], in: folder)
        try folder.write("left behind", to: "second.sqlite\(ending)")
        await #expect(throws: (any Error).self) {
            try await ChildProcess.run("/bin/bash", [Self.script, "restore", folder.path("backup"), second.setting], in: folder)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("second.sqlite")))
    }
}
