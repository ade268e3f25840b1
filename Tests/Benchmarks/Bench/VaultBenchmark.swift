import Foundation
import SuiteHarness
import TestSupport
import TimelineStore

/// Readings into SQLite in a vault as `vigil up --vault` opens it: rows a second, by the side of the same store on the plain disk.
struct VaultScalars: Benchmark {
    let name = "sqlite-vault"
    let unit = "rows/s"
    let goal = Goal.ratio(0.2)
    let yardstick: String? = "the same store outside the vault"
    private let load = ScalarLoad(count: 200_000, perAppend: 1000)

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        let (cipher, opened) = (folder.path("cipher"), folder.path("open"))
        for part in [cipher, opened] { try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: false) }
        try folder.write(UUID().uuidString, to: "password")
        let password = ["-q", "-passfile", folder.path("password"), "--", cipher]
        try await ChildProcess.run("/usr/bin/gocryptfs", ["-init"] + password, in: folder)
        try await ChildProcess.run("/usr/bin/gocryptfs", password + [opened], in: folder)
        let rate: Result<Double, any Error>
        do {
            rate = .success(try await load.run(SQLiteStore(path: "\(opened)/timeline.sqlite")))
        } catch {
            rate = .failure(error)
        }
        try await ChildProcess.run("/usr/bin/fusermount3", ["-u", opened], in: folder)
        return try rate.get()
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        // The folder goes with its last use.
        defer { withExtendedLifetime(folder) {} }
        return try await load.run(SQLiteStore(path: folder.path("timeline.sqlite")))
    }
}
