import AlertRules
import Alerting
import ServiceKit
import Settings
import Timeline
import TimelineStore
import VigilSchema

/// `vigil alerts test`, which unlike `vigil-alert test` can also read a timeline.
enum AlertTrial {
    private static let participant = Setting.optional("participant", .name, help: "The participant whose stored readings are played.")
    private static let from = Setting.optional("from", TimeText.format, help: "The start of the range; a day before the end by default.")
    private static let to = Setting.optional("to", TimeText.format, help: "The end of the range; now by default.")

    static let command = RuleTrial.command(
        stored: StoredReadings(settings: [participant, from, to] + CommonSettings.database, range: range, read: read))

    @Sendable private static func range(_ invocation: Invocation) throws -> RuleTest.StoredRange? {
        let now = Timestamp.now
        let (from, to) = (try invocation[from]?.moment(now: now), try invocation[to]?.moment(now: now))
        guard let participant = try invocation[participant] else {
            if from == nil, to == nil { return nil }
            throw CommandError(.usage, "--from and --to need --participant: whose stored readings")
        }
        let end = to ?? now
        return RuleTest.StoredRange(
            participant: participant, from: (from ?? end.advanced(bySeconds: -86_400)).microseconds, to: end.microseconds)
    }

    @Sendable private static func read(_ invocation: Invocation, _ range: RuleTest.StoredRange) async throws -> [ReplayReading] {
        let store = try TimelineCommands.openStore(invocation)
        let readings = try await readings(of: store, range)
        await store.close()
        return readings
    }

    /// A range's numbers and texts, earliest first.
    /// - Parameters:
    ///   - metrics: empty: all.
    ///   - most: more are refused: they would not fit the memory.
    static func readings(
        of store: any TimelineStore, _ range: RuleTest.StoredRange, metrics: [String] = [], most: Int = .max
    ) async throws -> [ReplayReading] {
        var readings: [ReplayReading] = []
        var cursor: ReadingsCursor?
        repeat {
            let page = try await store.readings(
                participant: range.participant, from: Timestamp(microseconds: range.from), to: Timestamp(microseconds: range.to),
                selection: TimelineQuery.Selection(metrics: metrics), limit: 10_000, after: cursor)
            readings += page.readings.compactMap { reading($0, range.participant) }
            guard readings.count <= most else {
                throw CommandError(.data, "there are more than \(most) readings; choose a shorter range with --from")
            }
            cursor = page.next
        } while cursor != nil
        return readings
    }

    private static func reading(_ stored: StoredReading, _ participant: String) -> ReplayReading? {
        // What vigil-alert itself worked out is worked out again.
        guard stored.source != "vigil-alert",
            let value = stored.value.map(ReplayReading.Value.number) ?? stored.text.map(ReplayReading.Value.text)
        else { return nil }
        return ReplayReading(
            participant: participant, metric: stored.metric, time: stored.time.microseconds, value: value, source: stored.source)
    }
}
