@testable import AlertRules
@testable import Alerting
@testable import TimelineStore

/// The output of our own encoders for an engine that every kind of rule was used in, and of blocks of samples.
struct StoredSeeds {
    static let start: Int64 = 1_700_000_000_000_000
    /// Rules that between them use everything that a participant's state holds.
    private static let rules = """
        {scores: {news2: {}, bloodPressure: {}, glucose: true, bodyMassIndex: true, temperature: true}, rules: [
          {id: "off", metric: "oxygen-saturation", severity: "critical", below: 85},
          {id: "high", metric: "heart-rate", latch: true, inhibitedBy: ["off"], quality: {metric: "ecg-quality", atLeast: 0.1},
            levels: [{severity: "notice", above: 90, for: "5s"}, {severity: "warning", above: {default: 110, child: 140}, keepFiringFor: "1m"}],
            escalate: [{after: "1m", to: "nurse"}, {after: "3m", to: "doctor"}]},
          {id: "often", metric: "heart-rate", severity: "notice", above: 120, repeat: {count: 3, within: "60s"}},
          {id: "gain", metric: "body-weight", severity: "warning", take: "rise", over: "48h", above: 1.5, staleAfter: "7d"},
          {id: "silent", kind: "technical", metric: "heart-rate", severity: "notice", noData: "2m"},
          {id: "asleep", metric: "consciousness", severity: "critical", oneOf: ["unresponsive", "pain"]},
          {id: "night", metric: "skin-temperature", severity: "notice", above: 38, schedule: {zone: "Europe/Berlin", from: "23:14", to: "07:00"}},
          {id: "stress", metric: "stress-level", severity: "notice",
            above: {default: 0.9, percentile: 95, minimumReadings: 10, atLeast: 0.5}}]}
        """

    /// An engine that has heard of nobody.
    static let engine: AlertEngine = {
        do {
            return AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "fuzz.json5", text: rules)]), now: start)
        } catch {
            Stored.object("\(error)")
            preconditionFailure("unreachable")
        }
    }()

    private var engine = StoredSeeds.engine
    private var record = JournalRecord()

    init() {
        record.batches = ["01HF0000000000000000000000", "01HF0000000000000000000001"]
        for second in Int64(0)..<40 {
            record.entries += [.advance(clock: Self.time(second), now: Self.time(second)), readings(at: second)]
        }
        record.entries += [
            command("high", .acknowledge), command("high", .silence(until: Self.time(900), upTo: .warning)),
            command("high", .setThreshold(.notice, 95)), command("stress", .clear(until: 1 << 60)), command("off", .unsilence),
            command("high", .setProfile(profile)),
            .skip(clock: Self.time(400), now: Self.time(400)),
        ]
        do { _ = try engine.replay(record, capacity: 8) } catch { Stored.object("\(error)") }
    }

    private static func time(_ second: Int64) -> Int64 { start + second * 1_000_000 }

    private var profile: PersonFacts {
        var profile = PersonFacts()
        (profile.born, profile.height, profile.usesScale2) = (0, 1.75, true)
        return profile
    }

    private func readings(at second: Int64) -> JournalRecord.Entry {
        let time = Self.time(second)
        let values = ["ecg-quality": 0.4, "body-weight": 70 + Double(second), "stress-level": Double(second % 10) / 10, "consciousness": 1]
        let readings = engine.rules.metrics.enumerated().map {
            Reading(metric: $0, time: time, received: time, value: values[$1] ?? 100 + Double(second))
        }
        return .readings(participant: "12", now: time, readings)
    }

    private func command(_ rule: String, _ command: AlertCommand) -> JournalRecord.Entry {
        let now = Self.time(41)
        return .command(participant: "12", rule: rule, AlertRequest(command: command, actor: "nurse", reason: "seen", time: now), now: now)
    }

    /// Each with its kind.
    var all: [(Stored, [UInt8])] {
        var short = record
        short.entries = Array(record.entries.prefix(3) + record.entries.suffix(7))
        var batches = RecentBatches()
        for batch in record.batches { _ = batches.insert(batch) }
        return waveforms + sealed + [
            (.journal, short.encoded()), (.participant, engine.encoded(participant: 0)), (.clock, engine.encodedClock),
            (.batches, batches.encoded), (.time, time),
        ]
    }

    private var time: [UInt8] {
        let now = ClockSample(wall: Self.start, boot: 5_000_000)
        do { return try EngineTime(after: nil, clock: Self.start, wall: Self.start, now: now, bootID: "boot").encoded } catch { return [] }
    }

    private var sealed: [(Stored, [UInt8])] {
        let readings = (0..<50).map { (number: Int64) in
            SealedReading(
                time: Self.start + number / 2 * 1_000_000, sequence: Int32(number % 2), value: Double(number * number % 17) / 10,
                received: Self.start + number * 1_003_000, session: number < 25 ? 1 : 2, origin: ReadingRow.none, zone: 60)
        }
        let zstd = ZstdContext()
        return [SealedBlock.encode(readings, with: zstd), SealedBlock.columns(readings, zstd)].map { (.sealed, $0) }
    }

    private var waveforms: [(Stored, [UInt8])] {
        let whole: [Double] = (0..<300).map { Double($0 % 7) }
        let raw: [Double] = (3..<40).map { 1 / Double($0) }
        let repeated: [Double] = (0..<200).map { [0, 70_000, -65_000, 31_000][$0 % 4] }
        let walk: [Double] = (0..<120).map { Double(($0 * $0) % 23 - 11) / 200 }
        // Ten bits, scaled and rounded: on a grid of steps.
        let scaled: [Double] = (0..<120).map { (Double(($0 * 37) % 101) / 1023 * 1e5).rounded() / 1e5 }
        let blocks: [[Double]] = [[0.5], [0.01, 0.02, -0.03], whole, raw, repeated, walk, scaled]
        return blocks.map { samples in
            let count = (0..<8).map { (byte: Int) in UInt8(truncatingIfNeeded: samples.count >> (byte * 8)) }
            return (.waveform, count + WaveformCodec.encode(samples, with: ZstdContext()))
        }
    }
}
