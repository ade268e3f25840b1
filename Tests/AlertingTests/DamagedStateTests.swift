import Testing

@testable import AlertRules
@testable import Alerting

@Suite("Damaged state of alerts")
struct DamagedStateTests {
    private static let start: Int64 = 1_700_000_000_000_000
    private static let rules = """
        {scores: {news2: {}, glucose: true}, rules: [{id: "stress", metric: "stress-level", severity: "notice",
          above: {default: 0.9, percentile: 95, minimumReadings: 10, atLeast: 0.5}}]}
        """

    private func engine() throws -> AlertEngine {
        AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "test.json5", text: Self.rules)]), now: Self.start)
    }

    @Test("refuses a journal whose times cannot be added up", arguments: [Int64.max, .min, 1 << 61])
    func times(time: Int64) {
        for entry in [
            JournalRecord.Entry.advance(clock: time, now: 0), .skip(clock: 0, now: time), .readings(participant: "12", now: time, []),
            .command(
                participant: "12", rule: "stress", AlertRequest(command: .clear(until: 1 << 60), actor: "nurse", reason: nil, time: time),
                now: 0),
        ] {
            var record = JournalRecord()
            record.entries = [entry]
            #expect(throws: ByteReader.Damage.self) { try JournalRecord(decoding: record.encoded()) }
        }
    }

    @Test("refuses a journal with readings of a metric that the rules do not know", arguments: [-1, 10_000])
    func metric(metric: Int) throws {
        var record = JournalRecord()
        let reading = Reading(metric: metric, time: Self.start, received: Self.start, value: 1)
        record.entries = [.readings(participant: "12", now: Self.start, [reading])]
        let read = try JournalRecord(decoding: record.encoded())
        var engine = try engine()
        #expect(throws: ByteReader.Damage.self) { _ = try engine.replay(read, capacity: 8) }
    }

    @Test("refuses a participant at a place that there is not", arguments: [-1, AlertEngine.largestCapacity])
    func place(place: Int) throws {
        var engine = try engine()
        let known = engine.index(of: "12")
        let bytes = engine.encoded(participant: known)
        #expect(throws: AlertEngine.StateDamage.participant("13")) { try engine.restore(participant: "13", at: place, bytes) }
        #expect(engine.names == ["12"])
    }

    @Test("refuses an alert with a flag that there is not: read again, it would be another state", arguments: [16, 64] as [UInt8])
    func flag(bit: UInt8) throws {
        var engine = try engine()
        let place = engine.index(of: "12")
        let nobody = engine.encoded(participant: place)
        engine.participants[place].alerts[0] = AlertState(flags: .excluded)
        let excluded = engine.encoded(participant: place)
        // An alert of which only flags are known is one byte, with the highest bit set.
        let differing = try #require(excluded.indices.first { $0 < nobody.count && excluded[$0] != nobody[$0] })
        let flags = try #require(excluded[differing...].firstIndex(of: 0x88))
        var damaged = excluded
        damaged[flags] = 0x80 | bit
        engine.participants[place].alerts[0] = AlertState()
        #expect(throws: AlertEngine.StateDamage.participant("12")) { try engine.restore(participant: "12", at: place, damaged) }
        #expect(engine.encoded(participant: place) == nobody)
        try engine.restore(participant: "12", at: place, excluded)
        #expect(engine.participants[place].alerts[0].flags == .excluded)
    }

    @Test("refuses a clock that cannot go on", arguments: [(Int64.max, 0, 0), (0, Int64.min, 0), (0, 0, Int64(UInt32.max)), (0, 0, -1)])
    func clock(clock: Int64, now: Int64, sequence: Int64) throws {
        var writer = ByteWriter()
        for number in [clock, now, sequence] { writer.write(number) }
        var engine = try engine()
        #expect(throws: AlertEngine.StateDamage.clock) { try engine.restore(clock: writer.bytes) }
    }

    @Test("takes or refuses a participant's state, whichever of its bytes is another, and goes on")
    func flips() throws {
        var engine = try engine()
        let place = engine.index(of: "12")
        var output = EngineOutput()
        for second in Int64(0)..<20 {
            engine.take(readings(engine, at: Self.start + second * 1_000_000), of: place, now: Self.start, into: &output)
        }
        let good = engine.encoded(participant: place)
        for index in good.indices {
            for value in [0, 1, 127, 128, 255] as [UInt8] {
                var bytes = good
                bytes[index] = value
                var other = try self.engine()
                guard (try? other.restore(participant: "12", at: 0, bytes)) != nil else { continue }
                other.rescheduleAll()
                other.skip(to: Self.start + 3_600_000_000, now: Self.start + 3_600_000_000, into: &output)
                other.take(readings(other, at: Self.start + 3_600_000_000), of: 0, now: Self.start, into: &output)
                #expect(!other.encoded(participant: 0).isEmpty)
            }
        }
    }

    @Test("follows a history whose limits were lost")
    func historyWithoutLimits() throws {
        var engine = try engine()
        let place = engine.index(of: "12")
        var output = EngineOutput()
        for second in Int64(0)..<31 {
            engine.take(readings(engine, at: Self.start + second * 1_000_000), of: place, now: Self.start, into: &output)
        }
        engine.participants[place].limits = []
        for second in Int64(31)..<64 {
            engine.take(readings(engine, at: Self.start + second * 1_000_000), of: place, now: Self.start, into: &output)
        }
        #expect(engine.participants[place].limits.count == engine.rules.thresholds.count)
    }

    private func readings(_ engine: AlertEngine, at time: Int64) -> [Reading] {
        engine.rules.metrics.indices.map { Reading(metric: $0, time: time, received: time, value: Double(time % 7)) }
    }

    @Test("puts a value that lies beyond all whole numbers into a history's last or first bin", arguments: [1e300, -1e300])
    func farOut(value: Double) throws {
        var engine = try engine()
        let place = engine.index(of: "12")
        let metric = try #require(engine.rules.metric(named: "stress-level"))
        var output = EngineOutput()
        engine.take(
            [Reading(metric: metric, time: Self.start, received: Self.start, value: value)], of: place, now: Self.start, into: &output)
        let bins = engine.participants[place].histories[0].bins
        #expect(bins.firstIndex(of: 1) == (value > 0 ? bins.count - 1 : 0))
    }
}
