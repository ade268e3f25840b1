/// An alert as others see it.
package struct AlertSnapshot: Hashable, Sendable {
    package enum Phase: String, Sendable { case none, pending, active }

    package var phase: Phase
    package var severity: Severity
    package var priority: AlertPriority
    package var isAcknowledged: Bool
    /// The condition ended, but the alert is latched.
    package var isRecovered: Bool
    package var isInhibited: Bool
    package var isDataLost: Bool
    package var isSilenced: Bool
    /// When its condition began, before its delay: event time, microseconds.
    package var since: Int64
    /// Wall time, microseconds.
    package var silencedUntil: Int64?
    /// What decided: the metric's place, its value, and the threshold that it was compared with.
    package var metric: Int?
    package var value: Double?
    package var threshold: Double?
}
