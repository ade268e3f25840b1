import Foundation
import VigilSchema

/// What a report is made of, as the suite's services answer it.
struct ReportSources: Sendable {
    /// A module with what it says.
    struct Module: Sendable {
        let name: [String: String]
        let message: [String: String]?
        let rows: [(label: [String: String], value: [String: String])]
    }

    /// A metric's course and its figures in the time of the report.
    struct Course: Sendable {
        let metric: String
        let unit: String
        let steps: [SeriesBucket]

        var count: Int64 { steps.reduce(0) { $0 + $1.count } }
        var sum: Double { steps.reduce(0) { $0 + $1.sum } }
        var mean: Double { sum / Double(Swift.max(1, count)) }
        var low: Double { steps.map(\.min).min() ?? 0 }
        var high: Double { steps.map(\.max).max() ?? 0 }
    }

    /// An electrocardiogram around an alarm.
    struct Strip: Sendable {
        let alarm: AlertMessage
        let lead: String
        let period: ClosedRange<Double>
        let segments: [WaveformSegment]
    }

    /// The most strips of a report.
    static let mostStrips = 6
    /// The metrics that a report shows, in their order.
    static let metrics = [
        "systolic-pressure", "diastolic-pressure", "heart-rate", "pulse-rate", "oxygen-saturation", "respiration-rate",
        "body-temperature", "blood-glucose", "body-weight", "steps", "sleep-minutes", "pain", "mood", "energy-level",
    ]
    /// The steps of a chart.
    static let width = 400

    let bus: SuiteClient
    let participant: String
    let range: TimelineQuery.Range

    /// The facts as of a moment.
    func profile(at time: Timestamp) async throws -> ParticipantProfile {
        var profile = try await bus.timeline(.profile(participant: participant), as: ParticipantProfile.self)
        let always = TimelineQuery.Range(from: Timestamp(seconds: -4_000_000_000), to: time)
        let conditions = try await bus.timeline(
            .entries(participant: participant, always, kinds: [.condition]), as: [TimelineEntry].self)
        profile.follow(conditions, at: time)
        return profile
    }

    /// The entries that reach into the report's time.
    func entries() async throws -> [TimelineEntry] {
        try await bus.timeline(.entries(participant: participant, range), as: [TimelineEntry].self)
    }

    func alerts() async throws -> [AlertMessage] {
        try await bus.timeline(.alerts(participant: participant, range), as: [AlertMessage].self)
    }

    /// The courses of what was measured in the report's time.
    func courses() async throws -> [Course] {
        let known = try await bus.timeline(.metrics(participant: participant, counted: false), as: [MetricSummary].self)
        let units = Dictionary(known.filter { !$0.isWaveform }.map { ($0.metric, $0.unit) }, uniquingKeysWith: { first, _ in first })
        var courses: [Course] = []
        for metric in Self.metrics {
            guard let unit = units[metric] else { continue }
            let series = TimelineQuery.Series(participant: participant, metric: metric, range: range)
            let steps = try await bus.timeline(.series(series, width: Self.width), as: [SeriesBucket].self)
            if !steps.isEmpty { courses.append(Course(metric: metric, unit: unit, steps: steps)) }
        }
        return courses
    }

    /// The electrocardiograms of the newest alarms about the heart, each ten seconds long; only of those of which one is stored.
    func strips(of alarms: [AlertMessage]) async throws -> [Strip] {
        var strips: [Strip] = []
        // Of a person who wears no electrode not one of hundreds of alarms has any.
        for alarm in alarms.filter(Self.isOfHeart).sorted(by: { $0.time > $1.time }).prefix(24) where strips.count < Self.mostStrips {
            if let strip = try await strip(of: alarm) { strips.append(strip) }
        }
        return strips
    }

    private func strip(of alarm: AlertMessage) async throws -> Strip? {
        // An alarm comes after what it is about.
        let period = (alarm.time - 7)...(alarm.time + 3)
        let range = TimelineQuery.Range(from: Timestamp(seconds: period.lowerBound), to: Timestamp(seconds: period.upperBound))
        let series = TimelineQuery.Series(participant: participant, metric: "ecg", range: range)
        let segments = try await bus.timeline(.waveform(series), as: [WaveformSegment].self)
        // One lead: that of which there is most.
        let leads = Dictionary(grouping: segments, by: \.source).mapValues { $0.reduce(0) { $0 + Double($1.samples.count) * $1.period } }
        guard let lead = leads.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return nil }
        return Strip(alarm: alarm, lead: lead, period: period, segments: segments.filter { $0.source == lead })
    }

    /// Whether an alarm is about what an electrocardiogram shows.
    static func isOfHeart(_ alarm: AlertMessage) -> Bool {
        guard alarm.kind != "technical" else { return false }
        let metric = alarm.metric ?? ""
        return alarm.group == "rhythm" || ["heart-rate", "pulse-rate", "rr-interval"].contains(metric)
            || ["rhythm", "heart-rhythm", "ecg", "ventricular", "supraventricular", "fibrillation"].contains(where: metric.hasPrefix)
    }

    /// What the health modules say now; nil where they do not answer.
    func modules() async -> [Module]? {
        guard let list = try? await document("person.modules", as: [Listed].self) else { return nil }
        var modules: [Module] = []
        for item in list where item.available {
            guard let page = try? await document("\(item.id).page", as: Page.self), page.message != nil || !page.rows.isEmpty else {
                continue
            }
            modules.append(
                Module(name: item.name, message: page.message?.text, rows: page.rows.map { (label: $0.label, value: $0.value) }))
        }
        return modules
    }

    private struct Listed: Decodable {
        let id: String
        let name: [String: String]
        let available: Bool
    }

    private struct Page: Decodable {
        struct Message: Decodable { let text: [String: String] }
        struct Row: Decodable {
            let label: [String: String]
            let value: [String: String]
        }
        let message: Message?
        let rows: [Row]
    }

    private struct Answer<Document: Decodable>: Decodable { let document: Document }

    private func document<Document: Decodable>(_ name: String, as type: Document.Type) async throws -> Document {
        let bytes = try await bus.parameter(name, of: "vigil-modules", participant: participant)
        return try JSONDecoder().decode(Answer<Document>.self, from: Data(bytes)).document
    }
}
