import AlertRules
import Foundation
import Settings
import TestSupport
import Testing
import TimelineStore

@testable import Alerting

@Suite("Where rules are read from")
struct RuleFolderTests {
    @Test("a file is read as it is, of a folder every .json5 file by name")
    func files() throws {
        let folder = try TemporaryFolder("rules")
        for name in ["b.json5", "a.json5", "c.json", "README"] { try folder.write("text of \(name)", to: name) }
        let all = try RuleFolder.read(folder.url.path)
        #expect(all.map(\.text) == ["text of a.json5", "text of b.json5"])
        #expect(all.map(\.name) == ["a.json5", "b.json5"].map { "\(folder.url.path)/\($0)" })
        let one = try RuleFolder.read(folder.path("c.json"))
        #expect(one == [RuleFile(name: folder.path("c.json"), text: "text of c.json")])
    }

    @Test("what is not there, holds no rules or is no text is said")
    func problems() throws {
        let folder = try TemporaryFolder("rules")
        let path = folder.url.path
        try folder.write("x", to: "notes.txt")
        func problem(_ path: String) -> String? { #expect(throws: CommandError.self) { try RuleFolder.read(path) }?.description }
        #expect(problem(path) == "\(path) holds no .json5 file")
        #expect(problem(path + "/none") == "there is no rule file or folder \(path)/none")
        try Data([0xFF, 0xFE, 0x00]).write(to: folder.url.appending(path: "bad.json5"))
        #expect(problem(path) == "\(path) cannot be read as UTF-8 text")
    }
}

@Suite("The shares that a replica works on")
struct ShareCoordinatorsTests {
    @Test("what waits is counted over all, and the longest of the waits told, for as long as they are worked on")
    func waiting() async throws {
        let coordinators = ShareCoordinators()
        func queue() -> CommitQueue {
            CommitQueue(position: 0, entry: 0, log: LogLines().logger) { work throws(StoreError) in work.last?.number ?? 0 }
        }
        let (first, second) = (queue(), queue())
        let (one, other) = (try CoordinatorRig(), try CoordinatorRig())
        #expect(coordinators.waiting.count == 0 && coordinators.waiting.seconds == 0)
        for _ in 0..<2 { try first.add(CommitQueue.Commit([], entry: 1)) }
        try second.add(CommitQueue.Commit([], entry: 1))
        try await coordinators.with(one.coordinator, first) {
            #expect(coordinators.waiting.count == 2)
            try await coordinators.with(other.coordinator, second) {
                #expect(coordinators.waiting.count == 3)
                let (least, told) = (first.age / .seconds(1), coordinators.waiting.seconds)
                #expect(told >= least && told <= first.age / .seconds(1) && first.age >= second.age)
            }
            #expect(coordinators.waiting.count == 2)
        }
        #expect(coordinators.waiting.count == 0)
    }
}
