import Foundation
import TestSupport
import Testing

@testable import Access

@Suite("Rules of roles")
struct RoleRuleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let table = """
        {roles: {
            near: {participants: "own", alert: ["silence", "rules"], timeline: ["latest"], silence: "2h", threshold: 0.25},
            far: {participants: "all", alert: ["silence"], timeline: ["latest"], signs: "others"},
            nowhere: {participants: "none", alert: ["reload", "silence"], signs: "own"},
            carer: {participants: "own", alert: ["acknowledge"], threshold: 0.5},
            dashboard: {participants: "all", timeline: ["latest"]},
        }}
        """

    private func control(_ table: String = table) throws -> AccessControl {
        var list = AccountList()
        for role in ["near", "far", "nowhere", "lost"] { list.set(.init(name: "a-\(role)", role: role, participants: ["anna", "ben"])) }
        try list.encoded().write(to: URL(filePath: folder.path("accounts.json")))
        return try AccessControl(roles: try folder.write(table, to: "roles.json5"), accounts: folder.path("accounts.json"))
    }

    private func refusal(
        _ account: String, _ service: String, _ operation: String, _ participant: String?, silence: Double? = nil
    ) throws -> String? {
        let control = try control()
        do throws(AccessControl.Refusal) {
            try control.check(.init(account: account, service: service, operation: operation, participant: participant, silence: silence))
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "an account may what its role has, about whom the role says, and is told why not",
        arguments: [
            ("a-near", "alert", "silence", "anna", nil), ("a-near", "alert", "silence", "ben", nil),
            ("a-near", "alert", "silence", "carla", "a-near may not ask about carla"),
            ("a-near", "alert", "silence", nil, "a-near may not ask about everybody"), ("a-near", "alert", "rules", nil, nil),
            ("a-near", "timeline", "latest", "anna", nil), ("a-near", "timeline", "latest", nil, "a-near may not ask about everybody"),
            ("a-near", "timeline", "silence", "anna", "near may not ask timeline for silence"),
            ("a-near", "stress", "latest", "anna", "near may not ask stress for latest"), ("a-far", "timeline", "latest", "carla", nil),
            ("a-far", "timeline", "latest", nil, nil), ("a-far", "alert", "rules", nil, "far may not ask alert for rules"),
            ("a-nowhere", "alert", "reload", nil, nil), ("a-nowhere", "alert", "silence", "carla", "a-nowhere may not ask about carla"),
            ("a-lost", "alert", "silence", "anna", "the role lost of a-lost is in no table"),
            ("nobody", "alert", "silence", "anna", "there is no account nobody"),
        ] as [(String, String, String, String?, String?)])
    func checks(account: String, service: String, operation: String, participant: String?, expected: String?) throws {
        #expect(try refusal(account, service, operation, participant) == expected)
    }

    @Test("a silence may last as long as the role's longest and no second more, any where the role has none")
    func silence() throws {
        #expect(try refusal("a-near", "alert", "silence", "anna", silence: 7_200) == nil)
        #expect(try refusal("a-near", "alert", "silence", "anna", silence: 7_201) == "near may silence an alert for 2 h at most")
        #expect(try refusal("a-far", "alert", "silence", "anna", silence: 1e9) == nil)
    }

    @Test("a role signs for others, and eases thresholds, as far as its table says; where nobody is known, anybody")
    func shares() throws {
        let control = try control()
        #expect(control.isGuarded && control.signsForOthers("a-far"))
        #expect(!control.signsForOthers("a-nowhere") && !control.signsForOthers("a-near") && !control.signsForOthers("nobody"))
        #expect(control.thresholdEasing(of: "a-near") == 0.25 && control.thresholdEasing(of: "a-far") == nil)
        #expect(control.thresholdEasing(of: "nobody") == 0, "a revoked account eases nothing")
        #expect(control.thresholdEasing(of: "a-lost") == 0, "what is in no table eases nothing")
        #expect(
            !AccessControl.open.isGuarded && AccessControl.open.signsForOthers("x") && AccessControl.open.thresholdEasing(of: "x") == nil)
    }

    @Test("a table that is missing, or a list, is named")
    func missing() throws {
        let table = try folder.write(Self.table, to: "roles.json5")
        let list = #expect(throws: AccessError.self) { try AccessControl(roles: table, accounts: folder.path("none.json")) }
        #expect(list?.description.contains("none.json cannot be read") == true)
        let roles = #expect(throws: AccessError.self) { try AccessControl(roles: folder.path("none.json5"), accounts: table) }
        #expect(roles?.description.contains("none.json5 cannot be read") == true)
        let damaged = #expect(throws: AccessError.self) { try AccessControl(roles: table, accounts: table) }
        #expect(damaged?.description.contains("the list of accounts is damaged") == true)
    }

    @Test(
        "a duration is a positive number with its unit",
        arguments: [
            ("90s", 90), ("1s", 1), ("30m", 1_800), ("24h", 86_400), ("1.5h", 5_400), ("1h30m", 5_400), ("7d", 604_800), ("1w", 604_800),
            ("1ms", 0.001), ("0h", nil), ("-1h", nil), ("24", nil), ("h", nil), ("", nil), ("s1", nil), ("x1h", nil),
        ] as [(String, Double?)])
    func seconds(text: String, expected: Double?) {
        #expect(RoleTable.seconds(text) == expected)
    }

    @Test(
        "a table says what it means and nothing else",
        arguments: [
            ("{roles: {}}", nil), ("{roles: {a: {participants: 'own', threshold: 0}}}", nil),
            ("{roles: {a: {participants: 'own', threshold: 1}}}", nil),
            ("{roles: {a: {participants: 'own', threshold: -0.01}}}", "between 0 and 1"),
            ("{roles: {a: {participants: 'own', threshold: 1.01}}}", "between 0 and 1"),
            ("{roles: {a: {participants: 'own', silence: '0h'}}}", "duration"),
            ("{roles: {a: {participants: 'own', signs: 'all'}}}", "cannot be \"all\""),
            ("{roles: {a: {participants: 'own'}}, role: {}}", "\"role\" is not known here"),
            ("{roles: {a: {}}}", "\"participants\" is missing"), ("{}", "\"roles\" is missing"), ("[]", "the table of roles"),
            ("{roles: {a: 7}}", "role \"a\""),
        ] as [(String, String?)])
    func tables(text: String, words: String?) {
        do throws(AccessError) {
            _ = try RoleTable(parsing: text, file: "f.json5")
            #expect(words == nil)
        } catch {
            #expect(words.map { error.description.contains($0) } == true && error.description.hasPrefix("f.json5"), "\(error)")
        }
    }

    @Test("a role has no rights but those that it is given")
    func rights() throws {
        let rights = try RoleTable(parsing: Self.table).roles
        #expect(
            rights["near"]
                == .init(
                    scope: .own, operations: ["alert": ["silence", "rules"], "timeline": ["latest"]], longestSilence: 7_200,
                    thresholdEasing: 0.25))
        #expect(rights["far"] == .init(scope: .all, operations: ["alert": ["silence"], "timeline": ["latest"]], signsForOthers: true))
        #expect(rights["nowhere"]?.signsForOthers == false && rights["nowhere"]?.scope == RoleTable.Scope.none)
    }

    /// The questions about the timeline that change nothing, but for those about who there is.
    private static let reading: Set<String> = [
        "metrics", "latest", "readings", "series", "waveform", "envelope", "page", "histogram", "sources", "sessions", "gaps", "alerts",
        "entries",
    ]
    private static let answering: Set<String> = [
        "acknowledge", "silence", "unsilence", "clear", "set-threshold", "why", "history", "rules",
    ]

    private static func own(_ operations: [String: Set<String>] = [:]) -> RoleTable.Rights { .init(scope: .own, operations: operations) }
    private static func all(_ operations: [String: Set<String>]) -> RoleTable.Rights { .init(scope: .all, operations: operations) }

    private static var carer: RoleTable.Rights {
        var carer = own([
            "timeline": reading.union(["profile", "add-entries", "remove-entry", "add-levels"]), "alert": answering,
            "stress": ["calibrate", "cancel"],
        ])
        (carer.longestSilence, carer.thresholdEasing) = (86_400, 0.25)
        return carer
    }

    private static var dashboard: RoleTable.Rights {
        var dashboard = all([
            "timeline": reading.union([
                "participants", "people", "profile", "add-entries", "remove-entry", "remove-readings", "set-profile", "add-levels",
                "add-audit",
                "erase",
            ]),
            "alert": answering.union(["set-profile", "erase"]), "stress": ["calibrate", "cancel", "forget", "mode", "bounds", "erase"],
            "ingest": ["erase"], "modules": ["erase"], "dashboard": ["erase"],
            "import": ["begin", "append", "survey", "try", "start", "jobs", "rejects", "undo", "discard", "erase"],
        ])
        (dashboard.thresholdEasing, dashboard.signsForOthers) = (0.25, true)
        return dashboard
    }

    /// The roles that are shipped, besides the operator's, which has everything.
    static let shipped: [(String, RoleTable.Rights)] = [
        ("device", own()), ("subscriber", own()), ("carer", carer), ("analyst", own(["timeline": reading])), ("dashboard", dashboard),
        ("patient", own(["timeline": reading.union(["profile", "add-entries", "add-levels"]), "alert": ["why", "history"]])),
        ("import", all(["timeline": ["profile", "set-profile", "add-entries", "restore", "undo-import", "add-audit"]])),
        (
            "modules",
            all(["timeline": reading.subtracting(["waveform", "envelope", "page", "alerts"]).union(["participants", "profile"])])
        ),
        ("ingest", .init(scope: .none)), ("stress", .init(scope: .none)), ("alert", .init(scope: .none)),
        ("timeline", .init(scope: .none)), ("monitor", .init(scope: .none)),
    ]

    private static let shippedTable = Result {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try RoleTable(parsing: String(contentsOf: root.appending(path: "deploy/roles.json5"), encoding: .utf8))
    }

    @Test("each role that is shipped may do what it is for, about those whom it is for, and nothing else", arguments: shipped)
    func shippedRights(role: String, rights: RoleTable.Rights) throws {
        #expect(try Self.shippedTable.get().roles[role] == rights)
    }

    @Test("no other roles are shipped, and the operator's are about everybody, without bounds")
    func shippedNames() throws {
        let roles = try Self.shippedTable.get().roles
        #expect(Set(roles.keys) == Set(Self.shipped.map(\.0) + ["operator"]))
        let rights = try #require(roles["operator"])
        #expect(rights.scope == .all && rights.longestSilence == nil && rights.thresholdEasing == nil && !rights.signsForOthers)
    }

    @Test("an asker's own words come back shortened: forty characters of an operation, sixty-four of a name")
    func shortened() throws {
        let long = String(repeating: "x", count: 100)
        #expect(try refusal("a-near", "alert", long, "anna") == "near may not ask alert for " + long.prefix(40))
        #expect(try refusal("a-near", "alert", "silence", long) == "a-near may not ask about " + long.prefix(64))
        #expect(try refusal(long, "alert", "silence", "anna") == "there is no account " + long.prefix(64))
    }

    @Test("of refusals sixty a minute are told, and the first of the next minute tells how many were passed over")
    func refusals() {
        let count = RefusalCount(), first = ContinuousClock.now
        #expect((0..<60).map { _ in count.note(at: first) } == Array(repeating: 0, count: 60))
        #expect(count.note(at: first) == nil && count.note(at: first.advanced(by: .seconds(59))) == nil)
        let next = first.advanced(by: .seconds(60))
        #expect(count.note(at: next) == 2 && count.note(at: next) == 0)
        #expect((0..<58).allSatisfy { _ in count.note(at: next) == 0 })
        #expect(count.note(at: next.advanced(by: .milliseconds(59_999))) == nil)
        #expect(count.note(at: next.advanced(by: .seconds(60))) == 1)
    }

    @Test("a file's version is another once its content is, or another file's, and none where there is no file")
    func versions() throws {
        let path = folder.path("f")
        #expect(FileVersion(path) == nil)
        try folder.write("one", to: "f")
        let first = try #require(FileVersion(path))
        #expect(FileVersion(path) == first)
        try folder.write("three", to: "f")
        #expect(FileVersion(path) != first)
    }
}
