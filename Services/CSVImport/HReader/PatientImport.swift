import Foundation
import MessageBus
import ServiceKit
import TimelineStore
import VigilSchema

/// Imports one patient record into the timeline: the profile, observations and entries.
struct PatientImport {
    /// The outcome for a record so far.
    struct Outcome: Sendable {
        var entries = 0
        var counts = DeliveryCounts()
    }

    let participant: String
    let record: PatientRecord

    /// Delivers everything; a repetition changes nothing.
    /// - Parameter entry: the ledger's entry, whose id marks the data.
    func deliver(to sink: some PatientSink, as entry: LedgerEntry) async throws -> Outcome {
        let known = try await sink.profile(of: participant)
        let profile = PatientImport.merged(record.profile, into: known)
        if profile != known { try await sink.set(profile, of: participant) }
        var outcome = Outcome()
        if !record.observations.isEmpty { outcome.counts = try await sink.deliver(batch(entry)) }
        try await sink.add(record.entries, of: participant, origin: entry.id)
        outcome.entries = record.entries.count
        return outcome
    }

    /// The record's profile, completed by the previous one, for example by a time zone or a height.
    static func merged(_ read: ParticipantProfile, into known: ParticipantProfile) -> ParticipantProfile {
        var profile = known
        profile.first = read.first ?? known.first
        profile.last = read.last ?? known.last
        profile.birthDate = read.birthDate ?? known.birthDate
        profile.sex = read.sex ?? known.sex
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

/// Imports patient records, each once according to the ledger.
struct LedgeredPatients {
    let ledger: any Ledger
    /// Also delivers records that the ledger has.
    let again: Bool

    /// Delivers one record, and reports its outcome in a line.
    func deliver(_ patient: PatientImport, file: ImportFile, to sink: some PatientSink) async throws -> String {
        let content = try ContentDigest(file)
        let recipe = ContentDigest.of("hreader \(patient.participant)")
        let entry = try await ledger.add(LedgerEntry(name: file.name, content, profile: "hreader", recipe: recipe, now: .now))
        if let known = known(entry, patient) { return known }
        return try await ledger.working(at: entry.id) { entry, hold in
            if let known = known(entry, patient) { return known }
            return try await deliver(patient, as: entry.restarted(), hold, to: sink)
        }
    }

    /// The line about a record that was imported before; nil: it must be delivered.
    private func known(_ entry: LedgerEntry, _ patient: PatientImport) -> String? {
        guard entry.state == .done, !again else { return nil }
        return "\(patient.participant): is in already, by import \(entry.id); --again imports it again"
    }

    private func deliver(
        _ patient: PatientImport, as begun: LedgerEntry, _ hold: LedgerHold, to sink: some PatientSink
    ) async throws -> String {
        var entry = begun
        try await hold.save(entry)
        let outcome = try await patient.deliver(to: sink, as: entry)
        entry.finish(patient.record, outcome)
        try await hold.save(entry)
        return "\(patient.participant): \(patient.record.items) items: \(outcome.entries) entries, \(outcome.counts.stored) observations "
            + "stored, \(outcome.counts.duplicates) known, \(patient.record.rejected) left out; import \(entry.id)"
    }
}

/// A destination for patient records.
protocol PatientSink: BatchSink {
    /// A participant's profile.
    func profile(of participant: String) async throws -> ParticipantProfile
    func set(_ profile: ParticipantProfile, of participant: String) async throws
    /// Entries with known ids replace the previous ones.
    /// - Parameter origin: the import.
    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws
    /// Restores the records of a Vigil export besides observations; a repetition changes nothing.
    func restore(_ records: [TimelineRecord], of participant: String, origin: String) async throws
}

extension StoreSink: PatientSink {
    func profile(of participant: String) async throws -> ParticipantProfile {
        try await store.profile(participant: participant) ?? ParticipantProfile()
    }

    func set(_ profile: ParticipantProfile, of participant: String) async throws {
        try profile.validate()
        try await store.setProfile(profile, participant: participant)
    }

    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws {
        for entry in entries { try await store.post(entry, participant: participant, received: .now, origin: origin) }
    }

    func restore(_ records: [TimelineRecord], of participant: String, origin: String) async throws {
        try await store.restore(records, participant: participant, origin: origin, now: .now)
    }
}

extension BusSink: PatientSink {
    func profile(of participant: String) async throws -> ParticipantProfile {
        try await timeline.ask(.profile(participant: participant))
    }

    func set(_ profile: ParticipantProfile, of participant: String) async throws {
        _ = try await timeline.ask(.setProfile(profile, participant: participant), as: ParticipantProfile.self)
    }

    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws {
        // The timeline accepts a thousand in one request, and the broker 256 KiB in one message.
        for start in stride(from: 0, to: entries.count, by: 200) {
            let some = Array(entries[start..<min(start + 200, entries.count)])
            _ = try await timeline.ask(.addEntries(some, participant: participant, origin: origin), as: StoredCount.self)
        }
    }

    func restore(_ records: [TimelineRecord], of participant: String, origin: String) async throws {
        var (some, bytes): ([TimelineRecord], Int) = ([], 0)
        for record in records {
            let length = try JSONEncoder().encode(record).count
            if some.count == 1000 || (bytes + length > BusSink.largestRequest && !some.isEmpty) {
                _ = try await timeline.ask(.restore(some, participant: participant, origin: origin), as: StoredCount.self)
                (some, bytes) = ([], 0)
            }
            some.append(record)
            bytes += length + 1
        }
        guard !some.isEmpty else { return }
        _ = try await timeline.ask(.restore(some, participant: participant, origin: origin), as: StoredCount.self)
    }

    private var timeline: TimelineClient { TimelineClient(requester, timeout: patience) }
}
