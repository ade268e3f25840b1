/// What was decided about single devices.
package struct DeviceRuleSet: Sendable, Hashable {
    /// Those whose messages are refused.
    package var quarantined: Set<DeviceAddress> = []
    /// The participant of a device, by its name.
    package var bindings: [String: String] = [:]
    /// Clocks' offsets in microseconds, to be added to their times.
    package var offsets: [DeviceAddress: Int64] = [:]

    package init() {}
}
