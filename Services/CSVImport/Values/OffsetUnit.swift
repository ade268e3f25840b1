import VigilSchema

/// The unit of the numbers in a column of offsets from UTC.
enum OffsetUnit: Hashable, Sendable {
    /// As the column's header says.
    case minutes
    case hours
    /// The header leaves it open: 14 hours is the most that a clock is off, and no clock was ever off by so few minutes.
    case open

    private static let mostMinutes = 1080.0
    private static let mostHours = 14.0

    /// The unit that a header names.
    init(header: String) {
        let words = Set(header.lowercased().split { !$0.isLetter }.map(String.init))
        let names = { (spellings: [String]) in !words.isDisjoint(with: spellings) }
        self =
            names(["min", "mins", "minute", "minutes", "minuten"]) ? .minutes : names(["h", "hr", "hrs", "hour", "hours"]) ? .hours : .open
    }

    /// The offset in minutes that a cell spells, `-8`, `5.5`, `-480`, `+02:00`, `UTC-5`; nil for another text, as a zone's name.
    func offset(_ text: String) -> Int? {
        // A sign and one or two digits are hours where nothing says otherwise.
        if self != .minutes, let spelt = WearerZone.offset(text) { return spelt }
        if self == .minutes, text.contains(":"), let spelt = WearerZone.offset(text) { return spelt }
        guard let number = Double(decimal: text.replacing(",", with: ".").replacing("+", with: "")) else { return nil }
        let isHours = self == .hours || self == .open && number.magnitude <= OffsetUnit.mostHours
        let minutes = isHours ? number * 60 : number
        return minutes == minutes.rounded() && minutes.magnitude <= OffsetUnit.mostMinutes ? Int(minutes) : nil
    }
}
