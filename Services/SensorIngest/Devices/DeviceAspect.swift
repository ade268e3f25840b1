package import VigilSchema

/// What is told of a participant's devices as technical metrics, which alert rules name.
package enum DeviceAspect: Sendable, Hashable, CaseIterable {
    /// Whether their messages are taken.
    case admission
    /// By how many seconds a clock is ahead.
    case clock
    /// Whether they keep to their rate.
    case rate
    /// Whether the server answers that is polled for one.
    case server

    /// The metric's name.
    package var metric: String {
        switch self {
        case .admission: TechnicalMetric.deviceStatus
        case .clock: TechnicalMetric.clockOffset
        case .rate: TechnicalMetric.deviceRate
        case .server: TechnicalMetric.deviceServer
        }
    }

    /// The metric's unit.
    package var unit: String { self == .clock ? "s" : "1" }

    /// What is told.
    /// - Parameter worst: what is wrong with the device with which it is worst; nil where nothing is.
    package func content(_ worst: Double?) -> Observation.Content {
        switch self {
        case .admission: .text(worst == nil ? "active" : "quarantined")
        case .clock: .value(worst ?? 0)
        case .rate: .text(worst == nil ? "within-limit" : "exceeded")
        case .server: .text(worst == nil ? "answering" : "failing")
        }
    }
}
