import Foundation
import TestSupport
import Testing

@Suite("Examples of publishers", .serialized, .timeLimit(.minutes(4)))
struct ExampleTests {
    private static let hasPaho = (try? ChildProcess.runBlocking(["python3", "-c", "import paho.mqtt.enums"])) != nil

    @Test("with mosquitto_pub: the reading is stored, and the receipt says so")
    func shell() async throws { try await run("publish.sh", ["anna", "example"]) }

    @Test(
        "with Paho: the reading is stored, and the receipt says so",
        .enabled(if: hasPaho, "paho-mqtt 2 is not installed: pip install paho-mqtt"))
    func python() async throws { try await run("publish.py", ["anna", "example", "1"]) }

    private func run(_ name: String, _ arguments: [String]) async throws {
        let suite = try await RunningSuite()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let environment = ProcessInfo.processInfo.environment.merging(["VIGIL_BROKER_PORT": "\(suite.port)"]) { $1 }
        let example = try ChildProcess(
            root.appending(path: "deploy/examples/\(name)").path, arguments, output: suite.folder.path("example.log"),
            environment: environment)
        #expect(try await example.waitForExit() == 0)
        #expect(example.output.contains("stored"), "\(example.output)")
        #expect(try await suite.interrupt() == 0)
    }
}
