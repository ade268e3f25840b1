import Foundation
import SuiteHarness
import TestSupport
import Testing
import VigilSchema

@testable import VigilCLI

/// One order, every service, and afterwards no byte of the person in any file, the broker's and the database's included.
@Suite("Erasure that reaches everything", .serialized, .timeLimit(.minutes(6)))
struct ErasureTests {
    private static let note = "a remark of nobody else"
    private static let entry = "sleeps badly since the move"

    @Test("leaves nothing of a person with any service, and everything of others", arguments: [false, true])
    func everywhere(inPostgreSQL: Bool) async throws {
        let suite = try await GuardedSuite(inPostgreSQL: inPostgreSQL)
        try await leaveTraces(of: "anna", in: suite)
        try await suite.publish("ben", "heart-rate", value: "61")
        let words = ["anna", "Annabella", Self.note, Self.entry]
        #expect(try suite.files(holding: words).count >= 6, "nothing to erase")
        #expect(try suite.openFiles() == [], "what anybody on the machine may read")
        #expect(try await suite.vigil(["accounts", "forget", "anna", "--accounts-folder", suite.broker.accountsFolder]).code == 0)
        let erased = try await suite.operate(
            ["erase", "anna", "--yes", "--verify", "--state-folder", suite.state, "--connect-within", "60s"] + suite.also
                + (inPostgreSQL ? [] : ["--broker-protocol", "3.1.1"]))
        #expect(erased.code == 0 && erased.output.contains("anna is erased"), "\(erased.output)")
        for what in ["devices", "transitions", "profiles", "persons", "accounts", "assignments", "readings", "entries"] {
            #expect(try erased.output.contains(Regex("\(what) +[1-9]")), "\(what): \(erased.output)")
        }
        try await eventually(within: .seconds(20), "no file to hold the person: \((try? suite.files(holding: words)) ?? [])") {
            try suite.files(holding: words).isEmpty
        }
        let latest = try await suite.operate(["timeline", "latest", "ben"] + suite.store)
        #expect(latest.output.contains("heart-rate"), "\(latest.output)")
        let trail = try await suite.operate(["audit", "list"] + suite.store)
        #expect(trail.output.contains("add-entries") && trail.output.contains("~"), "\(trail.output)")
        #expect(try await suite.operate(["audit", "verify"] + suite.store).code == 0)
        try await suite.stop()
    }

    @Test("says which service has not confirmed, and does not call it erased")
    func unconfirmed() async throws {
        let suite = try await GuardedSuite(inPostgreSQL: false)
        try await suite.publish("anna", "heart-rate", value: "61")
        try await suite.stop("vigil-stress")
        let erased = try await suite.operate(["erase", "anna", "--yes", "--state-folder", suite.state])
        #expect(erased.code == 1 && erased.output.contains(#/vigil-stress +NOT CONFIRMED +is not running/#), "\(erased.output)")
        #expect(!erased.output.contains("anna is erased"))
        try await suite.stop()
    }

    /// Has every service remember something.
    private func leaveTraces(of participant: String, in suite: GuardedSuite) async throws {
        try await suite.publish(participant, "blood-glucose", value: "40")
        try await suite.publish(participant, "body-weight", value: "71")
        try await suite.publish(participant, "note", text: Self.note)
        try await suite.ask(
            "timeline", #"{"query":"set-profile","participant":"anna","profile":{"first":"Annabella","timeZone":"Europe/Berlin"}}"#)
        let now = Int(Date().timeIntervalSince1970)
        try await suite.ask(
            "timeline",
            #"{"query":"add-entries","participant":"anna","entries":[{"id":"e1","kind":"note","time":\#(now),"description":"\#(Self.entry)"}]}"#
        )
        try await suite.ask("stress", #"{"command":"bounds","participant":"anna","bounds":{"heart-rate":[55,120]}}"#)
        for account in [["anna", "--role", "patient", "--participant", "anna"], ["carl", "--role", "carer", "--participant", "anna,ben"]] {
            #expect(try await suite.vigil(["people", "add"] + account + ["--state-folder", suite.state]).code == 0)
        }
        try await eventually(within: .seconds(30), "an alert") {
            try await suite.operate(["alerts", "list"]).output.contains("glucose-low")
        }
        try await eventually(within: .seconds(30), "a module to have found something") {
            try suite.files(holding: ["anna"]).contains { $0.contains("vigil-modules") }
        }
    }
}

/// Every service of the suite with accounts, as in docker-compose.yml.
private struct GuardedSuite {
    private static let names = ["vigil-timeline", "vigil-alert", "vigil-stress", "vigil-modules", "vigil-ingest", "vigil-dashboard"]

    let broker: GuardedBroker
    let state: String
    /// The settings by which a command finds the timeline.
    let store: [String]
    private let folder: TemporaryFolder
    private let database: PostgresServer?
    private let services: [SuiteService]
    private let operatorClient: HostileClient

    init(inPostgreSQL: Bool) async throws {
        broker = try await GuardedBroker.start(accounts: [
            ["anna-watch", "--participant", "anna"], ["ben-watch", "--participant", "ben"],
            ["carl", "--participant", "anna,ben", "--role", "carer"],
        ])
        folder = try TemporaryFolder("vigil-erasure")
        state = folder.path("state")
        database = inPostgreSQL ? try PostgresServer() : nil
        store = [
            "--store",
            try database.map { "postgresql://vigil@127.0.0.1:\($0.port)/\(try $0.makeDatabase().split(separator: "=").last ?? "")" }
                ?? "sqlite:\(state)/timeline.sqlite",
        ]
        var services: [SuiteService] = []
        for name in Self.names {
            let own =
                name == "vigil-timeline"
                ? store
                : name == "vigil-ingest"
                    ? ["--latest"] : name == "vigil-dashboard" ? ["--dashboard-port", "\(try LoopbackPort.free())"] : []
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

    /// Asks a service as the operator, who must not be refused.
    func ask(_ service: String, _ request: String) async throws {
        let mark = Array("\(operatorClient.messages.count)".utf8)
        operatorClient.publish(
            "vigil/v1/requests/operator/\(service)", request,
            properties: [.responseTopic("vigil/v1/responses/operator/1"), .correlation(mark)])
        try await eventually(within: .seconds(30), "an answer") { operatorClient.messages.contains { $0.correlation == mark } }
        let answer = operatorClient.messages.last { $0.correlation == mark }?.text ?? ""
        guard !answer.contains("error\":") else { throw HarnessError("\(request): \(answer)") }
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

    /// Stops one service, or all.
    func stop(_ name: String? = nil) async throws {
        for service in services.reversed() where name == nil || service.name == name { try await service.stop() }
        if name == nil { database?.remove() }
    }
}
