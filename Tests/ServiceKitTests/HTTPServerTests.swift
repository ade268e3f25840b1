import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@testable import Observability

@Suite("The HTTP server", .timeLimit(.minutes(4)))
struct HTTPServerTests {
    /// Runs a server for the body.
    private func serving(
        _ routes: [HTTPRoute], limits: HTTPServer.Limits = .init(), _ body: (_ base: String) async throws -> Void
    ) async throws {
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: routes, limits: limits)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            await server.started()
            try await body("http://127.0.0.1:\(try #require(server.port))")
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    private struct Reply: Equatable {
        let status: Int
        let text: String
    }

    private func fetch(_ url: String, method: String = "GET", body: [UInt8]? = nil) async throws -> Reply {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        let (data, response) = try await URLSession.shared.data(for: request)
        return Reply(status: (response as? HTTPURLResponse)?.statusCode ?? 0, text: String(decoding: data, as: UTF8.self))
    }

    @Test("says whether the process lives, is ready, and what it counts")
    func health() async throws {
        let metrics = MetricsRegistry()
        metrics.counter("seen_total", help: "Seen.").add(2)
        let readiness = Readiness()
        readiness.set("broker", false)
        try await serving(HealthRoutes.routes(metrics: metrics, readiness: readiness)) { base in
            let lives = try await fetch("\(base)/healthz")
            #expect(lives == Reply(status: 200, text: "ok\n"))
            let waits = try await fetch("\(base)/readyz")
            #expect(waits == Reply(status: 503, text: "not ready: broker\n"))
            readiness.set("broker", true)
            let ready = try await fetch("\(base)/readyz")
            #expect(ready == Reply(status: 200, text: "ready\n"))
            let counts = try await fetch("\(base)/metrics")
            #expect(counts.text.contains("seen_total 2"))
            let unknown = try await fetch("\(base)/nothing")
            #expect(unknown.status == 404)
            let refused = try await fetch("\(base)/metrics", method: "POST", body: [])
            #expect(refused.status == 405)
        }
    }

    @Test("hands parameters, query and body to the route")
    func request() async throws {
        let route = HTTPRoute("POST", "/people/{id}/{rest*}") { request in
            .text("\(request.parameters["id"] ?? "")|\(request.parameters["rest"] ?? "")|\(request.query["q"] ?? "")|\(request.body.count)")
        }
        try await serving([route]) { base in
            let body = [UInt8](repeating: 7, count: 300_000)
            let reply = try await fetch("\(base)/people/12/a/b?q=x%20y", method: "POST", body: body)
            #expect(reply == Reply(status: 200, text: "12|a/b|x y|300000"))
        }
    }

    @Test("refuses a body above the limit")
    func limit() async throws {
        let route = HTTPRoute("POST", "/") { _ in .text("taken") }
        try await serving([route], limits: .init(body: 1000)) { base in
            let tooLarge = try await fetch(base + "/", method: "POST", body: [UInt8](repeating: 0, count: 1001))
            #expect(tooLarge.status == 413)
            let largest = try await fetch(base + "/", method: "POST", body: [UInt8](repeating: 0, count: 1000))
            #expect(largest.status == 200)
        }
    }

    @Test("a route may have a limit of its own, and a path that leads nowhere the server's")
    func limitOfRoute() async throws {
        let routes = [
            HTTPRoute("POST", "/files/{id}", body: 5000) { .text("\($0.body.count)") }, HTTPRoute("POST", "/") { _ in .text("taken") },
        ]
        try await serving(routes, limits: .init(body: 1000)) { base in
            let file = try await fetch(base + "/files/1", method: "POST", body: [UInt8](repeating: 0, count: 5000))
            #expect(file == Reply(status: 200, text: "5000"))
            for (path, count) in [("/files/1", 5001), ("/", 1001), ("/nothing", 1001)] {
                let refused = try await fetch(base + path, method: "POST", body: [UInt8](repeating: 0, count: count))
                #expect(refused.status == 413, "\(path)")
            }
        }
    }

    @Test("of more bodies than there is room for the one that has been coming for longest goes, in words, and its bytes are free at once")
    func bodiesTogether() async throws {
        let route = HTTPRoute("POST", "/") { .text("\($0.body.count) taken") }
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: [route], limits: .init(body: 1000, bodies: 2500))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            await server.started()
            let port = UInt16(clamping: try #require(server.port))
            let head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n"
            let part = String(repeating: "x", count: 900), rest = String(repeating: "x", count: 100)
            var connections: [RawConnection] = []
            for (count, bytes) in [900, 1800, 1800].enumerated() {
                connections.append(try RawConnection(port: port, sending: head + part))
                // The third takes the first one's place.
                if count < 2 { try await eventually("sent") { server.bodyBytes == bytes } }
            }
            connections[2].send(rest)
            let third = await connections[2].receive()
            #expect(third.hasPrefix("HTTP/1.1 200") && third.hasSuffix("1000 taken"))
            for (index, expected) in [(0, "HTTP/1.1 503"), (1, "HTTP/1.1 200")] {
                connections[index].send(rest)
                let answer = await connections[index].receive()
                #expect(answer.hasPrefix(expected), "\(index): \(answer)")
            }
            try await eventually("all is free") { server.bodyBytes == 0 }
            // Who leaves in the middle leaves nothing behind.
            let leaving = try RawConnection(port: port, sending: head + part)
            try await eventually("sent") { server.bodyBytes == 900 }
            leaving.close()
            try await eventually("left") { server.bodyBytes == 0 }
            for connection in connections { connection.close() }
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    @Test("answers while another request waits")
    func concurrency() async throws {
        let gate = Latch()
        let routes = [
            HTTPRoute("GET", "/slow") { _ in
                await gate.wait()
                return .text("slow")
            },
            HTTPRoute("GET", "/fast") { _ in
                gate.open()
                return .text("fast")
            },
        ]
        try await serving(routes) { base in
            async let slow = fetch("\(base)/slow")
            async let fast = fetch("\(base)/fast")
            let first = try await slow
            #expect(first.text == "slow")
            let second = try await fast
            #expect(second.text == "fast")
        }
    }

    @Test("streams more than any buffer holds, unharmed and in order")
    func stream() async throws {
        let filling = String(repeating: "x", count: 500)
        let route = HTTPRoute("GET", "/stream") { _ in
            HTTPResponse(
                body: .stream { stream in
                    // Long lines, few of them: each may wait for a thread that hundreds of other tests want too.
                    for number in 0..<2000 { try await stream.write("\(number) \(filling)\n") }
                })
        }
        try await serving([route]) { base in
            let lines = try await fetch("\(base)/stream").text.split(separator: "\n")
            #expect(lines == (0..<2000).map { "\($0) \(filling)" })
        }
    }

    @Test("sends server-sent events as their format wants")
    func events() async throws {
        let route = HTTPRoute("GET", "/events") { _ in
            .events { stream in try await stream.send(event: "alert", data: "a\nb", id: "7") }
        }
        try await serving([route]) { base in
            let event = try await fetch("\(base)/events")
            #expect(event.text == "id: 7\nevent: alert\ndata: a\ndata: b\n\n")
        }
    }

    @Test("ends open streams and waiting requests when it stops")
    func stop() async throws {
        let opened = Latch()
        let ended = Latch()
        let route = HTTPRoute("GET", "/events") { _ in
            .events { stream in
                defer { ended.open() }
                try await stream.send(data: "first")
                opened.open()
                await Latch().wait()
                try await stream.send(data: "never")
            }
        }
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: [route])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            await server.started()
            let url = "http://127.0.0.1:\(try #require(server.port))/events"
            async let reply = fetch(url)
            await opened.wait()
            tasks.cancelAll()
            await ended.wait()
            let ending = try await reply
            #expect(ending.text == "data: first\n\n")
            try await tasks.waitForAll()
        }
    }

    @Test("answers at once while slow clients hold every connection, before, within and after a request")
    func slowClients() async throws {
        let routes = [
            HTTPRoute("GET", "/healthz") { _ in .text("ok\n") },
            HTTPRoute("GET", "/large") { _ in .text(String(repeating: "x", count: 8_000_000)) },
        ]
        // More than the 48 whose requests are complete: while those are all being answered, as they may be on a busy machine, they keep their places.
        try await serving(routes, limits: .init(connections: 64, idleSeconds: 600)) { base in
            let port = try #require(UInt16(base.split(separator: ":").last ?? ""))
            let starts = ["", "GET /healthz HTTP/1.1\r\nHost: a\r\n", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"]
            let slow = try (0..<144).map { try RawConnection(port: port, sending: starts[$0 % 3]) }
            defer { for connection in slow { connection.close() } }
            // They are silent for ten minutes: a request that waited for one of them to end would run into its own time limit.
            for _ in 0..<5 {
                let reply = try await fetch("\(base)/healthz")
                #expect(reply.text == "ok\n")
            }
        }
    }

    @Test("stops with requests at every stage, however often")
    func stopUnderLoad() async throws {
        for round in 0..<150 {
            let server = HTTPServer(host: "127.0.0.1", port: 0, routes: [HTTPRoute("GET", "/") { _ in .text("ok") }])
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await server.run() }
                await server.started()
                let port = UInt16(clamping: try #require(server.port))
                let connections = try (0..<24).map { _ in
                    try RawConnection(port: port, sending: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                }
                for _ in 0..<(round % 10) { await Task.yield() }
                tasks.cancelAll()
                try await tasks.waitForAll()
                for connection in connections { connection.close() }
            }
        }
    }

    @Test("says which address it cannot listen on")
    func taken() async throws {
        try await serving([]) { base in
            let port = try #require(Int(base.split(separator: ":").last ?? ""))
            let error = await #expect(throws: HTTPServerError.self) {
                try await HTTPServer(host: "127.0.0.1", port: port, routes: []).run()
            }
            #expect(error?.description == "cannot listen on 127.0.0.1:\(port): Address already in use")
        }
        let named = await #expect(throws: HTTPServerError.self) { try await HTTPServer(host: "here", port: 0, routes: []).run() }
        #expect(named?.description.contains("must be an IPv4 or IPv6 address") == true)
    }

    @Test(
        "fits paths to patterns",
        arguments: [
            ("/a/{id}", "/a/1", ["id": "1"]), ("/a/{id}", "/a", nil), ("/a/{id}", "/a/1/2", nil), ("/", "/", [:]),
            ("/{all*}", "/x/y.js", ["all": "x/y.js"]), ("/a", "/b", nil),
        ])
    func patterns(pattern: String, path: String, expected: [String: String]?) {
        #expect(HTTPRoute("GET", pattern) { _ in .text("") }.match(path) == expected)
    }
}

@Suite("Bodies of the HTTP server")
struct BodyBudgetTests {
    @Test("the longest unfinished goes, never one that is being answered, and itself where there is no other")
    func longestGoes() {
        var budget = BodyBudget(limit: 100)
        var left: [[ConnectionSlots.ID]] = []
        for (id, count) in [(1, 40), (2, 40), (3, 20)] as [(ConnectionSlots.ID, Int)] { left.append(budget.take(count, of: id)) }
        budget.complete(1)
        left.append(budget.take(10, of: 3))
        left.append(budget.take(60, of: 3))
        left.append(budget.take(70, of: 4))
        #expect(left == [[], [], [], [2], [3], [4]])
        #expect(budget.bytes == 40)
        budget.release(1)
        budget.release(1)
        #expect(budget.bytes == 0)
    }
}

@Suite("Connections of the HTTP server")
struct ConnectionSlotsTests {
    @Test("the one that has waited longest makes way")
    func oldestLeaves() {
        var slots = ConnectionSlots(limit: 3, streams: 3)
        var left: [ConnectionSlots.ID?] = []
        for id: ConnectionSlots.ID in 1...3 { left.append(slots.opened(id)) }
        slots.answering(1)
        left.append(slots.opened(4))
        slots.waits(1)
        left.append(slots.opened(5))
        slots.closed(3)
        left.append(slots.opened(6))
        left.append(slots.opened(7))
        #expect(left == [nil, nil, nil, 2, 3, 4, 1])
        #expect(slots.count == 3)
    }

    @Test("of the address with most connections one makes way, however long the others have waited")
    func crowdLeaves() {
        var slots = ConnectionSlots(limit: 4, streams: 4)
        let addresses = ["a", "b", "b", "b", "c", "d", "e"]
        let left = zip(1..., addresses).map { slots.opened($0, from: $1) }
        #expect(left == [nil, nil, nil, nil, 2, 3, 1])
    }

    @Test("whoever is answered or streams stays: the new one leaves")
    func workStays() {
        var slots = ConnectionSlots(limit: 2, streams: 1)
        _ = slots.opened(1)
        _ = slots.opened(2)
        slots.answering(1)
        slots.answering(2)
        let streams = [slots.streaming(1), slots.streaming(2)]
        #expect(streams == [true, false])
        let leaving = slots.opened(3)
        #expect(leaving == 3)
        slots.closed(1)
        let second = slots.streaming(2)
        #expect(second)
    }
}
