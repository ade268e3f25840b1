import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// Turns messages of the bus into lines for people.
struct WatchLines: Sendable {
    /// Empty: all.
    let participants: Set<String>
    /// Empty: all.
    let metrics: Set<String>
    let showsWaveforms: Bool
    let language: WatchLanguage
    let output: WatchOutput
    private let decoder = BatchDecoder()

    init(
        participants: Set<String>, metrics: Set<String>, showsWaveforms: Bool, language: WatchLanguage = .en, output: WatchOutput = .text
    ) {
        self.participants = participants
        self.metrics = metrics
        self.showsWaveforms = showsWaveforms
        self.language = language
        self.output = output
    }

    /// The subscriptions that bring what is to be shown.
    var subscriptions: [Subscription] {
        let partitions = Set(participants.map { Partition(participant: $0) }).sorted()
        var filters = partitions.isEmpty ? Topic.Filter.readings + Topic.Filter.derived : []
        filters += partitions.flatMap { Topic.readings($0).paths + Topic.derived($0).paths }
        if showsWaveforms { filters += partitions.isEmpty ? Topic.Filter.waveforms : partitions.flatMap { Topic.waveforms($0).paths } }
        filters += [Topic.Filter.alertEvents, Topic.Filter.rejects, Topic.Filter.moduleStatus]
        return filters.map { Subscription($0, qos: .atMostOnce) }
    }

    /// The lines for a message; none where nobody wants to see it.
    func lines(_ message: IncomingMessage) -> [String] {
        guard let topic = try? Topic(parsing: message.topic) else { return [] }
        if output == .json { return WatchRecord.lines(message, topic, self) }
        switch topic {
        case .readings, .waveforms, .derived: return observations(message)
        case .alertEvent(let participant, let rule): return shows(participant) ? [alert(participant, rule, message)] : []
        case .reject(let participant, let device): return shows(participant) ? [reject(participant, device, message)] : []
        case .moduleStatus(let service, let instance): return [status(service, instance, message)]
        default: return []
        }
    }

    func shows(_ participant: String) -> Bool { participants.isEmpty || participants.contains(participant) }

    private func observations(_ message: IncomingMessage) -> [String] {
        guard let batch = try? decoder.decode(message.payload.span) else { return ["a batch that cannot be read on \(message.topic)"] }
        return batch.groups.filter { shows($0.participant) }.flatMap { group in
            group.observations.filter { metrics.isEmpty || metrics.contains($0.metric) }.map { line(group, $0) }
        }
    }

    private func line(_ group: ObservationGroup, _ observation: Observation) -> String {
        let content =
            switch observation.content {
            case .value(let value): "\(number(value))\(observation.unit == "1" ? "" : " \(observation.unit)")"
            case .text(let text): text
            case .samples(let samples, let period):
                "\(samples.count) samples of \(number(period)) s, \(number(samples.min() ?? 0))…\(number(samples.max() ?? 0)) \(observation.unit)"
            }
        return "\(clock(observation.time))  \(group.participant)  \(group.source)  \(observation.metric)  \(content)"
    }

    private func alert(_ participant: String, _ rule: String, _ message: IncomingMessage) -> String {
        guard let alert = try? AlertMessage(decoding: message.payload) else { return "an alert that cannot be read on \(message.topic)" }
        let words = [language.text(alert.title) ?? rule, language.text(alert.message)].compactMap(\.self).joined(separator: ": ")
        let value =
            alert.value.map {
                "  (\(number($0))\(alert.metric.flatMap(MetricCatalogue.standard.definition(named:)).map { " \($0.unit)" } ?? ""))"
            } ?? ""
        return
            "\(clock(Timestamp(seconds: alert.time)))  \(participant)  \(language.word(alert.transition))  \(language.word(alert.severity))  \(words)\(value)"
    }

    /// The line for what happens to the connection; nil where nobody need know.
    func line(_ event: BusEvent) -> String? {
        switch event {
        case .ready: "\(clock(.now))  \(language.word("connected"))"
        case .disconnected(let error): "\(clock(.now))  \(language.word("disconnected")): \(error)"
        default: nil
        }
    }

    private func reject(_ participant: String, _ device: String, _ message: IncomingMessage) -> String {
        guard let reject = try? Reject(decoding: message.payload) else { return "a reject that cannot be read on \(message.topic)" }
        return
            "\(clock(Timestamp(seconds: reject.time)))  \(participant)  \(device)  \(language.word("refused")) \(reject.path): \(reject.reason)"
    }

    private func status(_ service: String, _ instance: String, _ message: IncomingMessage) -> String {
        "\(clock(.now))  \(service) (\(instance)) \(language.word(fields(message, ["state"])))"
    }

    /// Some members of a JSON object, as words.
    private func fields(_ message: IncomingMessage, _ names: [String]) -> String {
        let object = try? JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any]
        return names.compactMap { object?[$0] }.map { "\($0)" }.joined(separator: "  ")
    }

    func number(_ value: Double) -> String { String(format: "%.6g", value) }

    private func clock(_ time: Timestamp) -> String {
        let format = Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false)
        return Date(timeIntervalSince1970: time.seconds).formatted(format)
    }
}
