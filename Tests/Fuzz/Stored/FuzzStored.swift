import Foundation

@testable import AlertRules
@testable import Alerting
@testable import TimelineStore

/// libFuzzer's entry for what is read back from the disk. The first byte chooses the decoder; what it takes is used as a service uses it after a
/// start. Beside a crash it reports what is not the same after it was written and read once more. Built and linked by
/// deploy/fuzz.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStored(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first, let kind = Stored(rawValue: first) else { return 0 }
    kind.read(Array(bytes.dropFirst()))
    return 0
}

/// libFuzzer's entry before all others: writes what our own encoders write into the folder that VIGIL_FUZZ_SEEDS names.
@_cdecl("LLVMFuzzerInitialize")
public func writeStoredSeeds(_ count: UnsafeMutablePointer<CInt>?, _ words: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["VIGIL_FUZZ_SEEDS"] else { return 0 }
    for (number, (kind, bytes)) in StoredSeeds().all.enumerated() {
        let file = URL(filePath: folder).appending(path: "\(kind)-\(number)")
        do { try Data([kind.rawValue] + bytes).write(to: file) } catch { Stored.object("\(error)") }
    }
    return 0
}

/// The kinds of data that are kept, each with the way in which it is read.
enum Stored: UInt8 {
    /// Eight bytes of the column `count`, then the column `samples`.
    case waveform
    case journal, participant, clock, batches, time
    /// A block of readings, or what its checksum covers, which chance does not find.
    case sealed

    func read(_ bytes: [UInt8]) {
        switch self {
        case .waveform: Self.readWaveform(bytes)
        case .journal: Self.readJournal(bytes)
        case .participant:
            var engine = StoredSeeds.engine
            guard (try? engine.restore(participant: "12", at: 0, bytes)) != nil else { return }
            let once = engine.encoded(participant: 0)
            guard (try? engine.restore(participant: "12", at: 0, once)) != nil, engine.encoded(participant: 0) == once else {
                return Self.object("a participant's state is another when read again")
            }
            Self.run(&engine)
        case .clock:
            var engine = StoredSeeds.engine
            guard (try? engine.restore(clock: bytes)) != nil else { return }
            Self.run(&engine)
        case .batches:
            guard let batches = try? RecentBatches(decoding: bytes) else { return }
            guard (try? RecentBatches(decoding: batches.encoded))?.encoded == batches.encoded else {
                return Self.object("the batches are others when read again")
            }
        case .time:
            let now = ClockSample(wall: StoredSeeds.start, boot: 1_000_000_000)
            guard var time = try? EngineTime(after: bytes, clock: StoredSeeds.start, wall: StoredSeeds.start, now: now, bootID: "boot")
            else { return }
            _ = time.pass(to: now, from: StoredSeeds.start, isHearing: false)
        case .sealed: Self.readSealed(bytes)
        }
    }

    private static func readSealed(_ bytes: [UInt8]) {
        let zstd = ZstdContext()
        guard let readings = SealedBlock.decode(bytes, with: zstd) ?? SealedBlock.readings(bytes, zstd) else { return }
        guard SealedBlock.decode(SealedBlock.encode(readings, with: zstd), with: zstd) == readings else {
            return object("sealed readings are others when read again")
        }
    }

    private static func readWaveform(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return }
        let count = bytes[..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let zstd = ZstdContext()
        guard let samples = WaveformCodec.decode(Array(bytes[8...]), count: Int(count), with: zstd) else { return }
        let again = WaveformCodec.decode(WaveformCodec.encode(samples, with: zstd), count: samples.count, with: zstd)
        guard samples.count == Int(count), again?.map(\.bitPattern) == samples.map(\.bitPattern) else {
            return object("samples are others when read again")
        }
    }

    private static func readJournal(_ bytes: [UInt8]) {
        guard let record = try? JournalRecord(decoding: bytes) else { return }
        var engine = StoredSeeds.engine
        guard (try? engine.replay(record, capacity: 8)) != nil else { return }
        for place in engine.names.indices { _ = engine.encoded(participant: place) }
        run(&engine)
    }

    /// Does what a service does with a restored engine: its timers, readings of everything, and what it is asked.
    private static func run(_ engine: inout AlertEngine) {
        engine.rescheduleAll()
        var output = EngineOutput()
        let place = engine.index(of: "12")
        for _ in 0..<2 {
            let (clock, now) = (engine.clock + 86_400_000_000, engine.lastNow + 86_400_000_000)
            engine.skip(to: clock, now: now, into: &output)
            let readings = engine.rules.metrics.indices.map { Reading(metric: $0, time: now, received: now, value: 150) }
            engine.take(readings, of: place, now: now, into: &output)
        }
        for rule in engine.rules.rules.indices { _ = engine.explain(participant: place, rule: rule) }
        _ = (engine.encoded(participant: place), engine.encodedClock)
    }

    /// Ends the program as a crash that libFuzzer keeps the document of.
    static func object(_ objection: String) {
        FileHandle.standardError.write(Data("objection: \(objection)\n".utf8))
        abort()
    }
}
