import Access
import Foundation
import TestSupport
import Testing
import VigilSchema

@Suite("Changed accounts, for the audit trail")
struct AccountChangesTests {
    private let folder: TemporaryFolder
    private let changes: AccountChanges

    init() throws {
        folder = try TemporaryFolder()
        changes = AccountChanges(besideAccounts: folder.path(AccountList.fileName))
    }

    private func entry(_ operation: String, _ whom: String, at seconds: Double = 1000) -> AuditEntry {
        AuditEntry(time: Timestamp(seconds: seconds), actor: "local:root", operation: operation, participant: whom)
    }

    @Test("are numbered upwards, also when the clock goes back, and read from a number on")
    func numbers() throws {
        #expect(changes.lines() == [] && changes.version == nil)
        try changes.append([entry("account-add", "a"), entry("account-assign", "anna")])
        try changes.append([entry("account-revoke", "a", at: 10)])
        let all = changes.lines()
        #expect(all.map(\.number) == [1_000_000_000, 1_000_000_001, 1_000_000_002])
        #expect(all.map(\.entry.operation) == ["account-add", "account-assign", "account-revoke"])
        #expect(changes.lines(after: all[1].number) == [all[2]])
        #expect(changes.version != nil)
    }

    @Test("of somebody who is forgotten a pseudonym stands everywhere, and of others the name")
    func forgotten() throws {
        try changes.append([entry("account-add", "anna-watch"), entry("account-assign", "anna"), entry("account-add", "carl")])
        let before = changes.lines()
        try changes.forget(["anna", "anna-watch"], adding: [entry("account-revoke", "anna-watch")])
        let text = try String(contentsOfFile: folder.path(AccountChanges.fileName), encoding: .utf8)
        #expect(!text.contains("anna") && text.contains("carl"))
        let after = changes.lines()
        #expect(after.prefix(3).map(\.number) == before.map(\.number) && after.count == 4)
        #expect(after[3].entry.participant == after[0].entry.participant && after[1].entry.participant != after[0].entry.participant)
        for line in after where line.entry.participant != "carl" { #expect(line.entry.participant?.wholeMatch(of: /~[0-9a-f]{16}/) != nil) }
    }

    @Test("somebody is forgotten also where nothing else is told, lines are added also where nobody is found, and else no file is made")
    func alone() throws {
        try changes.forget(["anna"], adding: [])
        #expect(changes.version == nil)
        try changes.forget(["anna"], adding: [entry("account-add", "carl")])
        #expect(changes.lines().map(\.entry.participant) == ["carl"])
        try changes.append([entry("account-assign", "anna")])
        let version = changes.version
        try changes.forget(["bernd"], adding: [])
        #expect(changes.version == version && changes.lines().count == 2)
        try changes.forget(["anna"], adding: [])
        #expect(changes.lines().count == 2 && changes.lines().last?.entry.participant?.hasPrefix("~") == true)
    }

    @Test("are a JSON object a line with its members in their order, numbered from one where the clock tells no time")
    func form() throws {
        let early = AuditEntry(time: Timestamp(seconds: 0), actor: "local:a/b", operation: "account-add", participant: "anna")
        try changes.append([early, early])
        let line = #"{"entry":{"actor":"local:a/b","operation":"account-add","outcome":"ok","participant":"anna","time":0},"number":"#
        #expect(try String(contentsOfFile: folder.path(AccountChanges.fileName), encoding: .utf8) == "\(line)1}\n\(line)2}\n")
        #expect(changes.lines().map(\.number) == [1, 2] && changes.lines(after: 1).map(\.number) == [2])
    }

    @Test("a line that was damaged is passed over, and the file stays bounded")
    func damaged() throws {
        try changes.append([entry("account-add", "a")])
        let path = folder.path(AccountChanges.fileName)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try FileManager.default.removeItem(atPath: path)
        try Data(("{\n" + text + "half a li").utf8).write(to: URL(filePath: path))
        #expect(changes.lines().map(\.entry.participant) == ["a"])
        try changes.append((0..<3000).map { entry("account-add", "b\($0)") })
        #expect(changes.lines().count == 2000 && changes.lines().last?.entry.participant == "b2999")
    }
}
