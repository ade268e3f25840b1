import Foundation
import Observability
import ServiceKit
import Testing
import TimelineStore

@testable import Dashboard

@Suite("Accounts of the dashboard")
struct AccountTests {
    private let nurse = Account(name: "nurse", roles: [.carer], participants: ["anna"])
    private let oona = Account(name: "oona", roles: [.operator])

    @Test("a session ends when it was idle, when it is old, and with its account", arguments: StoreKind.allCases)
    func sessions(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.add(oona, now: 0)
        try await store.add(nurse, now: 0)
        let secret = try await store.beginSession(of: "nurse", address: "::1", agent: "test", now: 1000)
        #expect(try await store.session(secret: secret, now: 2000)?.account.name == "nurse")
        #expect(try await store.session(secret: secret, now: 2000 + AccountStore.idle + 61) == nil)
        let long = try await store.beginSession(of: "nurse", address: "", agent: "", now: 0)
        for time in stride(from: 0, to: AccountStore.longest, by: 1000) { #expect(try await store.session(secret: long, now: time) != nil) }
        #expect(try await store.session(secret: long, now: AccountStore.longest + 1) == nil)
        let other = try await store.beginSession(of: "nurse", address: "", agent: "", now: 0)
        try await store.remove("nurse")
        #expect(try await store.session(secret: other, now: 1) == nil)
    }

    @Test(
        "neither session nor link that a clock ahead by decades began holds once it is right; half an hour back ends no session that is at work",
        arguments: StoreKind.allCases)
    func clockSetBack(_ kind: StoreKind) async throws {
        let store = try kind.make()
        let wall = Account(name: "wall", roles: [.carer], participants: ["*"], isKiosk: true)
        for account in [nurse, wall] { try await store.add(account, now: 0) }
        let ahead = 30 * 365 * 86_400.0
        for name in ["nurse", "wall"] {
            let wrong = try await store.beginSession(of: name, address: "", agent: "", now: ahead)
            #expect(try await store.session(secret: wrong, now: ahead + 60) != nil)
            #expect(try await store.session(secret: wrong, now: 0) == nil)
            #expect(try await store.sessions(of: name, now: 0).isEmpty)
            let right = try await store.beginSession(of: name, address: "", agent: "", now: 0)
            #expect(try await store.session(secret: right, now: 1700) != nil)
            #expect(try await store.session(secret: right, now: 0)?.account.name == name)
            #expect(try await store.sessions(of: name, now: 0).map(\.seen) == [0])
        }
        let link = try await store.makeLink(for: "nurse", now: ahead)
        #expect(try await store.account(ofLink: link, now: ahead) == nurse)
        #expect(try await store.account(ofLink: link, now: 0) == nil)
        #expect(try await store.account(ofLink: link, now: ahead - AccountStore.linkLife) == nurse)
    }

    @Test("a label is short, however long its author makes a character")
    func labels() {
        let marked = "e" + String(repeating: "\u{301}", count: 1000)
        #expect("my phone".asLabel == "my phone" && String(repeating: "ä", count: 200).asLabel.count == 100)
        #expect(marked.asLabel.utf8.count == 399 && ("phone " + marked).asLabel.utf8.starts(with: "phone e".utf8))
        #expect(String(repeating: "👩‍👩‍👧‍👦", count: 90).asLabel.utf8.count <= 400)
    }

    @Test("a link is good once, for three days, and only the newest", arguments: StoreKind.allCases)
    func links(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.add(oona, now: 0)
        let first = try await store.makeLink(for: "oona", now: 0)
        let second = try await store.makeLink(for: "oona", now: 0)
        #expect(try await store.account(ofLink: first, now: 1) == nil)
        #expect(try await store.account(ofLink: second, now: 1)?.name == "oona")
        #expect(try await store.account(ofLink: second, now: AccountStore.linkLife + 1) == nil)
        try await store.setPassword(hash: "x", of: "oona")
        #expect(try await store.account(ofLink: second, now: 1) == nil)
    }

    @Test("the last operator stays, malformed accounts are refused in words", arguments: StoreKind.allCases)
    func refusals(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.add(oona, now: 0)
        await #expect(throws: AccountError.lastOperator) { try await store.remove("oona") }
        await #expect(throws: AccountError.exists("oona")) { try await store.add(oona, now: 0) }
        await #expect(throws: AccountError.malformedName) { try await store.add(Account(name: "a b", roles: [.carer]), now: 0) }
        await #expect(throws: AccountError.malformedParticipant("x/y")) {
            try await store.add(Account(name: "a", roles: [.carer], participants: ["x/y"]), now: 0)
        }
        #expect(throws: AccountError.weakPassword) { try nurse.check(password: "short") }
    }

    @Test("nothing in the audit can be changed or removed", arguments: StoreKind.allCases)
    func audit(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.audit(
            AuditRecord(time: 1, actor: "nurse", action: "acknowledge", participant: "anna", detail: "", address: "::1"))
        for sql in ["UPDATE audit SET actor = 'nobody'", "DELETE FROM audit"] + (kind == .database ? ["TRUNCATE audit"] : []) {
            await #expect(throws: (any Error).self) { try await store.database.transaction { try $0.execute(sql) } }
        }
        #expect(try await store.audit(before: nil, limit: 5).map(\.actor) == ["nurse"])
    }

    @Test("guessing becomes slow for an address, and never keeps an account's owner out for more than a second")
    func guessing() {
        var delays = GuessDelay()
        var waited = 0.0
        for attempt in 0..<1000 {
            waited += delays.delay(account: "nurse", address: "a", now: Double(attempt) / 1000)
            delays.failed(account: "nurse", address: "a", now: Double(attempt) / 1000)
        }
        #expect(waited > 7000)
        #expect(delays.delay(account: "nurse", address: "b", now: 1) == 1)
        #expect(delays.delay(account: "other", address: "a", now: 1) == 8)
        #expect(delays.delay(account: "other", address: "b", now: 1) == 0)
        #expect(delays.delay(account: "nurse", address: "a", now: 2000) == 0)
        // The clock was set back far: what was counted before is forgotten then as well.
        #expect(delays.delay(account: "other", address: "a", now: -800) == 8)
        #expect(delays.delay(account: "other", address: "a", now: -1e9) == 0)
        delays.failed(account: "other", address: "a", now: -1e9)
        #expect(delays.delay(account: "other", address: "a", now: -1e9) == 0)
    }

    @Test("who tries ten thousand other names in between is no sooner let go on guessing, from the same address or about the same account")
    func manyNames() {
        var delays = GuessDelay()
        for attempt in 0..<30 { delays.failed(account: "nurse", address: "a", now: Double(attempt)) }
        for name in 0..<30_000 { delays.failed(account: "name\(name)", address: "a\(name)", now: 30 + Double(name) / 1000) }
        #expect(delays.delay(account: nil, address: "a", now: 61) == 8)
        #expect(delays.delay(account: "nurse", address: "b", now: 61) == 1)
        #expect(delays.delay(account: nil, address: "a", now: 1000) == 0)
    }

    @Test(
        "a right password signs in, a wrong one and an unknown name do not, and too many at once wait outside",
        arguments: StoreKind.allCases)
    func signIn(_ kind: StoreKind) async throws {
        let store = try kind.make()
        try await store.add(nurse, now: 0)
        let signIn = try SignIn(store: store, now: { 0 }, pause: { _ in })
        let hash = try await signIn.setPassword("correct horse battery", of: nurse)
        #expect(try await signIn.attempt(name: "nurse", password: "correct horse battery", address: "a") == .signedIn(nurse, hash: hash))
        #expect(try await signIn.attempt(name: "nurse", password: "wrong", address: "a") == .refused)
        #expect(try await signIn.attempt(name: "nobody", password: "wrong", address: "a") == .refused)
    }

    @Test("an address whose attempts wait gets no further ones in")
    func busy() async throws {
        let store = try AccountStore(path: ":memory:")
        let gate = Latch()
        let signIn = try SignIn(store: store, now: { 0 }, pause: { _ in await gate.wait() })
        for _ in 0..<3 { _ = try await signIn.attempt(name: "nurse", password: "wrong", address: "b") }
        let outcomes = try await withThrowingTaskGroup(of: SignIn.Outcome.self) { tasks in
            for _ in 0..<5 { tasks.addTask { try await signIn.attempt(name: "nurse", password: "wrong", address: "b") } }
            // Four wait behind the gate; the fifth is told so at once.
            let first = try await tasks.next()
            #expect(first == .busy)
            gate.open()
            return try await tasks.reduce(into: [SignIn.Outcome]()) { $0.append($1) }
        }
        #expect(outcomes == [.refused, .refused, .refused, .refused])
    }

    @Test("a screen on a wall changes nothing; an operator sees nobody who is not assigned")
    func permissions() {
        let wall = Account(name: "wall", roles: [.carer, .operator], participants: ["*"], isKiosk: true)
        #expect(wall.permissions == [.seeHealth, .seeIdentity])
        #expect(!oona.sees("anna") && nurse.sees("anna") && !nurse.sees("ben") && wall.sees("ben"))
        #expect(!wall.sees("_module.vigil-alert.main"))
    }
}
