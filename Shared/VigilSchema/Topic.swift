/// Every MQTT topic of the suite, built and parsed in one place.
public enum Topic: Hashable, Sendable {
    /// The levels that every topic starts with.
    public static let prefix = "vigil/v1/"

    /// What a device sends, in any accepted format.
    case ingest(participant: String, device: String)
    /// Canonical observations, live: numbers and texts.
    case readings(Partition)
    /// Canonical observations, live: blocks of samples.
    case waveforms(Partition)
    /// Canonical observations from imports: stored, never alarmed on.
    case history(Partition)
    /// The newest reading of a series, retained.
    case latest(participant: String, metric: String)
    /// The present state of an alert, retained; empty when there is none.
    case alert(participant: String, rule: String)
    /// A transition of an alert.
    case alertEvent(participant: String, rule: String)
    /// Acknowledge, silence, unsilence, clear.
    case alertCommand(participant: String, rule: String)
    /// Calibrate, set the mode or the bounds of a participant's stress analysis.
    case stressCommand(participant: String)
    /// What became of a message whose publisher asked.
    case receipt(participant: String, device: String)
    /// An answer to what an account asked, below the account's own level; `request` may have several levels, or be empty.
    case response(account: String, request: String)
    /// What was refused, why, and where.
    case reject(participant: String, device: String)
    /// Requests to the timeline.
    case timelineQueries
    /// Whether a service's instance is online, retained, with a last will.
    case moduleStatus(service: String, instance: String)
    /// A service's parameters, retained.
    case moduleExchange(service: String)
    /// Reads a parameter.
    case moduleGet(service: String)
    /// Sets a parameter.
    case moduleSet(service: String)

    /// The topic as MQTT wants it.
    public var path: String { Topic.prefix + suffix }

    private var suffix: String {
        switch self {
        case .ingest(let participant, let device): "ingest/\(participant)/\(device)"
        case .readings(let partition): "observations/\(partition)/readings"
        case .waveforms(let partition): "observations/\(partition)/waveforms"
        case .history(let partition): "history/\(partition)"
        case .latest(let participant, let metric): "latest/\(participant)/\(metric)"
        case .alert(let participant, let rule): "alerts/\(participant)/\(rule)"
        case .alertEvent(let participant, let rule): "alert-events/\(participant)/\(rule)"
        case .alertCommand(let participant, let rule): "alert-commands/\(participant)/\(rule)"
        case .stressCommand(let participant): "stress-commands/\(participant)"
        case .receipt(let participant, let device): "receipts/\(participant)/\(device)"
        case .response(let account, let request): "responses/\(account)" + (request.isEmpty ? "" : "/\(request)")
        case .reject(let participant, let device): "rejects/\(participant)/\(device)"
        case .timelineQueries: "timeline/queries"
        case .moduleStatus(let service, let instance): "modules/\(service)/\(instance)/status"
        case .moduleExchange(let service): "modules/\(service)/exchange"
        case .moduleGet(let service): "modules/\(service)/get"
        case .moduleSet(let service): "modules/\(service)/set"
        }
    }
}
