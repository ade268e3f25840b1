package import Signals

/// What is remembered of a person over restarts.
package struct StressProfile: Hashable, Sendable {
    /// How stress is computed; nil for the service's default.
    package var mode: StressMode?
    /// The person at rest; nil until a calibration succeeded.
    package var baseline: StressBaseline?
    /// When that was, Unix seconds.
    package var calibratedAt: Double?
    /// Bounds given by hand for the base and built modes.
    package var bounds: StressBounds?

    /// Of someone of whom nothing is known.
    package init() {}
}
