import Foundation
package import MessageBus
package import Observability
import ServiceKit
import Synchronization
package import VigilSchema

/// Publishes the newest reading of each series on `latest/<participant>/<metric>`, retained, at most once a second.
package struct LatestPublisher: Service {
    private let cache: LatestValueCache
    private let publisher: any MessagePublisher
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    package init(
        cache: LatestValueCache, publisher: any MessagePublisher, log: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.cache = cache
        self.publisher = publisher
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        while true {
            do { try await clock.sleep(for: .milliseconds(100)) } catch { return }
            do {
                try await publishDue()
            } catch {
                // A display that misses a reading gets the next one.
                log.debug("latest readings not published", ["error": "\(error)"])
            }
        }
    }

    /// Publishes what is due now.
    package func publishDue() async throws {
        for (topic, observation) in cache.due(at: now()) {
            try await publisher.publish(
                OutgoingMessage(
                    topic: topic.path, payload: BatchEncoder.encode(observation), qos: .atMostOnce, retained: true,
                    properties: MessageProperties(contentType: MediaType.json)))
        }
    }
}

/// The newest reading of each series, until it was published. Threading: from anywhere. Bounded: beyond `capacity` series, new ones are
/// left out.
package final class LatestValueCache: Sendable {
    struct Series: Hashable {
        let participant: String
        let metric: String
    }

    private struct Newest {
        var observation: Observation
        var isNew = true
        var published: Timestamp?
    }

    /// How far a reading's time may be ahead of its receipt, in seconds.
    private static let lead = 60.0

    private let series = Mutex<[Series: Newest]>([:])
    private let capacity: Int

    package init(capacity: Int = 50_000) { self.capacity = capacity }

    /// Takes the readings of batches; blocks of samples are left out.
    package func note(_ batches: [ObservationBatch]) {
        series.withLock { series in
            for group in batches.lazy.flatMap(\.groups) {
                let future = group.received.advanced(bySeconds: Self.lead)
                for observation in group.observations { note(observation, of: group.participant, from: future, in: &series) }
            }
        }
    }

    /// A participant's newest readings, as they are published.
    func newest(of participant: String) throws -> [[String: Any]] {
        let own = series.withLock { $0.filter { $0.key.participant == participant }.map { ($0.key.metric, $0.value.observation) } }
        return try own.sorted { $0.0 < $1.0 }.map { metric, observation in
            ["metric": metric, "reading": try JSONSerialization.jsonObject(with: Data(BatchEncoder.encode(observation)))]
        }
    }

    /// Forgets a participant's readings.
    /// - Returns: the topics on which some may be retained.
    package func erase(participant: String) -> [Topic] {
        series.withLock { series in
            let own = series.keys.filter { $0.participant == participant }
            for key in own { series[key] = nil }
            return own.map { .latest(participant: participant, metric: $0.metric) }
        }
    }

    /// Returns the readings newer than those published, of series that were not published within the last second.
    func due(at now: Timestamp) -> [(topic: Topic, observation: Observation)] {
        series.withLock { series in
            var due: [(Topic, Observation)] = []
            for (key, newest) in series where newest.isNew {
                // Unless the clock was set back since.
                if let published = newest.published, published <= now, now < published.advanced(bySeconds: 1) { continue }
                due.append((.latest(participant: key.participant, metric: key.metric), newest.observation))
                series[key]?.isNew = false
                series[key]?.published = now
            }
            return due
        }
    }

    /// - Parameter future: A time from which on none is right: what has one, as of before the clock was set back, gives way to what has not.
    private func note(
        _ observation: Observation, of participant: String, from future: Timestamp, in series: inout [Series: Newest]
    ) {
        if case .samples = observation.content { return }
        let key = Series(participant: participant, metric: observation.metric)
        if let known = series[key] {
            let isOutdated = known.observation.time >= future && observation.time < future
            guard isOutdated || observation.time >= known.observation.time else { return }
            series[key]?.observation = observation
            series[key]?.isNew = true
        } else if series.count < capacity, Name.isValid(observation.metric) {
            series[key] = Newest(observation: observation)
        }
    }
}
