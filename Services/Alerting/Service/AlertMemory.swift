import AlertRules
import Shares

/// Everything that the core knows beyond its file, and can rebuild from it.
struct AlertMemory {
    /// The longest time between checkpoints, in microseconds, and the most bytes of journal.
    private static let checkpointInterval: Int64 = 300_000_000
    private static let longestJournal = 64 << 20

    var engine: AlertEngine
    var files: [RuleFile]
    var batches: RecentBatches
    var time: EngineTime
    var acknowledged = AckWatermark()
    /// The participants that changed since the last checkpoint.
    var dirty: Set<Int>
    /// The last known offset of each participant's local time from UTC, in minutes.
    var zones: [Int: Int16] = [:]
    private var journalled = 0
    private var lastCheckpoint: Int64
    private var lastNoted: Int64 = 0

    /// - Parameters:
    ///   - rules: the rules to begin with where the store holds none.
    ///   - share: the share whose participants are judged; nil: everybody.
    init(_ store: any AlertStore, rules: [RuleFile], capacity: Int, share: Share?, now: ClockSample, bootID: String) throws {
        let known = try store.rules()
        files = known.isEmpty ? rules : known
        var owns: (@Sendable (String) -> Bool)?
        if let share { owns = { share.owns($0) } }
        var engine = AlertEngine(
            rules: try known.isEmpty ? RuleSetReader.read(rules) : RuleSetReader.readStored(known), now: now.wall, owns: owns)
        var (batches, dirty) = (RecentBatches(), Set<Int>())
        lastCheckpoint = now.boot
        if let clock = try store.meta("clock") { try engine.restore(clock: clock) }
        if let kept = try store.meta("batches") { batches = try RecentBatches(decoding: kept) }
        try store.eachParticipant { try engine.restore(participant: $0.name, at: $0.place, $0.state) }
        engine.rebookAll()
        try store.eachRecord { bytes in
            let record = try JournalRecord(decoding: bytes)
            for batch in record.batches { _ = batches.insert(batch) }
            dirty.formUnion(try engine.replay(record, capacity: capacity))
        }
        (self.engine, self.batches, self.dirty) = (engine, batches, dirty)
        time = try EngineTime(after: try store.meta("time"), clock: engine.clock, wall: engine.lastNow, now: now, bootID: bootID)
        try store.keep(time: time.encoded)
        if known.isEmpty { _ = try store.commit(JournalRecord(), [], published: 0, checkpoint: checkpoint) }
    }

    /// The state to store in place of the journal.
    var checkpoint: AlertCheckpoint {
        let engine = engine
        return AlertCheckpoint(
            changed: dirty.sorted(),
            participant: { StoredParticipant(place: $0, name: engine.names[$0], state: engine.encoded(participant: $0)) },
            clock: engine.encodedClock, batches: batches.encoded, rules: files)
    }

    func needsCheckpoint(_ now: ClockSample) -> Bool {
        now.boot - lastCheckpoint > Self.checkpointInterval || journalled > Self.longestJournal
    }

    /// The passing of time alone is noted every few seconds, so that a restart knows about what time it was.
    func isTimeToNote(_ now: ClockSample) -> Bool { now.boot - lastNoted > 5_000_000 }

    /// Notes that a commit took place.
    mutating func noteCommit(of record: JournalRecord, isCheckpoint: Bool, at now: ClockSample) {
        lastNoted = now.boot
        journalled += record.entries.reduce(0) { $0 + $1.weight }
        guard isCheckpoint else { return }
        dirty.removeAll(keepingCapacity: true)
        journalled = 0
        lastCheckpoint = now.boot
    }
}

/// The ids of the batches and commands that were taken lately, so that one that comes again after a crash is not judged twice. With the id of a command
/// that was refused stands why.
struct RecentBatches {
    /// The outcome of a command.
    struct Verdict: Hashable {
        /// Nil where it was carried out.
        var refusal: String?
    }

    private static let capacity = 8192
    /// Between the id of a command and why it was refused.
    private static let separator: Character = "\n"
    private var known: [String: Verdict] = [:]
    private var order: [String] = []
    private var oldest = 0

    /// Notes an id, or what `note` returned; true for an id that is new.
    mutating func insert(_ note: String) -> Bool {
        let (id, verdict) = Self.read(note)
        guard known.updateValue(verdict, forKey: id) == nil else { return false }
        if order.count < Self.capacity {
            order.append(id)
        } else {
            known[order[oldest]] = nil
            order[oldest] = id
            oldest = (oldest + 1) % Self.capacity
        }
        return true
    }

    /// Notes a command and its outcome, in place of a former one of the same identity.
    /// - Returns: the text to store, from which `insert` knows both again.
    mutating func note(_ command: String, refusal: String?) -> String {
        let note = Self.note(command, Verdict(refusal: refusal))
        _ = insert(note)
        return note
    }

    /// Returns the outcome of a command that was noted; nil for one that is new.
    func verdict(on command: String) -> Verdict? { known[command] }

    private static func note(_ id: String, _ verdict: Verdict) -> String { verdict.refusal.map { "\(id)\(Self.separator)\($0)" } ?? id }

    private static func read(_ note: String) -> (id: String, verdict: Verdict) {
        guard note.hasPrefix(CommandHandler.identityPrefix), let end = note.firstIndex(of: separator) else { return (note, Verdict()) }
        return (String(note[..<end]), Verdict(refusal: String(note[note.index(after: end)...])))
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(order.count)
        for place in order.indices {
            let id = order[(oldest + place) % order.count]
            writer.write(Self.note(id, known[id] ?? Verdict()))
        }
        return writer.bytes
    }

    init() {}

    init(decoding bytes: [UInt8]) throws(ByteReader.Damage) {
        var reader = ByteReader(bytes)
        for _ in 0..<(try reader.count()) { _ = insert(try reader.text()) }
    }
}

/// The number up to which the broker has acknowledged every entry, and since when.
///
/// A broker that is killed forgets what it acknowledged and had not saved. What was acknowledged within the last minute therefore stays in the
/// outbox, and is published again when the connection comes back, and after a start; a receiver who has it knows it by its sequence.
struct AckWatermark {
    private static let retention: Int64 = 60_000_000
    private var marks: [(time: Int64, last: Int64)] = []
    private var forgettable: Int64 = 0

    /// Notes that everything up to `last` was acknowledged at `now`, in microseconds of a clock that goes on evenly.
    mutating func note(_ last: Int64, at now: Int64) {
        if last > 0 { marks.append((now, last)) }
    }

    /// The number up to which the outbox can be emptied; 0: not at all.
    mutating func forget(at now: Int64) -> Int64 {
        let old = marks.prefix { now - $0.time > Self.retention }
        forgettable = old.reduce(forgettable) { max($0, $1.last) }
        marks.removeFirst(old.count)
        return forgettable
    }
}
