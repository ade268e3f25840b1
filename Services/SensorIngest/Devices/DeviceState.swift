package import VigilSchema

/// A device's own state as it reports it beside its measurements. It belongs to the device: nothing of it is a person's reading.
package struct DeviceState: Sendable, Hashable {
    /// The charge of the battery in per cent. A device that only says that its battery is low has `lowBattery`.
    package var battery: Double?
    /// The signal strength with its unit, as `-60 dBm`.
    package var signal: String?
    package var firmware: String?
    /// The last contact with the device, as its bridge reports it.
    package var contact: Timestamp?

    /// The charge that a warning without a number stands for, in per cent.
    static let lowBattery = 10.0

    package init() {}

    package var isEmpty: Bool { battery == nil && signal == nil && firmware == nil && contact == nil }

    /// Takes from another what is missing.
    mutating func fill(from other: DeviceState) {
        battery = battery ?? other.battery
        signal = signal ?? other.signal
        firmware = firmware ?? other.firmware
        contact = contact ?? other.contact
    }

    /// Takes over what a later report says.
    mutating func adopt(_ later: DeviceState) {
        var merged = later
        merged.fill(from: self)
        self = merged
    }

    /// For messages: `battery 80 %, signal -60 dBm`.
    var words: String {
        let parts = [
            battery.map { "battery \(Int($0.rounded())) %" }, signal.map { "signal \($0)" }, firmware.map { "firmware \($0)" },
            contact.map { "last contact \($0.seconds)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
