import Foundation
package import TestSupport

/// A broker with the shipped access list, an account for every service and accounts for devices and people made by `vigil accounts`, as
/// deploy/init leaves it: services come in at one port, everybody else at another one, where the account is the client identifier, and each
/// port has passwords of its own.
package struct GuardedBroker: Sendable {
    /// The accounts of the services and the operator, as in deploy/init.
    package static let services = ["ingest", "stress", "alert", "timeline", "import", "dashboard", "modules", "operator", "monitor"]
    /// The password of every account.
    package static let password = "correct-horse"

    package let server: MosquittoServer
    /// The port for devices and people.
    package let outsidePort: UInt16
    private let folder: TemporaryFolder
    private let roles: String

    /// Starts the broker with the service accounts, and one for each line of `accounts`: the arguments of `vigil accounts add`.
    package static func start(accounts: [[String]] = []) async throws -> GuardedBroker {
        let folder = try TemporaryFolder("vigil-accounts")
        try folder.write(password, to: "password")
        try folder.write("", to: "passwords")
        try folder.write(services.map { "\($0):\(password)\n" }.joined(), to: "services")
        try await ChildProcess.run("/usr/bin/mosquitto_passwd", ["-U", folder.path("services")], in: folder)
        try folder.write(try String(contentsOfFile: shipped("mosquitto/acl"), encoding: .utf8), to: "acl")
        let port = try LoopbackPort.free()
        let outside = """
            per_listener_settings true
            listener \(port) 127.0.0.1
            use_username_as_clientid true
            allow_anonymous false
            password_file \(folder.path("passwords"))
            acl_file \(folder.path("acl"))
            """
        for account in accounts { try await add(account, folder) }
        let server = try await MosquittoServer.start(
            extra: outside, access: .files(passwords: folder.path("services"), accessList: folder.path("acl")))
        return GuardedBroker(server: server, outsidePort: port, folder: folder, roles: shipped("roles.json5"))
    }

    /// The folder of the files that `vigil accounts` keeps.
    package var accountsFolder: String { folder.url.path }

    /// The settings by which a service or a command comes in with an account.
    package func settings(_ account: String) -> [String] {
        ["--broker-user", account, "--broker-password-file", folder.path("password")]
    }

    /// The settings by which a service checks requests.
    package var rights: [String] { ["--accounts-file", folder.path("roles/accounts.json"), "--roles-file", roles] }

    /// The settings of a service of the suite.
    package func settings(ofService name: String) -> [String] {
        settings(String(name.dropFirst(6))) + rights
    }

    /// A client with an account at the port for devices and people, or at that of the services.
    package func client(
        _ account: String, atServicePort: Bool = false, _ change: (inout MQTTPacket.Connection) -> Void = { _ in }
    ) async throws -> HostileClient {
        try await HostileClient.connected(port: atServicePort ? server.port : outsidePort, clientID: "\(account)-\(UUID().uuidString)") {
            connection in
            (connection.user, connection.password) = (account, Self.password)
            change(&connection)
        }
    }

    private static func add(_ account: [String], _ folder: TemporaryFolder) async throws {
        let words = ["accounts", "add"] + account + ["--accounts-folder", folder.url.path]
        let child = try ChildProcess(
            BuiltCommand.path("vigil"), words + ["--account-password-file", folder.path("password")], output: folder.path("vigil.log"),
            environment: [:])
        guard try await child.waitForExit() == 0 else { throw HarnessError("vigil accounts: \(child.output)") }
    }

    /// The path of a file of `deploy`.
    private static func shipped(_ name: String) -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.appending(path: "deploy/\(name)").path
    }
}
