import HTTPClient
package import ServiceKit
package import Settings
import VigilSchema

/// An HTTP server that is asked for readings now and then, and under whose name they go on. Every setting can change while it runs.
package struct PolledSource: Sendable {
    /// For logs, metrics and parameters.
    package let name: String
    /// Its address; empty: it has none.
    package let url: LiveValue<String>
    /// From one request to the next.
    package let interval: LiveValue<Duration>
    /// The participant whose readings they are.
    package let participant: LiveValue<String>
    package let device: LiveValue<String>
    /// The meanings of the server's names, beside the usual ones.
    package let names: LiveValue<[String: String]>

    package init(
        name: String, url: LiveValue<String>, interval: LiveValue<Duration>, participant: LiveValue<String>,
        device: LiveValue<String>, names: LiveValue<[String: String]>
    ) {
        self.name = name
        self.url = url
        self.interval = interval
        self.participant = participant
        self.device = device
        self.names = names
    }

    /// The way its answers are read: with an envelope or without.
    var format: SensorsFormat { SensorsFormat(names: SensorNames(additional: names.current), requiresEnvelope: false) }

    /// As whom it sends.
    var address: DeviceAddress { DeviceAddress(participant: participant.current, device: device.current) }
}

/// The settings of one polled server: flags, environment variables, and parameters that can be set while it runs.
package struct PollSettings: Sendable {
    let name: String
    let url: Setting<String>
    let interval: Setting<Duration>
    let participant: Setting<String>
    let device: Setting<String>
    let names: Setting<[String: String]>

    package static let eHealth = PollSettings("ehealth", server: "an e-Health server that answers {\"Sensors\": {…}}")
    package static let vehicle = PollSettings("vehicle", server: "a vehicle's CAN server that answers {\"speed\": …}")

    private init(_ name: String, server: String) {
        self.name = name
        url = Setting("\(name)-url", .webAddress, default: "", help: "The address of \(server), which is polled; empty: none.")
        interval = Setting(
            "\(name)-interval", .duration(in: .milliseconds(100) ... .seconds(86_400)), default: .seconds(1),
            help: "The time from one request to the \(name) server to the next.")
        participant = Setting("\(name)-participant", .name, default: "unknown", help: "The participant of the \(name) server's readings.")
        device = Setting("\(name)-device", .name, default: name, help: "The device's name for the \(name) server's readings.")
        names = Setting(
            "\(name)-names", .nameMap, default: [:], help: "Further names of the \(name) server and their metrics.")
    }

    package var all: [any AnySetting] { [url, interval, participant, device, names] }

    /// The source that they describe; what was set while running goes first.
    package func source(_ exchange: Exchange, _ configuration: Configuration) async throws -> PolledSource {
        PolledSource(
            name: name, url: try await exchange.live(url, configuration), interval: try await exchange.live(interval, configuration),
            participant: try await exchange.live(participant, configuration), device: try await exchange.live(device, configuration),
            names: try await exchange.live(names, configuration))
    }
}

extension ValueFormat where Value == String {
    /// An address that can be fetched, or nothing.
    static let webAddress = ValueFormat<String>(
        accepts: "an address that begins with http:// or https://, or nothing for none", placeholder: "URL",
        read: { text in
            if text.isEmpty { return "" }
            return (try? HTTPClient.check(text)) == nil ? nil : text
        }, write: { $0 })
}

extension ValueFormat where Value == [String: String] {
    /// Names and what they mean.
    static let nameMap = ValueFormat<[String: String]>(
        accepts: "pairs such as Flux=airflow,GSR2=skin-conductance", placeholder: "NAME=METRIC,…",
        read: { text in
            var map: [String: String] = [:]
            for pair in text.split(separator: ",") {
                let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
                guard sides.count == 2, !sides[0].isEmpty, Name.isValid(sides[1]) else { return nil }
                map[String(sides[0])] = String(sides[1])
            }
            return map
        }, write: { map in map.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",") })
}
