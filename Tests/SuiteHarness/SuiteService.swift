import Foundation
import Synchronization
package import TestSupport

/// A service of the suite as a process that can be killed, frozen and started again.
package final class SuiteService: Sendable {
    /// For example `vigil-timeline`.
    package let name: String
    /// Where it serves health and metrics.
    package let httpPort: UInt16
    private let arguments: [String]
    private let program: String
    private let log: String
    private let environment: [String: String]
    private let process = Mutex<ChildProcess?>(nil)

    /// - Parameters:
    ///   - settings: its own flags; broker, HTTP port and state folder are added.
    ///   - brokerPort: the broker's port, or that of a proxy before it.
    ///   - folder: for its log and its state.
    ///   - stateFolder: where its state goes instead.
    ///   - environment: variables beside the inherited ones.
    package init(
        _ name: String, settings: [String] = [], brokerPort: UInt16, folder: TemporaryFolder, stateFolder: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.name = name
        self.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        program = try BuiltCommand.path(name)
        httpPort = try LoopbackPort.free()
        log = folder.path("\(name).log")
        arguments =
            settings + [
                "--broker-port", "\(brokerPort)", "--http-port", "\(httpPort)", "--state-folder", stateFolder ?? folder.path("state"),
            ]
    }

    /// Starts the process, without waiting until it is ready.
    package func launch() throws {
        let child = try ChildProcess(program, arguments, output: log, environment: environment)
        process.withLock { $0 = child }
    }

    /// Starts the process and waits until it says that it can work.
    package func start() async throws {
        try launch()
        try await waitUntilReady()
    }

    package func waitUntilReady(within limit: Duration = .seconds(60)) async throws {
        try await eventually(within: limit, "\(name) ready") {
            guard !hasEnded else { throw HarnessError("\(name) ended: \(lastLines)") }
            return LocalHTTP.get("/readyz", port: httpPort) != nil
        }
    }

    /// Sends a signal.
    package func signal(_ number: Int32) {
        process.withLock { $0 }?.signal(number)
    }

    /// Ends it as an operator does, and expects it to end well.
    package func stop() async throws {
        signal(SIGCONT)
        signal(SIGTERM)
        guard let code = try await process.withLock({ $0 })?.waitForExit(within: .seconds(60)), code != 0 else { return }
        throw HarnessError("\(name) ended with \(code): \(lastLines)")
    }

    /// Ends it at once, as a crash or the system does.
    package func kill() async throws {
        signal(SIGKILL)
        try await process.withLock { $0 }?.waitForExit()
    }

    /// Whether it does not run.
    package var hasEnded: Bool { process.withLock { $0 }?.hasEnded ?? true }

    /// What it uses now; nil while it does not run.
    package var usage: ProcessUsage? { process.withLock { $0 }.flatMap { ProcessUsage(processID: $0.processID) } }

    /// The value of a metric without labels; nil while it does not answer.
    package func metric(_ name: String) -> Double? {
        guard let text = LocalHTTP.get("/metrics", port: httpPort) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
    }

    /// Its metrics that are not zero, for an error's text; without histograms.
    package var counters: String {
        let lines = (LocalHTTP.get("/metrics", port: httpPort) ?? "").split(separator: "\n")
        let own = lines.filter { $0.hasPrefix("vigil_") && !$0.hasSuffix(" 0") && !$0.contains("_bucket{") }
        return own.map { $0.dropFirst(6) }.joined(separator: ", ")
    }

    /// The end of its log, for an error's text.
    package var lastLines: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(12).joined(separator: "\n")
    }
}
