import AlertRules
import Shares

/// The core's state, which can be rebuilt from the store.
struct AlertMemory {
    /// The longest time between checkpoints, in microseconds, and the largest journal in bytes.
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
    ///   - rules: the initial rules, if the store has none.
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
        try store.eachParticipant { try engine.restore(participant: $0.name, at: $0.index, $0.state) }
        engine.rescheduleAll()
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

    /// The state that replaces the journal.
    var checkpoint: AlertCheckpoint {
        let engine = engine
        return AlertCheckpoint(
            changed: dirty.sorted(),
            participant: { StoredParticipant(index: $0, name: engine.names[$0], state: engine.encoded(participant: $0)) },
            clock: engine.encodedClock, batches: batches.encoded, rules: files)
    }

    func needsCheckpoint(_ now: ClockSample) -> Bool {
        now.boot - lastCheckpoint > Self.checkpointInterval || journalled > Self.longestJournal
    }

    /// The passing of time alone is noted every few seconds, so that a restart knows the approximate time.
    func isTimeToNote(_ now: ClockSample) -> Bool { now.boot - lastNoted > 5_000_000 }

    /// Notes a commit.
    mutating func noteCommit(of record: JournalRecord, isCheckpoint: Bool, at now: ClockSample) {
        lastNoted = now.boot
        journalled += record.entries.reduce(0) { $0 + $1.weight }
        guard isCheckpoint else { return }
        dirty.removeAll(keepingCapacity: true)
        journalled = 0
        lastCheckpoint = now.boot
    }
}

/// The ids of recent batches and commands, so that a message that is delivered again after a crash is not judged twice.
/// For a refused command the reason is stored too.
struct RecentBatches {
    /// The outcome of a command.
    struct Verdict: Hashable {
        /// Nil if it was carried out.
        var refusal: String?
    }

    private static let capacity = 8192
    /// The separator between the id of a refused command and the reason.
    private static let separator: Character = "\n"
    private var known: [String: Verdict] = [:]
    private var order: [String] = []
    private var oldest = 0

    /// Adds an id, or a line of `note`; true for a new id.
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

    /// Notes a command and its outcome, in place of an earlier one with the same identity.
    /// - Returns: the text to store, from which `insert` restores both.
    mutating func note(_ command: String, refusal: String?) -> String {
        let note = Self.note(command, Verdict(refusal: refusal))
        _ = insert(note)
        return note
    }

    /// The outcome of a known command; nil: a new one.
    func verdict(on command: String) -> Verdict? { known[command] }

    private static func note(_ id: String, _ verdict: Verdict) -> String { verdict.refusal.map { "\(id)\(Self.separator)\($0)" } ?? id }

    private static func read(_ note: String) -> (id: String, verdict: Verdict) {
        guard note.hasPrefix(CommandHandler.identityPrefix), let end = note.firstIndex(of: separator) else { return (note, Verdict()) }
        return (String(note[..<end]), Verdict(refusal: String(note[note.index(after: end)...])))
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(order.count)
        for index in order.indices {
            let id = order[(oldest + index) % order.count]
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
/// A killed broker loses what it acknowledged and had not saved. Entries of the last minute therefore stay in the
/// outbox, and are published again after a reconnection or a start. A receiver recognises them by their sequence.
struct AckWatermark {
    private static let retention: Int64 = 60_000_000
    private var marks: [(time: Int64, last: Int64)] = []
    private var forgettable: Int64 = 0

    /// Notes the acknowledgement of everything up to `last` at `now`, in microseconds of a monotonic clock.
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
