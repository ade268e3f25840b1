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
    /// A file whose name tells nothing of the person.
    private static let file = "time,heart rate [bpm]\n2026-01-31T12:00:00Z,61\n2026-01-31T12:01:00Z,62\n"
    private static let entry = "sleeps badly since the move"

    @Test("leaves nothing of a person with any service, and everything of others", arguments: [false, true])
    func everywhere(inPostgreSQL: Bool) async throws {
        let suite = try await GuardedSuite(inPostgreSQL: inPostgreSQL)
        try await leaveTraces(of: "anna", in: suite)
        try await suite.publish("ben", "heart-rate", value: "61")
        // A name that the two share is ben's to keep.
        try await suite.ask("timeline", #"{"query":"set-profile","participant":"ben","profile":{"first":"Benedikt","last":"Bergmann"}}"#)
        let words = ["anna", "Annabella", Self.note, Self.entry]
        #expect(try suite.files(holding: words).count >= 6, "nothing to erase")
        #expect(try suite.openFiles() == [], "what anybody on the machine may read")
        let given = try await export("anna", from: suite)
        #expect(try await suite.vigil(["accounts", "forget", "anna", "--accounts-folder", suite.broker.accountsFolder]).code == 0)
        let erased = try await suite.operate(
            ["erase", "anna", "--yes", "--verify", "--state-folder", suite.state, "--connect-within", "60s"] + suite.also
                + (inPostgreSQL ? [] : ["--broker-protocol", "3.1.1"]))
        #expect(erased.code == 0 && erased.output.contains("anna is erased"), "\(erased.output)")
        #expect(erased.output.contains("not searched for, as others have the same: 1 of "), "\(erased.output)")
        for what in ["devices", "transitions", "profiles", "persons", "accounts", "assignments", "readings", "entries", "(files|imports)"] {
            #expect(try erased.output.contains(Regex("\(what) +[1-9]")), "\(what): \(erased.output)")
        }
        for (service, kind) in try removed(erased.output) {
            #expect(given[service]?.contains(kind) == true, "erased, and not given before: \(kind) of \(service)")
        }
        try await eventually(within: .seconds(20), "no file to hold the person: \((try? suite.files(holding: words)) ?? [])") {
            try suite.files(holding: words).isEmpty
        }
        let ledger = try await suite.vigil(["service", "vigil-import", "list", "--state-folder", suite.state])
        #expect(ledger.code == 0 && ledger.output.isEmpty, "\(ledger.output)")
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

    /// Data that comes and goes by itself, between an export and an erasure too.
    private static let passing: Set = ["waiting messages", "wishes for receipts", "dues", "failures", "analyses", "live pictures"]

    /// The kinds of things that each service but the timeline gives of a person.
    private func export(_ participant: String, from suite: GuardedSuite) async throws -> [String: Set<String>] {
        let archive = suite.path("\(participant).tar"), folder = suite.path("given")
        let exported = try await suite.operate(
            [
                "export-person", participant, "--plain", "--file", archive, "--state-folder", suite.state, "--accounts-folder",
                suite.broker.accountsFolder, "--connect-within", "60s",
            ] + suite.store)
        try #require(exported.code == 0, "\(exported.output)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await suite.unpack(archive, to: folder)
        var given: [String: Set<String>] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(participant)") {
            let content = try Data(contentsOf: URL(filePath: "\(folder)/\(participant)/\(name)"))
            for secret in suite.secrets { #expect(content.range(of: Data(secret.utf8)) == nil, "a secret in \(name)") }
            #expect(content.range(of: Data("\"ben\"".utf8)) == nil, "another person in \(name)")
            let object = try? JSONSerialization.jsonObject(with: content) as? [String: Any]
            given[String(name.prefix { $0 != "." })] = Set(object?.keys.map { $0 } ?? [])
        }
        #expect(given["vigil-alert"]?.contains("transitions") == true && given["profile"] != nil && given["sums-day-1"] != nil, "\(given)")
        return given
    }

    /// The file of an export and the kind of each thing that the table of an erasure tells, but for the timeline's tables.
    private func removed(_ output: String) throws -> [(String, String)] {
        output.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: /\ {2,}/).map(String.init)
            guard cells.count == 3, let count = Int(cells[2]), count > 0, cells[0] != "vigil-timeline", !Self.passing.contains(cells[1])
            else { return nil }
            let file = cells[0].hasSuffix(", here") ? "this-machine" : cells[0] == "broker, retained" ? "broker" : cells[0]
            return (file, cells[1])
        }
    }

    @Test("what waits at the broker for a client that is away is told of, and gone once its session is ended by name")
    func queued() async throws {
        let suite = try await GuardedSuite(inPostgreSQL: false)
        // The operator looks in with a session of its own, and stays away.
        try await suite.subscribeAndLeave("absent-screen", to: "vigil/v1/observations/#")
        try await suite.publish("anna", "note", text: Self.note)
        try await eventually(within: .seconds(20), "the broker to keep the note for the screen") {
            try suite.files(holding: [Self.note]).contains { $0.hasSuffix("mosquitto.db") }
        }
        let erase = ["erase", "anna", "--yes", "--state-folder", suite.state, "--connect-within", "60s"]
        #expect(try await suite.operate(erase).code == 0)
        // The broker counts them every ten seconds.
        try await eventually(within: .seconds(60), "those who are away to be told of") {
            let told = try await suite.operate(erase + ["--verify"]).output
            return told.contains("1 client is away: ") || told.contains("clients are away: ")
        }
        #expect(try suite.files(holding: [Self.note]).contains { $0.hasSuffix("mosquitto.db") }, "nothing waited")
        let again = try await suite.operate(erase + ["--verify", "--end-sessions", "absent-screen"])
        #expect(again.code == 0, "\(again.output)")
        try await eventually(within: .seconds(20), "the broker to have forgotten it") { try suite.files(holding: [Self.note]).isEmpty }
        try await suite.stop()
    }

    /// Has every service remember something.
    private func leaveTraces(of participant: String, in suite: GuardedSuite) async throws {
        try await suite.publish(participant, "blood-glucose", value: "40")
        try await suite.publish(participant, "body-weight", value: "71")
        try await suite.publish(participant, "note", text: Self.note)
        try await suite.ask(
            "timeline",
            #"{"query":"set-profile","participant":"anna","profile":{"first":"Annabella","last":"Bergmann","timeZone":"Europe/Berlin"}}"#)
        let now = Int(Date().timeIntervalSince1970)
        try await suite.ask(
            "timeline",
            #"{"query":"add-entries","participant":"anna","entries":[{"id":"e1","kind":"note","time":\#(now),"description":"\#(Self.entry)"}]}"#
        )
        try await suite.ask("timeline", #"{"query":"latest","participant":"anna"}"#, as: "anna-self")
        let imported = try await suite.importFile(Self.file, named: "scale.csv", of: "anna")
        #expect(imported.code == 0, "\(imported.output)")
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
