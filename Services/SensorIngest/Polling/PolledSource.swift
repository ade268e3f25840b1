package import ServiceKit
import VigilSchema

/// An HTTP server that is asked for readings now and then, and under whose name they go on. Every setting can change while it runs.
package struct PolledSource: Sendable {
    /// For logs, metrics and parameters.
    package let name: String
    /// Where it is; empty: nowhere.
    package let url: LiveValue<String>
    /// From one request to the next.
    package let interval: LiveValue<Duration>
    /// Whose readings they are.
    package let participant: LiveValue<String>
    package let device: LiveValue<String>
    /// What the server's names mean, beside the usual ones.
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

    /// How its answers are read: with an envelope or without.
    var format: SensorsFormat { SensorsFormat(names: SensorNames(additional: names.current), requiresEnvelope: false) }

    /// As whom it sends.
    var address: DeviceAddress { DeviceAddress(participant: participant.current, device: device.current) }
}
