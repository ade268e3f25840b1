/// A change of an alert, with its cause and what the alert is after it.
package struct AlertEvent: Hashable, Sendable {
    /// The event.
    package enum Transition: String, Sendable, CaseIterable {
        case pending, cancelled, raised, acknowledged, escalated, silenced, unsilenced, inhibited, uninhibited, cleared
        case severityRaised = "severity-raised"
        case severityLowered = "severity-lowered"
        /// A latched alert's condition ended.
        case recovered
        /// A latched alert's condition holds again, or that of an alert whose data were lost for long: another episode.
        case recurred
        case dataLost = "data-lost"
        case dataBack = "data-back"
        case silenceEnded = "silence-ended"
        case thresholdChanged = "threshold-changed"
        case profileChanged = "profile-changed"
        /// An alert that was ended by hand may alarm again.
        case clearEnded = "clear-ended"
        /// An acknowledged alert became worse by a margin within its severity: nobody has acknowledged that.
        case worsened
        /// An acknowledgement ended while its alert goes on.
        case reminded
        /// A critical reading that is too old to be judged as the present, of a rule that has no alert.
        case foundLate = "found-late"
    }

    /// The reason why it happened.
    package enum Cause: String, Sendable {
        /// A reading met, or no longer met, the condition.
        case reading
        /// A timer ran out.
        case timer
        /// Somebody's command.
        case command
        /// Another rule's alert.
        case inhibition
        /// The rule was removed or changed.
        case rules
    }

    package var participant: Int
    /// The rule's place in the set.
    package var rule: Int
    /// The alert's events are numbered from 1; with participant and rule it is the event's identity.
    package var sequence: UInt32
    package var transition: Transition
    package var cause: Cause
    /// Event time, microseconds since 1970.
    package var time: Int64
    /// The alert after it.
    package var alert: AlertSnapshot
    package var actor: String?
    package var reason: String?
    /// The escalation's addressee.
    package var escalatedTo: String?
}

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
    /// The beginning of its condition, before its delay: event time, microseconds.
    package var since: Int64
    /// Wall time, microseconds.
    package var silencedUntil: Int64?
    /// Until when what was ended by hand stays quiet; wall time, microseconds.
    package var clearedUntil: Int64?
    /// The deciding reading: the metric's place, its value, and the threshold that it was compared with.
    package var metric: Int?
    package var value: Double?
    package var threshold: Double?
}
