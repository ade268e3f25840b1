import Foundation
import TestSupport

@testable import VigilCLI

/// A `vigil up` in a folder of its own.
struct RunningSuite {
    let folder: TemporaryFolder
    let port: UInt16
    /// Of the first service's `/metrics`; the others follow.
    let healthPort: Int
    private let process: ChildProcess

    /// Starts it, and waits until it says that it is up.
    /// - Parameters:
    ///   - folder: of an earlier one; by default a new one.
    ///   - place: settings in place of the state folder below it.
    init(folder given: TemporaryFolder? = nil, place: [String]? = nil) async throws {
        folder = try given ?? TemporaryFolder("vigil-up")
        let place = place ?? ["--state-folder", folder.path("state")]
        var suite = try await Self.start(in: folder, place)
        // Another test may take a port between its choice and the service's start.
        for _ in 0..<4 where suite.process.hasEnded && suite.process.output.contains("is taken") {
            suite = try await Self.start(in: folder, place)
        }
        guard !suite.process.hasEnded else { throw NeverHappened(description: suite.process.output) }
        (port, healthPort, process) = suite
    }

    private static func start(in folder: TemporaryFolder, _ place: [String]) async throws -> (
        port: UInt16, healthPort: Int, process: ChildProcess
    ) {
        let (port, healthPort) = (try LoopbackPort.free(), Int(try LoopbackPort.free(8)))
        let process = try ChildProcess(
            BuiltProgram.path("vigil"),
            [
                "up", "--broker-port", "\(port)", "--health-port", "\(healthPort)", "--dashboard-port", "\(try LoopbackPort.free())",
            ] + place,
            output: folder.path("up-\(UUID().uuidString).log"), environment: [:])
        do {
            try await eventually(within: .seconds(60), "the suite to be up") {
                process.hasEnded || process.output.contains("Vigil is up.")
            }
        } catch {
            throw NeverHappened(description: "\(error): \(process.output)\n\(lastWords(in: folder))")
        }
        return (port, healthPort, process)
    }

    /// The last lines of each service's log.
    private static func lastWords(in folder: TemporaryFolder) -> String {
        let files = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains("logs/") }.map { name in
            let lines = (try? String(contentsOfFile: folder.path(name), encoding: .utf8))?.split(separator: "\n").suffix(6) ?? []
            return "\(name):\n" + lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The output for its operator.
    var output: String { process.output }

    /// The brokers that run on its folder.
    func brokers() -> [Int32] { processes { $0.contains("\0-c\0\(folder.path("state/broker/mosquitto.conf"))") } }

    /// The processes that it started, by what they are told to be.
    func processes(of service: String, in state: String? = nil) -> [Int32] {
        processes { $0.contains(state ?? folder.path("state")) && $0.contains("service\0\(service)\0") }
    }

    private func processes(where isWanted: (String) -> Bool) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { number in
            isWanted(String(decoding: FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data(), as: UTF8.self))
        }
    }

    /// Runs another command of the tool against its broker; returns its exit code and what it printed.
    func run(
        _ arguments: [String], _ name: String = UUID().uuidString, withBroker: Bool = true
    ) async throws -> (code: Int32, output: String) {
        let child = try ChildProcess(
            BuiltProgram.path("vigil"), arguments + (withBroker ? ["--broker-port", "\(port)"] : []), output: folder.path("\(name).log"),
            environment: [:])
        return (try await child.waitForExit(within: .seconds(60)), child.output)
    }

    /// Ends it as Ctrl-C does; returns its exit code.
    func interrupt() async throws -> Int32 {
        process.signal(SIGINT)
        return try await process.waitForExit(within: .seconds(60))
    }

    /// Ends it without a word.
    func kill() async throws {
        process.signal(SIGKILL)
        try await process.waitForExit()
    }
}
