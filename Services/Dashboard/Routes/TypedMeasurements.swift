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

    let bus: SuiteClient
    let participant: String

    /// The newest, newest first.
    func newest(_ range: TimelineQuery.Range) async throws -> [StoredReading] {
        let selection = TimelineQuery.Selection(metrics: Self.metrics, isNewestFirst: true, source: Self.prefix)
        return try await page(.readings(participant: participant, range, limit: Self.most, selection)).readings
            .filter { $0.source.hasPrefix(Self.prefix) }
    }

    /// The reading that an account typed in; nil where there is none.
    func reading(_ metric: String, at time: Timestamp, by account: String) async throws -> StoredReading? {
        let range = TimelineQuery.Range(from: time, to: Timestamp(microseconds: time.microseconds + 1))
        let selection = TimelineQuery.Selection(source: Self.prefix + account)
        let page = try await page(.readings(participant: participant, metric: metric, range, limit: 1000, selection))
        return page.readings.first { $0.source == Self.prefix + account }
    }

    /// What the health modules derived at a moment, by source.
    func derived(at time: Timestamp) async throws -> [(source: String, metrics: [String])] {
        let range = TimelineQuery.Range(from: time, to: Timestamp(microseconds: time.microseconds + 1))
        let modules = "vigil-modules/"
        let page = try await page(.readings(participant: participant, range, limit: 1000, TimelineQuery.Selection(source: modules)))
        let sources = Dictionary(grouping: page.readings.filter { $0.source.hasPrefix(modules) }, by: \.source)
        return sources.sorted { $0.key < $1.key }.map { ($0.key, Array(Set($0.value.map(\.metric)).sorted().prefix(20))) }
    }

    private func page(_ query: TimelineQuery) async throws -> ReadingsPage {
        guard let page = try? JSONDecoder().decode(ReadingsPage.self, from: Data(try await bus.timeline(query))) else {
            throw APIError(status: 502, code: "failed", reason: "the timeline's answer cannot be read")
        }
        return page
    }
}
