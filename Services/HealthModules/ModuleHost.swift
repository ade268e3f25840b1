import Foundation
package import MessageBus
package import Observability
import SQLiteDatabase
import ServiceKit
package import Shares
import Synchronization
import VigilSchema

/// Runs the modules that are due, keeps what they find, and publishes what follows.
///
/// The due work stands in the state file, so it is done after a restart as well. Modules run one person after the other; each is bounded in
/// time and memory by the runner.
///
/// Of several processes one publishes. Those that stand by find the same from the same readings, and keep what they would have published until another
/// was seen at work a minute after it: so long that one may have been away before its place is taken. Where none was seen, all of it is kept.
package final class ModuleHost: Service {
    /// Whether this process publishes.
    private enum Duty {
        case alone
        /// As long as the lease is held.
        case holds(LeaseHold)
        /// Another process does.
        case standsBy
    }

    /// For how long what another process is to publish is kept, and how often it is looked whether one does, in seconds.
    private static let (keeping, lookPause) = (60.0, 5.0)
    /// How often it is looked what was set at another process.
    private static let settingsPause = Duration.seconds(60)

    let registry: ModuleRegistry
    let state: ModuleState
    private let runner: any ModuleRunner
    private let publisher: any MessagePublisher
    private let metrics: ModulesMetrics
    private let log: Logger
    private let service: String
    /// What the whole deployment goes by; each module tells it, as every service does.
    private let shares: Int
    private let duty: Mutex<Duty>
    private let settings: SharedSettings?
    private let isAtWorkElsewhere: @Sendable () async throws -> Bool
    /// When it was last looked whether another process is at work, and when one last was.
    private let elsewhere = Mutex<(looked: Double?, seen: Double?)>((nil, nil))
    private let adopted = Mutex<ContinuousClock.Instant?>(nil)
    let now: @Sendable () -> Double
    /// The time by a clock that nobody sets.
    private let instant: @Sendable () -> ContinuousClock.Instant
    /// The time at which it was last looked what is due.
    private let looked = Mutex<Double?>(nil)
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - standsBy: whether nothing is published until `work(holding:until:)`.
    ///   - settings: where persons' settings are kept besides, for those who stand by.
    ///   - isAtWorkElsewhere: returns whether another process publishes at present; nil: as the leases beside the settings have it.
    package init(
        registry: ModuleRegistry, state: ModuleState, runner: any ModuleRunner, publisher: any MessagePublisher, metrics: ModulesMetrics,
        log: Logger, service: String = "vigil-modules", shares: Int = 1, standsBy: Bool = false, settings: SharedSettings? = nil,
        isAtWorkElsewhere: (@Sendable () async throws -> Bool)? = nil, now: @escaping @Sendable () -> Double,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.registry = registry
        self.state = state
        self.runner = runner
        self.publisher = publisher
        self.metrics = metrics
        self.log = log
        self.service = service
        self.shares = shares
        duty = Mutex(standsBy ? .standsBy : .alone)
        metrics.isAtWork.set(standsBy ? 0 : 1)
        self.settings = settings
        self.isAtWorkElsewhere = isAtWorkElsewhere ?? { try await settings?.isLeaseElsewhere() ?? false }
        (self.now, self.instant) = (now, instant)
        // What counts is only that something became due since the last look: one element says it.
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A Boolean value that indicates whether this is the process that publishes.
    private var publishes: Bool {
        if case .standsBy = duty.withLock({ $0 }) { false } else { true }
    }

    /// Has what is due looked for at once.
    package func wake() { change.yield() }

    /// Lets `run()` finish the person at work and return.
    package func finish() { change.finish() }

    package func run() async throws {
        try await publishStatus()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [change] in
                // What becomes due by the clock alone is found within a second.
                while !Task.isCancelled {
                    change.yield()
                    try await ContinuousClock().sleep(for: .seconds(1))
                }
            }
            for await _ in changes { try await runDue() }
            tasks.cancelAll()
        }
        if publishes { try await publishOffline() }
    }

    /// Publishes what is found from now on, until `latch` is open or the task is cancelled; for the time of a lease.
    package func work(holding lease: LeaseHold, until latch: Latch) async throws {
        try await adoptSettings()
        take(.holds(lease))
        defer { take(.standsBy) }
        try await publishStatus()
        wake()
        await latch.wait()
        if !Task.isCancelled { try await publishOffline() }
    }

    private func take(_ duty: Duty) {
        self.duty.withLock { $0 = duty }
        metrics.isAtWork.set(publishes ? 1 : 0)
    }

    /// Whether what was found is this process's to publish, as the database has it: one that was frozen may have been taken for dead.
    private func mayPublish() async throws -> Bool {
        guard case .holds(let lease) = duty.withLock({ $0 }), let settings else { return publishes }
        do {
            try await settings.confirm(lease)
            return true
        } catch {
            log.warning("nothing is published until the lease is confirmed", ["error": "\(error)"])
            return false
        }
    }

    /// Runs everything that is due.
    package func runDue() async throws {
        try await noteClock()
        await refreshSettings()
        try await publishOutbox()
        while let person = try await state.nextDue(before: now()) {
            try await run(person)
            if Task.isCancelled { return }
        }
    }

    /// Looks whether the clock was set back since the last look, or while no process looked.
    private func noteClock() async throws {
        let time = now()
        let last = looked.withLock { $0 }
        let wasSetBack = if let last { time < last - 1 } else { try await state.isAhead(of: time) }
        if wasSetBack {
            log.warning("the clock was set back: everything is worked out again")
            try await state.clockSetBack(to: time)
        }
        looked.withLock { $0 = time }
    }

    /// Runs some of a person's modules now, whether they are due or not.
    func evaluate(_ modules: [String], participant: String) async throws {
        guard let person = try await state.due(participant, modules) else { return }
        try await run(person)
    }

    private func run(_ person: DuePerson) async throws {
        let time = now()
        let enabled = try await state.enabled(person, registry)
        let start = ContinuousClock.now
        let outcomes = await runner.evaluate(
            EvaluationRequest(participant: person.name, modules: person.modules.map(\.module).filter(enabled.contains), now: time))
        metrics.evaluations.add(outcomes.count)
        metrics.duration.observe(start.duration(to: .now))
        let failing = try await state.failing()
        try await state.write(outcomes, for: person, enabled: enabled, registry, now: time)
        for case (let module, .failed(let reason)) in outcomes {
            metrics.failures.add()
            log.error("module stopped", ["module": module, "participant": person.name, "reason": reason])
        }
        for case (let module, .postponed(let reason)) in outcomes {
            log.warning("module postponed", ["module": module, "participant": person.name, "reason": reason])
        }
        if try await state.failing() != failing { try await publishStatus() }
        try await publishOutbox()
    }

    /// Publishes what waits, in order. Each message leaves the outbox once the broker has it, so it may be published twice.
    private func publishOutbox() async throws {
        guard try await state.nextOutgoing() != nil else { return }
        guard publishes else { return try await forgetToldElsewhere() }
        guard try await mayPublish() else { return }
        while publishes, let (id, message) = try await state.nextOutgoing() {
            do throws(BusError) {
                try await publisher.publish(message)
                metrics.published.add()
            } catch {
                // It stays the first, and is tried again at the next look.
                if error.isTemporaryRefusal { return log.warning("message not taken yet", ["topic": message.topic, "error": "\(error)"]) }
                guard error.concernsMessage else { throw error }
                log.error("message dropped, as the broker refuses it", ["topic": message.topic, "error": "\(error)"])
            }
            try await state.published(id)
        }
    }

    /// Forgets what another process has published by now. That nobody here has published it says nothing of that.
    private func forgetToldElsewhere() async throws {
        let time = now()
        let isDue = elsewhere.withLock { elsewhere in
            // The clock may have been set back.
            if let seen = elsewhere.seen, seen > time { elsewhere.seen = nil }
            guard let looked = elsewhere.looked, (0..<Self.lookPause).contains(time - looked) else {
                elsewhere.looked = time
                return true
            }
            return false
        }
        // A database that does not answer knows of nobody.
        if isDue, (try? await isAtWorkElsewhere()) == true { elsewhere.withLock { $0.seen = time } }
        guard let seen = elsewhere.withLock({ $0.seen }) else { return }
        try await state.forgetOutgoing(before: seen - Self.keeping)
    }

    /// Publishes, retained, which modules work: offline is one that fails for anybody.
    private func publishStatus() async throws {
        let failing = try await state.failing()
        metrics.failing.set(Double(failing.count))
        guard publishes else { return }
        for module in registry.modules {
            try await publisher.publish(statusMessage(module.id, failing.contains(module.id) ? .offline : .online))
        }
    }

    private func publishOffline() async throws {
        for module in registry.modules { try await publisher.publish(statusMessage(module.id, .offline)) }
    }

    private func statusMessage(_ module: String, _ state: ModuleStatus.State) -> OutgoingMessage {
        ModuleStatus.message(service: service, instance: module, state, shares: shares)
    }
}

// MARK: - Settings of persons

extension ModuleHost {
    /// Sets a person's parameter here and for those who stand by, or with nil takes it back, and makes modules due.
    func set(_ name: String, _ value: ParameterValue?, of participant: String, due: [String]) async throws {
        try await settings?.set(name, value, of: participant)
        try await state.set(name, value, of: participant, due: due, now: now())
    }

    /// Learns what was set while this process was away.
    private func adoptSettings() async throws {
        guard let settings else { return }
        let all = try await settings.all(adopting: try await state.settings())
        try await state.adopt(all, modules: registry.modules.map(\.id), now: now())
    }

    /// Learns it now and then: a process may have missed what was set, or bring what was set while it was the only one.
    private func refreshSettings() async {
        let time = instant()
        guard settings != nil, adopted.withLock({ $0.map { time - $0 >= Self.settingsPause } ?? true }) else { return }
        adopted.withLock { $0 = time }
        do { try await adoptSettings() } catch { log.warning("what was set elsewhere is not known", ["error": "\(error)"]) }
    }

    /// Forgets a person in the database and here, so that nothing of them is learnt from there again; those who stand by are asked for themselves.
    package func erase(_ participant: String) async throws -> [String: Int] {
        let shared = try await settings?.erase(participant)
        var removed = try await state.erase(participant, publisher: publisher)
        removed["shared settings"] = shared
        return removed
    }
}

/// The counters of the module host.
package struct ModulesMetrics: Sendable {
    let messages: Counter
    let malformed: Counter
    let kept: Counter
    let known: Counter
    let passedOver: Counter
    let evaluations: Counter
    let failures: Counter
    let published: Counter
    let failing: Gauge
    let isAtWork: Gauge
    let duration: Histogram
    let settling: Histogram
    let synced: Counter

    /// Registers the metrics.
    package init(_ registry: MetricsRegistry) {
        messages = registry.counter("vigil_modules_messages_total", help: "Messages received from the bus.")
        malformed = registry.counter("vigil_modules_messages_malformed_total", help: "Messages that are not a canonical batch.")
        kept = registry.counter("vigil_modules_readings_kept_total", help: "Readings that modules read, stored or corrected.")
        known = registry.counter("vigil_modules_readings_known_total", help: "Readings that were already known or not needed.")
        passedOver = registry.counter(
            "vigil_modules_readings_passed_over_total", help: "Readings that are too old, in the future, or no number.")
        evaluations = registry.counter("vigil_modules_evaluations_total", help: "Runs of one module for one person.")
        failures = registry.counter("vigil_modules_failures_total", help: "Runs that failed, crashed or took too long.")
        published = registry.counter("vigil_modules_published_total", help: "Messages and batches published.")
        failing = registry.gauge("vigil_modules_failing", help: "Modules that currently fail for anybody.")
        isAtWork = registry.gauge("vigil_modules_at_work", help: "1 if this process publishes, 0 if it is a standby.")
        duration = registry.histogram("vigil_modules_evaluation_seconds", help: "Duration of a person's due modules.")
        settling = registry.histogram("vigil_modules_settle_seconds", help: "Time from receiving a delivery to its commit.")
        synced = registry.counter("vigil_modules_timeline_reads_total", help: "Persons read from the timeline.")
    }
}
