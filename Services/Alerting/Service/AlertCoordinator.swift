import Access
import AlertRules
import MessageBus
import Observability
import Settings
import Shares
import Synchronization
import VigilSchema

/// Decides and publishes, one cause after the other, so that the events of an alert leave in their order.
final class AlertCoordinator: Sendable {
    /// What a share's coordinator has beside: its decisions wait for the database.
    struct Sharing: Sendable {
        let share: Share
        let held: HeldOutputs
        /// The topic that tells all shares to read the rules again.
        let reloads: String
    }

    /// A connection that came back must have stood for so long before it is repeated what the broker may have forgotten, in microseconds; one that
    /// breaks again and again is not waited for longer than the second.
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
    /// Readings of strangers that were warned of.
    private let warned = Atomic(0)
    private let hasStarted = Atomic(false)
    /// The machine's even clock when the last turn ended, in microseconds.
    private let lastTurn = Atomic<Int64>(0)
    private let returns = Mutex<(first: Int64, last: Int64)?>(nil)
    private let wasConnected = Atomic(false)
    let reloads = ReloadRequests()
    /// What is asked of the engine, which knows it at once, and what is looked up: nobody waits for the second who asks the first.
    let (questions, lookups): (QuestionLine, QuestionLine)
    let sharing: Sharing?

    /// - Parameter path: the file or folder that the rules are read from.
    init(
        core: AlertCore, path: String, outbox: OutboxPublisher, replies: ReplyPublisher,
        feed: NotifierFeed = NotifierFeed(), notifierFile: NotifierFile? = nil, instance: String = "main", sharing: Sharing? = nil,
        log: Logger,
        now: @escaping @Sendable () -> ClockSample = { ClockSample.now }
    ) {
        self.core = core
        rules = RuleAdoption(core: core, path: path, log: log)
        (questions, lookups) = (QuestionLine(core.counts), QuestionLine(core.counts))
        self.outbox = outbox
        self.replies = replies
        self.feed = feed
        self.notifierFile = notifierFile
        self.instance = instance
        self.sharing = sharing
        self.now = now
        self.log = log
    }

    /// Publishes, first of all, what an earlier process decided.
    func publishLeftOver() async throws {
        _ = try await mutex.withLock { [self] in try await deliver(try await core.leftOver()) }
        _ = try await reload(.found(digest: nil))
        await forgetGoneNotifiers()
        await reportNotifierFile()
        hasStarted.store(true, ordering: .releasing)
    }

    /// Judges a batch, which is settled once what it led to is durable and has left.
    func hold(_ batch: MessageBatch) async throws -> HeldOutputs.Held {
        try await mutex.withLock { [self] in
            let output = try await core.take(batch.messages, now: now())
            guard let held = sharing?.held else { throw CancellationError() }
            return held.add(output, of: batch)
        }
    }

    func take(_ messages: [IncomingMessage]) async throws {
        let errands: [AlertCore.Errand]
        do {
            errands = try await mutex.withLock { [self] in
                let output = try await core.take(messages, now: now())
                try await deliver(output)
                return output.errands
            }
        } catch {
            await announceUnstored()
            throw error
        }
        for errand in errands {
            // Done before its message is acknowledged; all others lose nothing with the process.
            if case .erase = errand.kind { questions.add(await reply(to: errand), to: errand.handler.asker) } else { take(errand) }
        }
    }

    /// Notes a connection to the broker. After one that came back the broker may have forgotten what it had acknowledged. Called on the
    /// connection's thread.
    func connected() {
        guard wasConnected.exchange(true, ordering: .relaxed) else { return }
        let now = now().boot
        returns.withLock { $0 = ($0?.first ?? now, now) }
    }

    /// Lets time pass; nothing before the left-over messages are out.
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

    /// Judges what the live watch heard while nothing can be stored.
    func watch(_ messages: [IncomingMessage]) async {
        await core.judgeProvisionally(messages, now: now())
        await announceUnstored()
    }

    /// Tells the alarms that cannot be stored, marked as unconfirmed.
    private func announceUnstored() async {
        let alarms = core.health.takeAlarms()
        guard !alarms.isEmpty else { return }
        do {
            try await announce(alarms)
        } catch {
            log.error("unconfirmed alarms could not be published; the notifiers tell them", ["error": "\(error)"])
        }
    }

    private func announce(_ alarms: [AlertMessage]) async throws {
        log.error("alarms are told unconfirmed: the alerts' state cannot be stored", ["alarms": "\(alarms.count)"])
        core.counts.unconfirmed.add(alarms.count, ordering: .relaxed)
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

    /// Tells the engine a notifier's condition.
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
    ) async throws -> (erased: (output: AlertCore.Output, wasKnown: Bool), held: HeldOutputs.Held?) {
        let erased = try await core.erase(participant, now: now())
        return (erased, try await deliver(erased.output))
    }

    /// Has the rules read again soon, once for all who ask until then.
    func requestReload(_ cause: RuleAdoption.Cause = .asked) { reloads.signal(cause) }

    /// Reads the rules again whenever somebody asks, and answers all who have asked until then.
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

    /// Reads the rules again, and the notifiers' file. What is wrong is told and left: the former stay in force.
    /// - Returns: what is wrong with them; nil: nothing.
    func reload(_ cause: RuleAdoption.Cause = .asked) async throws -> String? {
        let problem = try await rules.run(cause) { files in
            _ = try await mutex.withLock { [self] in try await deliver(try await core.reload(files, now: now())) }
        }
        // At the start it has just been read.
        guard cause != .found(digest: nil) else { return problem }
        let problems = [problem, await reloadNotifiers()].compactMap(\.self)
        return problems.isEmpty ? nil : problems.joined(separator: "\n")
    }

    /// Warns once when it begins, and whenever ten times as many were turned away.
    private func warnOfStrangers() {
        let (count, known) = (core.counts.strangers.load(ordering: .relaxed), warned.load(ordering: .relaxed))
        guard count > known * 10 else { return }
        warned.store(count, ordering: .relaxed)
        log.warning("readings not judged: too many participants, see --participant-limit", ["readings": "\(count)"])
    }

    /// The longest time without a turn, and without a commit where there is something to store, of an engine that works; in microseconds.
    private static let (longestTurn, longestFailure): (Int64, Int64) = (30_000_000, 10_000_000)

    /// Whether what comes in is judged, stored and told: a loop that turns over nothing is no sign of it.
    var isAlive: Bool {
        let now = now().boot
        let failure = core.health.failingSince.map { now - $0 } ?? 0
        return now - lastTurn.load(ordering: .relaxed) < Self.longestTurn && failure < Self.longestFailure
    }

    /// Writes the state out before the process ends.
    func finish() async throws {
        let held = try await mutex.withLock { [self] in
            try await core.checkpoint(now: now())
            return sharing?.held.add(AlertCore.Output())
        }
        if let held { try await sharing?.held.waitUntilLeft(held) }
    }

    /// Lets out what is durable, until the share is given up.
    func deliverHeld() async throws {
        try await sharing?.held.run(
            deliver: { [self] output in
                // Only now are the transitions anybody's to tell.
                if output.last > 0 { feed.signal() }
                try await publish(output)
            },
            announce: { [self] alarms in try await announce(alarms) }, errand: { [self] in take($0) })
    }

    /// - Returns: nil where it has left.
    // Not inlined: Swift 6.3.1's optimiser crashes on the closures into which it is.
    @inline(never)
    @discardableResult
    private func deliver(_ output: AlertCore.Output) async throws -> HeldOutputs.Held? {
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

/// Lets one caller at a time through, in the order of their coming, also over suspensions.
actor AsyncMutex {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` when it is this caller's turn.
    // Not inlined, for the same reason as `AlertCoordinator.deliver`.
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
