import Foundation
import MessageBus
import Observability
import ServiceKit
package import Settings
import TimelineStore
import VigilSchema

/// `vigil audit …`: who did what, of whom, when, and how it ended.
package enum AuditCommands {
    private typealias S = TimelineSettings

    private static let participant = Setting.optional(
        "participant", .text, help: "Only lines about this participant; for an erased one, the pseudonym.")
    private static let head = Setting.optional(
        "head", .text, help: "A hash that an earlier check printed; proves that nothing up to there was replaced.")
    private static let file = Setting.optional("file", .path, help: "The file to write; standard output by default.")

    /// With its subcommands.
    package static var command: Command {
        Command(
            name: "audit", summary: "shows, checks and exports the audit trail of the timeline",
            details: """
                Each line contains a hash of the previous one, so that a changed, removed or moved line is \
                found. The lines of an erased participant stay under a pseudonym.
                """,
            subcommands: [list, verify, export])
    }

    private static let list = Command(
        name: "list", summary: "lists the lines of the audit trail, oldest first",
        settings: [participant, S.from, S.to, S.limit, S.output, S.raw] + CommonSettings.database, operands: .none
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        var rows: [[String: Any]] = []
        try await forEach(store, invocation) { line in
            rows.append(fields(line))
            return try rows.count < invocation[S.limit] ?? 1000
        }
        await store.close()
        let columns = ["time", "actor", "address", "operation", "participant", "detail", "outcome", "number"]
        switch try invocation[S.output] {
        case .table: print(ResultTable(rows, columns: columns).table)
        case .csv: print(ResultTable(rows, columns: columns + ["hash"]).csv(raw: try invocation[S.raw]).dropLast(1))
        case .json:
            let data = try JSONSerialization.data(withJSONObject: rows, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            print(String(decoding: data, as: UTF8.self))
        }
    }

    private static let verify = Command(
        name: "verify", summary: "checks the whole audit trail for changed, removed or moved lines",
        details: "Prints the number of lines and the last hash, to be noted elsewhere. Ends with 65 if something is wrong.",
        settings: [head] + CommonSettings.database, operands: .none
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let found = try await store.verifyAudit(head: invocation[head])
        await store.close()
        if let problem = found.problem { throw CommandError(.data, "\(problem); the \(found.lines) lines before are as they were written") }
        print("\(found.lines) lines, as they were written; the last has the hash\n\(found.head)")
    }

    private static let export = Command(
        name: "export", summary: "writes the audit trail as JSON lines, sealed on request",
        settings: [file, S.passphrase, participant, S.from, S.to] + CommonSettings.database, operands: .none
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        try await ExportSink.writing(path: invocation[file], passphrase: invocation[S.passphrase]?.exposed) { sink in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try await forEach(store, invocation) { line in
                try sink.write(Array(try encoder.encode(line)) + [0x0A])
                return true
            }
        }
        await store.close()
    }

    /// Hands over the lines that are asked for, as long as more are wanted.
    private static func forEach(_ store: any TimelineStore, _ invocation: Invocation, _ body: (AuditLine) throws -> Bool) async throws {
        let now = Timestamp.now
        let from = try invocation[S.from]?.moment(now: now) ?? ExportSource.always.lowerBound
        let to = try invocation[S.to]?.moment(now: now) ?? ExportSource.always.upperBound
        var last: Int64 = 0
        while true {
            let lines = try await store.audit(participant: try invocation[participant], from: from, to: to, after: last)
            for line in lines {
                guard try body(line) else { return }
                last = line.number
            }
            if lines.isEmpty { return }
        }
    }

    private static func fields(_ line: AuditLine) -> [String: Any] {
        let entry = line.entry
        let fields: [String: Any?] = [
            "time": entry.time.seconds, "actor": entry.actor, "address": entry.address, "operation": entry.operation,
            "participant": entry.participant, "detail": entry.detail, "outcome": entry.outcome, "number": line.number, "hash": line.hash,
        ]
        return fields.compactMapValues { $0 }
    }

    /// The user at the command line of this machine.
    static var local: String { "local:" + String(NSUserName().prefix(64)) }

    /// Tells the trail what was done at the command line. Where the account may not write, somebody who reads with SQL could as well: it is said.
    static func note(_ operation: String, participant: String?, detail: String? = nil, in store: any TimelineStore) async {
        let entry = AuditEntry(
            time: .now, actor: local, operation: operation, participant: participant, detail: detail.map { String($0.prefix(256)) })
        do {
            try await store.append(audit: [entry])
        } catch {
            StandardError.line("audit lines not stored: \(error)")
        }
    }
}
