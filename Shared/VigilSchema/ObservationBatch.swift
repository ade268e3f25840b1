/// What travels on the internal bus: groups of many participants of one partition, under one id.
public struct ObservationBatch: Hashable, Sendable {
    /// The schema's name, which every batch carries.
    public static let schema = "vigil/1"

    /// A ULID: sorts by the time it was made and is unique.
    public var id: String
    /// The import that it belongs to, by its ledger id, so that the import can be undone; nil for live data.
    public var origin: String?
    /// The topic on which its sender awaits the confirmation that it is stored; nil where nobody waits. See `Confirmation`.
    public var confirmations: String?
    /// At least one.
    public var groups: [ObservationGroup]

    /// Makes a batch.
    public init(id: String, origin: String? = nil, confirmations: String? = nil, groups: [ObservationGroup]) {
        self.id = id
        self.origin = origin
        self.confirmations = confirmations
        self.groups = groups
    }

    /// How many observations its groups hold.
    public var count: Int { groups.reduce(0) { $0 + $1.observations.count } }
}
