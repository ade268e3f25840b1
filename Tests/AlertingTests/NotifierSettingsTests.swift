import AlertRules
import Alerting
import TestSupport
import Testing

@Suite("Notifiers' file")
struct NotifierSettingsTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", title: "High", group: "vital-signs", severity: "critical", above: 110,
          escalate: [{after: "5m", to: "physician"}]}]}
        """

    private func problems(_ notifier: String) throws -> String {
        let rules = try RuleSetReader.read([RuleFile(name: "rules.json5", text: Self.rules)])
        do {
            _ = try NotifierSettingsReader.read(RuleFile(name: "n.json5", text: "{notifiers: [\n  {\(notifier)}\n]}"), rules: rules)
            return "none"
        } catch {
            return error.description
        }
    }

    @Test(
        "refuses what would silently tell nobody, with the place and what was meant",
        arguments: [
            (
                #"id: "a", type: "webhook", url: "http://h/", kinds: ["medcal"]"#,
                #"n.json5:2:56: "kinds": there is no kind "medcal"; did you mean "medical"?"#
            ),
            (#"id: "a", type: "webhook", url: "http://h/", groups: ["vital-sign"]"#, #"did you mean "vital-signs"?"#),
            (#"id: "a", type: "webhook", url: "http://h/", groups: []"#, #""groups" is empty; leave it out for all"#),
            (#"id: "a", type: "webhook", url: "http://h/", escalation: "phisician""#, #"did you mean "physician"?"#),
            (#"id: "a", type: "webhook", url: "http://h/", groupBy: ["patient"]"#, "known: group, participant, rule"),
            (#"id: "a", type: "webhook", url: "ftp://h/""#, "must begin with http:// or https://"),
            (#"id: "a", type: "webhook", url: "http://h/", secretFile: "/no/such""#, "the file /no/such is missing or cannot be read"),
            (#"id: "a", type: "webhook", url: "http://h/", repeatInterval: "1s""#, "must lie between 1m and 7d"),
            (#"id: "a", type: "webhook", url: "http://h/", timeout: "1h""#, "must lie between 1s and 5m"),
            (#"id: "a b", type: "webhook", url: "http://h/""#, "1 to 64 of A-Z"),
            (#"id: "a", type: "webhok", url: "http://h/""#, #"did you mean "webhook"?"#),
            (#"id: "a", type: "mail", server: "smtp://h", from: "v@h.org", to: []"#, #""to" is empty; nobody would be told"#),
            (#"id: "a", type: "mail", server: "smtp://h", from: "v@h.org", to: ["nurse"]"#, #""nurse" is no mail address"#),
            (#"id: "a", type: "mail", server: "h", from: "v@h.org", to: ["n@h.org"]"#, "must begin with smtp:// or smtps://"),
            (#"id: "a", type: "mail", server: "smtp://h", from: "v@h.org", to: ["n@h.org"], language: "fr""#, "it can be en, de, ru"),
            (#"id: "a", type: "mail", server: "smtp://h", from: "v@h.org", to: ["n@h.org"], zone: "Mars/Dome""#, "there is no time zone"),
            (#"id: "a", type: "command", command: ["/no/such/program"]"#, "there is no program /no/such/program; nobody would be told"),
            (#"id: "a", type: "command", command: ["/etc/passwd"]"#, "/etc/passwd cannot be run; chmod +x /etc/passwd"),
            (#"id: "a", type: "command", command: ["/tmp"]"#, "there is no program /tmp"),
            (#"id: "a", type: "command", command: ["page"]"#, "a program's full path"),
        ])
    func refused(_ notifier: String, _ words: String) throws {
        let found = try problems(notifier)
        #expect(found.contains(words), "\(found)")
    }

    @Test("refuses a file that names nobody, and takes one that is right")
    func whole() throws {
        let rules = try RuleSetReader.read([RuleFile(name: "rules.json5", text: Self.rules)])
        #expect(throws: RuleError.self) {
            try NotifierSettingsReader.read(RuleFile(name: "n.json5", text: "{notifiers: []}"), rules: rules)
        }
        #expect(
            try problems(
                #"id: "a", type: "command", command: ["/bin/true"], kinds: ["medical"], groups: ["vital-signs"], escalation: "physician", timeout: "5s""#
            ) == "none")
    }
}
