import Foundation
import SuiteHarness
import TestSupport
import Testing

/// Every service of the suite with accounts, as in docker-compose.yml.
struct GuardedSuite {
    private static let names = [
        "vigil-timeline", "vigil-alert", "vigil-stress", "vigil-modules", "vigil-ingest", "vigil-import", "vigil-dashboard",
    ]

    let broker: GuardedBroker
    let state: String
    /// The settings by which a command finds the timeline.
    let store: [String]
    private let folder: TemporaryFolder
    private let database: PostgresServer?
    private let services: [SuiteService]
    private let operatorClient: HostileClient
    let dashboardPort: UInt16

    init(inPostgreSQL: Bool) async throws {
        broker = try await GuardedBroker.start(accounts: [
            ["anna-watch", "--participant", "anna"], ["ben-watch", "--participant", "ben"],
            ["carl", "--participant", "anna,ben", "--role", "carer"], ["anna-self", "--participant", "anna", "--role", "patient"],
        ])
        folder = try TemporaryFolder("vigil-erasure")
        state = folder.path("state")
        database = inPostgreSQL ? try PostgresServer() : nil
        store = [
            "--store",
            try database.map { "postgresql://vigil@127.0.0.1:\($0.port)/\(try $0.makeDatabase().split(separator: "=").last ?? "")" }
                ?? "sqlite:\(state)/timeline.sqlite",
        ]
        dashboardPort = try LoopbackPort.free()
        var services: [SuiteService] = []
        for name in Self.names {
            let own =
                name == "vigil-timeline"
                ? store
                : name == "vigil-ingest"
                    ? ["--latest"] : name == "vigil-dashboard" ? ["--dashboard-port", "\(dashboardPort)"] : []
            services.append(
                try SuiteService(
                    name, settings: broker.settings(ofService: name) + own, brokerPort: broker.server.port, folder: folder))
        }
        self.services = services
        for service in services { try await service.start() }
        operatorClient = try await broker.client("operator", atServicePort: true)
        try await operatorClient.subscribe("vigil/v1/responses/operator/#")
    }

    /// The folders of everything that is kept: of the services, the broker, its accounts, and the database.
    var kept: [String] { [state, broker.server.folder.url.path, broker.accountsFolder] + (database.map { [$0.dataFolder] } ?? []) }

    /// The database's folder, for a search.
    var also: [String] { database.map { ["--also", $0.dataFolder] } ?? [] }

    /// The files below `kept` that hold one of the words, as `grep` finds them.
    func files(holding words: [String]) throws -> [String] {
        kept.flatMap { folder in
            (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }.filter { path in
            // The logs of the broker and of commands go elsewhere than to their volumes.
            guard !path.hasSuffix(".log"), let content = FileManager.default.contents(atPath: path) else { return false }
            // PostgreSQL's own catalogue has words such as "scannable".
            let isDatabase = database.map { path.hasPrefix($0.dataFolder) } ?? false
            let searched = isDatabase ? words.flatMap { $0.count > 4 ? [$0] : ["\($0)-watch", "\"\($0)\""] } : words
            return searched.contains { content.range(of: Data($0.utf8)) != nil }
        }
    }

    /// The files of the services that others than their owner may read.
    func openFiles() throws -> [String] {
        let files = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        return try files.filter { file in
            let mode = try FileManager.default.attributesOfItem(atPath: "\(state)/\(file)")[.posixPermissions] as? NSNumber
            return (mode?.intValue ?? 0o777) & 0o077 != 0
        }
    }

    /// Publishes a reading as the participant's watch, and waits until it is stored.
    func publish(_ participant: String, _ metric: String, value: String? = nil, text: String? = nil) async throws {
        let content = value.map { ["--value", $0] } ?? ["--text", text ?? ""]
        let child = try await vigil(
            ["publish", "--participant", participant, "--device", "\(participant)-watch", "--metric", metric, "--receipt"] + content
                + ["--broker-port", "\(broker.outsidePort)"] + broker.settings("\(participant)-watch"))
        guard child.code == 0 else { throw HarnessError(child.output) }
    }

    /// Asks a service as the operator, or as another account, which must not be refused.
    func ask(_ service: String, _ request: String, as account: String? = nil) async throws {
        let (name, client) = (account ?? "operator", account == nil ? operatorClient : try await client(account ?? ""))
        let mark = Array("\(client.messages.count)".utf8)
        client.publish(
            "vigil/v1/requests/\(name)/\(service)", request,
            properties: [.responseTopic("vigil/v1/responses/\(name)/1"), .correlation(mark)])
        try await eventually(within: .seconds(30), "an answer") { client.messages.contains { $0.correlation == mark } }
        let answer = client.messages.last { $0.correlation == mark }?.text ?? ""
        guard !answer.contains("error\":") else { throw HarnessError("\(request): \(answer)") }
    }

    private func client(_ account: String) async throws -> HostileClient {
        let client = try await broker.client(account)
        try await client.subscribe("vigil/v1/responses/\(account)/#")
        return client
    }

    /// The secrets that nobody but their owner may see: the accounts' password, and the beginnings of hashes.
    var secrets: [String] { [GuardedBroker.password, "$argon2", "$7$"] }

    /// Unpacks a tar archive.
    func unpack(_ archive: String, to path: String) async throws {
        _ = try await ChildProcess.run("/bin/tar", ["-xf", archive, "-C", path], in: folder)
    }

    /// Subscribes as the operator with a session that the broker keeps, and stays away from then on.
    func subscribeAndLeave(_ clientID: String, to filter: String) async throws {
        _ = try await ChildProcess.run(
            "/usr/bin/mosquitto_sub",
            [
                "-h", "127.0.0.1", "-p", "\(broker.server.port)", "-u", "operator", "-P", GuardedBroker.password, "-i", clientID, "-c",
                "-q", "1", "-t", filter, "-E",
            ], in: folder)
    }

    /// Imports a file with the account of the importer.
    func importFile(_ text: String, named name: String, of participant: String) async throws -> (code: Int32, output: String) {
        let path = try folder.write(text, to: name)
        return try await vigil(
            [
                "service", "vigil-import", path, "--participant", participant, "--state-folder", state, "--broker-port",
                "\(broker.server.port)",
            ]
                + broker.settings("import"))
    }

    /// Runs a command of the operator.
    func operate(_ arguments: [String]) async throws -> (code: Int32, output: String) {
        let usesBroker = !["audit", "timeline"].contains(arguments[0])
        return try await vigil(arguments + (usesBroker ? ["--broker-port", "\(broker.server.port)"] + broker.settings("operator") : []))
    }

    func vigil(_ arguments: [String]) async throws -> (code: Int32, output: String) {
        let child = try ChildProcess(
            BuiltProgram.path("vigil"), arguments, output: folder.path("\(UUID().uuidString).out"), environment: [:])
        return (try await child.waitForExit(within: .seconds(120)), child.output)
    }

    /// The path of a file of the test's own.
    func path(_ name: String) -> String { folder.path(name) }

    /// Writes a file of the test's own.
    func write(_ text: String, to name: String) throws -> String { try folder.write(text, to: name) }

    /// Ends a service without a word, and starts it again.
    func restart(_ name: String) async throws {
        for service in services where service.name == name {
            try await service.kill()
            try await service.start()
        }
    }

    /// Stops one service, or all.
    func stop(_ name: String? = nil) async throws {
        for service in services.reversed() where name == nil || service.name == name { try await service.stop() }
        if name == nil { database?.remove() }
    }
}
