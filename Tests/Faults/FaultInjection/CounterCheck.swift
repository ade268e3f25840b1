import SuiteHarness

/// Checks that what a service counts adds up.
enum CounterCheck {
    /// What does not add up; nil where all does, or where the service keeps no such counters.
    static func problem(_ service: SuiteService) -> String? {
        guard service.name == "vigil-timeline" else { return nil }
        let prefix = "vigil_timeline_observations_"
        guard let received = service.metric(prefix + "received_total") else { return "\(service.name) does not answer" }
        let parts = ["stored_total", "duplicate_total", "corrected_total", "rejected_total", "in_flight"]
        let sum = parts.compactMap { service.metric(prefix + $0) }.reduce(0, +)
        return sum == received ? nil : "\(service.name) received \(received) and accounts for \(sum)"
    }
}
