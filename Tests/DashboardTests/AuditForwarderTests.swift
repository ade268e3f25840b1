import Access
import Observability
import Synchronization
import Testing
import VigilSchema

@testable import Dashboard

@Suite("The dashboard's lines for the one audit trail")
struct AuditForwarderTests {
    /// Keeps what it is told, once it lets itself be told.
    private final class Trail: AuditTrailWriting {
        struct Away: Error {}
        private let state = Mutex<(isAway: Bool, entries: [AuditEntry])>((false, []))
        var entries: [AuditEntry] { state.withLock { $0.entries } }

        func isAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

        func write(_ entries: [AuditEntry]) async throws {
            try state.withLock { state in
                if state.isAway { throw Away() }
                state.entries += entries
            }
        }
    }

    private func note(_ accounts: AccountStore, _ action: String, _ actor: String, _ detail: String = "", from: String = "192.0.2.7")
        async throws
    {
        try await accounts.audit(
            Dashboard.AuditRecord(time: 1, actor: actor, action: action, participant: "", detail: detail, address: from))
    }

    @Test("sign-ins, failed ones and changes of accounts are told with who and from where, each once, also when the trail was away")
    func told() async throws {
        let accounts = try AccountStore(path: ":memory:"), trail = Trail()
        let forwarder = AuditForwarder(accounts: accounts, trail: trail, log: Logger(service: "test", level: .error) { _ in })
        try await note(accounts, "sign-in", "nurse")
        try await note(accounts, "sign-in-refused", "nurse\u{7}")
        trail.isAway(true)
        await #expect(throws: Trail.Away.self) { _ = try await forwarder.tell() }
        trail.isAway(false)
        while try await forwarder.tell() {}
        try await note(accounts, "add-account", "oona", "carl carer of anna")
        try await note(accounts, "make-token", "local:root", "carl", from: Dashboard.AuditRecord.commandLine)
        try await note(accounts, "make-token", "carl", "my phone")
        // What other services tell by themselves is not told twice.
        for action in ["acknowledge", "see-timeline", "stress-calibrate"] { try await note(accounts, action, "nurse") }
        while try await forwarder.tell() {}
        let lines = trail.entries.map { "\($0.actor) \($0.address ?? "-") \($0.operation) \($0.participant ?? "-") \($0.outcome)" }
        #expect(
            lines == [
                "nurse 192.0.2.7 dashboard-sign-in - ok", "nurse 192.0.2.7 dashboard-sign-in-refused - refused",
                "oona 192.0.2.7 dashboard-add-account carl ok", "local:root command line dashboard-make-token carl ok",
                "carl 192.0.2.7 dashboard-make-token - ok",
            ])
        #expect(trail.entries.allSatisfy { $0.detail == nil })
    }
}
