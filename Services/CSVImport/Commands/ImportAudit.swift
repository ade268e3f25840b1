import Foundation
import MessageBus
import ServiceKit
import TimelineStore
import VigilSchema

/// The line of the audit trail that tells of a run of `vigil-import`: who, how many files, how it ended. Whose data the files held is in the ledger.
struct ImportAudit {
    let entry: AuditEntry

    init(_ summary: ImportSummary) {
        entry = AuditEntry(
            time: .now, actor: "local:" + String(NSUserName().prefix(64)), operation: "import",
            detail:
                "\(summary.imported) files imported, \(summary.known) known, \(summary.failures.count) not; \(summary.counts.stored) stored",
            outcome: summary.failures.isEmpty ? "ok" : "failed")
    }

    /// An import that is taken out of a store again; over the bus the timeline tells it by itself.
    init(_ report: UndoReport) {
        entry = AuditEntry(
            time: .now, actor: "local:" + String(NSUserName().prefix(64)), operation: "undo-import", detail: "\(report.removed) removed")
    }

    /// Tells the trail of a store.
    func tell(_ store: any TimelineStore) async {
        do { try await store.append(audit: [entry]) } catch { Self.complain(error) }
    }

    /// Tells the trail over the bus, where it stands under the name of the account.
    func tell(_ requester: Requester) async {
        do {
            _ = try await TimelineClient(requester).ask(.addAudit([entry]), as: StoredCount.self)
        } catch {
            Self.complain(error)
        }
    }

    /// Says that the line is missing; what is imported stays so.
    private static func complain(_ error: any Error) {
        try? FileHandle.standardError.write(contentsOf: Data("the audit trail could not be told: \(error)\n".utf8))
    }
}
