import Foundation
import TestSupport

/// The program `bus-fixture`: a consumer in a process of its own that holds its first batch for ever.
enum BusFixture {
    static func start(_ server: MosquittoServer, client: String, filter: String) throws -> ChildProcess {
        // The test runner and the fixture are built into one folder.
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let program = [folder, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
            .map { $0.appendingPathComponent("bus-fixture").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let program else { throw NeverHappened(description: "bus-fixture is not built beside the tests in \(folder.path)") }
        return try ChildProcess(program, ["hold", String(server.port), client, filter], output: server.folder.path("fixture.log"))
    }
}
