import Access
import Observability
import ServiceKit
import TimelineStore
import VigilSchema

/// Tells the one audit trail of what the dashboard's own audit holds and no other service knows: sign-ins, accounts, tokens, parameters.
///
/// Questions and commands come into the trail by the services that answer them. The own audit is the outbox: beside it stands which lines are still to be
/// told. Who sets about telling some claims them, for half a minute, so that replicas tell each once; after a crash a line may be told twice, and none is left out.
struct AuditForwarder: Service {
    private static let interval = Duration.seconds(1)
    /// Actions that are told by the service that carries them out.
    private static let others: Set<String> = [
        "acknowledge", "silence", "unsilence", "clear", "set-threshold", "set-profile", "add-entry", "end-entry", "remove-entry",
        "add-levels", "remove-measurement",
    ]

    let accounts: AccountStore
    let trail: any AuditTrailWriting
    let log: Logger
    var now: @Sendable () -> Double = { Timestamp.now.seconds }
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        while !Task.isCancelled {
            do {
                while try await tell() {}
            } catch let error as StoreError where error.isAbsence {
                // Said by the watch, once.
            } catch {
                if Task.isCancelled { return }
                log.error("the audit trail could not be told; trying again", ["error": "\(error)"])
            }
            do { try await clock.sleep(for: Self.interval) } catch { return }
        }
    }

    /// Tells some lines; false where there are no more.
    func tell() async throws -> Bool {
        let lines = try await accounts.claimUntold(now: now())
        guard !lines.isEmpty else { return false }
        do {
            try await trail.write(lines.filter(Self.isOwn).map(Self.entry))
        } catch {
            // Where even that fails they are free again in half a minute.
            try? await accounts.giveBack(lines)
            throw error
        }
        try await accounts.told(lines)
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
            entry.action.hasSuffix("-account") || entry.action == "make-link"
            || ["make-token", "token-ended", "passkeys-removed"].contains(entry.action) && entry.isOfCommandLine
        let concerned = isAccount ? entry.detail.split(separator: " ").first.map(String.init) : entry.participant
        return AuditEntry(
            time: Timestamp(seconds: entry.time), actor: plain(entry.actor) ?? "nobody", address: plain(entry.address),
            operation: "dashboard-" + (plain(entry.action, 40) ?? "unknown"),
            participant: concerned.flatMap { Name.isValid($0) ? $0 : nil },
            // Of refusals it is how many there were.
            detail: entry.action == "set-parameter" || entry.action.hasSuffix("-refused") ? plain(entry.detail) : nil,
            outcome: entry.action.hasSuffix("-refused") ? "refused" : "ok")
    }

    /// A text as the trail takes it, whole wherever it is a name or an address: without control characters; nil for none.
    private static func plain(_ text: String, _ most: Int = 128) -> String? {
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })).kept(most)
        return plain.isEmpty ? nil : plain
    }
}

extension AuditRecord {
    /// The address under which `vigil people` notes what it changes.
    package static let commandLine = "command line"
    fileprivate var isOfCommandLine: Bool { address == Self.commandLine }
}

extension AccountStore {
    /// Seconds that lines are one dashboard's to tell. It is the same whichever of two clocks is ahead.
    private static let claim = 30.0

    /// Some lines of the audit that nobody has told or is telling, oldest first.
    fileprivate func claimUntold(now: Double) async throws -> [AuditRecord] {
        try await database.transaction { connection in
            let isShared = !type(of: connection).lockingClause.isEmpty
            let lines = try connection.rows(
                """
                SELECT id FROM untold WHERE claimed IS NULL OR abs(claimed - $1) > $2 ORDER BY id LIMIT 200
                \(isShared ? "FOR UPDATE SKIP LOCKED" : "")
                """, [.real(now), .real(Self.claim)])
            guard !lines.isEmpty else { return [] }
            let (numbers, condition) = Self.these(lines.map { $0.integer(0) }, connection)
            try connection.run("UPDATE untold SET claimed = $2 WHERE \(condition)", [numbers, .real(now)])
            return try connection.rows("SELECT \(AuditRecord.columns) FROM audit WHERE \(condition) ORDER BY id", [numbers])
                .map { AuditRecord($0) }
        }
    }

    fileprivate func giveBack(_ lines: [AuditRecord]) async throws {
        try await database.transaction { connection in
            let (numbers, condition) = Self.these(lines.map(\.id), connection)
            try connection.run("UPDATE untold SET claimed = NULL WHERE \(condition)", [numbers])
        }
    }

    fileprivate func told(_ lines: [AuditRecord]) async throws {
        try await database.transaction { connection in
            let (numbers, condition) = Self.these(lines.map(\.id), connection)
            try connection.run("DELETE FROM untold WHERE \(condition)", [numbers])
        }
    }

    /// The numbers as `$1`, and the condition that a row is one of them.
    private static func these(_ numbers: [Int64], _ connection: any SQLConnection) -> (SQLValue, String) {
        (.text("[\(numbers.map(String.init).joined(separator: ","))]"), "id IN (\(type(of: connection).elements(of: "$1")))")
    }
}
