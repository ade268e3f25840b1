import Foundation

extension ParticipantProfile {
    /// Checks what the types do not say.
    public func validate() throws(PayloadError) {
        for (name, text) in [("first", first), ("last", last), ("pseudonym", pseudonym), ("group", group)] {
            guard (text?.count ?? 0) <= 100, text?.utf8.contains(0) != true else {
                throw PayloadError(.tooLarge, "a name has at most 100 characters", path: "$.\(name)")
            }
        }
        if let birthDate, ParticipantProfile.date(birthDate) == nil {
            throw PayloadError(.wrongType, "a birth date is YYYY-MM-DD, not in the future", path: "$.birthDate")
        }
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw PayloadError(.wrongType, "a time zone is an IANA name such as Europe/Berlin", path: "$.timeZone")
        }
        if let height, !(30...260).contains(height) {
            throw PayloadError(.implausible, "a height lies between 30 and 260 cm", path: "$.height")
        }
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
