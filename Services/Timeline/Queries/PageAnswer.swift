import TimelineStore
import VigilSchema

/// A page in one answer: as many vital signs, entries and alerts as fit.
struct PageAnswer {
    let page: TimelinePage
    /// The number of vital signs in this answer and the previous ones, if there are more.
    let told: Int?

    /// The bytes for entries.
    static let entryBytes = 512 << 10

    /// - Parameter first: the number of vital signs in previous answers.
    init(
        _ page: StoredPage, entries: [TimelineEntry], hasMoreEntries: Bool = false, alerts: [AlertMessage] = [], vitalsAfter first: Int = 0
    ) {
        let someEntries = PageRoom(bytes: Self.entryBytes, limit: QueryHandler.maximumEntries).first(entries) { $0.size + 200 }
        let levelNames = ["pain": "pain", "mood": "mood", "energy-level": "energy"]
        let finite = page.series.filter(Self.isFinite)
        let sorted = finite.filter { levelNames[$0.metric] == nil }.map(TimelinePage.Vital.init).sorted { Self.isBefore($0, $1) }
        let levels = finite.compactMap { series in levelNames[series.metric].map { ($0, TimelinePage.Vital(series)) } }
        let vitals = PageRoom(bytes: 8 << 20, limit: .max).first(sorted.dropFirst(first)) { 80 * $0.values.count + 200 }
        let texts = first > 0 ? [] : PageRoom(bytes: 512 << 10, limit: .max).last(page.texts) { ($0.text?.utf8.count ?? 0) + 100 }
        let someAlerts = PageRoom(bytes: 1 << 20, limit: .max).last(alerts) { alert in
            600 + (Array(alert.title.values) + Array(alert.message.values)).reduce(0) { $0 + $1.utf8.count }
        }
        let lists: [(String, Bool)] = [
            ("alerts", someAlerts.count < alerts.count), ("entries", hasMoreEntries || someEntries.count < entries.count),
            ("texts", first == 0 && texts.count < page.texts.count), ("vitals", finite.count < page.series.count),
        ]
        self.page = TimelinePage(
            participant: page.participant, from: page.from, to: page.to, entries: someEntries, vitals: vitals,
            levels: first > 0 ? [:] : Dictionary(uniqueKeysWithValues: levels), texts: texts, alerts: someAlerts,
            cut: lists.filter { $0.1 }.map { $0.0 })
        told = first + vitals.count < sorted.count ? first + vitals.count : nil
    }

    /// Returns whether JSON can represent all numbers of a series. Sums of earlier versions may be infinite; the other
    /// series are still sent.
    private static func isFinite(_ series: PageSeries) -> Bool {
        series.points.allSatisfy { $0.sum.isFinite && $0.mean.isFinite && $0.min.isFinite && $0.max.isFinite }
    }

    private static func isBefore(_ left: TimelinePage.Vital, _ right: TimelinePage.Vital) -> Bool {
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

extension TimelinePage.Vital {
    init(_ series: PageSeries) {
        let isCounter = MetricCatalogue.standard.definition(named: series.metric)?.kind == .total
        self.init(
            metric: series.metric, description: series.title, units: series.unit,
            values: series.points.map { isCounter ? $0.sum : $0.mean },
            times: series.points.map(\.time), minimums: series.points.map(\.min), maximums: series.points.map(\.max),
            counts: series.points.map(\.count))
    }
}

/// The space for a list in a page.
private struct PageRoom {
    let bytes: Int
    let limit: Int

    /// The first elements that fit, at least one.
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
