import Foundation
import MessageBus
import ServiceKit
import TimelineStore
import VigilSchema

/// The audit line of a run of `vigil-import`: who, how many files, the outcome. The ledger has the participants.
struct ImportAudit {
    let entry: AuditEntry

    init(_ summary: ImportSummary) {
        entry = AuditEntry(
            time: .now, actor: "local:" + String(NSUserName().prefix(64)), operation: "import",
            detail:
                "\(summary.imported) files imported, \(summary.known) known, \(summary.failures.count) not; \(summary.counts.stored) stored",
            outcome: summary.failures.isEmpty ? "ok" : "failed")
    }

    /// An import that is undone in a store; over the bus the timeline writes the line itself.
    init(_ report: UndoReport) {
        entry = AuditEntry(
            time: .now, actor: "local:" + String(NSUserName().prefix(64)), operation: "undo-import", detail: "\(report.removed) removed")
    }

    /// Writes the line to a store's trail.
    func tell(_ store: any TimelineStore) async {
        do { try await store.append(audit: [entry]) } catch { Self.complain(error) }
    }

    /// Sends the line over the bus, where it gets the name of the account.
    func tell(_ requester: Requester) async {
        do {
            _ = try await TimelineClient(requester).ask(.addAudit([entry]), as: StoredCount.self)
        } catch {
            Self.complain(error)
        }
    }

    /// Reports a missing line; the import stays.
    private static func complain(_ error: any Error) {
        try? FileHandle.standardError.write(contentsOf: Data("the audit trail could not be told: \(error)\n".utf8))
    }
}
