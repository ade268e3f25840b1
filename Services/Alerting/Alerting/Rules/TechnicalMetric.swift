/// What the service itself observes about equipment, as metrics that technical rules can name.
package enum TechnicalMetric {
    /// Seconds by which a reading's time differs from its receiving; positive: the clock is ahead.
    package static let clockOffset = "clock-offset"
    /// `online`, `draining` or `offline`, for participants named `_module.<service>.<instance>`.
    package static let moduleStatus = "module-status"
    /// `reachable` or `unreachable`.
    package static let databaseStatus = "database-status"
    /// `active` or `quarantined`.
    package static let deviceStatus = "device-status"

    /// All of them.
    package static let all = [clockOffset, moduleStatus, databaseStatus, deviceStatus]
}
