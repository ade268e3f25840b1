import Foundation

/// The facts known of a participant as a person. All of it may be missing; a pseudonym can stand for the name.
public struct ParticipantProfile: Hashable, Sendable, Codable {
    /// As it matters to medical reference values.
    public enum Sex: String, Hashable, Sendable, Codable, CaseIterable {
        case female, male, other, unknown
    }

    /// The first name.
    public var first: String?
    /// The last name.
    public var last: String?
    /// The name that is shown instead.
    public var pseudonym: String?
    /// `YYYY-MM-DD`.
    public var birthDate: String?
    /// The sex.
    public var sex: Sex?
    /// An IANA name such as `Europe/Berlin`; decides days and weekdays. UTC where it is missing.
    public var timeZone: String?
    /// In cm.
    public var height: Double?
    /// A Boolean value that indicates whether the participant is pregnant: NEWS2 does not apply then.
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

extension ParticipantProfile {
    /// Checks what the types do not say.
    public func validate() throws(PayloadError) {
        for (name, text) in [("first", first), ("last", last), ("pseudonym", pseudonym), ("group", group)] {
            guard text?.fits(characters: 100) != false, text?.utf8.contains(0) != true else {
                throw PayloadError(.tooLarge, "a name has at most 100 characters, of 400 bytes together", path: "$.\(name)")
            }
        }
        if let modules, modules.count > 100 || !modules.allSatisfy({ $0.utf8.count <= 64 && !$0.utf8.contains(0) }) {
            throw PayloadError(.tooLarge, "a profile names at most 100 modules, of 64 bytes each", path: "$.modules")
        }
        if let birthDate, ParticipantProfile.date(birthDate) == nil {
            throw PayloadError(.wrongType, "a birth date is YYYY-MM-DD, not in the future", path: "$.birthDate")
        }
        if let timeZone, timeZone.utf8.count > 64 || TimeZone(identifier: timeZone) == nil {
            throw PayloadError(.wrongType, "a time zone is an IANA name such as Europe/Berlin", path: "$.timeZone")
        }
        if let height, !(30...260).contains(height) {
            throw PayloadError(.implausible, "a height lies between 30 and 260 cm", path: "$.height")
        }
    }

    /// The ids of the conditions under which the dashboard keeps a pregnancy, and a birth with the six weeks after it.
    package static let (pregnancy, birth) = ("profile-pregnancy", "profile-birth")

    /// Has `isPregnant` follow from the conditions at a moment, where they ever said anything of it: what holds in pregnancy
    /// ends six weeks after the birth without anybody's doing.
    package mutating func follow(_ conditions: [TimelineEntry], at time: Timestamp) {
        let told = conditions.filter { [Self.pregnancy, Self.birth].contains($0.id) }
        guard !told.isEmpty else { return }
        isPregnant = told.contains { $0.time <= time && ($0.ends.map { time < $0 } ?? true) }
    }

    /// The age in whole years on a day, by the calendar; nil without a birth date.
    public func age(at time: Timestamp) -> Int? {
        guard let birthDate, let born = ParticipantProfile.date(birthDate) else { return nil }
        let day = Date(timeIntervalSince1970: time.seconds)
        return ParticipantProfile.calendar.dateComponents([.year], from: born, to: day).year
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func date(_ text: String) -> Date? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard text.utf8.count == 10, parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
        let components = DateComponents(calendar: calendar, year: year, month: month, day: day)
        guard components.isValidDate, let date = components.date, date <= Date.now.addingTimeInterval(86400) else { return nil }
        return date
    }
}
