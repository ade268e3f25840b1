package import AlertRules
package import MessageBus
import Shares
import Synchronization
import VigilSchema

/// The engine with its state: processes messages, stores the changes, and returns what to publish.
///
/// An actor. Each call commits its inputs and outputs in one transaction before it returns. The caller publishes the
/// output and reports that with `published`. After a crash the journal is replayed to the same state, and unpublished
/// output is returned again, byte for byte. If a commit fails, this call and every later one throws until the state is
/// rebuilt from the disk, because memory ahead of the disk must decide nothing.
package actor AlertCore {
    /// The output of one call.
    package struct Output: Sendable {
        /// The messages, in order.
        package var messages: [OutgoingMessage] = []
        /// The answers to commands, which are not stored.
        package var answers: [Reply] = []
        /// The commands that take longer than a call.
        var deferredCommands: [DeferredCommand] = []
        /// The number of the last stored entry among the messages; 0: none.
        var last: Int64 = 0
        /// The number of messages at the beginning that were returned before; they are repetitions.
        var repeated = 0
        /// Whether all messages are already durable.
        var isDurable = false
        /// An erasure. Once it is durable, its result is reported and the retained alerts are removed.
        var erasure: (participant: String, erasure: Erasure)?

        /// The messages that an erasure adds once it is durable.
        var withdrawals: [OutgoingMessage] {
            guard let (participant, erasure) = erasure else { return [] }
            return erasure.removed.rules.map {
                AlertCore.message(Topic.alert(participant: participant, rule: $0).path, [], isRetained: true)
            }
        }
    }

    /// A deferred command, which the service carries out outside the engine.
    struct DeferredCommand: Sendable {
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
    /// The transitions, for queries.
    nonisolated let history: any AlertHistory
    /// The commits that are not durable yet; nil: each call returns only after its commit.
    nonisolated let commits: CommitQueue?
    let feed: NotifierFeed
    var memory: AlertMemory
    /// The input and effects of the current call.
    var transaction = AlertTransaction()
    /// The present alerts, with the values that were published last.
    var shown = ShownAlerts()
    let decoder = BatchDecoder()
    /// The topic of a marker message. Its return shows that nothing is waiting at the broker.
    let markerTopic: String
    let capacity: Int
    /// The share whose participants it judges; nil: everybody.
    let share: Share?
    private let bootID: String
    private var isStale = false
    /// Whether decisions can be stored.
    package nonisolated let health = StoreHealth()
    /// A copy of the state that continues to judge while nothing can be stored.
    var provisional: AlertMemory?
    private var mustRepeat = false
    /// The answer to `rules`, cached until the rules change.
    var describedRules: String?
    /// The senders of retained commands that were warned.
    var warned: Set<String> = []
    /// The counts since the start.
    package nonisolated let counts: AlertCounts

    /// Opens the file and restores the engine.
    package init(
        path: String, rules: [RuleFile], markerTopic: String, capacity: Int = AlertEngine.largestCapacity,
        feed: NotifierFeed = NotifierFeed(), now: ClockSample, bootID: String = ClockSample.bootID
    ) throws {
        try self.init(
            store: try SQLiteAlertStore(path: path), rules: rules, markerTopic: markerTopic, capacity: capacity, feed: feed, now: now,
            bootID: bootID)
    }

    /// Restores the engine.
    /// - Parameters:
    ///   - markerTopic: the topic of the marker message, to which the service subscribes.
    ///   - capacity: the most participants in memory.
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

    /// The rule files in force.
    package var files: [RuleFile] { memory.files }
    /// The rules in force.
    var ruleSet: RuleSet { memory.engine.rules }
    /// Statements of the rules in force that have no effect.
    var warnings: [String] { memory.engine.rules.warnings.map(\.description) }

    /// Returns whether these rules were in force and have been replaced.
    func hasReplaced(_ files: [RuleFile]) -> Bool { store.hasReplaced(files) }

    /// Processes observations and commands in their order.
    package func take(_ messages: [IncomingMessage], now: ClockSample) throws -> Output {
        let wasProvisional = provisional != nil
        defer { if wasProvisional { judgeProvisionally(messages, now: now) } }
        return try whole(now) {
            pass(to: now, isHearing: true)
            for message in messages { take(message, now: now) }
            return try commit(now: now)
        }
    }

    /// Advances the time.
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

    /// Replaces the rules. Alerts of removed rules are cleared.
    package func reload(_ next: [RuleFile], now: ClockSample) throws -> Output {
        let rules = try RuleSetReader.read(next)
        describedRules = nil
        return try whole(now) {
            pass(to: now, isHearing: false)
            memory.engine.retire(for: rules, now: wall(now), into: &transaction.output)
            let entries = try entries(now)
            // In one transaction with the new state: a crash in between would restore the alerts that were just
            // cleared.
            memory.engine.adopt(rules)
            memory.files = next
            memory.dirty = Set(memory.engine.names.indices)
            let output = try commit(entries, now: now, isCheckpoint: true)
            shown = try ShownAlerts(store, memory.engine)
            return output
        }
    }

    /// Stores the state of every changed participant, which replaces the journal.
    package func checkpoint(now: ClockSample) throws {
        _ = try whole(now) { try commit([], now: now, isCheckpoint: true) }
    }

    /// Returns the messages that an earlier process decided but may not have published.
    package func leftOver() throws -> Output {
        let kept = try store.unpublished()
        var output = repetition(of: kept)
        output.last = kept.last?.id ?? 0
        output.messages += marker()
        return output
    }

    /// Returns the recently published messages, which a restarted broker may have lost. They stay noted as published.
    func repeated() throws -> Output { repetition(of: try store.unpublished()) }

    private func repetition(of entries: [AlertEntry]) -> Output {
        var output = Output(messages: entries.flatMap(Self.messages))
        output.repeated = output.messages.count
        output.isDurable = commits.map { (entries.last?.id ?? 0) <= $0.confirmedEntry } ?? true
        return output
    }

    /// Notes that the broker has acknowledged an output.
    package func published(_ output: Output, at now: ClockSample) { memory.acknowledged.note(output.last, at: now.boot) }

    /// Notes that an output may not have been published; the next call returns it again.
    package func publishingFailed() { mustRepeat = true }

    /// Runs `body` on state that agrees with the disk, and marks the state as stale if it throws.
    func whole<Result>(_ now: ClockSample, _ body: () throws -> Result) throws -> Result {
        if isStale {
            memory = try AlertMemory(store, rules: memory.files, capacity: capacity, share: share, now: now, bootID: bootID)
            shown = try ShownAlerts(store, memory.engine)
            describedRules = nil
            isStale = false
            // It may have been committed, but was never returned.
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

    /// Stores the inputs and effects of the call.
    func commit(_ entries: [AlertEntry], now: ClockSample, isCheckpoint: Bool) throws -> Output {
        var output = Output(messages: marker(), answers: transaction.answers)
        // Output that may not have left is repeated with the next output, before that counts as published.
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
            // Notifiers must not send what is not durable.
            if commits == nil, kept.contains(where: { $0.kind != .message }) { feed.signal() }
        }
        output.deferredCommands = transaction.questions.compactMap { deferredCommand(for: $0.command, $0.handler) }
        output.answers += transaction.questions.flatMap { answer($0.command, $0.handler) }
        return output
    }

    /// The marker message, if one is due.
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
    /// Answered once everything before them is stored.
    var questions: [(command: CommandMessage, handler: CommandHandler)] = []
}
