import TimelineStore
import VigilSchema

/// A participant's observations out of a store, as groups, in constant memory: readings page by page, then blocks of samples.
struct ExportSource {
    /// The years 1 to 9999, which is what a store takes. PostgreSQL refuses times that are much further off.
    static let always = Timestamp(microseconds: -62_135_596_800_000_000)..<Timestamp(microseconds: 253_402_300_800_000_000)

    let store: any TimelineStore
    let participant: String
    /// One metric only; nil: all.
    let metric: String?
    let range: Range<Timestamp>

    /// Hands over one group after the other.
    func forEach(_ body: (ObservationGroup) throws -> Void) async throws {
        var cursor: ReadingsCursor?
        repeat {
            let page = try await store.readings(
                participant: participant, metric: metric, from: range.lowerBound, to: range.upperBound, limit: 5000, after: cursor)
            for group in groups(page.readings) { try body(group) }
            cursor = page.next
        } while cursor != nil
        for summary in try await store.metrics(participant: participant, counted: false) where summary.isWaveform {
            if metric == nil || metric == summary.metric { try await waveforms(summary, body) }
        }
    }

    /// Readings that follow one another and share source, session and receipt make a group.
    private func groups(_ readings: [StoredReading]) -> [ObservationGroup] {
        var groups: [ObservationGroup] = []
        for reading in readings {
            let isSame = groups.last.map { $0.source == reading.source && $0.session == reading.session && $0.received == reading.received }
            if isSame != true {
                groups.append(
                    ObservationGroup(
                        participant: participant, source: reading.source, session: reading.session, received: reading.received,
                        observations: []))
            }
            let content: Observation.Content = reading.value.map { .value($0) } ?? .text(reading.text ?? "")
            groups[groups.count - 1].observations.append(
                Observation(
                    metric: reading.metric, time: reading.time, sequence: reading.sequence, interval: reading.period ?? 0, content: content,
                    unit: reading.unit,
                    zone: reading.zone))
        }
        return groups
    }

    private func waveforms(_ summary: MetricSummary, _ body: (ObservationGroup) throws -> Void) async throws {
        var cursor: ReadingsCursor?
        repeat {
            let page = try await store.blocks(
                participant: participant, metric: summary.metric, from: range.lowerBound, to: range.upperBound, after: cursor)
            for group in page.groups { try body(group) }
            cursor = page.next
        } while cursor != nil
    }
}
