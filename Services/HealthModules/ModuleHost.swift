import Foundation
package import MessageBus
package import Observability
import SQLiteDatabase
import ServiceKit
package import Shares
import Synchronization
import VigilSchema

/// Runs the due modules, stores their results, and publishes the effects.
///
/// Due work is in the state file, so a restart does not lose it. Modules run for one person after the other; the runner
/// bounds their time and memory.
///
/// One of several processes publishes. A standby computes the same results and stores its messages until it has seen
/// the publisher at work a minute later. If it sees none, it keeps all of them.
package final class ModuleHost: Service {
    /// Whether this process publishes.
    private enum Duty {
        case alone
        /// This process publishes while it holds the lease.
        case holds(LeaseHold)
        /// Another process publishes.
        case standsBy
    }

    /// How long a standby stores messages, and how often it checks for a publisher, in seconds.
    private static let (keeping, lookPause) = (60.0, 5.0)
    /// How often settings from other processes are read.
    private static let settingsPause = Duration.seconds(60)

    let registry: ModuleRegistry
    let state: ModuleState
    private let runner: any ModuleRunner
    private let publisher: any MessagePublisher
    private let metrics: ModulesMetrics
    private let log: Logger
    private let service: String
    /// The number of shares of the whole deployment; published as a parameter.
    private let shares: Int
    private let duty: Mutex<Duty>
    private let settings: SharedSettings?
    private let isAtWorkElsewhere: @Sendable () async throws -> Bool
    /// The times of the last check for a publisher and of its last sign of life.
    private let elsewhere = Mutex<(looked: Double?, seen: Double?)>((nil, nil))
    private let adopted = Mutex<ContinuousClock.Instant?>(nil)
    let now: @Sendable () -> Double
    /// A monotonic time.
    private let instant: @Sendable () -> ContinuousClock.Instant
    /// The time of the last check for due work.
    private let looked = Mutex<Double?>(nil)
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - standsBy: whether nothing is published until `work(holding:until:)`.
    ///   - settings: the shared store of persons' settings; nil for a single process.
    ///   - isAtWorkElsewhere: returns whether another process publishes; nil: by the leases in the shared store.
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
        // One element is enough: it says that something became due since the last check.
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether this process publishes.
    private var publishes: Bool {
        if case .standsBy = duty.withLock({ $0 }) { false } else { true }
    }

    /// Starts a check for due work at once.
    package func wake() { change.yield() }

    /// Makes `run()` return after the current person.
    package func finish() { change.finish() }

    package func run() async throws {
        try await publishStatus()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [change] in
                // Work that becomes due by the clock is found within a second.
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

    /// Publishes until `latch` is open or the task is cancelled: the time of a lease.
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

    /// Whether this process may publish according to the database. A frozen process may have lost its lease.
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

    /// Checks whether the clock was set back since the last check, or while no process ran.
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

    /// Runs some of a person's modules now, due or not.
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

    /// Publishes pending messages in order. Each leaves the outbox after its acknowledgement, so it may be published
    /// twice.
    private func publishOutbox() async throws {
        guard try await state.nextOutgoing() != nil else { return }
        guard publishes else { return try await forgetToldElsewhere() }
        guard try await mayPublish() else { return }
        while publishes, let (id, message) = try await state.nextOutgoing() {
            do throws(BusError) {
                try await publisher.publish(message)
                metrics.published.add()
            } catch {
                // It stays first and is tried again at the next check.
                if error.isTemporaryRefusal { return log.warning("message not taken yet", ["topic": message.topic, "error": "\(error)"]) }
                guard error.concernsMessage else { throw error }
                log.error("message dropped, as the broker refuses it", ["topic": message.topic, "error": "\(error)"])
            }
            try await state.published(id)
        }
    }

    /// Removes the messages that another process has published by now.
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
        // The database does not answer, so nothing is known.
        if isDue, (try? await isAtWorkElsewhere()) == true { elsewhere.withLock { $0.seen = time } }
        guard let seen = elsewhere.withLock({ $0.seen }) else { return }
        try await state.forgetOutgoing(before: seen - Self.keeping)
    }

    /// Publishes, retained, which modules work. A module that fails for anybody is offline.
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
    /// Sets a person's parameter here and in the shared store (nil removes it), and makes modules due.
    func set(_ name: String, _ value: ParameterValue?, of participant: String, due: [String]) async throws {
        try await settings?.set(name, value, of: participant)
        try await state.set(name, value, of: participant, due: due, now: now())
    }

    /// Reads the settings that changed while this process was away.
    private func adoptSettings() async throws {
        guard let settings else { return }
        let all = try await settings.all(adopting: try await state.settings())
        try await state.adopt(all, modules: registry.modules.map(\.id), now: now())
    }

    /// Reads them from time to time: a process may have missed a change, or has settings from before it had replicas.
    private func refreshSettings() async {
        let time = instant()
        guard settings != nil, adopted.withLock({ $0.map { time - $0 >= Self.settingsPause } ?? true }) else { return }
        adopted.withLock { $0 = time }
        do { try await adoptSettings() } catch { log.warning("what was set elsewhere is not known", ["error": "\(error)"]) }
    }

    /// Erases a person in the shared store and here, so that nothing is read from there again. Standbys are asked
    /// separately.
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
