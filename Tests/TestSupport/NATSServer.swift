import Foundation
import Synchronization

/// A NATS server with JetStream and MQTT on free loopback ports, its files in a temporary folder; ends with this value's last reference.
package final class NATSServer: Sendable {
    /// The program of which there are two: Debian's, which is too old for a cluster, and one that is not.
    package enum Program: Sendable {
        case debian
        case recent

        /// Its path; nil where it is not installed.
        package var path: String? {
            switch self {
            case .debian: ["/usr/sbin/nats-server", "/usr/bin/nats-server"].first { FileManager.default.isExecutableFile(atPath: $0) }
            case .recent:
                [ProcessInfo.processInfo.environment["VIGIL_NATS_SERVER"], Self.shared].compactMap { $0 }
                    .first { FileManager.default.isExecutableFile(atPath: $0) }
            }
        }

        private static let shared = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../shared/tools/bin/nats-server").standardizedFileURL.path
    }

    /// The ports of MQTT and of the monitoring interface.
    package let mqttPort: UInt16
    package let monitorPort: UInt16
    private let program: String
    private let folder: TemporaryFolder
    private let process: Mutex<ChildProcess>

    /// Where the monitoring interface is.
    package var monitor: String { "http://127.0.0.1:\(monitorPort)" }

    /// Starts a cluster of so many servers, or one by itself, and waits until each takes connections.
    /// - Parameters:
    ///   - copies: the copies of MQTT's streams.
    ///   - accounts: the part of the configuration about accounts; without it everybody may do everything.
    ///   - acknowledgeWithin: the time after which a message that is not acknowledged is sent again.
    package static func start(
        _ program: Program, count: Int = 1, copies: Int = 1, accounts: String = "", acknowledgeWithin: String = "10s"
    ) async throws -> [NATSServer] {
        guard let path = program.path else {
            throw ChildProcess.Failure(description: "nats-server is not installed: apt-get install nats-server")
        }
        let routes = try (0..<count).map { _ in try LoopbackPort.free() }
        let servers = try (0..<count).map {
            try NATSServer(path, number: $0, routes: count > 1 ? routes : [], copies: copies, accounts, acknowledgeWithin)
        }
        for server in servers { try await server.awaitReady() }
        return servers
    }

    private init(_ program: String, number: Int, routes: [UInt16], copies: Int, _ accounts: String, _ acknowledgeWithin: String) throws {
        folder = try TemporaryFolder("vigil-nats")
        (mqttPort, monitorPort) = (try LoopbackPort.free(), try LoopbackPort.free())
        let others = routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        let cluster = routes.isEmpty ? "" : "cluster { name: vigil, listen: \"127.0.0.1:\(routes[number])\", routes: [\(others)] }"
        try folder.write(
            """
            server_name: n\(number)
            listen: "127.0.0.1:\(try LoopbackPort.free())"
            http: "127.0.0.1:\(monitorPort)"
            jetstream { store_dir: "\(folder.path("store"))" }
            mqtt { listen: "127.0.0.1:\(mqttPort)", stream_replicas: \(copies), ack_wait: "\(acknowledgeWithin)" }
            \(cluster)
            \(accounts)
            """, to: "nats.conf")
        self.program = program
        process = Mutex(try ChildProcess(program, ["-c", folder.path("nats.conf")], output: folder.path("nats.log")))
    }

    deinit { process.withLock { $0.signal(SIGKILL) } }

    /// Ends it at once, and waits until it has ended.
    package func kill() async throws {
        let child = process.withLock { $0 }
        child.signal(SIGKILL)
        try await child.waitForExit()
    }

    /// Starts it again with what it had kept, after `kill()`.
    package func restart() async throws {
        let child = try ChildProcess(program, ["-c", folder.path("nats.conf")], output: folder.path("nats.log"))
        process.withLock { $0 = child }
        try await awaitReady()
    }

    /// Lets it hang, connections open.
    package func pause() { process.withLock { $0.signal(SIGSTOP) } }

    /// Lets it go on after `pause()`.
    package func resume() { process.withLock { $0.signal(SIGCONT) } }

    private func awaitReady() async throws {
        try await eventually("nats-server on port \(mqttPort)") {
            let child = process.withLock { $0 }
            guard !child.hasEnded else { throw ChildProcess.Failure(description: "nats-server ended: \(child.output)") }
            return LoopbackPort.answers(mqttPort) && LoopbackPort.answers(monitorPort)
        }
    }
}
