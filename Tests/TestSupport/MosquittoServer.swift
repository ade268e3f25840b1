import Foundation
package import MessageBus
import Synchronization

/// A real Mosquitto on a free loopback port, its files in a temporary folder. Dies with this value's last reference.
package final class MosquittoServer: Sendable {
    /// The clients that may connect, and their proof of identity.
    package enum Access: Sendable {
        case anonymous
        /// By name and password; the access list is Mosquitto's `acl_file`, empty for no restrictions.
        case password(user: String, password: String, accessList: String = "")
        /// By Mosquitto's own files of passwords and access rights; no client of this process has an account.
        case files(passwords: String, accessList: String)
        /// Over TLS; with `clientCertificate`, only who shows one.
        case tls(TestCertificates, clientCertificate: Bool)
    }

    package let port: UInt16
    package let folder: TemporaryFolder
    private let access: Access
    private let process: Mutex<ChildProcess?>

    private init(port: UInt16, folder: TemporaryFolder, access: Access) {
        self.port = port
        self.folder = folder
        self.access = access
        process = Mutex(nil)
    }

    /// Starts a broker and waits until it takes connections.
    /// - Parameters:
    ///   - settings: Lines of mosquitto.conf without listener and paths; nil for the shipped configuration.
    ///   - extra: Lines that come after them.
    package static func start(settings: String? = nil, extra: String = "", access: Access = .anonymous) async throws -> MosquittoServer {
        // Another process may take the port between its choice and the broker's start.
        for _ in 0..<4 {
            do {
                return try await startOnce(settings: settings, extra: extra, access: access)
            } catch is ChildProcess.Failure {
                continue
            }
        }
        return try await startOnce(settings: settings, extra: extra, access: access)
    }

    private static func startOnce(settings: String?, extra: String, access: Access) async throws -> MosquittoServer {
        let folder = try TemporaryFolder("vigil-mosquitto")
        let server = MosquittoServer(port: try LoopbackPort.free(), folder: folder, access: access)
        let base = try settings ?? shippedSettings()
        try folder.write([base, extra, try await server.surroundings()].joined(separator: "\n"), to: "mosquitto.conf")
        try await server.launch()
        return server
    }

    /// The shipped configuration, deploy/mosquitto/mosquitto.conf.
    package static func shippedSettings() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("deploy/mosquitto/mosquitto.conf"), encoding: .utf8)
    }

    /// Returns a client's configuration: with its authority under TLS, and with the user of `Access.password`.
    package func configuration(
        clientID: String, session: BrokerConfiguration.Session = .clean, version: BrokerConfiguration.ProtocolVersion = .v5
    ) -> BrokerConfiguration {
        var broker = BrokerConfiguration(port: port, clientID: clientID, protocolVersion: version, session: session)
        broker.backoff = Backoff(base: .milliseconds(20), maximum: .milliseconds(300))
        switch access {
        case .anonymous, .files: break
        case .password(let user, let password, _):
            broker.username = user
            broker.password = Secret(password)
        case .tls(let certificates, let needsClient):
            broker.tls = TLSConfiguration(authorities: certificates.authority)
            if needsClient {
                broker.tls?.certificate = certificates.clientCertificate
                broker.tls?.privateKey = certificates.clientKey
            }
        }
        return broker
    }

    // MARK: - Life and death

    /// Ends it as an operator does: it saves its state first.
    package func stop() async throws {
        try await end(SIGTERM)
    }

    /// Ends it at once.
    package func kill() async throws {
        try await end(SIGKILL)
    }

    /// Lets it hang, connections open: SIGSTOP.
    package func pause() {
        process.withLock { $0?.signal(SIGSTOP) }
    }

    /// Lets it go on after `pause()`.
    package func resume() {
        process.withLock { $0?.signal(SIGCONT) }
    }

    /// Starts it again on the same port with the state that it saved.
    package func start() async throws {
        try await launch()
    }

    /// The process that runs now; nil before the first start.
    package var processID: Int32? { process.withLock { $0?.processID } }

    /// The log so far.
    package var log: String { process.withLock { $0?.output } ?? "" }

    private func end(_ signal: Int32) async throws {
        guard let child = process.withLock({ $0 }) else { return }
        child.signal(signal)
        try await child.waitForExit()
    }

    private func launch() async throws {
        let child = try ChildProcess(
            "/usr/sbin/mosquitto", ["-c", folder.path("mosquitto.conf")], output: folder.path("mosquitto.log"))
        process.withLock { $0 = child }
        try await eventually("mosquitto on port \(port)") {
            guard !child.hasEnded else { throw ChildProcess.Failure(description: "mosquitto ended: \(child.output)") }
            return LoopbackPort.answers(port)
        }
    }

    /// The lines that a starter appends to the shipped settings.
    private func surroundings() async throws -> String {
        var lines = ["listener \(port) 127.0.0.1", "persistence_location \(folder.url.path)/"]
        // As root, Mosquitto would become another user, who may not write here.
        if geteuid() == 0 { lines.append("user root") }
        switch access {
        case .anonymous: lines.append("allow_anonymous true")
        case .password(let user, let password, let accessList):
            let file = try folder.write("", to: "passwords")
            try await ChildProcess.run("/usr/bin/mosquitto_passwd", ["-b", file, user, password], in: folder)
            lines += ["allow_anonymous false", "password_file \(file)"]
            if !accessList.isEmpty { lines.append("acl_file \(try folder.write(accessList, to: "acl"))") }
        case .files(let passwords, let accessList):
            lines += ["allow_anonymous false", "password_file \(passwords)", "acl_file \(accessList)"]
        case .tls(let certificates, let needsClient):
            lines += [
                "allow_anonymous true", "cafile \(certificates.authority)", "certfile \(certificates.serverCertificate)",
                "keyfile \(certificates.serverKey)", "require_certificate \(needsClient)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
