import Foundation
import ServiceKit

/// `vigil-import list`: what was imported.
enum ListCommand {
    static let command = Command(
        name: "list", summary: "Lists what was imported, the oldest first.", settings: ImportSettings.listing + CommonSettings.state
    ) { invocation in
        let entries = try await ImportCommand.ledger(invocation.configuration).all()
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
        return "\(entry.id)  \(day)  \(entry.state.rawValue)  \(entry.name): \(entry.rows) rows by \(entry.profile), "
            + "\(entry.stored) stored, \(entry.duplicates) known, \(entry.corrections) corrected, \(entry.rejected + entry.refused) refused"
    }
}
