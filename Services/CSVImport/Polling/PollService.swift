import Foundation
import MessageBus
import Observability
import ServiceKit
import VigilSchema

/// Asks every source by its timetable, each in a task of its own, so that one which hangs delays no other.
struct PollService: Service {
    /// The interval of looks at what is due.
    private static let step = Duration.milliseconds(200)

    let records: PollRecords
    let sink: any PatientSink
    let ledger: any Ledger
    /// The folder for downloaded content.
    let folder: String
    /// The largest answer in bytes.
    let limit: Int
    let metrics: MetricsRegistry
    let log: Logger

    func run() async throws {
        let executor = BlockingExecutor(label: "vigil.import.poll")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for source in records.sources {
                // Reading takes long without suspending.
                group.addTask { try await withTaskExecutorPreference(executor) { try await follow(source) } }
            }
            try await group.waitForAll()
        }
    }

    /// The rounds of one source.
    func pull(_ source: PolledSource) -> PollPull {
        PollPull(
            source: source, client: PollClient(source, limit: limit),
            delivery: PollDelivery(source: source, sink: sink, ledger: ledger), records: records, folder: folder)
    }

    private func follow(_ source: PolledSource) async throws {
        let gauges = PollGauges(source, metrics)
        let pull = pull(source)
        gauges.show(await records[source], next: nil)
        while true {
            while await !records.isDue(source, now: Timestamp.now.seconds) { try await ContinuousClock().sleep(for: Self.step) }
            await records.begin(source)
            let record = try await ask(pull)
            let now = Timestamp.now.seconds
            var random = SystemRandomNumberGenerator()
            let next = (record.tried ?? now) + record.pause(source, now: now, using: &random) / .seconds(1)
            await records.end(source, next: next)
            gauges.show(record, next: next)
        }
    }

    /// One round; what failed is noted in the record that is returned.
    func ask(_ pull: PollPull) async throws -> PollRecord {
        var record = await records[pull.source]
        guard !record.isStopped else { return record }
        record.tried = Timestamp.now.seconds
        let (wasFailing, refused) = (record.failures > 0, record.refused)
        record.refused = 0
        do {
            let failure = try await round(pull, &record)
            if record.refused == 0 { record.refused = refused }
            if let failure { throw failure }
            record.succeed(at: Timestamp.now.seconds)
            if wasFailing { log.notice("a source answers again", ["source": pull.source.name]) }
        } catch {
            try Task.checkCancellation()
            // The participant was erased meanwhile.
            if error is CancellationError { return await records[pull.source] }
            let failure = error as? PollFailure
            record.fail(
                failure?.description ?? (error as? ImportError)?.message ?? "\(error)", retryAfter: failure?.retryAfter,
                at: Timestamp.now.seconds)
            if !wasFailing { log.warning("a source cannot be read", ["source": pull.source.name, "error": record.failure ?? ""]) }
        }
        do { try await records.save(record) } catch is CancellationError where !Task.isCancelled { return await records[pull.source] }
        return record
    }

    /// Runs a round, which ends when the source is stopped.
    /// - Returns: what ended it early.
    /// - Throws: `CancellationError` where the source was stopped or the task is cancelled.
    private func round(_ pull: PollPull, _ record: inout PollRecord) async throws -> (any Error)? {
        let before = record
        let outcome = try await withThrowingTaskGroup(of: (PollRecord, (any Error)?)?.self) { group in
            group.addTask {
                var record = before
                do { try await pull.run(&record) } catch { return (record, error) }
                return (record, nil)
            }
            group.addTask {
                try await records.stopped(pull.source)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let outcome else { throw CancellationError() }
        record = outcome.0
        return outcome.1
    }
}

/// A source's metrics.
private struct PollGauges {
    private let up: Gauge
    private let succeeded: Gauge
    private let next: Gauge
    private let failures: Gauge

    init(_ source: PolledSource, _ metrics: MetricsRegistry) {
        let labels = ["source": source.name]
        up = metrics.gauge("vigil_import_source_up", help: "1 while the source answers, else 0", labels: labels)
        succeeded = metrics.gauge(
            "vigil_import_source_last_success_timestamp_seconds", help: "The time at which the source was last read", labels: labels)
        next = metrics.gauge(
            "vigil_import_source_next_try_timestamp_seconds", help: "The time at which the source is asked next", labels: labels)
        failures = metrics.gauge("vigil_import_source_failures", help: "Failures of the source in a row", labels: labels)
    }

    func show(_ record: PollRecord, next due: Double?) {
        up.set(record.failures == 0 ? 1 : 0)
        succeeded.set(record.succeeded ?? 0)
        next.set(due ?? 0)
        failures.set(Double(record.failures))
    }
}

/// Tells the bus of sources that are silent, as `TechnicalMetric.deviceServer` of `_module.<service>.<source>`: the rule for polled servers raises an
/// alarm for each, which no other source ends.
struct PollWatch: Service {
    private static let step = Duration.seconds(1)
    /// The interval of repetitions, for new subscribers.
    private static let repetition = 600.0

    let records: PollRecords
    let publisher: any MessagePublisher
    let service: String
    let log: Logger

    func run() async throws {
        // What an earlier process told still stands.
        var told: [String: Double] = [:]
        for source in records.sources where await records[source].isSilent(source, now: Timestamp.now.seconds) { told[source.name] = 0 }
        while true {
            await look(&told, Timestamp.now.seconds)
            try await ContinuousClock().sleep(for: Self.step)
        }
    }

    /// Tells what has changed, and repeats what is silent.
    /// - Parameter told: when each silent source was told of last, by name.
    func look(_ told: inout [String: Double], _ now: Double) async {
        for source in records.sources {
            let isSilent = await records[source].isSilent(source, now: now)
            let isDue = told[source.name].map { isSilent ? abs(now - $0) >= Self.repetition : true } ?? isSilent
            let participant = TechnicalMetric.participant(service: service, instance: source.name)
            if isDue, await publish(isSilent, participant) { told[source.name] = isSilent ? now : nil }
        }
    }

    private func publish(_ isSilent: Bool, _ participant: String) async -> Bool {
        do {
            try await publisher.publish(
                technical: TechnicalMetric.deviceServer, isSilent ? "failing" : "answering", of: participant, source: service, at: .now)
            return true
        } catch {
            log.warning("a silent source could not be told", ["error": "\(error)"])
            return false
        }
    }
}

extension PollRecord {
    /// Whether it has not been read for longer than it may be silent.
    func isSilent(_ source: PolledSource, now: Double) -> Bool {
        !isStopped && failures > 0 && now - (succeeded ?? begun) > source.silence / .seconds(1)
    }
}
