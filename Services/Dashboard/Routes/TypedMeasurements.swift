import Foundation
import VigilSchema

/// One person's measurements that people typed in, asked of the timeline.
struct TypedMeasurements: Sendable {
    /// A measurement as the pages list it.
    struct Item: Encodable {
        let metric: String
        let value: Double?
        let text: String?
        let unit: String
        /// Unix seconds, to the microsecond: with metric and account it names the measurement.
        let time: Timestamp
        /// Who typed it in.
        let account: String
        /// A Boolean value that indicates whether the caller may correct and remove it.
        let mine: Bool
    }

    /// The source of what an account types in begins so.
    static let prefix = "manual."
    /// The metrics that the pages' forms offer. What programs post of others is corrected by who knows its time.
    static let metrics = [
        "body-weight", "systolic-pressure", "diastolic-pressure", "pulse-rate", "blood-glucose", "body-temperature", "oxygen-saturation",
        "waist-circumference", "carbohydrates", "insulin", "medication-dose", "phq9-score", "phq9-self-harm",
        "gad7-score",
    ]
    private static let most = 60
    /// Pages of 2,000 readings that are looked through: a finger clip has 86,400 a day.
    private static let mostPages = 10

    let bus: SuiteClient
    let participant: String

    /// The newest, newest first.
    func newest(_ range: TimelineQuery.Range) async throws -> [StoredReading] {
        var found: [StoredReading] = []
        for metric in try await typed(range) {
            var after: ReadingsCursor?
            var count = 0
            for _ in 0..<Self.mostPages {
                let page = try await page(
                    .readings(participant: participant, metric: metric, range, limit: 2000, .init(isNewestFirst: true)), after)
                let manual = page.readings.filter { $0.source.hasPrefix(Self.prefix) }
                found += manual
                count += manual.count
                after = page.next
                if after == nil || count >= Self.most { break }
            }
        }
        return Array(found.sorted { ($0.time, $0.metric) > ($1.time, $1.metric) }.prefix(Self.most))
    }

    /// The reading that an account typed in; nil where there is none.
    func reading(_ metric: String, at time: Timestamp, by account: String) async throws -> StoredReading? {
        let range = TimelineQuery.Range(from: time, to: Timestamp(microseconds: time.microseconds + 1))
        let page = try await page(.readings(participant: participant, metric: metric, range, limit: 1000), nil)
        return page.readings.first { $0.source == Self.prefix + account }
    }

    /// The metrics of which something was typed in; texts are not told apart by their source.
    private func typed(_ range: TimelineQuery.Range) async throws -> [String] {
        let stored = try await bus.timeline(.metrics(participant: participant, counted: false), as: [MetricSummary].self).map(\.metric)
        var typed: [String] = []
        for metric in Self.metrics where stored.contains(metric) {
            let series = TimelineQuery.Series(participant: participant, metric: metric, range: range)
            let sources = metric == "medication-dose" ? [Self.prefix] : try await bus.timeline(.sources(series), as: [String].self)
            if sources.contains(where: { $0.hasPrefix(Self.prefix) }) { typed.append(metric) }
        }
        return typed
    }

    private func page(_ query: TimelineQuery, _ after: ReadingsCursor?) async throws -> ReadingsPage {
        guard let page = try? JSONDecoder().decode(ReadingsPage.self, from: Data(try await bus.timeline(query, after: after?.after))) else {
            throw APIError(status: 502, code: "failed", reason: "the timeline's answer cannot be read")
        }
        return page
    }
}
