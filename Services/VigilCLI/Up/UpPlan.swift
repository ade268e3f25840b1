import AlertRules
import Alerting
import Cryptography
import Dashboard
import Foundation
import ServiceKit
import Settings

/// The places of everything that belongs to one `vigil up`, and how each program is started.
struct UpPlan: Sendable {
    let stateFolder: String
    let brokerPort: Int
    /// The address at which devices, bridges and people come in.
    let brokerAddress: String
    /// Indicates whether the port is another than usual because that was taken.
    let isPortMoved: Bool
    /// The port of the pages: the usual one, the next that is free, or the given one.
    let dashboardPort: Int
    let readyWithin: Duration
    /// The accounts of a private suite; nil where everybody on this machine may come in.
    let accounts: PrivateAccounts?
    private let configuration: Configuration
    private let firstHealthPort: Int
    private let program: String
    private let brokerSettings: String

    init(_ configuration: Configuration, stateFolder: String) throws {
        self.configuration = configuration
        self.stateFolder = stateFolder
        readyWithin = try configuration[UpSettings.readyWithin]
        firstHealthPort = try configuration[UpSettings.healthPort]
        program = try configuration[UpSettings.program]
        brokerSettings = try BrokerFiles.settings(given: configuration[UpSettings.configuration])
        let given = configuration.isGiven(DashboardService.port) ? try configuration[DashboardService.port] : nil
        dashboardPort = given ?? (8080...8179).first(where: LoopbackSocket.isFree) ?? 8080
        brokerAddress = try Self.address(configuration)
        let (port, isMoved) = try Self.port(given: configuration[UpSettings.port])
        (brokerPort, isPortMoved) = (port, isMoved)
        accounts =
            try configuration[UpSettings.isPrivate]
            ? Self.accounts(in: stateFolder, beside: port, without: Self.healthPorts(from: firstHealthPort).union([dashboardPort])) : nil
    }

    /// - Throws: where it is none, or would let people in from other machines without an account.
    private static func address(_ configuration: Configuration) throws -> String {
        let given = try configuration[UpSettings.address]
        var room = in6_addr()
        guard inet_pton(AF_INET, given, &room) == 1 || inet_pton(AF_INET6, given, &room) == 1 else {
            throw CommandError(.usage, "--broker-listen is an IP address of this machine, or 0.0.0.0 for all of them")
        }
        guard try given.hasPrefix("127.") || given == "::1" || configuration[UpSettings.isPrivate] else {
            throw CommandError(
                .usage, "--broker-listen \(given) needs --private: without accounts everybody in the network could read and publish")
        }
        return given
    }

    private static func healthPorts(from first: Int) -> Set<Int> { Set(first..<first + Suite.services.count) }

    /// Who is told of alarms, in lines for the operator: what is wrong with the notifiers' file is said before it matters.
    var notifiers: [String] {
        guard let path = try? configuration[AlertService.notifiers] else {
            return ["none: alarms are only shown; --notifiers FILE says who is told, see deploy/notifiers.example.json5"]
        }
        let given = configuration.isGiven(AlertService.rules) ? try? configuration[AlertService.rules] : nil
        guard let rules = given ?? ShippedFiles.path("rules", installed: "rules"),
            let set = try? RuleSetReader.read(RuleFolder.read(rules))
        else { return [path] }
        let load = NotifierLoad.read(path, set)
        return ["\(load.settings.notifiers.map(\.route.id).joined(separator: ", "))  (\(path))"]
            + load.problems.map { "WRONG \($0)" } + (load.problems.isEmpty ? [] : ["mend it, then: vigil alerts reload"])
    }

    /// The port of the service's `/readyz` and `/metrics`.
    func healthPort(_ index: Int) -> Int { firstHealthPort + index }

    /// The timeline's file.
    var timeline: String { "\(stateFolder)/timeline.sqlite" }

    /// Makes the folders and checks what would only fail later.
    func prepare() throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw CommandError(.unavailable, "\(program) is missing: apt-get install mosquitto, or say where with --mosquitto")
        }
        let health = Self.healthPorts(from: firstHealthPort)
        for (name, port) in [("broker", brokerPort), ("pages", dashboardPort)] where health.contains(port) || brokerPort == dashboardPort {
            throw CommandError(.usage, "port \(port) is meant for the \(name) and for something else too: choose another --health-port")
        }
        for (index, service) in Suite.services.enumerated() where !LoopbackSocket.isFree(healthPort(index)) {
            throw CommandError(
                .unavailable, "port \(healthPort(index)) of \(service.name) is taken: choose others with --health-port")
        }
        guard LoopbackSocket.isFree(dashboardPort) else {
            throw CommandError(.unavailable, "port \(dashboardPort) of the pages is taken: choose another with --dashboard-port")
        }
        try accounts?.prepare()
        try prepareMappings()
        try prepareAnswerKey()
        let private700: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for folder in ["/logs", "/broker"] {
            try FileManager.default.createDirectory(
                atPath: stateFolder + folder, withIntermediateDirectories: true, attributes: private700)
        }
    }

    /// Writes the broker's configuration and returns its start.
    func brokerLaunch() throws -> SupervisedProcess.Launch {
        let file = "\(stateFolder)/broker/mosquitto.conf"
        let text = try BrokerFiles.configuration(
            settings: brokerSettings, port: brokerPort, folder: "\(stateFolder)/broker", accounts: accounts, address: brokerAddress)
        try Data(text.utf8).write(to: URL(filePath: file))
        return SupervisedProcess.Launch(
            program: program, arguments: ["-c", file], environment: inherited, log: "\(stateFolder)/logs/broker.log")
    }

    /// Returns the start of a service: this very program, told which service to be.
    func launch(_ service: Command, healthPort: Int) throws -> SupervisedProcess.Launch {
        let known = Set(service.settings.map(\.declaration.name))
        var decided = [
            "broker-host": "127.0.0.1", "broker-port": String(brokerPort), "http-port": String(healthPort),
            "state-folder": stateFolder, "store": "sqlite:\(timeline)", "supervised": "true",
        ]
        let roles = ShippedFiles.path("roles.json5", in: "deploy", installed: "roles.json5")
        decided.merge(accounts?.settings(of: service.name, roles: roles) ?? [:]) { $1 }
        decided["web-folder"] = ShippedFiles.path("Dashboard/Web", in: "Services", installed: "web")
        decided["dashboard-port"] = String(dashboardPort)
        decided["answer-key-file"] = answerKeyFile
        decided["rules"] = ShippedFiles.path("rules", installed: "rules")
        decided["mappings"] = mappings
        let given = configuration.given(of: service.settings)
        // What the operator says goes before what is only a better default for this machine.
        let defaults = ["rules", "mappings", "web-folder", "dashboard-port", "answer-key-file"]
        for name in defaults where given[Self.variable(name)] != nil { decided[name] = nil }
        let arguments = decided.filter { known.contains($0.key) }.sorted { $0.key < $1.key }.map { "--\($0.key)=\($0.value)" }
        return SupervisedProcess.Launch(
            program: ShippedFiles.ownProgram, arguments: Suite.words(service) + arguments,
            environment: inherited.merging(given) { $1 },
            log: "\(stateFolder)/logs/\(service.name).log")
    }

    /// The shipped mappings, and behind them the folder of the operator's own.
    private var mappings: String? {
        let own = "\(stateFolder)/mappings"
        guard let shipped = ShippedFiles.path("mappings", installed: "mappings") else { return nil }
        return FileManager.default.fileExists(atPath: own) ? "\(shipped),\(own)" : shipped
    }

    /// Makes the folder of the operator's own mappings, with a file to say in whose sensor is which.
    private func prepareMappings() throws {
        let own = "\(stateFolder)/mappings", people = "\(stateFolder)/mappings/people.json5"
        guard !FileManager.default.fileExists(atPath: own),
            let template = ShippedFiles.path("mappings/people.json5", installed: "mappings/people.json5")
        else { return }
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(atPath: template, toPath: people)
    }

    /// The key of the links in messages: the notifiers' file names it, too.
    private var answerKeyFile: String { "\(stateFolder)/answer.key" }

    private func prepareAnswerKey() throws {
        guard !FileManager.default.fileExists(atPath: answerKeyFile) else { return }
        guard
            FileManager.default.createFile(
                atPath: answerKeyFile, contents: Data("\(RandomToken.make())\n".utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.failure, "\(answerKeyFile) cannot be written") }
    }

    private static func variable(_ name: String) -> String { "VIGIL_" + name.uppercased().replacing("-", with: "_") }

    /// The services' port stays the same over restarts where it can: the broker keeps sessions by it.
    private static func accounts(in stateFolder: String, beside port: Int, without others: Set<Int>) throws(CommandError) -> PrivateAccounts
    {
        let former = PrivateAccounts.own(stateFolder: stateFolder)?.port
        let candidates = [former].compactMap { $0 } + Array(port + 1...port + 200)
        guard let free = candidates.first(where: { $0 != port && $0 < 65_536 && !others.contains($0) && LoopbackSocket.isFree($0) }) else {
            throw CommandError(.unavailable, "no port behind \(port) is free for the services")
        }
        return PrivateAccounts(folder: "\(stateFolder)/\(PrivateAccounts.folderName)", servicePort: free)
    }

    private var inherited: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VIGIL_") }
    }

    /// The usual port, or the next free one; a given one must be free.
    private static func port(given: Int?) throws(CommandError) -> (Int, Bool) {
        if let given {
            guard LoopbackSocket.isFree(given) else { throw CommandError(.unavailable, "port \(given) is taken by another program") }
            return (given, false)
        }
        guard let free = (1883...1983).first(where: LoopbackSocket.isFree) else {
            throw CommandError(.unavailable, "ports 1883 to 1983 are all taken: choose one with --broker-port")
        }
        return (free, free != 1883)
    }
}

/// Keeps a second `vigil up` away from a state folder, for as long as the process lives.
struct StateLock {
    private let descriptor: Int32

    /// Makes the folder if it is missing.
    /// - Throws: `CommandError` when another process holds it.
    init(folder: String) throws(CommandError) {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        descriptor = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.unavailable, "\(folder) cannot be written: \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandError(
                .unavailable, "another vigil up uses \(folder): stop it, or give this one its own --state-folder")
        }
    }

    func release() { close(descriptor) }
}
