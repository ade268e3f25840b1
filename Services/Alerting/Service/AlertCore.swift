package import AlertRules
package import MessageBus
import Shares
import Synchronization
import VigilSchema

/// The engine with its memory: takes messages, stores what they changed, and says what is to be published.
///
/// An actor. Each call commits its inputs and outputs in one transaction before it returns; what it returns is published, and then told by
/// `published`. After a crash the journal is replayed, which leads to the same state, and what was not published is given out again, byte for
/// byte. A call whose commit fails throws, and so does every later one until the state could be rebuilt from the disk: memory that is ahead of the
/// disk neither decides nor stores anything.
package actor AlertCore {
    /// The messages that one call asks to be published.
    package struct Output: Sendable {
        /// The messages, in order.
        package var messages: [OutgoingMessage] = []
        /// The answers to commands, which nobody stores.
        package var answers: [Reply] = []
        /// The commands that take longer than a call.
        var errands: [Errand] = []
        /// The number of the last stored entry among the messages; 0: none.
        var last: Int64 = 0
        /// The number of messages at the beginning that were given out before: nobody is to be told of them for the first time.
        var repeated = 0
        /// A Boolean value that indicates whether everything among the messages is durable already.
        var isDurable = false
        /// An erasure: what it removed is told once it is durable, and takes the retained alerts back.
        var erasure: (participant: String, erasure: Erasure)?

        /// The messages that an erasure adds once it is durable.
        var withdrawals: [OutgoingMessage] {
            guard let (participant, erasure) = erasure else { return [] }
            return erasure.removed.rules.map {
                AlertCore.message(Topic.alert(participant: participant, rule: $0).path, [], isRetained: true)
            }
        }
    }

    /// A command that the service carries out beside the engine.
    struct Errand: Sendable {
        enum Kind: Sendable {
            case reload
            case test(notifier: String)
            case erase
            case export(part: Int)
            case history
            case why
            case rules
            case notifiers
        }

        let kind: Kind
        let handler: CommandHandler
    }

    static let sourceName = "vigil-alert"
    let store: any AlertStore
    /// The transitions, for those who ask.
    nonisolated let history: any AlertHistory
    /// The store's commits that are not durable yet; nil where a call returns only once they are.
    nonisolated let commits: CommitQueue?
    let feed: NotifierFeed
    var memory: AlertMemory
    /// The input and effects so far of the call that is under way.
    var transaction = AlertTransaction()
    /// The alerts that are there, with the values that were published last.
    var shown = ShownAlerts()
    let decoder = BatchDecoder()
    /// The topic of the message that tells, by coming back, that nothing waits at the broker any more.
    let markerTopic: String
    let capacity: Int
    /// The share whose participants it judges; nil: everybody.
    let share: Share?
    private let bootID: String
    private var isStale = false
    /// Whether what is decided can be stored.
    package nonisolated let health = StoreHealth()
    /// The copy of the memory that judges on while nothing can be stored.
    var provisional: AlertMemory?
    private var mustRepeat = false
    /// The answer to `rules`, once somebody has asked; nil after the rules changed.
    var describedRules: String?
    /// Senders of retained commands who were told.
    var warned: Set<String> = []
    /// The events since the start.
    package nonisolated let counts: AlertCounts

    /// Opens the file and takes the engine back to where it was.
    package init(
        path: String, rules: [RuleFile], markerTopic: String, capacity: Int = AlertEngine.largestCapacity,
        feed: NotifierFeed = NotifierFeed(), now: ClockSample, bootID: String = ClockSample.bootID
    ) throws {
        try self.init(
            store: try SQLiteAlertStore(path: path), rules: rules, markerTopic: markerTopic, capacity: capacity, feed: feed, now: now,
            bootID: bootID)
    }

    /// Takes the engine back to where it was.
    /// - Parameters:
    ///   - markerTopic: a topic of its own, which `take` is given the messages of.
    ///   - capacity: the most participants that are remembered.
    ///   - feed: the notifiers that are woken after a commit with transitions.
    ///   - share: the share whose participants it judges; nil: everybody.
    init(
        store: sending any AlertStore, rules: [RuleFile], markerTopic: String, capacity: Int = AlertEngine.largestCapacity,
        feed: NotifierFeed = NotifierFeed(), share: Share? = nil, counts: AlertCounts = AlertCounts(), now: ClockSample,
        bootID: String = ClockSample.bootID
    ) throws {
        memory = try AlertMemory(store, rules: rules, capacity: capacity, share: share, now: now, bootID: bootID)
        shown = try ShownAlerts(store, memory.engine)
        commits = store.commits
        history = store.history
        self.store = store
        self.markerTopic = markerTopic
        self.capacity = capacity
        self.feed = feed
        self.share = share
        self.counts = counts
        self.bootID = bootID
        store.hasLoaded()
    }

    /// The rules in force.
    package var files: [RuleFile] { memory.files }
    /// The rules in force, read.
    var ruleSet: RuleSet { memory.engine.rules }
    /// Statements of the rules in force that have no effect.
    var warnings: [String] { memory.engine.rules.warnings.map(\.description) }

    /// Returns whether these rules were in force once, and others came in their place.
    func hasReplaced(_ files: [RuleFile]) -> Bool { store.hasReplaced(files) }

    /// Takes observations and commands in their order.
    package func take(_ messages: [IncomingMessage], now: ClockSample) throws -> Output {
        let wasProvisional = provisional != nil
        defer { if wasProvisional { judgeProvisionally(messages, now: now) } }
        return try whole(now) {
            pass(to: now, isHearing: true)
            for message in messages { take(message, now: now) }
            return try commit(now: now)
        }
    }

    /// Lets time pass.
    package func advance(to now: ClockSample) throws -> Output {
        let wasProvisional = provisional != nil
        defer { if wasProvisional { judgeProvisionally([], now: now) } }
        return try whole(now) {
            pass(to: now, isHearing: false)
            var output = try commit(now: now)
            output.messages += refreshed(now)
            if memory.needsCheckpoint(now) { try checkpoint(now: now) }
            return output
        }
    }

    /// Replaces the rules; those that are gone clear their alerts.
    package func reload(_ next: [RuleFile], now: ClockSample) throws -> Output {
        let rules = try RuleSetReader.read(next)
        describedRules = nil
        return try whole(now) {
            pass(to: now, isHearing: false)
            memory.engine.retire(for: rules, now: wall(now), into: &transaction.output)
            let entries = try entries(now)
            // Together with the state under the new rules: a crash in between would bring the alerts back that were just cleared.
            memory.engine.adopt(rules)
            memory.files = next
            memory.dirty = Set(memory.engine.names.indices)
            let output = try commit(entries, now: now, isCheckpoint: true)
            shown = try ShownAlerts(store, memory.engine)
            return output
        }
    }

    /// Stores the state of everyone who changed, in place of the journal.
    package func checkpoint(now: ClockSample) throws {
        _ = try whole(now) { try commit([], now: now, isCheckpoint: true) }
    }

    /// Returns the messages that an earlier process decided on but may not have published.
    package func leftOver() throws -> Output {
        let kept = try store.unpublished()
        var output = repetition(of: kept)
        output.last = kept.last?.id ?? 0
        output.messages += marker()
        return output
    }

    /// Returns the messages that were published lately: the broker may have forgotten them. Noted as published already, it is not kept longer for it.
    func repeated() throws -> Output { repetition(of: try store.unpublished()) }

    private func repetition(of entries: [AlertEntry]) -> Output {
        var output = Output(messages: entries.flatMap(Self.messages))
        output.repeated = output.messages.count
        output.isDurable = commits.map { (entries.last?.id ?? 0) <= $0.confirmedEntry } ?? true
        return output
    }

    /// Notes that the broker has acknowledged all of an output.
    package func published(_ output: Output, at now: ClockSample) { memory.acknowledged.note(output.last, at: now.boot) }

    /// Notes that something may not have been published: the next call gives it out once more.
    package func publishingFailed() { mustRepeat = true }

    /// Runs `body` on memory that agrees with the disk, and distrusts the memory where it throws.
    func whole<Result>(_ now: ClockSample, _ body: () throws -> Result) throws -> Result {
        if isStale {
            memory = try AlertMemory(store, rules: memory.files, capacity: capacity, share: share, now: now, bootID: bootID)
            shown = try ShownAlerts(store, memory.engine)
            describedRules = nil
            isStale = false
            // It may have been committed all the same, and never given out.
            mustRepeat = true
        }
        transaction = AlertTransaction()
        do {
            return try body()
        } catch {
            beginProvisional(now)
            isStale = true
            throw error
        }
    }

    func commit(now: ClockSample) throws -> Output { try commit(try entries(now), now: now, isCheckpoint: false) }

    /// Stores what the call took and gave.
    func commit(_ entries: [AlertEntry], now: ClockSample, isCheckpoint: Bool) throws -> Output {
        var output = Output(messages: marker(), answers: transaction.answers)
        // What may not have left goes with whatever comes next, before that counts as done.
        let isDue = transaction.record.isNews || !entries.isEmpty || mustRepeat || memory.isTimeToNote(now)
        if isDue || isCheckpoint {
            let reached = memory.acknowledged.forget(at: now.boot)
            let state = isCheckpoint ? memory.checkpoint : nil
            let kept = try store.commit(transaction.record, entries, published: reached, checkpoint: state)
            memory.noteCommit(of: transaction.record, isCheckpoint: isCheckpoint, at: now)
            if provisional != nil {
                provisional = nil
                health.stored()
            }
            let given = mustRepeat ? try store.unpublished() : kept
            mustRepeat = false
            output.last = given.last?.id ?? 0
            if given.count > kept.count {
                output.messages += given.dropLast(kept.count).flatMap(Self.messages)
                output.repeated = output.messages.count
            }
            output.messages += kept.flatMap(Self.messages)
            counts.events.add(transaction.output.events.count, ordering: .relaxed)
            counts.ignored.add(transaction.output.ignored, ordering: .relaxed)
            // What is not durable yet is nobody's to tell.
            if commits == nil, kept.contains(where: { $0.kind != .message }) { feed.signal() }
        }
        output.errands = transaction.questions.compactMap { errand(for: $0.command, $0.handler) }
        output.answers += transaction.questions.flatMap { answer($0.command, $0.handler) }
        return output
    }

    /// The message that comes back once nothing waits at the broker any more, where one is to be sent.
    private func marker() -> [OutgoingMessage] {
        guard let text = memory.time.takeMarker() else { return [] }
        return [OutgoingMessage(topic: markerTopic, payload: Array(text.utf8))]
    }
}

/// The input and effects of one call of the core.
struct AlertTransaction {
    var record = JournalRecord()
    var output = EngineOutput()
    var answers: [Reply] = []
    /// Answered once everything that came before them is stored.
    var questions: [(command: CommandMessage, handler: CommandHandler)] = []
}
