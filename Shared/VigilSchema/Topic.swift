/// Every MQTT topic of the suite, built and parsed in one place.
public enum Topic: Hashable, Sendable {
    /// The levels that every topic starts with.
    public static let prefix = "vigil/v1/"

    /// The messages that a device sends, in any accepted format.
    case ingest(participant: String, device: String)
    /// The measurements that a person types in: the account is the one that entered them.
    case manual(participant: String, account: String)
    /// Canonical observations, live: numbers and texts.
    case readings(Partition)
    /// Canonical observations, live: blocks of samples.
    case waveforms(Partition)
    /// Canonical observations, live, that `vigil-stress` derives from the two above: apart from them, so that it does not hear itself.
    case derived(Partition)
    /// Canonical observations from imports: stored, never alarmed on.
    case history(Partition)
    /// The newest reading of a series, retained.
    case latest(participant: String, metric: String)
    /// The present state of an alert, retained; empty when there is none.
    case alert(participant: String, rule: String)
    /// A transition of an alert.
    case alertEvent(participant: String, rule: String)
    /// The outcome for a message whose publisher asked.
    case receipt(participant: String, device: String)
    /// An answer to what an account asked, below the account's own level; `request` may have several levels, or be empty.
    case response(account: String, request: String)
    /// The refusal, why, and where.
    case reject(participant: String, device: String)
    /// A health module's message to a participant, retained; empty when it has nothing to say.
    case message(participant: String, module: String)
    /// An account's requests to a service: `timeline`, `alert`, `stress`, `import`; to export and erase, of each other too.
    case request(account: String, service: String)
    /// Lines for the audit trail, from a service with that account.
    case audit(account: String)
    /// A Boolean value that indicates whether a service's instance is online, retained, with a last will.
    case moduleStatus(service: String, instance: String)
    /// A service's parameters, retained.
    case moduleExchange(service: String)
    /// Reads a parameter.
    case moduleGet(service: String)
    /// Sets a parameter.
    case moduleSet(service: String)

    /// The topic as MQTT wants it, in the form of one machine.
    public var path: String { path(.plain) }

    /// The topic as MQTT wants it.
    public func path(_ form: Form) -> String { Topic.prefix + suffix(form) }

    private func suffix(_ form: Form) -> String {
        switch self {
        case .ingest(let participant, let device): "ingest/\(participant)/\(device)"
        case .manual(let participant, let account): "ingest/\(participant)/manual/\(account)"
        case .readings(let partition): "observations/\(form.levels(of: partition))/readings"
        case .waveforms(let partition): "observations/\(form.levels(of: partition))/waveforms"
        case .derived(let partition): "observations/\(form.levels(of: partition))/derived"
        case .history(let partition): "history/\(form.levels(of: partition))"
        case .latest(let participant, let metric): "latest/\(participant)/\(metric)"
        case .alert(let participant, let rule): "alerts/\(participant)/\(rule)"
        case .alertEvent(let participant, let rule): "alert-events/\(participant)/\(rule)"
        case .receipt(let participant, let device): "receipts/\(participant)/\(device)"
        case .response(let account, let request): "responses/\(account)" + (request.isEmpty ? "" : "/\(request)")
        case .reject(let participant, let device): "rejects/\(participant)/\(device)"
        case .message(let participant, let module): "messages/\(participant)/\(module)"
        case .request(let account, let service): "requests/\(account)/\(service)"
        case .audit(let account): "audit/\(account)"
        case .moduleStatus(let service, let instance): "modules/\(service)/\(instance)/status"
        case .moduleExchange(let service): "modules/\(service)/exchange"
        case .moduleGet(let service): "modules/\(service)/get"
        case .moduleSet(let service): "modules/\(service)/set"
        }
    }
}

extension Topic {
    /// The topic for a request to a service whose answer is to come on a topic below `responses/<account>`, which names the account.
    public static func request(answeredOn responseTopic: String, service: String) -> Topic {
        let account = responseTopic.hasPrefix("\(prefix)responses/") ? responseTopic.split(separator: "/").dropFirst(3).first : nil
        return .request(account: account.map(String.init) ?? "vigil", service: service)
    }

    /// Subscription filters, with the wildcards where the names would stand.
    public enum Filter {
        /// Everything that devices send.
        public static let ingest = "vigil/v1/ingest/#"
        /// All live observations, in either form.
        public static let observations = "vigil/v1/observations/#"
        /// Every transition of every alert.
        public static let alertEvents = "vigil/v1/alert-events/+/+"
        /// Every alert's present state.
        public static let alerts = "vigil/v1/alerts/+/+"
        /// Every message of a health module to a participant.
        public static let messages = "vigil/v1/messages/+/+"
        /// Every account's requests to a service.
        public static func requests(to service: String) -> String { "vigil/v1/requests/+/\(service)" }
        /// Every service's lines for the audit trail.
        public static let audit = "vigil/v1/audit/+"
        /// Everything that was refused.
        public static let rejects = "vigil/v1/rejects/+/+"
        /// Every instance's status.
        public static let moduleStatus = "vigil/v1/modules/+/+/status"
    }
}

/// The reason why a topic was refused, in words that follow "the topic".
public struct TopicError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For example "has a device that is not 1 to 64 of A-Z a-z 0-9 _ . -".
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// "the topic …".
    public var description: String { "the topic \(reason)" }
}
