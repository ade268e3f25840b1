/// The settings that change while ingest runs; looked up for each delivery.
package struct IngestPolicy: Sendable, Hashable {
    package var devices: DevicePolicy
    /// Whether the newest reading of each series is published, retained.
    package var publishesLatest: Bool

    package init(devices: DevicePolicy = DevicePolicy(), publishesLatest: Bool = false) {
        self.devices = devices
        self.publishesLatest = publishesLatest
    }
}
