import Foundation
import TestSupport
import Testing

@testable import Dashboard

@Suite("The shares of an account", .timeLimit(.minutes(2)))
struct AccountShareTests {
    @Test("one account's live streams leave room for everybody else's, and the one too many is refused in words")
    func streams() async throws {
        try await DashboardServer.run { server in
            let port = try #require(UInt16(server.base.split(separator: ":").last ?? ""))
            let (greedy, other) = (try await server.cookie("nurse"), try await server.cookie("oona"))
            func open(_ cookie: String) throws -> RawConnection {
                try RawConnection(
                    port: port,
                    sending: "GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nCookie: \(cookie)\r\n\r\n")
            }
            var connections: [RawConnection] = []
            defer { for connection in connections { connection.close() } }
            for _ in 0..<32 {
                connections.append(try open(greedy))
                #expect(await connections.last?.receive(until: "snapshot").hasPrefix("HTTP/1.1 200 ") == true)
            }
            let refused = try await server.send("GET", "/api/v1/live", as: greedy)
            #expect(refused.status == 429 && refused.text.contains("share-used-up") && refused.headers["retry-after"] != nil)
            connections.append(try open(other))
            #expect(await connections.last?.receive(until: "snapshot").hasPrefix("HTTP/1.1 200 ") == true)
            // One that is closed makes room.
            connections.removeFirst().close()
            try await eventually(within: .seconds(20), "there is room again") {
                let again = try open(greedy)
                connections.append(again)
                return await again.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ")
            }
        }
    }

    @Test("one account's requests leave room for everybody else's")
    func requests() throws {
        let shares = AccountShares()
        for _ in 0..<32 { try shares.enter("a") }
        #expect(throws: APIError.self) { try shares.enter("a") }
        try shares.enter("b")
        shares.leave("a")
        try shares.enter("a")
    }

    @Test("the oldest session ends where an account begins too many, and no more tokens are made")
    func sessions() async throws {
        let accounts = try AccountStore(path: ":memory:")
        try await DashboardServer.addPeople(to: accounts)
        let first = try await accounts.beginSession(of: "nurse", address: "", agent: "", now: 0)
        let other = try await accounts.beginSession(of: "oona", address: "", agent: "", now: 0)
        for second in 1...100 { _ = try await accounts.beginSession(of: "nurse", address: "", agent: "", now: Double(second)) }
        #expect(try await accounts.session(secret: first, now: 101) == nil)
        #expect(try await accounts.session(secret: other, now: 101) != nil)
        #expect(try await accounts.sessions(of: "nurse", now: 101).count == 100)
        for number in 0..<100 { _ = try await accounts.makeToken(for: "nurse", label: "\(number)", now: 0) }
        await #expect(throws: AccountError.tooManyTokens) { try await accounts.makeToken(for: "nurse", label: "x", now: 0) }
    }

    @Test("who signed in from an address before waits there for nobody else's guesses, and for their own")
    func sharedAddress() {
        var delays = GuessDelay()
        for attempt in 0..<100 { delays.failed(account: "guess\(attempt)", address: "a", now: 1) }
        #expect(delays.delay(account: "nurse", address: "a", now: 1) == 8)
        #expect(delays.delay(account: "nurse", address: "a", isKnownThere: true, now: 1) == 0)
        for _ in 0..<100 { delays.failed(account: "nurse", address: "a", now: 1) }
        #expect(delays.delay(account: "nurse", address: "a", isKnownThere: true, now: 1) == 8)
        #expect(delays.delay(account: "nurse", address: "b", isKnownThere: true, now: 1) == 1)
    }

    @Test("a wrong password of a known name takes as long as one of a name that there is not")
    func timing() async throws {
        let accounts = try AccountStore(path: ":memory:")
        try await DashboardServer.addPeople(to: accounts)
        let signIn = try SignIn(store: accounts, now: { 0 }, pause: { _ in })
        let nurse = try #require(try await accounts.account("nurse"))
        try await signIn.setPassword("right password", of: nurse)
        var spent: [Bool: [Double]] = [:]
        for attempt in 0..<24 {
            let isKnown = attempt % 2 == 0
            let time = try await ContinuousClock().measure {
                let outcome = try await signIn.attempt(
                    name: isKnown ? "nurse" : "nobody\(attempt)", password: "wrong password", address: "a\(attempt)")
                #expect(outcome == .refused)
            }
            spent[isKnown, default: []].append(time / .milliseconds(1))
        }
        // The shortest of each: on a busy machine any attempt may wait for the processor.
        let shortest = [true, false].map { spent[$0, default: []].min() ?? 0 }
        #expect(
            shortest[0] / shortest[1] > 0.7 && shortest[0] / shortest[1] < 1.4, "milliseconds, known and unknown: \(shortest)")
    }
}
