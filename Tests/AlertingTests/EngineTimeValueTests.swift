import AlertRules
import Foundation
import Glibc
import Testing

@testable import Alerting

/// The engine's clock as a value, in seconds.
@Suite("The engine's clock")
struct EngineTimeValueTests {
    private static func sample(wall: Int64, boot: Int64) -> ClockSample { ClockSample(wall: wall * 1_000_000, boot: boot * 1_000_000) }

    /// The clock stands at 1000, the machine's counter at 50 and the wall clock at 1000.
    private static func fresh() throws -> EngineTime {
        try EngineTime(after: nil, clock: 1_000_000_000, wall: 1_000_000_000, now: sample(wall: 1000, boot: 50), bootID: "one")
    }

    /// The same, of which the process ended with the engine at 1010, and which begins again.
    private static func again(at now: ClockSample, bootID: String = "one") throws -> EngineTime {
        try EngineTime(after: fresh().encoded, clock: 1_010_000_000, wall: 1_010_000_000, now: now, bootID: bootID)
    }

    @Test("goes on evenly, whatever the wall clock does, and never back")
    func evenly() throws {
        let time = try Self.fresh()
        #expect(!time.isCatchingUp)
        for (boot, clock) in [(50, 1000), (57, 1007), (49, 1000)] as [(Int64, Int64)] {
            #expect(time.clock(at: Self.sample(wall: 5, boot: boot)) == clock * 1_000_000)
        }
        // At 1007 the wall clock says 2000: what is 3 s before is 1997.
        #expect(time.wall(of: 1_004_000_000, at: Self.sample(wall: 2000, boot: 57)) == 1_997_000_000)
    }

    @Test("a look at the machine's clocks is of now, in microseconds")
    func look() {
        func boot() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        }
        for _ in 0..<20 {
            let (wall, even) = (Date().timeIntervalSince1970, boot())
            let look = ClockSample.now
            #expect(look.boot >= even && look.boot <= boot())
            #expect(Double(look.wall) >= wall * 1e6 - 1 && Double(look.wall) <= Date().timeIntervalSince1970 * 1e6)
        }
        #expect(ClockSample.bootID == ClockSample.bootID)
    }

    @Test("advances to the present, up to a pause of ten seconds, and waits for what is at the broker after a longer one")
    func pauses() throws {
        var time = try Self.fresh()
        #expect(time.pass(to: Self.sample(wall: 1010, boot: 60), from: 1_000_000_000, isHearing: true) == .advance(1_010_000_000))
        #expect(time.takeMarker() == nil && !time.isCatchingUp)
        #expect(time.pass(to: Self.sample(wall: 1021, boot: 71), from: 1_010_000_000, isHearing: true) == .wait)
        #expect(time.isCatchingUp)
        let (marker, again) = (time.takeMarker() ?? "", time.takeMarker())
        #expect(marker == "50000000-1" && again == nil)
        #expect(time.reach("50000000-2", at: Self.sample(wall: 1022, boot: 72)) == .wait)
        #expect(time.reach(marker, at: Self.sample(wall: 1022, boot: 72)) == .skip(1_022_000_000))
        #expect(!time.isCatchingUp && time.reach(marker, at: Self.sample(wall: 1022, boot: 72)) == .wait)
    }

    @Test("ends the wait ten seconds after the last message, or after five minutes of them")
    func endsOfWaits() throws {
        var time = try Self.fresh()
        func pass(_ second: Int64, isHearing: Bool) -> EngineTime.Step {
            time.pass(to: Self.sample(wall: second, boot: second - 950), from: 1_000_000_000, isHearing: isHearing)
        }
        #expect(pass(1020, isHearing: false) == .wait)
        #expect(pass(1025, isHearing: true) == .wait)
        #expect(pass(1035, isHearing: false) == .wait)
        #expect(pass(1036, isHearing: false) == .skip(1_036_000_000))
        #expect(time.takeMarker() == nil, "nobody waits any more")
        var patient = try Self.fresh()
        var last: EngineTime.Step = .wait
        var second: Int64 = 1020
        while last == .wait, second < 2000 {
            last = patient.pass(to: Self.sample(wall: second, boot: second - 950), from: 1_000_000_000, isHearing: true)
            second += 1
        }
        #expect(last == .skip(1_321_000_000))
    }

    @Test("follows the times at which what waited was received, and leaps over long ones in which nobody looked")
    func follows() throws {
        var time = try Self.fresh()
        let now = Self.sample(wall: 3000, boot: 1050)
        #expect(time.follow(received: 2_995_000_000, at: now, from: 1_000_000_000) == .wait, "nothing waits")
        _ = time.pass(to: now, from: 1_000_000_000, isHearing: true)
        // The engine's present is 2000, where the wall clock says 3000.
        #expect(time.follow(received: 2_005_000_000, at: now, from: 1_000_000_000) == .advance(1_005_000_000))
        #expect(time.follow(received: 2_010_000_000, at: now, from: 1_000_000_000) == .advance(1_010_000_000))
        #expect(time.follow(received: 2_011_000_000, at: now, from: 1_000_000_000) == .skip(1_011_000_000))
        #expect(time.follow(received: 2_000_000_000, at: now, from: 1_000_000_000) == .wait)
        #expect(time.follow(received: 3_500_000_000, at: now, from: 1_995_000_000) == .advance(2_000_000_000), "not beyond the present")
    }

    @Test("knows after a restart of the process how long it was, by the machine's counter")
    func process() throws {
        var time = try Self.again(at: Self.sample(wall: 9999, boot: 110))
        // The counter went from 50 to 110.
        #expect(time.clock(at: Self.sample(wall: 9999, boot: 110)) == 1_060_000_000)
        #expect(time.isCatchingUp && time.takeMarker() == "110000000-1")
        #expect(time.pass(to: Self.sample(wall: 9999, boot: 110), from: 1_010_000_000, isHearing: false) == .wait)
        // Without a tick of the counter between them nothing has passed, whatever the wall clock says.
        let now = Self.sample(wall: 9999, boot: 50)
        #expect(try Self.again(at: now).clock(at: now) == 1_010_000_000)
    }

    @Test("knows after a restart of the machine how long it was by the wall clock alone, and does not go back")
    func machine() throws {
        for (wall, boot, clock) in [(1100, 5, 1100), (1000, 5, 1010), (1100, 500, 1100)] as [(Int64, Int64, Int64)] {
            let now = Self.sample(wall: wall, boot: boot)
            #expect(try Self.again(at: now, bootID: "two").clock(at: now) == clock * 1_000_000)
        }
        // A counter that went back is another start of the machine, whatever its name.
        let now = Self.sample(wall: 1100, boot: 49)
        #expect(try Self.again(at: now).clock(at: now) == 1_100_000_000)
        #expect(throws: (any Error).self) {
            try EngineTime(after: [1, 2], clock: 0, wall: 0, now: now, bootID: "one")
        }
    }
}

@Suite("What the core remembers")
struct AlertMemoryValueTests {
    @Test("what was acknowledged within a minute stays in the outbox")
    func watermark() {
        var watermark = AckWatermark()
        watermark.note(0, at: 0)
        #expect(watermark.forget(at: 1_000_000_000) == 0)
        watermark.note(5, at: 1_000_000_000)
        watermark.note(9, at: 1_010_000_000)
        #expect(watermark.forget(at: 1_060_000_000) == 0)
        #expect(watermark.forget(at: 1_060_000_001) == 5)
        watermark.note(7, at: 1_020_000_000)
        #expect(watermark.forget(at: 1_070_000_000) == 5)
        #expect(watermark.forget(at: 1_070_000_001) == 9)
        #expect(watermark.forget(at: 1_090_000_000) == 9, "never less")
    }

    @Test("the last 8192 batches are known, the oldest are forgotten first, also over a restart")
    func batches() throws {
        var batches = RecentBatches()
        #expect(batches.encoded == [0])
        let areNew = (0..<8195).map { batches.insert("\($0)") }
        #expect(!areNew.contains(false))
        #expect(!batches.insert("3") && !batches.insert("8194"))
        var restarted = try RecentBatches(decoding: batches.encoded)
        #expect(restarted.encoded == batches.encoded)
        // Three were forgotten; each that comes again takes the place of the then oldest.
        for number in 0..<3 {
            let known = [batches.insert("\(number)"), restarted.insert("\(number)")]
            #expect(known == [true, true])
        }
        let known = [batches.insert("3"), restarted.insert("3"), batches.insert("7"), restarted.insert("7"), batches.insert("8194")]
        #expect(known == [true, true, false, false, false])
        #expect(try RecentBatches(decoding: batches.encoded).encoded == batches.encoded)
    }

    @Test("a record of the journal is read as it was written, and refused where it is damaged")
    func journal() throws {
        var record = JournalRecord()
        #expect(record.isEmpty && !record.isNews && record.encoded() == [0, 0])
        record.entries = [.advance(clock: 3, now: 4)]
        #expect(!record.isEmpty && !record.isNews && record.encoded() == [0, 2, 1, 6, 8])
        record.entries = [.skip(clock: 3, now: 4)]
        #expect(record.isNews && record.encoded() == [0, 2, 3, 6, 8])
        record.entries = []
        record.batches = ["b"]
        #expect(record.isNews && !record.isEmpty && record.encoded() == [2, 2, 0x62, 0])
        let request = AlertRequest(command: .acknowledge, actor: "n", time: 5)
        let reading = Reading(metric: 3, time: 90, received: 95, value: 0)
        record.entries = [
            .readings(participant: "p", now: 100, [reading]), .command(participant: "p", rule: "r", request, now: 6),
            .skip(clock: 1, now: 2),
        ]
        let bytes = record.encoded()
        #expect(
            bytes == [2, 2, 0x62, 6] + [0, 2, 0x70, 0xC8, 1, 2, 6, 20, 10, 0, 0, 0, 0, 0, 0, 0, 0] + [2, 2, 0x70, 2, 0x72, 12]
                + [2, 0x6E, 0, 10, 0] + [3, 2, 4])
        let back = try JournalRecord(decoding: bytes)
        #expect(back.encoded() == bytes && back.batches == ["b"])
        guard case .readings(participant: "p", now: 100, let readings) = back.entries[0] else {
            Issue.record("no readings")
            return
        }
        #expect(readings == [reading])
        for count in bytes.indices {
            #expect(throws: ByteReader.Damage.self, "\(count)") { try JournalRecord(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: ByteReader.Damage.self) { try JournalRecord(decoding: [0, 2, 4, 6, 8]) }
        // With sources of their own, in another form.
        let told = Reading(metric: 3, time: 90, received: 95, value: 0, source: 7)
        record.entries = [.readings(participant: "p", now: 100, [told, reading])]
        guard case .readings(_, _, let both) = try JournalRecord(decoding: record.encoded()).entries[0] else {
            Issue.record("no readings")
            return
        }
        #expect(both == [told, reading])
        record.entries = [
            .readings(participant: "p", now: 100, [reading]), .command(participant: "p", rule: "r", request, now: 6),
            .skip(clock: 1, now: 2),
        ]
        #expect(record.entries.map(\.weight) == [48, 100, 20] && JournalRecord.Entry.advance(clock: 0, now: 0).weight == 20)
    }

    @Test("a record does again what was done, and tells whom it concerned")
    func replay() throws {
        let text = #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "10s", lateness: "0s"}]}"#
        let rules = try RuleSetReader.read([RuleFile(name: "r", text: text)])
        var engine = AlertEngine(rules: rules, now: 0)
        let metric = try #require(rules.metric(named: "heart-rate"))
        var record = JournalRecord()
        let reading = Reading(metric: metric, time: 1, received: 1, value: 120)
        record.entries = [.readings(participant: "a", now: 1, [reading]), .readings(participant: "b", now: 1, [reading])]
        #expect(try engine.replay(record, capacity: 2) == [0, 1])
        record.entries = [.readings(participant: "c", now: 1, [reading])]
        #expect(try engine.replay(record, capacity: 2) == [], "there is no room")
        record.entries = [.advance(clock: 11_000_000, now: 11_000_000)]
        #expect(try engine.replay(record, capacity: 2) == [0, 1], "their delay is over")
        #expect(engine.clock == 11_000_000)
        record.entries = [.command(participant: "b", rule: "high", AlertRequest(command: .acknowledge, actor: "n", time: 5), now: 5)]
        #expect(try engine.replay(record, capacity: 2) == [1] && engine.snapshot(participant: 1, rule: 0).alert.isAcknowledged)
        record.entries = [.command(participant: "b", rule: "none", AlertRequest(command: .acknowledge, actor: "n", time: 5), now: 5)]
        #expect(try engine.replay(record, capacity: 2) == [])
        record.entries = [.skip(clock: 20_000_000, now: 20_000_000)]
        #expect(try engine.replay(record, capacity: 2) == [] && engine.clock == 20_000_000)
        record.entries = [.readings(participant: "a", now: 1, [Reading(metric: rules.metrics.count, time: 1, received: 1, value: 0)])]
        #expect(throws: ByteReader.Damage.self) { try engine.replay(record, capacity: 2) }
    }
}
