import Foundation
import Passkeys
import TestSupport
import Testing
import TimelineStore

@testable import Dashboard

/// Two dashboards, or one and `vigil people`, that act on the same accounts at the same moment.
@Suite("Accounts of several dashboards", .timeLimit(.minutes(4)))
struct SharedAccountsTests {
    private static let rounds = 20
    private let nurse = Account(name: "nurse", roles: [.carer], participants: ["anna"])

    /// Has both do something at once; returns what each was refused with.
    private func both(
        _ stores: TwoStores, _ body: @escaping @Sendable (AccountStore, Int) async throws -> Void
    ) async -> [any Error] {
        await withTaskGroup(of: (any Error)?.self) { tasks in
            for (number, store) in stores.all.enumerated() {
                tasks.addTask {
                    do { try await body(store, number) } catch { return error }; return nil
                }
            }
            return await tasks.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
    }

    @Test("of two who add an account of one name one is refused", arguments: StoreKind.allCases)
    func sameName(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        for round in 0..<Self.rounds {
            let refused = await both(stores) { store, _ in try await store.add(Account(name: "n\(round)", roles: [.carer]), now: 0) }
            #expect(refused as? [AccountError] == [.exists("n\(round)")], "\(refused)")
        }
    }

    @Test("two who each remove or demote the other's operator leave one", arguments: StoreKind.allCases)
    func lastOperator(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        for round in 0..<Self.rounds {
            let names = ["a\(round)", "b\(round)"]
            for name in names { try await stores[0].add(Account(name: name, roles: [.operator]), now: 0) }
            for account in try await stores[0].accounts() where !names.contains(account.name) { try await stores[1].remove(account.name) }
            let refused = await both(stores) { store, number in
                if round % 2 == 0 { return try await store.remove(names[number]) }
                try await store.change(names[number]) { $0.roles = [.carer] }
            }
            #expect(refused as? [AccountError] == [.lastOperator], "\(refused)")
            #expect(try await stores[0].accounts().filter { $0.roles.contains(.operator) }.count == 1)
        }
    }

    @Test("settings and roles that are changed at once are both there afterwards", arguments: StoreKind.allCases)
    func changes(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        try await stores[0].add(nurse, now: 0)
        for round in 0..<Self.rounds {
            let refused = await both(stores) { store, number in
                try await store.change("nurse") { account in
                    if number == 0 { account.preferences = "\(round)" } else { account.participants.append("p\(round)") }
                }
            }
            let found = try await stores[1].account("nurse")
            #expect(refused.isEmpty && found?.preferences == "\(round)" && found?.participants.count == round + 2)
        }
    }

    private func passkey(_ number: Int, counter: UInt32 = 0) -> Passkey {
        Passkey(id: Array("key \(number)".utf8), algorithm: .es256, key: [1], host: "example.org", counter: counter)
    }

    @Test("a passkey's counter is taken once, a passkey is one account's, and nobody has eleven", arguments: StoreKind.allCases)
    func passkeys(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        for name in ["nurse", "oona"] { try await stores[0].add(Account(name: name, roles: [.carer]), now: 0) }
        let same = await both(stores) { store, number in
            try await store.add(passkey(0), label: "", to: ["nurse", "oona"][number], now: 0)
        }
        #expect(same as? [AccountError] == [.passkeyExists], "\(same)")
        let owner = try await stores[0].passkeys(of: "nurse").isEmpty ? "oona" : "nurse"
        for counter in 1...UInt32(Self.rounds) {
            let refused = await both(stores) { store, _ in try await store.used(passkey(0, counter: counter), of: owner, now: 1) }
            #expect(refused as? [PasskeyError] == [.copied], "\(refused)")
        }
        await #expect(throws: PasskeyError.copied) { try await stores[1].used(passkey(0, counter: 3), of: owner, now: 1) }
        for number in 1..<AccountStore.mostPasskeys - 1 { try await stores[0].add(passkey(number), label: "", to: owner, now: 0) }
        let many = await both(stores) { store, number in try await store.add(passkey(100 + number), label: "", to: owner, now: 0) }
        #expect(many as? [AccountError] == [.tooManyPasskeys], "\(many)")
        #expect(try await stores[1].passkeys(of: owner).count == AccountStore.mostPasskeys)
    }

    @Test("a link is used once and only the newest holds, whoever makes or uses it", arguments: StoreKind.allCases)
    func links(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        try await stores[0].add(nurse, now: 0)
        for _ in 0..<Self.rounds {
            let link = try await stores[0].makeLink(for: "nurse", now: 0)
            let refused = await both(stores) { store, number in
                try await store.setPassword(hash: "hash \(number)", of: "nurse", with: link, now: 1)
            }
            #expect(refused as? [AccountError] == [.usedLink], "\(refused)")
            let made = await both(stores) { store, _ in _ = try await store.makeLink(for: "nurse", now: 0) }
            let count = try await stores[0].database.read { try $0.rows("SELECT count(*) FROM links")[0].integer(0) }
            #expect(made.isEmpty && count == 1)
        }
    }

    @Test("a session begun at one holds at the other, and ends at both; a token as well", arguments: StoreKind.allCases)
    func sessions(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        try await stores[0].add(nurse, now: 0)
        let secret = try await stores[0].beginSession(of: "nurse", address: "", agent: "", now: 0)
        let token = try await stores[0].makeToken(for: "nurse", label: "", now: 0)
        let id = try #require(try await stores[1].session(secret: secret, now: 1)).id
        #expect(try await stores[1].session(token: token) != nil)
        try await stores[1].endSession(id: id, of: "nurse")
        for store in stores.all { #expect(try await store.session(secret: secret, now: 2) == nil) }
        try await stores[0].remove("nurse")
        for store in stores.all { #expect(try await store.session(token: token) == nil) }
        #expect(try await stores[0].secret("pseudonyms") == stores[1].secret("pseudonyms"))
    }

    @Test("who was let in by a password that another dashboard has changed since begins no session", arguments: StoreKind.allCases)
    func changedPassword(_ kind: StoreKind) async throws {
        let stores = try kind.two()
        try await stores[0].add(nurse, now: 0)
        try await stores[0].setPassword(hash: "old", of: "nurse")
        try await stores[1].setPassword(hash: "new", of: "nurse")
        await #expect(throws: AccountError.changedPassword) {
            try await stores[0].beginSession(of: "nurse", knowing: "old", address: "", agent: "", now: 0)
        }
        _ = try await stores[0].beginSession(of: "nurse", knowing: "new", address: "", agent: "", now: 0)
        #expect(try await stores[1].sessions(of: "nurse", now: 1).count == 1)
    }
}
