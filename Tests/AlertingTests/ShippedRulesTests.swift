import AlertRules
import Alerting
import Foundation
import Settings
import TestSupport
import Testing

@Suite("Shipped rules")
struct ShippedRulesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "deploy")

    @Test("are valid together, speak three languages, and medical ones name their source")
    func rules() throws {
        let rules = try RuleSetReader.read(try RuleFolder.read(Self.folder.appending(path: "rules").path))
        #expect(rules.rules.count >= 20)
        for rule in rules.rules {
            #expect(rule.title.languages == ["de", "en", "ru"], "\(rule.id)")
            if rule.kind == .medical { #expect(rule.source != nil, "\(rule.id)") }
        }
    }

    private static let names =
        ((try? RuleFolder.read(folder.appending(path: "rules").path)) ?? [])
        + ((try? RuleFolder.read(folder.appending(path: "rules/examples").path)) ?? [])

    /// The files that name rules of others, which they keep quiet.
    private static let referring = ["news2", "haemodynamics", "vital-signs-child"]

    @Test("are each a file that can be used alone; what another file would keep quiet is then told, and said", arguments: names)
    func alone(file: RuleFile) async throws {
        let rules = try RuleSetReader.read([file])
        let named = rules.warnings.map(\.description)
        #expect(named.allSatisfy { $0.contains("keeps nothing quiet here") })
        #expect(Self.referring.contains { file.name.hasSuffix("/\($0).json5") } == !named.isEmpty, "\(named)")
        try await AlertTools.check.run(arguments: [file.name], environment: [:])
    }

    @Test("have no warnings together")
    func together() throws {
        #expect(try RuleSetReader.read(try RuleFolder.read(Self.folder.appending(path: "rules").path)).warnings.isEmpty)
    }

    @Test("have an example of notifiers that is valid")
    func notifiers() throws {
        let path = Self.folder.appending(path: "notifiers.example.json5").path
        let folder = try TemporaryFolder("notifiers")
        var text = try String(contentsOfFile: path, encoding: .utf8)
        // What an operator has to make first.
        for name in ["webhook-secret", "mail-password", "ntfy-token", "subscriptions.json", "push-key"] {
            let file = "/etc/vigil/\(name)"
            text = text.replacing(file, with: try folder.write("secret\n", to: URL(filePath: file).lastPathComponent))
        }
        text = text.replacing("/usr/local/bin/page", with: "/bin/true")
        let rules = try RuleSetReader.read(try RuleFolder.read(Self.folder.appending(path: "rules").path))
        let settings = try NotifierSettingsReader.read(RuleFile(name: path, text: text), rules: rules)
        #expect(settings.notifiers.map(\.route.id) == ["ward-screen", "physician-on-call", "phone", "browsers", "pager"])
        #expect(settings.heartbeat?.interval == .seconds(60))
    }
}
