/// What is known of a participant as a person. All of it may be missing; a pseudonym can stand for the name.
public struct ParticipantProfile: Hashable, Sendable, Codable {
    /// As it matters to medical reference values.
    public enum Sex: String, Hashable, Sendable, Codable, CaseIterable {
        case female, male, other, unknown
    }

    /// The first name.
    public var first: String?
    /// The last name.
    public var last: String?
    /// What is shown instead of the name.
    public var pseudonym: String?
    /// `YYYY-MM-DD`.
    public var birthDate: String?
    /// The sex.
    public var sex: Sex?
    /// An IANA name such as `Europe/Berlin`; decides days and weekdays. UTC where it is missing.
    public var timeZone: String?
    /// In cm.
    public var height: Double?
    /// Whether the participant is pregnant: NEWS2 does not apply then.
    public var isPregnant: Bool?
    /// The family or ward that displays show together.
    public var group: String?
    /// The place in the group, lowest first.
    public var order: Int?
    /// The modules that are switched on for the participant (`weight`, `blood-pressure`, `stress`, …); nil: all.
    public var modules: [String]?

    /// Makes a profile.
    public init(
        first: String? = nil, last: String? = nil, pseudonym: String? = nil, birthDate: String? = nil, sex: Sex? = nil,
        timeZone: String? = nil, height: Double? = nil, isPregnant: Bool? = nil, group: String? = nil, order: Int? = nil,
        modules: [String]? = nil
    ) {
        self.first = first
        self.last = last
        self.pseudonym = pseudonym
        self.birthDate = birthDate
        self.sex = sex
        self.timeZone = timeZone
        self.height = height
        self.isPregnant = isPregnant
        self.group = group
        self.order = order
        self.modules = modules
    }
}
