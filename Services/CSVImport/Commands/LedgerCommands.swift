import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil-import list`: lists the imports.
enum ListCommand {
    static let command = Command(
        name: "list", summary: "lists the imports, oldest first", settings: ImportSettings.listing + ImportSettings.ledger
    ) { invocation in
        let path = ImportCommand.ledgerPath(stateFolder: try invocation[CommonSettings.stateFolder])
        guard try invocation[ImportState.setting.address] != nil || FileManager.default.fileExists(atPath: path) else {
            throw CommandError(.noInput, "nothing was imported with this state folder: there is no \(path.printable); see --state-folder")
        }
        let entries = try await ImportState.ledger(invocation.configuration).all().map(\.total)
        if try invocation[ImportSettings.json] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(entries), as: UTF8.self))
        } else {
            for entry in entries { print(line(entry)) }
        }
    }

    private static func line(_ entry: LedgerEntry) -> String {
        let day = Date(timeIntervalSince1970: Double(entry.started) / 1_000_000).formatted(.iso8601)
        let rows = "\(entry.rows) \(entry.rows == 1 ? "row" : "rows")"
        return "\(entry.id)  \(day)  \(entry.state.rawValue)  \(entry.name.printable): \(rows) by \(entry.profile), "
            + "\(entry.stored) stored, \(entry.duplicates) known, \(entry.corrections) corrected, \(entry.rejected + entry.refused) refused"
    }
}

/// `vigil-import undo ID`: removes what one import added.
enum UndoCommand {
    static let command = Command(
        name: "undo", summary: "removes exactly what an import added to the timeline",
        settings: ImportSettings.delivery + ImportSettings.ledger + CommonSettings.broker,
        operands: Operands("ID", help: "the import's id, as `vigil-import list` shows it")
    ) { invocation in
        let patience = try invocation[ImportSettings.patience]
        let ledger = try await ImportState.ledger(invocation.configuration, patience: patience)
        let id = invocation.operands[0]
        guard let (entry, removed) = try await ledger.undo(id, { try await remove(id, patience, invocation) }) else {
            throw CommandError(.usage, "the ledger has no import \(id); `vigil-import list` shows all")
        }
        print("removed \(removed) observations and entries of \(entry.name.printable)")
        let leaning = try await ledger.leaning(on: entry)
        if leaning.isEmpty { return }
        print("Later imports met observations that were there already. What they met of this one is gone; --again brings it back:")
        for other in leaning { print("  \(other.id)  \(other.name.printable): \(other.duplicates) met") }
    }

    private static func remove(_ id: String, _ patience: Duration, _ invocation: Invocation) async throws -> Int {
        if let address = try invocation[ImportSettings.store] {
            return try await remove(id, from: address.store(password: invocation[CommonSettings.storePassword]?.exposed))
        }
        return try await BusSession(invocation.configuration).run { requester in
            try await TimelineClient(requester, timeout: patience).ask(.undoImport(id: id), as: UndoReport.self).removed
        }
    }

    private static func remove(_ origin: String, from store: any TimelineStore) async throws -> Int {
        let report = try await store.undo(origin: origin)
        await ImportAudit(report).tell(store)
        await store.close()
        return report.removed
    }
}
