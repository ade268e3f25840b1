import ServiceKit
import VigilSchema

/// Brings patient records into the timeline, each once, as the ledger tells.
struct LedgeredPatients {
    let ledger: Ledger
    /// Delivers also what the ledger says is in.
    let again: Bool

    /// Delivers one, and says in a line what has become of it.
    func deliver(_ patient: PatientImport, file: ImportFile, to sink: some PatientSink) async throws -> String {
        var entry = try await entry(patient, file)
        guard entry.state != .done || again else {
            return "\(patient.participant): is in already, by import \(entry.id); --again imports it again"
        }
        entry = entry.restarted()
        try await ledger.save(entry)
        let outcome = try await patient.deliver(to: sink, as: entry)
        entry.finish(patient.record, outcome)
        try await ledger.save(entry)
        return "\(patient.participant): \(patient.record.items) items: \(outcome.entries) entries, \(outcome.counts.stored) observations "
            + "stored, \(outcome.counts.duplicates) known, \(patient.record.rejected) left out; import \(entry.id)"
    }

    /// The ledger's entry for that content and that person; a new one where it has none.
    private func entry(_ patient: PatientImport, _ file: ImportFile) async throws -> LedgerEntry {
        let content = try ContentDigest(file)
        let recipe = ContentDigest.of("hreader \(patient.participant)")
        if let known = try await ledger.entry(digest: content.digest, recipe: recipe) { return known }
        return LedgerEntry(name: file.name, content, profile: "hreader", recipe: recipe, now: .now)
    }
}
