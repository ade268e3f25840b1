import Foundation
import ServiceKit
import VigilSchema

/// Brings one patient record into the timeline: what is known of the person, observations, and entries.
struct PatientImport {
    /// What has become of a record.
    struct Outcome: Sendable {
        var entries = 0
        var counts = DeliveryCounts()
    }

    let participant: String
    let record: PatientRecord

    /// Delivers all of it; doing so again changes nothing.
    /// - Parameter entry: the ledger's, whose id marks what is brought.
    func deliver(to sink: some PatientSink, as entry: LedgerEntry) async throws -> Outcome {
        let known = try await sink.profile(of: participant)
        let profile = merged(known)
        if profile != known { try await sink.set(profile, of: participant) }
        var outcome = Outcome()
        if !record.observations.isEmpty { outcome.counts = try await sink.deliver(batch(entry)) }
        try await sink.add(record.entries, of: participant, origin: entry.id)
        outcome.entries = record.entries.count
        return outcome
    }

    /// What the record says, and for the rest what was known: a time zone or a height, say, which records do not hold.
    private func merged(_ known: ParticipantProfile) -> ParticipantProfile {
        var profile = known
        profile.first = record.profile.first ?? known.first
        profile.last = record.profile.last ?? known.last
        profile.birthDate = record.profile.birthDate ?? known.birthDate
        profile.sex = record.profile.sex ?? known.sex
        return profile
    }

    private func batch(_ entry: LedgerEntry) -> PreparedBatch {
        let received = Timestamp(microseconds: entry.started)
        let group = ObservationGroup(participant: participant, source: "hreader", received: received, observations: record.observations)
        return PreparedBatch(
            index: 0, partition: Partition(participant: participant),
            batch: ObservationBatch(id: ULID.make(at: .now), origin: entry.id, groups: [group]))
    }
}
