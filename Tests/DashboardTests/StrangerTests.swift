import Foundation
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Dashboard

@Suite("What strangers can use up of the dashboard", .timeLimit(.minutes(10)))
struct StrangerTests {
    private static func wrongLink(_ server: DashboardServer, _ number: Int) async throws -> Int {
        try await server.send("POST", "/api/v1/session/link", body: #"{"token":"wrong \#(number)","password":"correct horse battery"}"#)
            .status
    }

    @Test("200 bodies that nobody ends take 32 MiB together, one for no file 64 KiB, and whoever is signed in is answered")
    func bodies() async throws {
        try await DashboardServer.run { server in
            let port = UInt16(server.base.split(separator: ":").last ?? "") ?? 0
            func began(_ path: String, length: Int) throws -> RawConnection {
                try RawConnection(
                    port: port,
                    sending: "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length + 1)\r\n\r\n"
                        + String(repeating: "x", count: length))
            }
            let cookie = try await server.cookie("nurse")
            let large = try (0..<200).map { _ in
                let connection = try RawConnection(
                    port: port,
                    sending: "PUT /api/v1/imports/x/data?offset=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
                        + String(repeating: "x", count: 900_000))
                return connection
            }
            defer { for connection in large { connection.close() } }
            try await eventually("they have sent") { server.bodyBytes() > 30 << 20 }
            #expect(server.bodyBytes() <= 32 << 20)
            #expect(try await server.send("GET", "/api/v1/me", as: cookie).status == 200)
            let signedIn = try await server.send("POST", "/api/v1/session", body: #"{"name":"nurse","password":"x"}"#)
            #expect(signedIn.status == 401)
            let before = server.bodyBytes()
            let others = try (0..<20).map { _ in try began("/api/v1/session", length: 900_000) }
            defer { for connection in others { connection.close() } }
            let tooLong = try await server.send("POST", "/api/v1/session", body: String(repeating: "x", count: 70_000))
            #expect(tooLong.status == 413 && server.bodyBytes() <= before)
            // Who was sending for longest is told so in words at the end.
            large[0].send(String(repeating: "x", count: 100_000))
            let told = await large[0].receive(until: "try again")
            #expect(told.hasPrefix("HTTP/1.1 503"))
        }
    }

    @Test("a thousand wrong links from one address are some sixty lines of the audit, and too many at once are told to wait")
    func wrongLinks() async throws {
        let gate = Latch()
        let isHeld = Mutex(false)
        let waiting = Mutex(0)
        try await DashboardServer.run(pause: { _ in
            waiting.withLock { $0 += 1 }
            if isHeld.withLock({ $0 }) { await gate.wait() }
        }) { server in
            for number in 0..<1000 { #expect(try await Self.wrongLink(server, number) == 401) }
            let lines = try await server.accounts.audit(before: nil, limit: 2000).filter { $0.action == "link-refused" }
            // It may take more than a minute.
            #expect((60...240).contains(lines.count), "\(lines.count)")
            #expect(waiting.withLock { $0 } >= 990)
            isHeld.withLock { $0 = true }
            let link = try await server.accounts.makeLink(for: "nurse", now: Date().timeIntervalSince1970)
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await Self.wrongLink(server, 0) } }
                try await eventually("four are held back") { waiting.withLock { $0 } >= 1001 }
                for _ in 0..<4 { tasks.addTask { try await Self.wrongLink(server, 0) } }
                #expect(try await tasks.next() == 429)
                // The owner's place is another one.
                tasks.addTask {
                    try await server.send(
                        "POST", "/api/v1/session/link", body: #"{"token":"\#(link)","password":"correct horse battery"}"#
                    ).status
                }
                gate.open()
                let rest = try await tasks.reduce(into: [Int]()) { $0.append($1) }
                #expect(rest.contains(200))
            }
        }
    }

    @Test("four who guess at one account from an address do not keep another's owner there out")
    func sharedAddress() async throws {
        let store = try AccountStore(path: ":memory:")
        let oona = Account(name: "oona", roles: [.operator])
        try await store.add(oona, now: 0)
        let gate = Latch()
        let held = Mutex(0)
        let isOpen = Mutex(true)
        let signIn = try SignIn(store: store, now: { 0 }) { _ in
            if isOpen.withLock({ $0 }) { return }
            if held.withLock({ count in
                count += 1; return count <= 4
            }) {
                await gate.wait()
            }
        }
        let hash = try await signIn.setPassword("correct horse battery", of: oona)
        for _ in 0..<4 { _ = try await signIn.attempt(name: "nobody", password: "wrong", address: "a") }
        isOpen.withLock { $0 = false }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4 { tasks.addTask { _ = try await signIn.attempt(name: "nobody", password: "wrong", address: "a") } }
            try await eventually("four are held back") { held.withLock { $0 } == 4 }
            let owner = try await signIn.attempt(name: "oona", password: "correct horse battery", address: "a")
            #expect(owner == .signedIn(oona, hash: hash))
            gate.open()
            try await tasks.waitForAll()
        }
    }

    @Test("attempts under way are four on an account, 64 from an address or a network of IPv6, and 256 in all; a long name counts as one")
    func attempts() {
        var open = OpenAttempts()
        var taken = 0
        for account in 0..<100 where open.enter("account \(account)", "2001:db8:1:2::\(account)") { taken += 1 }
        #expect(taken == 64)
        for address in 0..<1000 where open.enter("nurse", "10.0.\(address / 250).\(address % 250)") { taken += 1 }
        #expect(taken == 256)
        let oneMore = open.enter("nurse", "10.9.9.9")
        #expect(!oneMore)
        for account in 0..<64 { open.leave("account \(account)", "2001:db8:1:2:ffff::\(account)") }
        taken = 0
        for _ in 0..<9 where open.enter("nurse", "2001:db8:1:2::1") { taken += 1 }
        #expect(taken == 4)
        // Six that take all they can leave room for seven others.
        open = OpenAttempts()
        for address in 0..<6 { for account in 0..<100 { _ = open.enter("account \(account)", "10.0.0.\(address)") } }
        taken = 0
        for address in 0..<7 where open.enter("nurse", "10.1.0.\(address)") { taken += 1 }
        #expect(taken == 7)
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8::1", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"),
            ("fe80:1:2:3:4:5:6:7", "fe80:1:2:3::/64"), ("1::", "1:0:0:0::/64"), ("", ""),
        ] { #expect(GuessDelay.network(address) == network) }
        var delays = GuessDelay()
        let long = String(repeating: "x", count: 100)
        for _ in 0..<9 { delays.failed(account: long, address: "a", now: 0) }
        #expect(delays.delay(account: long, address: "b", now: 0) == 1)
    }
}
