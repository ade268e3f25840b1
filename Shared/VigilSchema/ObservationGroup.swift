/// Observations of one participant by one source, received together.
public struct ObservationGroup: Hashable, Sendable {
    /// The participant's name: 1–64 of `A-Za-z0-9_.-`.
    public var participant: String
    /// What measured: a device (`empatica-e4/A01`), an import's source, or a service (`vigil-stress`).
    public var source: String
    /// The recording session's name, zeros kept (`05`), where there is one.
    public var session: String?
    /// When the suite received it. Of two values for one identity the later received wins.
    public var received: Timestamp
    /// In the order in which the source sent them.
    public var observations: [Observation]

    /// Makes a group.
    public init(
        participant: String, source: String, session: String? = nil, received: Timestamp, observations: [Observation]
    ) {
        self.participant = participant
        self.source = source
        self.session = session
        self.received = received
        self.observations = observations
    }
}
