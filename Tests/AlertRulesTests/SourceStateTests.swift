import Testing

@testable import AlertRules

@Suite("Several sources of one metric")
struct SourceStateTests {
    private static let high =
        #"{rules: [{id: "r", metric: "heart-rate", severity: "warning", above: 100, clear: 90, for: "30s", staleAfter: "2m"}]}"#
    private static let second: Int64 = 1_000_000

    /// What the harness tells, of times after its start.
    private static func log(_ entries: String...) -> [String] {
        entries.map { $0.split(separator: " ") }.map { "\($0[0]) \(EngineHarness.start + (Int64($0[1]) ?? 0))" }
    }

    @Test("one is heard for three of its intervals, ten seconds at least, a minute where its habit is not known, while it is fresh")
    func heard() {
        let rows: [(interval: UInt32, staleAfter: Int64, seconds: Int64)] = [
            (0, 120, 60), (0, 30, 30), (1000, 120, 10), (3333, 120, 10), (5000, 120, 15), (60_000, 600, 180), (60_000, 120, 120),
        ]
        for row in rows {
            let sourceState = SourceState(
                metric: 0, source: 1, value: 1, time: 0, arrival: 7 * Self.second, interval: row.interval, runClock: 0)
            let last = (7 + row.seconds) * Self.second
            #expect(sourceState.isHeard(at: last, staleAfter: row.staleAfter * Self.second), "\(row)")
            #expect(!sourceState.isHeard(at: last + 1_000_000, staleAfter: row.staleAfter * Self.second), "\(row)")
        }
    }

    @Test("its habit is learnt from its own readings; what is of the same time changes it not")
    func habit() {
        var sourceState = SourceState(metric: 0, source: 1, value: 1, time: 0, arrival: 0, runClock: 0)
        for (time, interval) in [(5, 5000), (5, 5000), (8, 4000), (72, 5500)] as [(Int64, UInt32)] {
            sourceState.take(Reading(metric: 0, time: time * Self.second, received: 100 * Self.second, value: 3), at: 100 * Self.second)
            #expect(sourceState.interval == interval, "at \(time)")
        }
        #expect(sourceState.value == 3 && sourceState.time == 72 * Self.second && sourceState.arrival == 100 * Self.second)
    }

    @Test("nothing is kept where there is one, nor of one that is not known, nor of what is told of long ago")
    func single() throws {
        var harness = try EngineHarness(Self.high)
        for second in 0..<10 { try harness.read("heart-rate", 70, at: Int64(second), from: "a") }
        try harness.read("heart-rate", 70, at: 10)
        try harness.read("heart-rate", 70, at: 11, from: "a")
        try harness.read("heart-rate", 70, at: 12, received: 913, from: "b")
        #expect(harness.engine.participants[harness.participant].sourceStates.isEmpty)
        try harness.read("heart-rate", 70, at: 914, from: "a")
        try harness.read("heart-rate", 70, at: 15, received: 915, from: "b")
        #expect(harness.engine.participants[harness.participant].sourceStates.count == 2)
    }

    @Test(
        "four are told apart, of whom the one not heard of for longest makes room; one that is alone for a day is no sourceState any more")
    func capacity() throws {
        var harness = try EngineHarness(Self.high)
        for (second, name) in ["a", "b", "c", "a", "d", "e"].enumerated() {
            try harness.read("heart-rate", 70, at: Int64(second), from: name)
        }
        func sources() -> Set<UInt32> { Set(harness.engine.participants[harness.participant].sourceStates.map(\.source)) }
        #expect(sources() == Set(["a", "c", "d", "e"].map(Reading.source)))
        try harness.read("heart-rate", 70, at: 86_400, from: "a")
        #expect(sources() == Set(["a", "c", "d", "e"].map(Reading.source)))
        try harness.read("heart-rate", 70, at: 86_406, from: "a")
        #expect(sources() == [])
    }

    @Test("the worse counts over restarts and packing at any moment, and other rules that keep the metric", arguments: [0, 5, 13, 29])
    func survives(restart: Int64) throws {
        var harness = try EngineHarness(Self.high)
        for second in 0..<40 as Range<Int64> {
            if second == restart { try harness.restart() }
            if second == restart + 2 {
                try harness.adopt(
                    Self.high.replacing(
                        "rules: [", with: #"rules: [{id: "a", metric: "body-temperature", severity: "notice", above: 38}, "#))
            }
            try harness.read("heart-rate", second % 5 == 0 ? 120 : 70, at: second, from: second % 5 == 0 ? "slow" : "quick")
        }
        #expect(harness.log == Self.log("pending 0", "raised 30"))
    }

    @Test("within the dead band too; it ends when all that are heard say so, and by the other once the one is not heard")
    func ends() throws {
        var harness = try EngineHarness(Self.high)
        for second in stride(from: 0 as Int64, through: 60, by: 5) {
            try harness.read("heart-rate", 120, at: second, from: "a")
            try harness.read("heart-rate", 70, at: second + 2, from: "b")
        }
        for second in stride(from: 65 as Int64, through: 90, by: 5) {
            try harness.read("heart-rate", 95, at: second, from: "a")
            try harness.read("heart-rate", 70, at: second + 2, from: "b")
        }
        #expect(harness.log == Self.log("pending 0", "raised 30"))
        for second in stride(from: 95 as Int64, through: 120, by: 5) { try harness.read("heart-rate", 70, at: second, from: "b") }
        #expect(harness.log == Self.log("pending 0", "raised 30", "cleared 110"))
    }

    @Test("a change within a window is of one source, and of the other once that is not heard any more")
    func windows() throws {
        var harness = try EngineHarness(
            #"{rules: [{id: "r", metric: "heart-rate", severity: "warning", take: "rise", over: "1m", above: 30, staleAfter: "2m"}]}"#)
        for second in stride(from: 0 as Int64, through: 60, by: 5) {
            try harness.read("heart-rate", 60, at: second, from: "a")
            try harness.read("heart-rate", 110, at: second + 2, from: "b")
        }
        for second in stride(from: 67 as Int64, through: 90, by: 5) { try harness.read("heart-rate", 110, at: second, from: "b") }
        #expect(harness.log == [])
        try harness.read("heart-rate", 145, at: 92, from: "b")
        #expect(harness.log == Self.log("raised 92"))
    }

    @Test("a source has the same number everywhere, and none is that of the unknown")
    func numbers() {
        // FNV-1a, 32 bits, by its authors' test vectors.
        #expect(Reading.source(named: "") == 0x811c_9dc5 && Reading.source(named: "a") == 0xe40c_292c)
        #expect(Reading.source(named: "foobar") == 0xbf9c_f968)
    }
}
