package import TimelineStore
package import VigilSchema

/// A day, week, month, year or decade of a participant, as hReader's timeline shows it, with a time for every value.
///
/// Entry lists without entries, and alerts where there were none, are left out. Vital signs are sorted by description, blood pressure last, systolic first.
package struct PageDocument: Sendable, Codable, Hashable {
    /// An entry by a person.
    package struct Item: Sendable, Codable, Hashable {
        /// A number or a finding, with its unit.
        package struct Measurement: Sendable, Codable, Hashable {
            package let value: Double?
            package let text: String?
            package let unit: String?
        }

        package let id: String
        package let description: String
        /// Epoch seconds.
        package let date: Timestamp
        package let endDate: Timestamp?
        package let measurement: Measurement?
        package let codes: [String: [String]]?
        package let detail: String?
    }

    /// One metric's values.
    package struct Vital: Sendable, Codable, Hashable {
        package let metric: String
        package let description: String
        package let units: String
        /// The mean of each step of the page (a minute of a day, an hour of a week or month, a day of a year or decade); of a counter (steps,
        /// energy) its sum.
        package let values: [Double]
        /// When each value was, or its step began.
        package let times: [Timestamp]
        package let minimums: [Double]
        package let maximums: [Double]
        package let counts: [Int64]
    }

    package let participant: String
    package let startDate: Timestamp
    package let endDate: Timestamp
    package let allergies: [Item]?
    package let conditions: [Item]?
    package let encounters: [Item]?
    package let immunizations: [Item]?
    package let medications: [Item]?
    package let procedures: [Item]?
    package let results: [Item]?
    package let regimens: [Item]?
    package let notes: [Item]?
    package let vitals: [Vital]
    /// Pain, mood and energy.
    package let levels: [String: Vital]
    /// Texts that sensors and analyses reported.
    package let texts: [LatestValue]
    /// The transitions of alerts, earliest first, the newest thousand.
    package let alerts: [AlertMessage]?
    /// The lists that are too long for a page, and are told in part: the queries `entries`, `readings` and `alerts` have the rest.
    package let cut: [String]?
    /// The number of vital signs that were told in this answer and those before, where there are more; not part of the page itself.
    package private(set) var told: Int?

    private enum CodingKeys: String, CodingKey {
        case participant
        case startDate = "start_date"
        case endDate = "end_date"
        case allergies, conditions, cut, encounters, immunizations, results, procedures, regimens, notes, vitals, levels, texts, alerts
        // hReader's name for medications on the timeline.
        case medications = "timeline_medications"
    }

    /// - Parameter first: how many vital signs were told before.
    package init(_ page: TimelinePage, entries: [TimelineEntry], alerts: [AlertMessage] = [], vitalsAfter first: Int = 0) {
        participant = page.participant
        startDate = page.from
        endDate = page.to
        let someEntries = PageRoom(bytes: 512 << 10, limit: QueryHandler.maximumEntries).first(entries) {
            $0.description.utf8.count + ($0.detail?.utf8.count ?? 0) + ($0.text?.utf8.count ?? 0) + 200
        }
        let byKind = Dictionary(grouping: someEntries, by: \.kind).mapValues { $0.map(Item.init) }
        allergies = byKind[.allergy]
        conditions = byKind[.condition]
        encounters = byKind[.encounter]
        immunizations = byKind[.immunization]
        medications = byKind[.medication]
        procedures = byKind[.procedure]
        results = byKind[.result]
        regimens = byKind[.regimen]
        notes = byKind[.note]
        let levelNames = ["pain": "pain", "mood": "mood", "energy-level": "energy"]
        levels =
            first > 0
            ? [:]
            : Dictionary(
                uniqueKeysWithValues: page.series.compactMap { series in levelNames[series.metric].map { ($0, Vital(series)) } })
        let sorted = page.series.filter { levelNames[$0.metric] == nil }.map(Vital.init).sorted { PageDocument.isBefore($0, $1) }
        vitals = PageRoom(bytes: 8 << 20, limit: .max).first(sorted.dropFirst(first)) { 80 * $0.values.count + 200 }
        told = first + vitals.count < sorted.count ? first + vitals.count : nil
        texts = first > 0 ? [] : PageRoom(bytes: 512 << 10, limit: .max).last(page.texts) { ($0.text?.utf8.count ?? 0) + 100 }
        let someAlerts = PageRoom(bytes: 1 << 20, limit: .max).last(alerts) { alert in
            600 + (Array(alert.title.values) + Array(alert.message.values)).reduce(0) { $0 + $1.utf8.count }
        }
        self.alerts = someAlerts.isEmpty ? nil : someAlerts
        let lists: [(String, Bool)] = [
            ("alerts", someAlerts.count < alerts.count), ("entries", someEntries.count < entries.count),
            ("texts", first == 0 && texts.count < page.texts.count),
        ]
        let short = lists.filter { $0.1 }.map { $0.0 }
        cut = short.isEmpty ? nil : short
    }

    private static func isBefore(_ left: Vital, _ right: Vital) -> Bool {
        (rank(left.metric), left.description) < (rank(right.metric), right.description)
    }

    private static func rank(_ metric: String) -> Int {
        switch metric {
        case "systolic-pressure": 1
        case "diastolic-pressure": 2
        default: 0
        }
    }
}

extension PageDocument.Item {
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

extension PageDocument.Vital {
    init(_ series: PageSeries) {
        metric = series.metric
        description = series.title
        units = series.unit
        let isCounter = MetricCatalogue.standard.definition(named: series.metric)?.kind == .total
        values = series.points.map { isCounter ? $0.sum : $0.mean }
        times = series.points.map(\.time)
        minimums = series.points.map(\.min)
        maximums = series.points.map(\.max)
        counts = series.points.map(\.count)
    }
}

/// The room that a list has in a page.
private struct PageRoom {
    let bytes: Int
    let limit: Int

    /// The first elements that fit; one does in any case.
    func first<Element>(_ elements: some Sequence<Element>, size: (Element) -> Int) -> [Element] {
        var room = bytes
        var some: [Element] = []
        for element in elements {
            room -= size(element)
            if some.count == limit || (room < 0 && !some.isEmpty) { break }
            some.append(element)
        }
        return some
    }

    /// The last elements that fit.
    func last<Element>(_ elements: [Element], size: (Element) -> Int) -> [Element] { first(elements.reversed(), size: size).reversed() }
}
