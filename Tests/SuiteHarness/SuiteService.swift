import Foundation
import Glibc
import Synchronization
package import TestSupport

/// A service of the suite as a process that can be killed, frozen and started again.
package final class SuiteService: Sendable {
    /// For example `vigil-timeline`.
    package let name: String
    /// The port at which it serves health and metrics.
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
        // What steers the build and the tests is no setting of a service, which refuses what it does not know.
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VIGIL_") }
        self.environment = inherited.merging(environment) { $1 }
        program = try BuiltCommand.path(name)
        httpPort = try LoopbackPort.free()
        log = folder.path("\(name).log")
        // The importer is a tool whose service is one of its subcommands.
        arguments =
            (name == "vigil-import" ? ["serve"] : []) + settings + [
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

    /// Indicates whether it does not run.
    package var hasEnded: Bool { process.withLock { $0 }?.hasEnded ?? true }

    /// The present usage; nil while it does not run.
    package var usage: ProcessUsage? { process.withLock { $0 }.flatMap { ProcessUsage(processID: $0.processID) } }

    /// The value of a metric without labels; nil while it does not answer.
    package func metric(_ name: String) -> Double? {
        guard let text = LocalHTTP.get("/metrics", port: httpPort) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
    }

    /// Several metrics of one answer, in the order of their names; nil where one is missing.
    package func metrics(_ names: [String]) -> [Double]? {
        guard let text = LocalHTTP.get("/metrics", port: httpPort) else { return nil }
        let lines = text.split(separator: "\n")
        let values = names.compactMap { name in
            lines.first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.utf8.count + 1)) }
        }
        return values.count == names.count ? values : nil
    }

    /// Its metrics that are not zero, for an error's text; without histograms.
    package var counters: String {
        let lines = (LocalHTTP.get("/metrics", port: httpPort) ?? "").split(separator: "\n")
        let own = lines.filter { $0.hasPrefix("vigil_") && !$0.hasSuffix(" 0") && !$0.contains("_bucket{") }
        return own.map { $0.dropFirst(6) }.joined(separator: ", ")
    }

    /// Returns whether its log has a text.
    package func said(_ text: String) -> Bool { (try? String(contentsOfFile: log, encoding: .utf8))?.contains(text) ?? false }

    /// The end of its log, for an error's text.
    package var lastLines: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(12).joined(separator: "\n")
    }
}

/// GET on a loopback port, blocking for at most two seconds: enough for a service's health and metrics.
package enum LocalHTTP {
    /// The body of an answer with status 200; nil for any other answer, or none.
    package static func get(_ path: String, port: UInt16) -> String? {
        guard let descriptor = connect(port) else { return nil }
        defer { close(descriptor) }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer.append(contentsOf: buffer[..<count])
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200"), let head = text.firstRange(of: "\r\n\r\n") else { return nil }
        return String(text[head.upperBound...])
    }

    private static func connect(_ port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
