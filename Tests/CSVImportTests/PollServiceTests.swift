import Foundation
import SuiteHarness
import TestSupport
import Testing
import VigilSchema

@testable import CSVImport

/// `vigil-import serve` with sources: a real broker, a real timeline, the real process.
@Suite("the import service with sources", .serialized, .timeLimit(.minutes(6)))
struct PollServiceTests {
    @Test(
        "killed ten times while it asks two servers, it stores each record once; a third that is away delays nobody and is told"
    )
    func kills() async throws {
        let (resources, entries) = (3_000, 1_500)
        let target = try await ImportTarget(.sqlite, server: try PostgresServer())
        let standIn = try await PollStandIn()
        try standIn.set(["fhir": "\(resources)", "sgv": "\(entries)"])
        let closed = try LoopbackPort.free()
        let text = """
            {sources: [
              {name: "clinic", fhir: "\(standIn.base)/fhir", participant: "anna", patient: "p1", credentialFile: "token", every: "1h", page: 20},
              {name: "sugar", nightscout: "\(standIn.base)", participant: "anna", every: "1h", page: 20},
              {name: "away", url: "http://127.0.0.1:\(closed)/a.csv", participant: "ben", every: "1s", silence: "1s"},
            ]}
            """
        try Data(text.utf8).write(to: URL(filePath: target.folder.path("sources.json5")))
        try Data("one\n".utf8).write(to: URL(filePath: target.folder.path("token")))
        let service = try SuiteService(
            "vigil-import", settings: ["--sources", target.folder.path("sources.json5")],
            brokerPort: target.broker.port, folder: target.folder)
        try await service.start()
        let whole = resources + 2 * entries + 3
        for round in 1...10 {
            try await eventually(within: .seconds(60), "some readings") {
                target.stored >= round * whole / 12
            }
            try await service.kill()
            try await service.start()
        }
        try await asking(target.broker, as: "operator") { asker in
            try await eventually(within: .seconds(120), "both to have answered") {
                let views = try await sources(asker)
                return views["clinic"] == "answering" && views["sugar"] == "answering"
                    && views["away"] == "failing"
            }
            #expect(
                try await asker.ask(["command": "ask", "name": "nobody"])["code"] as? String
                    == "unknown-source")
        }
        #expect(try await imported(target) == whole)
        // One more is asked by hand.
        try standIn.set(["fhir": "\(resources + 5)"])
        let command = try ChildProcess(
            try BuiltCommand.path("vigil-import"),
            ["sources", "--now", "clinic", "--broker-port", "\(target.broker.port)"],
            output: target.folder.path("sources.log"))
        #expect(try await command.waitForExit(within: .seconds(30)) == 0)
        let listed = try String(contentsOfFile: target.folder.path("sources.log"), encoding: .utf8)
        #expect(
            listed.split(separator: "\n").count == 5 && listed.contains("failures in a row"), "\(listed)")
        try await eventually(within: .seconds(60), "what is new") {
            try await imported(target) == whole + 5
        }
        let told = try await target.store.rows(
            "SELECT p.name FROM reading r JOIN participant p ON p.id = r.participant WHERE r.text = 'failing'"
        )
        #expect(Set(told.compactMap(\.first)) == ["_module.vigil-import.away"])
        #expect(service.metric("vigil_import_source_up{source=\"away\"}") == 0)
        try await service.stop()
        try await target.stop()
    }

    private func sources(_ asker: ImportAsker) async throws -> [String: String] {
        let answer = try await asker.ask(["command": "sources"])
        let views = try #require(answer["sources"] as? [[String: Any]], "\(answer)")
        return Dictionary(
            uniqueKeysWithValues: views.compactMap { view in
                (view["name"] as? String).map { ($0, view["state"] as? String ?? "") }
            })
    }

    /// The number of readings of the two servers.
    private func imported(_ target: ImportTarget) async throws -> Int {
        let rows = try await target.store.rows(
            "SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant WHERE p.name = 'anna'"
        )
        return rows.first?.first.flatMap { Int($0) } ?? 0
    }
}
