import Foundation
package import MessageBus
package import Observability
import ServiceKit
import VigilSchema

/// Takes what the bus says into the hub. What cannot be read is counted and passed over: pictures are no place to refuse anything.
package struct BusFeed<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let hub: LiveHub
    private let unreadable: Counter
    private let decoder = BatchDecoder()

    package init(batches: Batches, hub: LiveHub, metrics: MetricsRegistry) {
        self.batches = batches
        self.hub = hub
        unreadable = metrics.counter("vigil_dashboard_unreadable_total", help: "Messages of the bus that could not be read.")
    }

    /// Its subscriptions. Nothing waits for it at the broker while it is away: it begins with what is retained.
    package static var subscriptions: [Subscription] {
        [Topic.Filter.observations, "\(Topic.prefix)latest/+/+", Topic.Filter.alerts, Topic.Filter.moduleStatus]
            .map { Subscription($0, qos: .atMostOnce) } + [Subscription("\(Topic.prefix)modules/+/exchange", qos: .atMostOnce)]
    }

    package func run() async throws {
        for try await batch in batches {
            for message in batch.messages { take(message) }
            batch.settle(.committed)
        }
    }

    private func take(_ message: IncomingMessage) {
        guard let topic = try? Topic(parsing: message.topic) else { return }
        switch topic {
        case .readings, .waveforms, .derived: takeBatch(message)
        case .latest(let participant, let metric): takeLatest(message, participant, metric)
        case .alert(let participant, let rule): takeAlert(message, participant, rule)
        case .moduleStatus(let service, let instance): takeModule(message, "\(service)/\(instance)")
        case .moduleExchange(let service): takeExchange(message, service)
        default: break
        }
    }

    private func takeBatch(_ message: IncomingMessage) {
        do {
            hub.take(try decoder.decode(message.payload.span))
        } catch {
            unreadable.add()
        }
    }

    private func takeLatest(_ message: IncomingMessage, _ participant: String, _ metric: String) {
        guard !message.payload.isEmpty else { return hub.forget(metric, of: participant) }
        guard let reading = try? JSONDecoder().decode(KeptReading.self, from: Data(message.payload)),
            let content = reading.value.map({ Observation.Content.value($0) }) ?? reading.text.map({ .text($0) })
        else { return unreadable.add() }
        hub.take(
            remembered: LivePicture.Value(time: reading.time, source: "", content: content, unit: reading.unit ?? "1"), metric,
            of: participant)
    }

    private func takeAlert(_ message: IncomingMessage, _ participant: String, _ rule: String) {
        guard !message.payload.isEmpty else { return hub.take(alert: nil, rule, of: participant) }
        do {
            let alert = try AlertMessage(decoding: message.payload)
            try alert.validate()
            hub.take(alert: alert.state == "none" ? nil : alert, rule, of: participant)
        } catch {
            unreadable.add()
        }
    }

    private func takeModule(_ message: IncomingMessage, _ name: String) {
        guard let report = try? JSONDecoder().decode(ModuleReport.self, from: Data(message.payload)),
            let json = try? JSONEncoder().encode(report)
        else { return unreadable.add() }
        hub.take(module: String(decoding: json, as: UTF8.self), named: name)
    }

    private func takeExchange(_ message: IncomingMessage, _ service: String) {
        guard let items = try? JSONDecoder().decode([OfferedParameter].self, from: Data(message.payload)),
            let json = try? JSONEncoder().encode(items)
        else { return unreadable.add() }
        hub.take(exchange: String(decoding: json, as: UTF8.self), of: service)
    }
}

/// Fetches from the timeline the newest values of participants that somebody looks at, so that a picture is there before the next reading.
struct PastValues: Sendable {
    let hub: LiveHub
    let bus: SuiteClient

    /// Asks once for each of them; a timeline that is away is asked again with the next viewer.
    func fill(_ participants: [String]) async {
        for participant in participants where hub.shouldFill(participant) {
            do {
                let values = try await bus.timeline(.latest(participant: participant), as: [LatestValue].self)
                for value in values { take(value, participant) }
            } catch {
                return hub.fillFailed(participant)
            }
        }
    }

    private func take(_ value: LatestValue, _ participant: String) {
        guard let content = value.content else { return }
        hub.take(
            remembered: LivePicture.Value(time: value.time, source: value.source, content: content, unit: value.unit), value.metric,
            of: participant)
    }
}

private struct KeptReading: Decodable {
    let time: Timestamp
    let value: Double?
    let text: String?
    let unit: String?
}

private struct ModuleReport: Codable {
    let service: String
    let instance: String
    let state: String
    let version: String
    let since: Double
}

private struct OfferedParameter: Codable {
    let name: String
    let type: String
    let readonly: Bool
    let description: String
}
