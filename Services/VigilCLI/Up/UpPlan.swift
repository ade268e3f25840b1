import Foundation
import ServiceKit

/// Where everything of one `vigil up` is and how each program is started.
struct UpPlan: Sendable {
    let stateFolder: String
    let brokerPort: Int
    /// Whether the port is another than usual because that was taken.
    let isPortMoved: Bool
    let readyWithin: Duration
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
        (brokerPort, isPortMoved) = try Self.port(given: configuration[UpSettings.port])
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
        for (index, service) in Suite.services.enumerated() where !LoopbackSocket.isFree(healthPort(index)) {
            throw CommandError(
                .unavailable, "port \(healthPort(index)) of \(service.name) is taken: choose others with --health-port")
        }
        let private700: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for folder in ["/logs", "/broker"] {
            try FileManager.default.createDirectory(
                atPath: stateFolder + folder, withIntermediateDirectories: true, attributes: private700)
        }
    }

    /// How the broker is started; writes its configuration.
    func brokerLaunch() throws -> SupervisedProcess.Launch {
        let file = "\(stateFolder)/broker/mosquitto.conf"
        let text = try BrokerFiles.configuration(settings: brokerSettings, port: brokerPort, folder: "\(stateFolder)/broker")
        try Data(text.utf8).write(to: URL(filePath: file))
        return SupervisedProcess.Launch(
            program: program, arguments: ["-c", file], environment: inherited, log: "\(stateFolder)/logs/broker.log")
    }

    /// How a service is started: this very program, told which service to be.
    func launch(_ service: Command, healthPort: Int) throws -> SupervisedProcess.Launch {
        let known = Set(service.settings.map(\.declaration.name))
        var decided = [
            "broker-host": "127.0.0.1", "broker-port": String(brokerPort), "http-port": String(healthPort),
            "state-folder": stateFolder, "store": "sqlite:\(timeline)", "supervised": "true",
        ]
        decided["rules"] = ShippedFiles.path("rules", installed: "rules")
        let given = configuration.given(of: service.settings)
        // What the operator says goes before what is only a better default for this machine.
        if given["VIGIL_RULES"] != nil { decided["rules"] = nil }
        let arguments = decided.filter { known.contains($0.key) }.sorted { $0.key < $1.key }.map { "--\($0.key)=\($0.value)" }
        return SupervisedProcess.Launch(
            program: ShippedFiles.ownProgram.path, arguments: ["service", service.name] + arguments,
            environment: inherited.merging(given) { $1 },
            log: "\(stateFolder)/logs/\(service.name).log")
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
