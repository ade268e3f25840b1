/// What the operator wants of devices. Settings that change while running: it is looked up for each delivery.
package struct DevicePolicy: Sendable, Hashable {
    /// Whether times are corrected by the clock's offset.
    package var correctsClocks: Bool
    /// Whether a device belongs to the participant for whom it sent first.
    package var bindsDevices: Bool
    /// Messages a second of one device; nil for no limit.
    package var rate: Double?

    package init(correctsClocks: Bool = false, bindsDevices: Bool = false, rate: Double? = nil) {
        self.correctsClocks = correctsClocks
        self.bindsDevices = bindsDevices
        self.rate = rate
    }
}
