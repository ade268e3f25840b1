import SQLiteDatabase
import ServiceKit
import Synchronization
package import VigilSchema

/// Stores readings for modules: each once, and of two readings with one identity the one that was received later.
///
/// Of a continuous metric only the earliest reading of each interval (by time, source and sequence) is stored, so the
/// result does not depend on the order of arrival.
package final class ReadingIntake: Sendable {
    /// The prefix of the source of derived observations, which are not read again.
    package static let ownSource = "vigil-modules"
    /// The lead in seconds beyond which a reading is ignored, because its clock is wrong.
    private static let aheadLimit = 86_400.0
    /// The time that an import may last before its readings are evaluated, in seconds.
    private static let historyDelay = 2.0

    private let registry: ModuleRegistry
    private let retentions: [String: ModuleInput]
    private let state: ModuleState
    private let cache = Mutex(Cache())

    /// The intervals that already have a reading, with its time. Most readings of a continuous metric end here.
    private struct Cache {
        var filled: [Interval: Int64] = [:]
        /// Changes when readings are removed, because an interval may then be empty again.
        var generation = 0
    }

    /// The effects of a transaction. Intervals count as filled after its commit.
    private struct Work: Sendable {
        var counts = Counts()
        var filling: [Interval: Int64] = [:]
    }

    private struct Interval: Hashable, Sendable {
        let participant: String
        let metric: String
        let number: Int64
    }

    /// The number of stored readings, and of the others by outcome.
    package struct Counts: Sendable, Equatable {
        package var kept = 0
        /// Already stored, or not needed.
        package var known = 0
        /// Too old, in the future, or not finite.
        package var passedOver = 0
    }

    package init(registry: ModuleRegistry, state: ModuleState) {
        self.registry = registry
        self.state = state
        retentions = registry.readers.keys.reduce(into: [:]) { $0[$1] = registry.retention(of: $1) }
    }

    /// Stores groups of readings durably.
    /// - Parameter isHistory: delays the evaluation, because more will follow.
    package func take(_ groups: [ObservationGroup], isHistory: Bool, now: Double) async throws -> Counts {
        let generation = cache.withLock { $0.generation }
        let work = try await state.state.transaction { database in
            var work = Work()
            for group in groups where !group.source.hasPrefix(Self.ownSource) {
                try self.take(group, isHistory: isHistory, now: now, StateTables(database: database), &work)
            }
            return work
        }
        cache.withLock { cache in
            guard cache.generation == generation else { return }
            if cache.filled.count > 50_000 { cache.filled.removeAll(keepingCapacity: true) }
            cache.filled.merge(work.filling) { _, new in new }
        }
        return work.counts
    }

    /// Clears the filled intervals, because readings were removed.
    package func forget() {
        cache.withLock { cache in
            cache.filled.removeAll()
            cache.generation += 1
        }
    }

    private func take(_ group: ObservationGroup, isHistory: Bool, now: Double, _ tables: StateTables, _ work: inout Work) throws {
        var person: Int64?
        var due: [String: Double] = [:]
        for observation in group.observations {
            guard let retention = retentions[observation.metric] else { continue }
            guard isUsable(observation, retention, now: now) else {
                work.counts.passedOver += 1
                continue
            }
            if isFilled(observation, group, retention) {
                work.counts.known += 1
                continue
            }
            let number = try person ?? tables.person(group.participant, now: now)
            person = number
            guard try keep(observation, of: group, number, retention, tables, &work) else {
                work.counts.known += 1
                continue
            }
            work.counts.kept += 1
            for (module, input) in registry.readers[observation.metric] ?? [] {
                let time = now + (isHistory ? max(input.delay, Self.historyDelay) : input.delay)
                due[module] = min(due[module] ?? .infinity, time)
            }
        }
        if let person { for (module, time) in due { try tables.makeDue(person, [module], at: time) } }
    }

    private func isUsable(_ observation: Observation, _ retention: ModuleInput, now: Double) -> Bool {
        let time = observation.time.seconds
        guard time > now - Double(retention.days) * 86_400, time <= now + Self.aheadLimit else { return false }
        switch observation.content {
        case .value(let value): return value.isFinite
        case .text(let text): return text.utf8.count <= 1000
        case .samples: return false
        }
    }

    /// Returns whether an earlier reading of the interval is stored.
    private func isFilled(_ observation: Observation, _ group: ObservationGroup, _ retention: ModuleInput) -> Bool {
        guard retention.spacing > 0, let time = cache.withLock({ $0.filled[interval(observation, group, retention)] }) else { return false }
        return time < observation.time.microseconds
    }

    private func interval(_ observation: Observation, _ group: ObservationGroup, _ retention: ModuleInput) -> Interval {
        let length = Int64(retention.spacing) * 1_000_000
        let time = observation.time.microseconds
        // Rounds down before 1970 too.
        let number = time >= 0 ? time / length : (time - length + 1) / length
        return Interval(participant: group.participant, metric: observation.metric, number: number)
    }

    /// Stores a reading; false if it changes nothing.
    private func keep(
        _ observation: Observation, of group: ObservationGroup, _ person: Int64, _ retention: ModuleInput, _ tables: StateTables,
        _ work: inout Work
    ) throws -> Bool {
        let metric = try tables.metric(observation.metric)
        if retention.spacing > 0 {
            let interval = interval(observation, group, retention)
            let length = Int64(retention.spacing) * 1_000_000
            let kept = try tables.first(
                "SELECT time, source, sequence, interval FROM reading WHERE person = ? AND metric = ? AND time >= ? AND time < ? LIMIT 1",
                [.integer(person), .integer(metric), .integer(interval.number * length), .integer((interval.number + 1) * length)]
            ) { ($0.integer(0), $0.text(1), $0.integer(2), $0.integer(3)) }
            let key = (observation.time.microseconds, group.source, Int64(observation.sequence), Int64(observation.interval))
            if let kept, kept < key {
                work.filling[interval] = kept.0
                return false
            }
            work.filling[interval] = key.0
            if let kept, kept != key {
                try tables.database.run(
                    "DELETE FROM reading WHERE person = ? AND metric = ? AND time = ? AND source = ? AND sequence = ? AND interval = ?",
                    [.integer(person), .integer(metric), .integer(kept.0), .text(kept.1), .integer(kept.2), .integer(kept.3)])
            }
        }
        return try store(observation, of: group, person, metric, tables.database)
    }

    private func store(
        _ observation: Observation, of group: ObservationGroup, _ person: Int64, _ metric: Int64, _ database: Database
    ) throws -> Bool {
        var (value, text) = (SQLiteValue.null, SQLiteValue.null)
        switch observation.content {
        case .value(let number): value = .real(number)
        case .text(let words): text = .text(words)
        case .samples: return false
        }
        let key: [SQLiteValue] = [
            .integer(person), .integer(metric), .integer(observation.time.microseconds), .text(group.source),
            .integer(Int64(observation.sequence)),
        ]
        if observation.interval > 0 {
            // An earlier version stored it without its interval.
            try database.run(
                """
                DELETE FROM reading WHERE person = ? AND metric = ? AND time = ? AND source = ? AND sequence = ? AND interval = 0
                    AND value IS ? AND text IS ?
                """, key + [value, text])
        }
        try database.run(
            """
            INSERT INTO reading VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (person, metric, time, source, sequence, interval)
            DO UPDATE SET value = excluded.value, text = excluded.text, zone = excluded.zone, received = excluded.received
            WHERE excluded.received >= received AND (excluded.value IS NOT value OR excluded.text IS NOT text)
            """,
            key + [
                .integer(Int64(observation.interval)), value, text, observation.zone.map { .integer(Int64($0)) } ?? .null,
                .integer(group.received.microseconds),
            ])
        return database.changes > 0
    }
}
