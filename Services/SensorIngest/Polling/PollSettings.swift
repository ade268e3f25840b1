package import ServiceKit

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
        url = Setting("\(name)-url", .webAddress, default: "", help: "The address of \(server), asked at intervals; empty for none.")
        interval = Setting(
            "\(name)-interval", .duration(in: .milliseconds(100) ... .seconds(86_400)), default: .seconds(1),
            help: "From one request to the \(name) server to the next.")
        participant = Setting("\(name)-participant", .name, default: "unknown", help: "Whose readings the \(name) server's are.")
        device = Setting("\(name)-device", .name, default: name, help: "The device's name for the \(name) server's readings.")
        names = Setting(
            "\(name)-names", .nameMap, default: [:], help: "What the \(name) server's names mean, beside the usual ones.")
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
