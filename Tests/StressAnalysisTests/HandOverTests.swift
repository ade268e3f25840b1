import SignalSynthesis
import Signals
import StressAnalysis
import Testing
import VigilSchema

@Suite("Stress analysis that is handed over")
struct HandOverTests {
    /// What was said of somebody, in order.
    private typealias Said = [String: [Observation]]

    /// Three wearers, each with two messages a second, one of them with a device that stops for a while; in turns.
    private static func messages(seconds: Int) -> [ObservationBatch] {
        var feeds = (1...3).map { WearerFeed(participant: "p\($0)", seed: UInt64($0), state: $0 == 2 ? .stress : .rest) }
        return (0..<seconds).flatMap { second in
            feeds.indices.flatMap { index -> [ObservationBatch] in
                let (waveforms, readings) = feeds[index].second()
                return index == 2 && (100..<130).contains(second) ? [readings] : [waveforms, readings]
            }
        }
    }

    private static func take(_ batch: ObservationBatch, _ engine: inout StressEngine, _ said: inout Said) {
        engine.take(batch, defaultMode: .enhanced)
        said.merge(engine.pending) { $0 + $1 }
        engine.published()
        engine.saved()
    }

    @Test("says the same to the last digit with a hundred moves from engine to engine as with none, calibration included")
    func equality() throws {
        let messages = Self.messages(seconds: 420)
        var (unmoved, moved) = (StressEngine(), StressEngine())
        var (expected, said): (Said, Said) = ([:], [:])
        var random = SplitMix(7)
        let moves = Set((0..<100).map { _ in Int(random.next() % UInt64(messages.count)) })
        var (profiles, largest): ([String: StressProfile], Int) = ([:], 0)
        for (index, message) in messages.enumerated() {
            if index == 700 {
                for name in ["p1", "p2"] {
                    calibrate(name, &unmoved)
                    calibrate(name, &moved)
                }
            }
            Self.take(message, &unmoved, &expected)
            moved.take(message, defaultMode: .enhanced)
            profiles.merge(moved.unsaved) { $1 }
            said.merge(moved.pending) { $0 + $1 }
            moved.published()
            moved.saved()
            guard moves.contains(index) else { continue }
            let snapshot = try #require(try moved.snapshot())
            largest = max(largest, snapshot.people.values.map(\.count).max() ?? 0)
            moved = StressEngine(profiles: profiles, isSuccessor: true)
            #expect(moved.resume(snapshot) == 0)
        }
        #expect(said == expected)
        #expect(expected.values.allSatisfy { $0.count > 300 } && profiles.count == 3)
        print("hand-over: \(moves.count) moves, a wearer's snapshot has \(largest) bytes at the most")
    }

    private func calibrate(_ name: String, _ engine: inout StressEngine) {
        _ = engine.handle(
            StressCommand(action: .calibrate(seconds: 120)), participant: name, at: Timestamp(seconds: WearerFeed.start),
            defaultMode: .enhanced, calibrationSeconds: 360)
    }

    @Test(
        "after a crash nothing is said that the former owner may have said, then that it warms up, and then what an unmoved analysis says")
    func crash() throws {
        let messages = Self.messages(seconds: 300)
        var (unmoved, first) = (StressEngine(), StressEngine())
        var (expected, said): (Said, Said) = ([:], [:])
        for message in messages { Self.take(message, &unmoved, &expected) }
        let crash = messages.count / 2
        for message in messages[..<crash] { Self.take(message, &first, &said) }
        let before = said.mapValues { $0.map(\.time).max() }
        // What was not acknowledged comes again.
        var second = StressEngine(isSuccessor: true)
        var later: Said = [:]
        for message in messages[(crash - 40)...] { Self.take(message, &second, &later) }
        for (name, observations) in later {
            let spoken = try #require(before[name] ?? nil)
            #expect(observations.allSatisfy { $0.time > spoken })
            #expect(observations.first?.content == .text("warming up: another replica has taken over"))
            let status = { (list: [Observation]) in list.filter { $0.metric == "heart-rate" }.suffix(10).map(\.content) }
            #expect(status(observations) == status(expected[name] ?? []))
        }
        #expect(later.count == 3)
    }

    /// What it took stays unacknowledged while the database is away, which may be for as long as a new leader is elected and longer.
    @Test("what the former owner said in fifty seconds without a database is not replaced by the words that it warms up")
    func longCrash() throws {
        let messages = Self.messages(seconds: 150)
        var (first, second) = (StressEngine(), StressEngine(isSuccessor: true))
        var (said, later): (Said, Said) = ([:], [:])
        let crash = messages.count * 2 / 3
        for message in messages[..<crash] { Self.take(message, &first, &said) }
        for message in messages[(crash - 50 * 6)...] { Self.take(message, &second, &later) }
        for (name, observations) in later {
            let before = try #require(said[name]), words = try #require(observations.first)
            #expect(words.content == .text("warming up: another replica has taken over") && words.time < before[before.count - 1].time)
            #expect(!before.contains { $0.metric == words.metric && $0.time == words.time })
        }
        #expect(later.count == 3)
    }

    @Test("a snapshot that is damaged, cut off or another version's is not read")
    func damaged() throws {
        var engine = StressEngine()
        var said: Said = [:]
        for message in Self.messages(seconds: 20) { Self.take(message, &engine, &said) }
        let whole = try #require(try engine.snapshot())
        for damage in [{ $0[$0.count / 2] ^= 1 }, { $0.removeLast(5) }, { $0[0] += 1 }, { $0 = [] }] as [(inout [UInt8]) -> Void] {
            var snapshot = whole
            for name in snapshot.people.keys { damage(&snapshot.people[name, default: []]) }
            var next = StressEngine(isSuccessor: true)
            #expect(next.resume(snapshot) == 3 && next.participantCount == 0)
        }
    }

    @Test("while something waits to be published there is no snapshot: it would be lost")
    func unpublished() throws {
        var engine = StressEngine()
        for message in Self.messages(seconds: 20) { engine.take(message, defaultMode: .enhanced) }
        #expect(!engine.pending.isEmpty)
        #expect(try engine.snapshot() == nil)
    }
}

/// Random numbers that are the same each time.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
