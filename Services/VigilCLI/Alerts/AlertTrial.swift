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
        var readings: [ReplayReading] = []
        var cursor: ReadingsCursor?
        repeat {
            let page = try await store.readings(
                participant: range.participant, from: Timestamp(microseconds: range.from), to: Timestamp(microseconds: range.to),
                limit: 10_000, after: cursor)
            readings += page.readings.compactMap { reading($0, range.participant) }
            cursor = page.next
        } while cursor != nil
        await store.close()
        return readings
    }

    static func reading(_ stored: StoredReading, _ participant: String) -> ReplayReading? {
        // What vigil-alert itself worked out is worked out again.
        guard stored.source != "vigil-alert",
            let value = stored.value.map(ReplayReading.Value.number) ?? stored.text.map(ReplayReading.Value.text)
        else { return nil }
        return ReplayReading(
            participant: participant, metric: stored.metric, time: stored.time.microseconds, value: value, source: stored.source)
    }
}
