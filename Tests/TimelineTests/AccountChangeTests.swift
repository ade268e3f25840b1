import Access
import Foundation
import Observability
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("What vigil accounts changed")
struct AccountChangeTests {
    @Test("is told to the audit trail once, also by a replica that does not know what another told, and after a crash")
    func once() async throws {
        let folder = try TemporaryFolder("vigil-accounts")
        let changes = AccountChanges(besideAccounts: folder.path("accounts.json"))
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let entries = (0..<1200).map { number in
            AuditEntry(
                time: Timestamp(seconds: 1_700_000_000 + Double(number / 2)), actor: "local:nurse", operation: "account-add",
                participant: "p\(number)", detail: "role carer, number \(number)")
        }
        try changes.append(Array(entries[..<700]))
        try await tell(changes, store, folder.path("a"), until: 700)
        try changes.append(Array(entries[700...]))
        try await tell(changes, store, folder.path("b"), until: 1200)
        // As after a crash between the trail and the mark, and with somebody erased meanwhile.
        try changes.forget(["p3"], adding: [])
        try await tell(changes, store, folder.path("c"), until: 1200)
        let last = AuditEntry(time: Timestamp(seconds: 1_800_000_000), actor: "local:nurse", operation: "account-remove")
        try changes.append([last])
        try await tell(changes, store, folder.path("c"), until: 1201)
        #expect(try await lines(store).count == 1201)
        await store.close()
    }

    /// Runs the intake until its mark is at the last line, and looks how many lines there are then.
    private func tell(_ changes: AccountChanges, _ store: SQLiteStore, _ mark: String, until count: Int) async throws {
        let intake = AccountChangeIntake(
            changes: changes, store: store, mark: mark, log: Logger(service: "test", level: .error, sink: { _ in }))
        let last = changes.lines().last.map { "\($0.number)" }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await intake.run() }
            try await eventually("the mark \(last ?? "-")") { (try? String(contentsOfFile: mark, encoding: .utf8)) == last }
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        #expect(try await lines(store).count == count)
    }

    private func lines(_ store: SQLiteStore) async throws -> [AuditLine] {
        try await store.audit(
            participant: nil, from: Timestamp(seconds: 0), to: Timestamp(seconds: 2_000_000_000), limit: 10_000, after: 0)
    }
}
