/// What services tell of equipment, as metrics that technical alert rules name.
///
/// They travel as observations on `Topic.readings`, so they are judged, and kept in the timeline, like any other. The catalogue of what
/// devices may send does not hold them: no device can speak for itself here.
public enum TechnicalMetric {
    /// Seconds by which a device's clock is ahead of the suite's; negative: behind; 0: right again.
    public static let clockOffset = "clock-offset"
    /// `online`, `draining` or `offline`; `vigil-alert` takes it from the modules' retained status.
    public static let moduleStatus = "module-status"
    /// `reachable` or `unreachable`: whether a service's database answers.
    public static let databaseStatus = "database-status"
    /// `active` or `quarantined`: `quarantined` while any device of the participant is.
    public static let deviceStatus = "device-status"

    /// `within-limit` or `exceeded`: `exceeded` while any device of the participant sends more than its rate limit for a minute or longer.
    public static let deviceRate = "device-rate"
    /// `answering` or `failing`: the server that `vigil-ingest` polls for the participant.
    public static let deviceServer = "device-server"

    /// All of them.
    public static let all = [clockOffset, moduleStatus, databaseStatus, deviceStatus, deviceRate, deviceServer]

    /// The participant that stands for a service's instance: `_module.<service>.<instance>`, cut where it is too long for a name.
    public static func participant(service: String, instance: String) -> String {
        String("_module.\(service).\(instance)".prefix(Name.maximumLength))
    }
}
