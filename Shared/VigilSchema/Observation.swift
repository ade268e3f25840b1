/// One thing that a sensor, a person or an analysis said about a participant at a time.
///
/// Its identity is (participant, metric, source, time, sequence, interval), participant and source being its group's. The same
/// identity with the same content is a duplicate; with other content it is a correction.
public struct Observation: Hashable, Sendable {
    /// The metric's name in the catalogue (`heart-rate`), or an importer's own.
    public var metric: String
    /// The time of measurement, for samples that of the first.
    public var time: Timestamp
    /// Tells apart readings of one metric and source that share a time. 0 unless said otherwise.
    public var sequence: Int32
    /// The whole seconds, counted from `time`, that a number or text speaks for: 86,400 for a day's steps, 3,600 for an hour's; 0 where it
    /// speaks for a moment or that is not known. A day's steps and an hour's are readings of different series. In messages it is `period`.
    public var interval: Int32
    /// The measured quantity, in `unit`.
    public var content: Content
    /// The UCUM unit, for example `/min`, `Cel`, `mm[Hg]`; `1` where there is none.
    public var unit: String
    /// The wearer's offset from UTC in minutes at that time, where it is known.
    public var zone: Int16?

    /// Makes an observation.
    public init(
        metric: String, time: Timestamp, sequence: Int32 = 0, interval: Int32 = 0, content: Content, unit: String, zone: Int16? = nil
    ) {
        self.metric = metric
        self.time = time
        self.sequence = sequence
        self.interval = interval
        self.content = content
        self.unit = unit
        self.zone = zone
    }

    /// The longest interval: ten years, in seconds.
    public static let longestInterval: Int32 = 315_576_000

    /// The longest text, in bytes.
    public static let longestText = 4096

    /// The numbers that a quantity can have in any unit. No count of them, nor of their squares, adds up to more than a number can be.
    public static let numbers: ClosedRange<Double> = -1e140...1e140

    /// The content of an observation: exactly one of a number, a block of samples, or a text.
    public enum Content: Hashable, Sendable {
        /// A finite number.
        case value(Double)
        /// Finite numbers, the first at the observation's time, each `period` seconds (a microsecond to a day) after the one before. Never empty.
        case samples([Double], period: Double)
        /// A text, for example `alert` for `consciousness`.
        case text(String)
    }
}

/// Observations of one participant by one source, received together.
public struct ObservationGroup: Hashable, Sendable {
    /// The participant's name: 1–64 of `A-Za-z0-9_.-`.
    public var participant: String
    /// The source of the measurement: a device (`empatica-e4/A01`), an import's source, or a service (`vigil-stress`).
    public var source: String
    /// The recording session's name, zeros kept (`05`), where there is one.
    public var session: String?
    /// The time of receipt by the suite. Of two values for one identity the later received wins.
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

/// A message of the internal bus: groups of many participants of one partition, under one id.
public struct ObservationBatch: Hashable, Sendable {
    /// The schema's name and version that every batch is written with.
    public static let schema = "vigil/1"
    /// The schema versions that are read: this one, and for the time of an upgrade the one before or after it.
    public static let readableSchemas: Set<String> = [schema]

    /// A ULID: sorts by the time it was made and is unique.
    public var id: String
    /// The import that it belongs to, by its ledger id, so that the import can be undone; nil for live data.
    public var origin: String?
    /// The topic on which its sender awaits the confirmation that it is stored; nil where nobody waits. See `Confirmation`.
    public var confirmations: String?
    /// The topic on which its sender awaits a receipt for it alone, as MQTT 3.1.1 has no other place for it; nil where nobody waits. See `Receipt`.
    public var responseTopic: String?
    /// At least one.
    public var groups: [ObservationGroup]

    /// Makes a batch.
    public init(
        id: String, origin: String? = nil, confirmations: String? = nil, responseTopic: String? = nil, groups: [ObservationGroup]
    ) {
        self.id = id
        self.origin = origin
        self.confirmations = confirmations
        self.responseTopic = responseTopic
        self.groups = groups
    }

    /// The number of observations its groups hold.
    public var count: Int { groups.reduce(0) { $0 + $1.observations.count } }
}
