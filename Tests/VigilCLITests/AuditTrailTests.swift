import Foundation
import HTTPClient
import SuiteHarness
import TestSupport
import Testing

/// People's actions, wherever they take them, and the lines that tell of it.
@Suite("The one audit trail", .serialized, .timeLimit(.minutes(6)))
struct AuditTrailTests {
    private static let file = "time,heart rate [bpm]\n2026-01-31T12:00:00Z,61\n2026-01-31T12:01:00Z,62\n"

    @Test("tells of changed accounts, of sign-ins at the dashboard and of imports: who, what, whose, and no secret")
    func everywhere() async throws {
        let suite = try await GuardedSuite(inPostgreSQL: false)
        try await changeAccounts(suite)
        try await signIn(suite)
        #expect(try await suite.importFile(Self.file, named: "scale.csv", of: "anna").code == 0)
        let expected = [
            #"local:nurse-7 account-add eve "#, #"local:nurse-7 account-assign ben carer"#, #"local:nurse-7 account-change eve "#,
            #"local:nurse-7 account-assign anna analyst"#, #"local:nurse-7 account-unassign ben carer"#,
            #"local:nurse-7 account-revoke eve "#, #"local:nurse-7 account-unassign anna analyst"#,
            "dashboard-add-account oona", "oona dashboard-password-chosen", "oona dashboard-sign-in ", "oona dashboard-sign-in-refused",
            "nobody-known dashboard-sign-in-refused", "import import ",
        ]
        try await eventually(within: .seconds(60), "the lines") {
            let lines = try await self.lines(suite)
            return expected.allSatisfy { words in lines.contains { $0.contains(words) } }
        }
        let text = try await lines(suite).joined(separator: "\n")
        for secret in ["geheim-von-eve", "geheim-von-oona", "geraten"] { #expect(!text.contains(secret)) }
        #expect(try await suite.operate(["audit", "verify"] + suite.store).code == 0)
        // Told once, also when the timeline is started again.
        try await suite.restart("vigil-timeline")
        try await suite.ask("timeline", #"{"query":"latest","participant":"anna"}"#)
        #expect(try await lines(suite).filter { $0.contains("account-revoke eve") }.count == 1)
        try await suite.stop()
    }

    @Test("everything that is kept of a person comes in one file that only the passphrase opens, and the trail tells who asked")
    func person() async throws {
        let suite = try await GuardedSuite(inPostgreSQL: false)
        try await suite.publish("anna", "note", text: "a remark of nobody else")
        try await suite.publish("anna", "heart-rate", value: "61")
        try await suite.publish("ben", "note", text: "a remark of ben")
        let archive = suite.path("anna.sealed"), opened = suite.path("anna.tar")
        let passphrase = try suite.write("correct horse", to: "passphrase"), wrong = try suite.write("horse", to: "wrong")
        let exported = try await suite.operate(["export-person", "anna", "--file", archive, "--passphrase-file", passphrase] + suite.store)
        #expect(exported.code == 0, "\(exported.output)")
        #expect(try FileManager.default.attributesOfItem(atPath: archive)[.posixPermissions] as? Int == 0o600)
        #expect(FileManager.default.contents(atPath: archive)?.range(of: Data("a remark".utf8)) == nil)
        #expect(try await suite.vigil(["timeline", "open", archive, "--file", opened, "--passphrase-file", wrong]).code != 0)
        #expect(!FileManager.default.fileExists(atPath: opened))
        let open = try await suite.vigil(["timeline", "open", archive, "--file", opened, "--passphrase-file", passphrase])
        #expect(open.code == 0, "\(open.output)")
        let content = try Data(contentsOf: URL(filePath: opened))
        for text in ["anna/profile.json", "a remark of nobody else", "anna-watch", "heart-rate", "anna/audit-1.json", "resourceType"] {
            #expect(content.range(of: Data(text.utf8)) != nil, "\(text)")
        }
        for text in ["a remark of ben", "ben-watch"] { #expect(content.range(of: Data(text.utf8)) == nil, "\(text)") }
        #expect(try await lines(suite).contains { $0.contains("local:") && $0.contains(" export-person anna") })
        try await suite.stop()
    }

    private func changeAccounts(_ suite: GuardedSuite) async throws {
        let secret = try suite.write("geheim-von-eve", to: "secret")
        let common = ["--accounts-folder", suite.broker.accountsFolder, "--changed-by", "nurse-7"]
        for change in [
            ["add", "eve", "--role", "carer", "--participant", "ben", "--account-password-file", secret],
            ["add", "eve", "--role", "analyst", "--participant", "anna"], ["revoke", "eve"],
        ] {
            let changed = try await suite.vigil(["accounts"] + change + common)
            #expect(changed.code == 0, "\(changed.output)")
        }
    }

    /// Chooses a password with a link, signs in with it, and does so wrongly.
    private func signIn(_ suite: GuardedSuite) async throws {
        let added = try await suite.vigil(["people", "add", "oona", "--role", "operator", "--state-folder", suite.state])
        let link = try #require(added.output.firstMatch(of: #/welcome#(\S+)/#)?.1)
        func post(_ path: String, _ body: String) async throws -> Int {
            let base = "http://127.0.0.1:\(suite.dashboardPort)"
            return try await HTTPClient().post(
                "\(base)/api/v1/\(path)", body: Array(body.utf8), contentType: "application/json",
                headers: [HTTPHeader("Sec-Fetch-Site", "same-origin")], timeout: .seconds(60)
            ).status
        }
        #expect(try await post("session/link", #"{"token":"\#(link)","password":"geheim-von-oona"}"#) == 200)
        #expect(try await post("session", #"{"name":"oona","password":"geheim-von-oona"}"#) == 200)
        #expect(try await post("session", #"{"name":"oona","password":"geraten"}"#) == 401)
        #expect(try await post("session", #"{"name":"nobody-known","password":"geraten"}"#) == 401)
    }

    /// The lines, as actor, operation, whose and detail.
    private func lines(_ suite: GuardedSuite) async throws -> [String] {
        struct Line: Decodable {
            let actor: String
            let operation: String
            let participant: String?
            let detail: String?
        }
        let listed = try await suite.operate(["audit", "list", "--output", "json"] + suite.store)
        let lines = try JSONDecoder().decode([Line].self, from: Data(listed.output.utf8))
        return lines.map { [$0.actor, $0.operation, $0.participant ?? "", $0.detail ?? ""].joined(separator: " ") }
    }
}
