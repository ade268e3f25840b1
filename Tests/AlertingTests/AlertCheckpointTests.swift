import AlertRules
import TestSupport
import Testing

@testable import Alerting

@Suite("When the core writes its whole state")
struct AlertCheckpointTests {
    private static let start: Int64 = 7_000_000

    private static func memory(_ folder: TemporaryFolder) throws -> AlertMemory {
        let text = #"{rules: [{id: "low", metric: "heart-rate", severity: "critical", below: 90}]}"#
        return try AlertMemory(
            try SQLiteAlertStore(path: folder.path("state.sqlite")), rules: [RuleFile(name: "r", text: text)], capacity: 10, share: nil,
            now: sample(0), bootID: "one")
    }

    /// A moment after the start of the process.
    private static func sample(_ after: Int64) -> ClockSample { ClockSample(wall: 1_700_000_000_000_000 + after, boot: start + after) }

    @Test("five minutes after the last one, and not before")
    func interval() throws {
        let folder = try TemporaryFolder()
        var memory = try Self.memory(folder)
        #expect(!memory.needsCheckpoint(Self.sample(300_000_000)) && memory.needsCheckpoint(Self.sample(300_000_001)))
        memory.dirty = [1]
        memory.noteCommit(of: JournalRecord(), isCheckpoint: false, at: Self.sample(100))
        #expect(memory.needsCheckpoint(Self.sample(300_000_001)) && memory.dirty == [1], "a commit is none")
        memory.noteCommit(of: JournalRecord(), isCheckpoint: true, at: Self.sample(100))
        #expect(memory.dirty.isEmpty)
        #expect(!memory.needsCheckpoint(Self.sample(300_000_100)) && memory.needsCheckpoint(Self.sample(300_000_101)))
    }

    @Test("when the journal is longer than 64 MiB")
    func journal() throws {
        let folder = try TemporaryFolder()
        var memory = try Self.memory(folder)
        let reading = Reading(metric: 0, time: 0, received: 0, value: 0)
        var record = JournalRecord()
        // 24 + 2,796,200 · 24 + 2 · 20 bytes are just as many.
        record.entries = [
            .readings(participant: "12", now: 0, Array(repeating: reading, count: 2_796_200)), .advance(clock: 0, now: 0),
            .advance(clock: 0, now: 0),
        ]
        memory.noteCommit(of: record, isCheckpoint: false, at: Self.sample(1))
        #expect(!memory.needsCheckpoint(Self.sample(2)))
        record.entries = [.advance(clock: 0, now: 0)]
        memory.noteCommit(of: record, isCheckpoint: false, at: Self.sample(2))
        #expect(memory.needsCheckpoint(Self.sample(3)))
        memory.noteCommit(of: record, isCheckpoint: true, at: Self.sample(3))
        memory.noteCommit(of: record, isCheckpoint: false, at: Self.sample(4))
        #expect(!memory.needsCheckpoint(Self.sample(5)), "the state stands in for it")
    }

    @Test("the passing of time alone is noted after more than five seconds")
    func time() throws {
        let folder = try TemporaryFolder()
        var memory = try Self.memory(folder)
        #expect(memory.isTimeToNote(Self.sample(0)), "nothing was noted yet")
        memory.noteCommit(of: JournalRecord(), isCheckpoint: false, at: Self.sample(10))
        #expect(!memory.isTimeToNote(Self.sample(5_000_010)) && memory.isTimeToNote(Self.sample(5_000_011)))
    }

    @Test("holds those that have changed, by their places and names, and the rules that began")
    func content() throws {
        let folder = try TemporaryFolder()
        var memory = try Self.memory(folder)
        for name in ["a", "b", "c"] { _ = memory.engine.index(of: name) }
        memory.dirty = [2, 0]
        let checkpoint = memory.checkpoint
        #expect(checkpoint.changed == [0, 2] && checkpoint.rules == memory.files && checkpoint.rules.map(\.name) == ["r"])
        let kept = checkpoint.participant(2)
        #expect(kept.index == 2 && kept.name == "c" && kept.state == memory.engine.encoded(participant: 2))
        #expect(checkpoint.clock == memory.engine.encodedClock && checkpoint.batches == memory.batches.encoded)
        // What the store holds goes before what the process was given.
        let store = try SQLiteAlertStore(path: folder.path("state.sqlite"))
        let other = RuleFile(name: "other", text: "{rules: []}")
        let again = try AlertMemory(store, rules: [other], capacity: 10, share: nil, now: Self.sample(1), bootID: "one")
        #expect(again.files.map(\.name) == ["r"] && again.engine.rules.rule(named: "low") != nil)
    }
}
