import Access
import Observability
import Synchronization
import TestSupport
import Testing
import TimelineStore
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

    @Test(
        "sign-ins, failed ones and changes of accounts are told with who and from where, each once, also when the trail was away",
        arguments: StoreKind.allCases)
    func told(_ kind: StoreKind) async throws {
        let accounts = try kind.make(), trail = Trail()
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

    @Test("a name of 64 characters and an address of IPv6 arrive whole, and of an erased name nothing stays")
    func whole() async throws {
        let accounts = try AccountStore(path: ":memory:"), trail = Trail()
        let forwarder = AuditForwarder(accounts: accounts, trail: trail, log: Logger(service: "test", level: .error) { _ in })
        let name = "anna-" + String(repeating: "x", count: 59), address = "2001:0db8:1234:5678:9abc:def0:1234:5678"
        try await note(accounts, "sign-in", name, from: address)
        try await note(accounts, "link-refused", "", "and 7 more refused before", from: address)
        try await note(accounts, "sign-in-refused", String(repeating: "é", count: 90))
        while try await forwarder.tell() {}
        #expect(trail.entries.map(\.actor) == [name, "nobody", String(repeating: "é", count: 64)])
        #expect(trail.entries[0].address == address && trail.entries[1].detail == "and 7 more refused before")
        let folder = try TemporaryFolder("vigil-trail")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        try await store.open()
        for entry in trail.entries { try entry.validate() }
        try await store.append(audit: trail.entries)
        let present = try await store.audit(participant: nil, from: Timestamp(seconds: 0), to: Timestamp(seconds: 10), limit: 10, after: 0)
        #expect(present.contains { $0.entry.actor == name })
        _ = try await store.erase(participant: name)
        let left = try await store.audit(participant: nil, from: Timestamp(seconds: 0), to: Timestamp(seconds: 10), limit: 10, after: 0)
        #expect(!left.isEmpty && !left.contains { $0.entry.actor.hasPrefix("anna") })
    }

    @Test(
        "two dashboards tell each line once, and one that fell silent in the middle is stood in for after half a minute",
        arguments: StoreKind.allCases)
    func twoTell(_ kind: StoreKind) async throws {
        let (stores, trail) = (try kind.two(), Trail())
        let log = Logger(service: "test", level: .error) { _ in }
        for number in 0..<1000 { try await note(stores[number % 2], "sign-in", "nurse-\(number)") }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for store in stores.all {
                tasks.addTask { while try await AuditForwarder(accounts: store, trail: trail, log: log).tell() {} }
            }
            try await tasks.waitForAll()
        }
        #expect(trail.entries.count == 1000 && Set(trail.entries.map(\.actor)).count == 1000)
        try await note(stores[0], "sign-out", "nurse")
        // It has claimed the line, and is gone before the trail has it.
        let dying = AuditForwarder(accounts: stores[0], trail: Silent(), log: log, now: { 1000 })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { _ = try? await dying.tell() }
            for (time, isTold) in [(1001.0, false), (1029, false), (1031, true)] {
                try await eventually("claimed") { try await stores[1].claimed == 1 || isTold }
                #expect(try await AuditForwarder(accounts: stores[1], trail: trail, log: log, now: { time }).tell() == isTold)
            }
            tasks.cancelAll()
        }
        #expect(trail.entries.last?.operation == "dashboard-sign-out" && trail.entries.count == 1001)
    }

    /// Takes lines and never says that it has them.
    private struct Silent: AuditTrailWriting {
        func write(_ entries: [AuditEntry]) async throws { try await ContinuousClock().sleep(for: .seconds(3600)) }
    }
}

extension AccountStore {
    /// The lines of the audit that somebody has set about telling.
    fileprivate var claimed: Int64 {
        get async throws {
            try await database.read { try $0.rows("SELECT count(*) FROM untold WHERE claimed IS NOT NULL")[0].integer(0) }
        }
    }
}
