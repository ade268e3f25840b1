import Access
import AlertRules
import MessageBus
import Observability
import Settings
import Shares
import Synchronization
import VigilSchema

/// Judges and publishes, one input after the other, so that the events of an alert leave in order.
final class AlertCoordinator: Sendable {
    /// What the coordinator of a share has in addition: its outputs wait for the database.
    struct Sharing: Sendable {
        let share: Share
        let held: PendingOutputs
        /// The topic on which all shares are asked to read the rules again.
        let reloads: String
    }

    /// How long a restored connection must last before recent messages are repeated for a broker that may have
    /// forgotten them, in microseconds; and the longest delay if it breaks again and again.
    private static let settling: (Int64, Int64) = (2_000_000, 15_000_000)
    let core: AlertCore
    private let outbox: OutboxPublisher
    let replies: ReplyPublisher
    let mutex = AsyncMutex()
    private let now: @Sendable () -> ClockSample
    private let rules: RuleAdoption
    let feed: NotifierFeed
    let notifierFile: NotifierFile?
    let instance: String
    let log: Logger
    /// The number of unjudged readings at the last warning.
    private let warned = Atomic(0)
    private let hasStarted = Atomic(false)
    /// The monotonic time of the end of the last turn, in microseconds.
    private let lastTurn = Atomic<Int64>(0)
    private let returns = Mutex<(first: Int64, last: Int64)?>(nil)
    private let wasConnected = Atomic(false)
    let reloads = ReloadRequests()
    /// Questions that the engine answers at once, and those that need a look-up, in queues of their own.
    let (questions, lookups): (FairRequestQueue, FairRequestQueue)
    let sharing: Sharing?

    /// - Parameter path: the file or folder of the rules.
    init(
        core: AlertCore, path: String, outbox: OutboxPublisher, replies: ReplyPublisher,
        feed: NotifierFeed = NotifierFeed(), notifierFile: NotifierFile? = nil, instance: String = "main", sharing: Sharing? = nil,
        log: Logger,
        now: @escaping @Sendable () -> ClockSample = { ClockSample.now }
    ) {
        self.core = core
        rules = RuleAdoption(core: core, path: path, log: log)
        (questions, lookups) = (FairRequestQueue(core.counts), FairRequestQueue(core.counts))
        self.outbox = outbox
        self.replies = replies
        self.feed = feed
        self.notifierFile = notifierFile
        self.instance = instance
        self.sharing = sharing
        self.now = now
        self.log = log
    }

    /// Publishes what an earlier process decided. To be called first.
    func publishLeftOver() async throws {
        _ = try await mutex.withLock { [self] in try await deliver(try await core.leftOver()) }
        _ = try await reload(.found(digest: nil))
        await forgetGoneNotifiers()
        await reportNotifierFile()
        hasStarted.store(true, ordering: .releasing)
    }

    /// Judges a batch. It is settled once its output is durable and has left.
    func hold(_ batch: MessageBatch) async throws -> PendingOutputs.Held {
        try await mutex.withLock { [self] in
            let output = try await core.take(batch.messages, now: now())
            guard let held = sharing?.held else { throw CancellationError() }
            return held.add(output, of: batch)
        }
    }

    func take(_ messages: [IncomingMessage]) async throws {
        let deferredCommands: [AlertCore.DeferredCommand]
        do {
            deferredCommands = try await mutex.withLock { [self] in
                let output = try await core.take(messages, now: now())
                try await deliver(output)
                return output.deferredCommands
            }
        } catch {
            await announceUnstored()
            throw error
        }
        for deferredCommand in deferredCommands {
            // Done before the message is acknowledged. Other commands lose nothing with the process.
            if case .erase = deferredCommand.kind {
                questions.add(await reply(to: deferredCommand), to: deferredCommand.handler.asker)
            } else {
                take(deferredCommand)
            }
        }
    }

    /// Notes a connection to the broker. After a reconnection the broker may have lost what it had acknowledged. Called
    /// on the connection's thread.
    func connected() {
        guard wasConnected.exchange(true, ordering: .relaxed) else { return }
        let now = now().boot
        returns.withLock { $0 = ($0?.first ?? now, now) }
    }

    /// Advances the time, but not before the left-over messages have left.
    func tick() async throws {
        guard hasStarted.load(ordering: .acquiring), sharing?.held.isFull != true else { return }
        do {
            try await mutex.withLock { [self] in
                if isRepetitionDue { try await deliver(try await core.repeated()) }
                try await deliver(try await core.advance(to: now()))
            }
        } catch {
            await announceUnstored()
            throw error
        }
        if core.health.isFailing { await announceUnstored() }
    }

    /// Judges what the live watch received while nothing can be stored.
    func watch(_ messages: [IncomingMessage]) async {
        await core.judgeProvisionally(messages, now: now())
        await announceUnstored()
    }

    /// Publishes alarms that cannot be stored, marked as unconfirmed.
    private func announceUnstored() async {
        let (alarms, dropped) = core.health.takeAlarms()
        if dropped > 0 { log.error("alarms are not told until they are stored: too many at once", ["alarms": "\(dropped)"]) }
        guard !alarms.isEmpty else { return }
        do {
            try await announce(alarms)
        } catch {
            log.error("unconfirmed alarms could not be published; the notifiers tell them", ["error": "\(error)"])
        }
    }

    private func announce(_ alarms: [AlertMessage]) async throws {
        let count = alarms.count(where: \.isUrgent)
        if count > 0 { log.error("alarms are told unconfirmed: the alerts' state cannot be stored", ["alarms": "\(count)"]) }
        core.counts.unconfirmed.add(count, ordering: .relaxed)
        feed.announce(alarms)
        try await outbox.publish(alarms.flatMap(\.unconfirmedMessages))
    }

    private var isRepetitionDue: Bool {
        let now = now().boot
        return returns.withLock { returns in
            guard let known = returns, now - known.last >= Self.settling.0 || now - known.first >= Self.settling.1 else { return false }
            returns = nil
            return true
        }
    }

    /// Passes a notifier's condition to the engine.
    func report(notifier: String, _ condition: NotifierCondition) async {
        do {
            try await mutex.withLock { [self] in try await takeState(of: notifier, condition) }
        } catch {
            log.error("the state of a notifier cannot be stored", ["notifier": notifier, "error": "\(error)"])
        }
    }

    // Not inlined, for the same reason as `deliver`.
    @inline(never)
    private func takeState(of notifier: String, _ condition: NotifierCondition) async throws {
        let output = try await core.take(notifier: notifier, condition, now: now())
        try await deliver(output)
    }

    // Not inlined, for the same reason as `deliver`.
    @inline(never)
    func takeAway(
        _ participant: String
    ) async throws -> (erased: (output: AlertCore.Output, wasKnown: Bool), held: PendingOutputs.Held?) {
        let erased = try await core.erase(participant, now: now())
        return (erased, try await deliver(erased.output))
    }

    /// Requests a reload of the rules, once for all who ask until then.
    func requestReload(_ cause: RuleAdoption.Cause = .asked) { reloads.signal(cause) }

    /// Reads the rules again on request, and answers everybody who has asked.
    func runReloads() async throws {
        for await _ in reloads.wishes {
            let (asked, cause) = reloads.take()
            do {
                let problem = try await reload(cause)
                if problem == nil, !asked.isEmpty, let topic = sharing?.reloads {
                    try await outbox.publish([OutgoingMessage(topic: topic, payload: Array(await core.files.digest.utf8))])
                }
                for handler in asked { try await replies.publish(handler.reply(Self.verdict(problem))) }
            } catch {
                if Task.isCancelled { return }
                log.error("rules not read again", ["error": "\(error)"])
            }
        }
    }

    /// Reads the rules and the notifier file again. If they have a mistake, the old ones stay in force.
    /// - Returns: the mistake; nil: none.
    func reload(_ cause: RuleAdoption.Cause = .asked) async throws -> String? {
        let problem = try await rules.run(cause) { files in
            _ = try await mutex.withLock { [self] in try await deliver(try await core.reload(files, now: now())) }
        }
        // At the start it has just been read.
        guard cause != .found(digest: nil) else { return problem }
        let problems = [problem, await reloadNotifiers()].compactMap(\.self)
        return problems.isEmpty ? nil : problems.joined(separator: "\n")
    }

    /// Warns at the first unjudged reading, and whenever their number has grown tenfold.
    private func warnOfStrangers() {
        let (count, known) = (core.counts.strangers.load(ordering: .relaxed), warned.load(ordering: .relaxed))
        guard count > known * 10 else { return }
        warned.store(count, ordering: .relaxed)
        log.warning("readings not judged: too many participants, see --participant-limit", ["readings": "\(count)"])
    }

    /// The longest time without a turn, and without a commit while there is something to store, of a working engine, in
    /// microseconds.
    private static let (longestTurn, longestFailure): (Int64, Int64) = (30_000_000, 10_000_000)

    /// Whether inputs are judged, stored and published. A loop without progress does not count.
    var isAlive: Bool {
        let now = now().boot
        let failure = core.health.failingSince.map { now - $0 } ?? 0
        return now - lastTurn.load(ordering: .relaxed) < Self.longestTurn && failure < Self.longestFailure
    }

    /// Stores the state before the process ends.
    func finish() async throws {
        let held = try await mutex.withLock { [self] in
            try await core.checkpoint(now: now())
            return sharing?.held.add(AlertCore.Output())
        }
        if let held { try await sharing?.held.waitUntilLeft(held) }
    }

    /// Publishes durable outputs until the share is handed over.
    func deliverHeld() async throws {
        try await sharing?.held.run(
            deliver: { [self] output in
                // Only now may the transitions be sent.
                if output.last > 0 { feed.signal() }
                try await publish(output)
            },
            announce: { [self] alarms in try await announce(alarms) }, deferredCommand: { [self] in take($0) })
    }

    /// - Returns: nil if it has left. Not inlined: Swift 6.3.1's optimiser crashes on the closures otherwise.
    @inline(never)
    @discardableResult
    private func deliver(_ output: AlertCore.Output) async throws -> PendingOutputs.Held? {
        if let held = sharing?.held { return held.add(output) }
        try await publish(output)
        return nil
    }

    // In parts that are not inlined, for the same reason as `deliver`.
    @inline(never)
    private func publish(_ output: AlertCore.Output) async throws {
        try await send(output.erasure == nil ? output.messages : output.messages + output.withdrawals)
        try await replies.publish(output.answers)
        await noteTurn(output)
    }

    @inline(never)
    private func send(_ messages: [OutgoingMessage]) async throws {
        do {
            try await outbox.publish(messages)
        } catch {
            await core.publishingFailed()
            throw error
        }
    }

    @inline(never)
    private func noteTurn(_ output: AlertCore.Output) async {
        let now = now()
        await core.published(output, at: now)
        lastTurn.store(now.boot, ordering: .relaxed)
        warnOfStrangers()
    }
}

/// Admits one caller at a time, first come, first served, also across suspensions.
actor AsyncMutex {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` when it is this caller's turn. Not inlined, for the same reason as `AlertCoordinator.deliver`.
    @inline(never)
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
