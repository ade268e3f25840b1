import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// How far a source was read, and how it does. Kept in the service's state.
struct PollRecord: Codable, Hashable, Sendable {
    /// How far one address, or one list of a server, was read.
    struct Cursor: Codable, Hashable, Sendable {
        /// As the server called the content that was imported last.
        var etag: String?
        var modified: String?
        /// The digest of that content.
        var digest: String?
        /// The time of the last answer with a content, in Unix seconds.
        var fetched: Double?
        /// Everything up to this time was imported, in Unix seconds.
        var since: Double?
        /// The newest time met in the round that is not finished.
        var newest: Double?
        /// Where that round goes on.
        var next: String?

        /// Takes the times of a page. Those that lie ahead say nothing of what comes until then.
        mutating func meet(_ times: [Double], now: Double) { newest = ([newest].compactMap(\.self) + times.filter { $0 <= now }).max() }

        /// Ends the round.
        mutating func finish(now: Double) { (since, newest, next) = ([past(now), newest].compactMap(\.self).max(), nil, nil) }

        /// The time from which on the server is asked; nil: from the beginning.
        func start(_ overlap: Duration, now: Double) -> Double? { past(now).map { $0 - overlap / .seconds(1) } }

        /// Nil also where it lies a day ahead and more: nobody knows what was missed meanwhile.
        private func past(_ now: Double) -> Double? { since.flatMap { $0 > now + 86_400 ? nil : min($0, now) } }
    }

    let name: String
    /// What was asked, so that a changed source starts anew.
    var fingerprint: String
    /// By address or list.
    var cursors: [String: Cursor] = [:]
    /// Size and time of change of imported files, by path.
    var files: [String: String] = [:]
    /// The time since which it is asked, in Unix seconds.
    var begun: Double
    var tried: Double?
    var succeeded: Double?
    /// The time before which the server does not want to be asked.
    var notBefore: Double?
    var failures = 0
    var failure: String?
    /// Readings and entries stored so far.
    var stored = 0
    /// The values refused by the last round that refused any.
    var refused = 0
    /// The participant was erased: nobody is asked until someone wishes it.
    var isStopped = false

    init(_ source: PolledSource, now: Double) { (name, fingerprint, begun) = (source.name, source.fingerprint, now) }

    /// Notes a success.
    mutating func succeed(at now: Double) { (succeeded, failures, failure, notBefore) = (now, 0, nil, nil) }

    /// Notes a failure.
    mutating func fail(_ words: String, retryAfter: Duration?, at now: Double) {
        failures += 1
        failure = words
        notBefore = retryAfter.map { now + $0 / .seconds(1) }
    }

    /// Forgets what was read.
    mutating func stop() { (isStopped, cursors, files, failures, failure, notBefore) = (true, [:], [:], 0, nil, nil) }

    /// The time from the start of the last try to the next: the interval, or after failures a growing pause with jitter; never before the server
    /// wants it.
    func pause(_ source: PolledSource, now: Double, using random: inout some RandomNumberGenerator) -> Duration {
        guard failures > 0 else { return source.interval }
        let backoff = Backoff(base: min(source.interval, .seconds(30)), maximum: max(.seconds(3600), source.interval))
        let half = backoff.ceiling(attempt: failures) / 2
        let pause = half + backoff.delay(attempt: failures, using: &random) / 2
        return max(pause, notBefore.map { .seconds(max(0, $0 - now)) } ?? .zero)
    }
}

/// A source as those who run the service see it.
struct PollView: Codable, Hashable, Sendable {
    let name: String
    let kind: String
    let participant: String?
    /// Seconds.
    let interval: Double
    /// `waiting`, `asking`, `answering`, `failing` or `stopped`.
    let state: String
    let tried: Double?
    let succeeded: Double?
    let next: Double?
    let failures: Int
    let failure: String?
    let stored: Int
    let refused: Int
}

/// The records of all sources, in memory and on disk. An actor: one change at a time.
actor PollRecords {
    /// How long the state's database may be away.
    private static let patience = Duration.seconds(86_400)

    /// The interval of looks at whether a source was stopped.
    private static let look = Duration.milliseconds(100)
    /// The time that a round may take to end.
    private static let longestEnd = Duration.seconds(30)

    nonisolated let sources: [PolledSource]
    private let keeping: any JobKeeping
    private var records: [String: PollRecord] = [:]
    private var wished: Set<String> = []
    private var asking: Set<String> = []
    private var due: [String: Double] = [:]

    init(_ sources: [PolledSource], _ keeping: any JobKeeping, now: Double) async throws {
        (self.sources, self.keeping) = (sources, keeping)
        let decoder = JSONDecoder()
        let kept = try await keeping.polls().compactMap { try? decoder.decode(PollRecord.self, from: Data($0.utf8)) }
        for source in sources {
            let former = kept.first { $0.name == source.name && $0.fingerprint == source.fingerprint }
            records[source.name] = former ?? PollRecord(source, now: now)
        }
        // What a former file named has no cursor any more.
        for record in kept where records[record.name] == nil { try await keeping.remove(poll: record.name) }
    }

    subscript(_ source: PolledSource) -> PollRecord { records[source.name] ?? PollRecord(source, now: Timestamp.now.seconds) }

    /// Stores a record; not if its participant was erased meanwhile.
    /// - Throws: `CancellationError` in that case.
    func save(_ record: PollRecord) async throws {
        if let known = records[record.name], known.isStopped, !record.isStopped { throw CancellationError() }
        records[record.name] = record
        let text = try KeptJobs.text(record)
        try await persistently(for: Self.patience) { try await keeping.save(poll: record.name, text) }
    }

    /// Asks a source as soon as possible.
    func wish(_ name: String, now: Double) async throws {
        guard let source = sources.first(where: { $0.name == name }), var record = records[name] else {
            throw JobRefusal(code: "unknown-source", words: "there is no source of that name")
        }
        if let until = record.notBefore, until > now {
            throw JobRefusal.busy("\(source.name) does not want to be asked for \(Int((until - now).rounded(.up))) s")
        }
        if record.isStopped {
            record.isStopped = false
            records[name] = record
            try await save(record)
        }
        wished.insert(name)
    }

    /// Whether a source is to be asked now.
    func isDue(_ source: PolledSource, now: Double) -> Bool {
        guard records[source.name]?.isStopped == false else { return false }
        // A clock that was set back must not keep a source waiting.
        let next = due[source.name] ?? records[source.name]?.notBefore ?? now
        return wished.remove(source.name) != nil || now >= next || next - now > 32 * 86_400
    }

    func begin(_ source: PolledSource) { asking.insert(source.name) }

    /// Returns once a source's participant was erased.
    /// - Throws: `CancellationError` where the task is cancelled before.
    func stopped(_ source: PolledSource) async throws {
        while records[source.name]?.isStopped == false { try await ContinuousClock().sleep(for: Self.look) }
    }

    func end(_ source: PolledSource, next: Double) {
        asking.remove(source.name)
        due[source.name] = next
    }

    /// Stops asking for a participant until someone wishes it, and forgets what was read. A round that is under way has ended then.
    /// - Returns: the number of sources that were not stopped before.
    /// - Throws: `JobRefusal` where a round does not end.
    func stop(_ participant: String) async throws -> Int {
        let concerned = sources.filter { $0.answers.participant == participant }
        let running = concerned.filter { !self[$0].isStopped }
        for source in running {
            var record = self[source]
            record.stop()
            try await save(record)
        }
        let end = ContinuousClock.now + Self.longestEnd
        while let source = concerned.first(where: { asking.contains($0.name) }) {
            guard .now < end else { throw JobRefusal.busy("\(source.name) is still being read; ask again") }
            try await ContinuousClock().sleep(for: Self.look)
        }
        return running.count
    }

    var views: [PollView] {
        sources.map { source in
            let record = self[source]
            let state =
                record.isStopped
                ? "stopped"
                : asking.contains(source.name)
                    ? "asking" : record.failures > 0 ? "failing" : record.succeeded == nil ? "waiting" : "answering"
            return PollView(
                name: source.name, kind: source.kind.name, participant: source.answers.participant,
                interval: source.interval / .seconds(1), state: state, tried: record.tried, succeeded: record.succeeded,
                next: record.isStopped ? nil : due[source.name], failures: record.failures, failure: record.failure,
                stored: record.stored, refused: record.refused)
        }
    }
}
