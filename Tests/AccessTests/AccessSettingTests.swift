import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@testable import Access
@testable import Settings

@Suite("Access by settings, and rows as what is kept of a person")
struct AccessSettingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func control(_ flags: [(String, String)]) throws -> AccessControl? {
        try AccessControl(try Configuration(AccessSettings.all, flags: flags.map { (name: $0.0, value: $0.1) }, environment: [:]))
    }

    @Test("requests are checked where a list of accounts is given, which needs a table of roles")
    func control() throws {
        let accounts = try folder.write(#"{"accounts": []}"#, to: "accounts.json")
        let roles = try folder.write("{roles: {}}", to: "roles.json5")
        #expect(try control([]) == nil && control([("roles-file", roles)]) == nil)
        let guarded = try #require(try control([("accounts-file", accounts), ("roles-file", roles)]))
        #expect(guarded.isGuarded)
        let alone = #expect(throws: CommandError.self) { try control([("accounts-file", accounts)]) }
        #expect(alone?.exitCode == .configuration && alone?.description.contains("--accounts-file needs --roles-file") == true)
        let damaged = #expect(throws: CommandError.self) { try control([("accounts-file", roles), ("roles-file", roles)]) }
        #expect(damaged?.exitCode == .configuration && damaged?.description.contains("the list of accounts is damaged") == true)
    }

    @Test("rows are objects of what is not null: JSON as what it says, and bytes that are no text in base64")
    func rows() throws {
        let database = try Database(path: ":memory:")
        try database.run("CREATE TABLE t (a, b)")
        let values: [SQLiteValue] = [
            .integer(7), .real(1.5), .real(.infinity), .text("x"), .text("{\"y\":[1]}"), .text("[2]"), .text("{broken"),
            .blob(Array("z".utf8)),
            .blob(Array("[3]".utf8)), .blob([0xFF, 0xFE]), .text(""), .blob([]), .null,
        ]
        for value in values { try database.run("INSERT INTO t VALUES (?, 1)", [value]) }
        try database.run("INSERT INTO t VALUES (8, 2)")
        let data = try PersonalData("rows", try database.objects("SELECT a FROM t WHERE b = ?", [.integer(1)]))
        #expect(
            String(decoding: data.json, as: UTF8.self)
                == #"{"# + "\n"
                + #""rows": [{"a":7},{"a":1.5},{"a":"inf"},{"a":"x"},{"a":{"y":[1]}},{"a":[2]},{"a":"{broken"},{"a":"z"},{"a":[3]},"#
                + #"{"a":"//4="},{"a":""},{"a":""},{}]"# + "\n}\n")
    }
}
