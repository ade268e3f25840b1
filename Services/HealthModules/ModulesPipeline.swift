import Foundation
package import MessageBus
package import Observability
import ServiceKit
import VigilSchema

/// Stores observations from the bus, and acknowledges a delivery once they are stored. Modules run afterwards.
///
/// Also watches orders to the timeline: changed profiles and entries are read again, and erased people are removed.
package struct ModulesPipeline<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    /// The time that the timeline gets to carry out an order, in seconds.
    private static var timelineDelay: Double { 2 }

    private let batches: Batches
    private let intake: ReadingIntake
    private let host: ModuleHost
    private let metrics: ModulesMetrics
    private let log: Logger

    package init(batches: Batches, intake: ReadingIntake, host: ModuleHost, metrics: ModulesMetrics, log: Logger) {
        self.batches = batches
        self.intake = intake
        self.host = host
        self.metrics = metrics
        self.log = log
    }

    package func run() async throws {
        for try await delivery in batches {
            let start = ContinuousClock.now
            do {
                try await take(delivery.messages)
                delivery.settle(.committed)
                metrics.settling.observe(start.duration(to: .now))
                host.wake()
            } catch {
                delivery.settle(.rejected)
                if Task.isCancelled { return }
                log.error("delivery given back", ["messages": "\(delivery.messages.count)", "error": "\(error)"])
            }
        }
    }

    private func take(_ messages: [IncomingMessage]) async throws {
        var live: [ObservationGroup] = []
        var history: [ObservationGroup] = []
        metrics.messages.add(messages.count)
        for message in messages {
            if message.topic.hasPrefix("\(Topic.prefix)requests/") {
                try await watch(message)
            } else if let batch = try? BatchDecoder().decode(message.payload.span) {
                if message.topic.hasPrefix("\(Topic.prefix)history/") { history += batch.groups } else { live += batch.groups }
            } else {
                metrics.malformed.add()
                log.warning("message is no batch", ["topic": message.topic])
            }
        }
        try await take(live, isHistory: false)
        try await take(history, isHistory: true)
    }

    private func take(_ groups: [ObservationGroup], isHistory: Bool) async throws {
        guard !groups.isEmpty else { return }
        let counts = try await intake.take(groups, isHistory: isHistory, now: host.now())
        metrics.kept.add(counts.kept)
        metrics.known.add(counts.known)
        metrics.passedOver.add(counts.passedOver)
    }

    /// Notes an order to the timeline.
    private func watch(_ message: IncomingMessage) async throws {
        guard !message.retained, let request = try? JSONDecoder().decode(TimelineRequest.self, from: Data(message.payload)) else { return }
        let time = host.now()
        switch request.query {
        case .setProfile(_, let participant), .addEntries(_, let participant, _), .restore(_, let participant, _),
            .removeEntry(_, let participant):
            try await host.state.refresh(participant, at: time + Self.timelineDelay)
        case .erase(let participant), .removeReadings(_, let participant, _, _):
            try await host.state.rebuild(participant, before: time, at: time + Self.timelineDelay)
        case .undoImport: try await host.state.rebuild(nil, before: time, at: time + Self.timelineDelay)
        default: return
        }
    }
}
