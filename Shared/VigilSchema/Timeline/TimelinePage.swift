/// A day, week, month, year or decade of a participant, as hReader's timeline shows it, with a time for every value.
///
/// Entry lists without entries, and alerts where there were none, are left out. Vital signs are sorted by description, blood pressure last,
/// systolic first.
public struct TimelinePage: Sendable, Codable, Hashable {
    /// An entry by a person.
    public struct Item: Sendable, Codable, Hashable {
        /// A number or a finding, with its unit.
        public struct Measurement: Sendable, Codable, Hashable {
            /// The number.
            public let value: Double?
            /// The finding in words, where there is no number.
            public let text: String?
            /// The UCUM unit, where it is known.
            public let unit: String?
        }

        /// The entry's id.
        public let id: String
        /// In words.
        public let description: String
        /// The time of it, or of its beginning.
        public let date: Timestamp
        /// The time of its end, where it lasts.
        public let endDate: Timestamp?
        /// A number or a finding.
        public let measurement: Measurement?
        /// Codes by system.
        public let codes: [String: [String]]?
        /// Further remarks.
        public let detail: String?
    }

    /// One metric's values.
    public struct Vital: Sendable, Codable, Hashable {
        /// The metric's name.
        public let metric: String
        /// The metric in words.
        public let description: String
        /// The UCUM unit.
        public let units: String
        /// The mean of each step of the page (a minute of a day, an hour of a week or month, a day of a year or decade); of a counter (steps,
        /// energy) its sum.
        public let values: [Double]
        /// The time of each value, or of the beginning of its step.
        public let times: [Timestamp]
        /// The smallest reading of each step.
        public let minimums: [Double]
        /// The largest reading of each step.
        public let maximums: [Double]
        /// The number of readings in each step.
        public let counts: [Int64]

        package init(
            metric: String, description: String, units: String, values: [Double], times: [Timestamp], minimums: [Double],
            maximums: [Double],
            counts: [Int64]
        ) {
            self.metric = metric
            self.description = description
            self.units = units
            self.values = values
            self.times = times
            self.minimums = minimums
            self.maximums = maximums
            self.counts = counts
        }
    }

    /// The participant.
    public let participant: String
    /// The first moment that belongs to the page.
    public let startDate: Timestamp
    /// The first moment that does not.
    public let endDate: Timestamp
    /// The entries of the kind `allergy`; nil without any, as in the lists that follow.
    public let allergies: [Item]?
    /// The entries of the kind `condition`.
    public let conditions: [Item]?
    /// The entries of the kind `encounter`.
    public let encounters: [Item]?
    /// The entries of the kind `immunization`.
    public let immunizations: [Item]?
    /// The entries of the kind `medication`.
    public let medications: [Item]?
    /// The entries of the kind `procedure`.
    public let procedures: [Item]?
    /// The entries of the kind `result`.
    public let results: [Item]?
    /// The entries of the kind `regimen`.
    public let regimens: [Item]?
    /// The entries of the kind `note`.
    public let notes: [Item]?
    /// The metrics with numbers; where they have no room, the answer's `next` says how many came before the rest.
    public package(set) var vitals: [Vital]
    /// Pain, mood and energy.
    public let levels: [String: Vital]
    /// Texts that sensors and analyses reported.
    public let texts: [LatestValue]
    /// The transitions of alerts, earliest first, the newest thousand.
    public let alerts: [AlertMessage]?
    /// The lists that are too long for a page, and are told in part: the queries `entries`, `readings` and `alerts` have the rest; and `vitals`
    /// where a metric is left out, because its numbers add up to none.
    public let cut: [String]?

    private enum CodingKeys: String, CodingKey {
        case participant
        case startDate = "start_date"
        case endDate = "end_date"
        case allergies, conditions, cut, encounters, immunizations, results, procedures, regimens, notes, vitals, levels, texts, alerts
        // hReader's name for medications on the timeline.
        case medications = "timeline_medications"
    }

    /// Makes a page; entries come by their kinds.
    package init(
        participant: String, from: Timestamp, to: Timestamp, entries: [TimelineEntry], vitals: [Vital], levels: [String: Vital],
        texts: [LatestValue], alerts: [AlertMessage], cut: [String]
    ) {
        self.participant = participant
        (startDate, endDate) = (from, to)
        let byKind = Dictionary(grouping: entries, by: \.kind).mapValues { $0.map(Item.init) }
        allergies = byKind[.allergy]
        conditions = byKind[.condition]
        encounters = byKind[.encounter]
        immunizations = byKind[.immunization]
        medications = byKind[.medication]
        procedures = byKind[.procedure]
        results = byKind[.result]
        regimens = byKind[.regimen]
        notes = byKind[.note]
        (self.vitals, self.levels, self.texts) = (vitals, levels, texts)
        self.alerts = alerts.isEmpty ? nil : alerts
        self.cut = cut.isEmpty ? nil : cut
    }

    /// The lists of entries by their kind.
    package var items: [(kind: TimelineEntry.Kind, items: [Item])] {
        let lists: [(TimelineEntry.Kind, [Item]?)] = [
            (.allergy, allergies), (.condition, conditions), (.encounter, encounters), (.immunization, immunizations),
            (.medication, medications), (.note, notes), (.procedure, procedures), (.regimen, regimens), (.result, results),
        ]
        return lists.map { ($0.0, $0.1 ?? []) }
    }
}

extension TimelinePage.Item {
    init(_ entry: TimelineEntry) {
        id = entry.id
        description = entry.description
        date = entry.time
        endDate = entry.ends
        let hasMeasurement = entry.value != nil || entry.text != nil
        measurement = hasMeasurement ? Measurement(value: entry.value, text: entry.text, unit: entry.unit) : nil
        codes = entry.codes
        detail = entry.detail
    }
}
