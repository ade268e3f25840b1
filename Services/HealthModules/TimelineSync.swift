import Foundation
import Observability
import SQLiteDatabase
import ServiceKit
import VigilSchema

/// Reads missing data from the timeline: the past of new people, changed profiles and entries, and everything of people
/// whose past was changed.
///
/// One person and one query at a time, which leaves the timeline time for others. While it does not answer, modules
/// continue with what they have.
struct TimelineSync: Service {
    /// The time range of entries: from here to a day ahead.
    private static let beginning = Timestamp(seconds: -4_000_000_000)

    private let reader: TimelineReader
    private let host: ModuleHost
    private let intake: ReadingIntake
    private let metrics: ModulesMetrics
    private let log: Logger

    init(reader: TimelineReader, host: ModuleHost, intake: ReadingIntake, metrics: ModulesMetrics, log: Logger) {
        self.reader = reader
        self.host = host
        self.intake = intake
        self.metrics = metrics
        self.log = log
    }

    func run() async throws {
        var isListed = false
        var pause = 1.0
        while !Task.isCancelled {
            do {
                if !isListed {
                    try await host.state.know(try await reader.participants(), now: host.now())
                    isListed = true
                }
                while let person = try await host.state.nextRefresh(before: host.now()) { try await refresh(person) }
                pause = 1
            } catch is CancellationError {
                return
            } catch {
                if pause == 1 { log.warning("timeline not answering; modules continue with the data they have", ["error": "\(error)"]) }
                pause = min(pause * 2, 60)
            }
            try? await ContinuousClock().sleep(for: .seconds(pause))
        }
    }

    /// Reads one person. A failed reading is repeated later, after the others.
    private func refresh(_ person: RefreshedPerson) async throws {
        do {
            try await read(person)
            metrics.synced.add()
        } catch {
            try await host.state.postpone(person, now: host.now())
            throw error
        }
        host.wake()
    }

    private func read(_ person: RefreshedPerson) async throws {
        let now = host.now()
        var profile = try await reader.profile(of: person.name)
        let kinds = host.registry.modules.reduce(into: Set<TimelineEntry.Kind>()) { $0.formUnion($1.entryKinds) }
        let known = try await reader.entries(
            of: person.name, kinds.union([.condition]), from: Self.beginning, to: Timestamp(seconds: now + 86_400))
        profile.follow(known, at: Timestamp(seconds: now))
        let entries = known.filter { kinds.contains($0.kind) }
        if !person.isSynced {
            let known = try await reader.metrics(of: person.name).filter { host.registry.readers[$0] != nil }
            if person.rebuild != nil {
                try await host.state.forgetReadings(of: person)
                intake.forget()
            }
            for metric in known.sorted() { try await readHistory(metric, of: person.name, now: now) }
        }
        try await host.state.finish(person, profile, entries, host.registry, now: now)
    }

    private func readHistory(_ metric: String, of participant: String, now: Double) async throws {
        guard let retention = host.registry.retention(of: metric) else { return }
        let from = Timestamp(seconds: now - Double(retention.days) * 86_400)
        try await reader.readings(of: metric, participant, from: from, to: Timestamp(seconds: now + 86_400)) { groups in
            let counts = try await intake.take(groups, isHistory: true, now: now)
            metrics.kept.add(counts.kept)
            metrics.known.add(counts.known)
        }
    }
}
