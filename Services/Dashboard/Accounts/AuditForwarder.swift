import Access
import Observability
import SQLiteDatabase
import ServiceKit
import VigilSchema

/// Tells the one audit trail of what the dashboard's own audit holds and no other service knows: sign-ins, accounts, tokens, parameters.
///
/// Questions and commands come into the trail by the services that answer them. The own audit is the outbox: the number of the last line that was
/// told is kept beside it, so that a line may be told twice after a crash, and none is left out.
struct AuditForwarder: Service {
    private static let mark = "audit-told"
    private static let interval = Duration.seconds(1)
    /// Actions that are told by the service that carries them out.
    private static let others: Set<String> = [
        "acknowledge", "silence", "unsilence", "clear", "set-threshold", "set-profile", "add-entry", "remove-entry", "add-levels",
    ]

    let accounts: AccountStore
    let trail: any AuditTrailWriting
    let log: Logger
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        while !Task.isCancelled {
            do {
                while try await tell() {}
            } catch {
                if Task.isCancelled { return }
                log.error("the audit trail could not be told; trying again", ["error": "\(error)"])
            }
            do { try await clock.sleep(for: Self.interval) } catch { return }
        }
    }

    /// Tells some lines; false where there are no more.
    func tell() async throws -> Bool {
        let (last, lines) = try await accounts.untold(after: Self.mark)
        guard let last else { return false }
        try await trail.write(lines.filter(Self.isOwn).map(Self.entry))
        try await accounts.told(last, Self.mark)
        return true
    }

    private static func isOwn(_ entry: AuditRecord) -> Bool {
        let action = entry.action
        return !others.contains(action) && !action.hasPrefix("stress-") && (!action.hasPrefix("see-") || action == "see-live")
    }

    private static func entry(_ entry: AuditRecord) -> AuditEntry {
        // Who is concerned is an account where it is no participant; whatever else was said of it may name people.
        // A token that somebody makes at the pages is that account's own, and the detail its label.
        let isAccount =
            entry.action.hasSuffix("-account") || entry.action == "make-link" || entry.action == "make-token" && entry.isOfCommandLine
        let concerned = isAccount ? entry.detail.split(separator: " ").first.map(String.init) : entry.participant
        return AuditEntry(
            time: Timestamp(seconds: entry.time), actor: plain(entry.actor, 64) ?? "nobody", address: plain(entry.address, 64),
            operation: "dashboard-" + (plain(entry.action, 40) ?? "unknown"),
            participant: concerned.flatMap { Name.isValid($0) ? $0 : nil },
            detail: entry.action == "set-parameter" ? plain(entry.detail, 100) : nil,
            outcome: entry.action.hasSuffix("-refused") ? "refused" : "ok")
    }

    /// A text as the trail takes it: short, without control characters; nil for none.
    private static func plain(_ text: String, _ most: Int) -> String? {
        let plain = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(most / 2).map(Character.init))
        return plain.isEmpty || plain.utf8.count > 128 ? nil : plain
    }
}

extension AuditRecord {
    /// The address under which `vigil people` notes what it changes.
    package static let commandLine = "command line"
    fileprivate var isOfCommandLine: Bool { address == Self.commandLine }
}

extension AccountStore {
    /// Lines of the audit behind those that were told, oldest first, and the number of the last; nil where there are none.
    fileprivate func untold(after mark: String) async throws -> (last: Int64?, lines: [AuditRecord]) {
        try await state.read { database in
            let row = try database.statement(
                """
                SELECT id, time, actor, action, participant, detail, address FROM audit
                WHERE id > coalesce((SELECT CAST(value AS INTEGER) FROM secrets WHERE name = ?), 0) ORDER BY id LIMIT 200
                """)
            defer { row.reset() }
            try row.bind([.text(mark)])
            var lines: [AuditRecord] = []
            while try row.step() { lines.append(Self.auditEntry(row)) }
            return (lines.last?.id, lines)
        }
    }

    fileprivate func told(_ last: Int64, _ mark: String) async throws {
        try await state.transaction { database in
            try database.run("INSERT OR REPLACE INTO secrets VALUES (?, ?)", [.text(mark), .text(String(last))])
        }
    }
}
