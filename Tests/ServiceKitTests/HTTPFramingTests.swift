import TestSupport
import Testing

@testable import Observability

@Suite("The framing of HTTP requests", .timeLimit(.minutes(2)))
struct HTTPFramingTests {
    private static let contradictory: [(name: String, request: String)] = [
        ("length and encoding", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("encoding and length", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
        ("two lengths", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\nabcde"),
        ("two equal lengths", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde"),
        ("a list of lengths", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nabcde"),
        ("a signed length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde"),
        ("two encodings", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("an unknown encoding", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        ("two hosts", "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        ("two hosts, one of a body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nHost: b\r\n\r\nabcde"),
        ("no host", "GET /a HTTP/1.1\r\nAccept: */*\r\n\r\n"),
        ("NUL in a value", "GET /a HTTP/1.1\r\nHost: a\r\nX-A: b\u{0}c\r\nAccept: */*\r\n\r\n"),
        ("NUL in the last value", "GET /a HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n"),
        ("NUL in a name", "GET /a HTTP/1.1\r\nHost: a\r\nX\u{0}A: b\r\n\r\n"),
        ("NUL in the path", "GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a folded value", "GET /a HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\nAccept: */*\r\n\r\n"),
        ("a folded last value", "GET /a HTTP/1.1\r\nHost: a\r\nX-A: b\r\n\tc\r\n\r\n"),
        ("a folded first value", "GET /a HTTP/1.1\r\nX-A: b\r\n c\r\nHost: a\r\n\r\n"),
        ("a folded length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 5\r\n\r\nabcde"),
    ]

    private static let honest: [(name: String, request: String)] = [
        ("no body", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a query", "GET /a?x=1&y=a%20b&z HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n"),
        ("HTTP/1.0 without a host", "GET /a HTTP/1.0\r\n\r\n"),
        ("line feeds alone", "GET /a HTTP/1.1\nHost: a\nAccept: */*\n\n"),
        ("empty and padded values", "GET /a HTTP/1.1\r\nHost:  a\r\nX-A:\r\nX-B: \t b \r\nX-C:c\r\n\r\n"),
        ("several fields of a name", "GET /a HTTP/1.1\r\nHost: a\r\nAccept: b\r\nAccept: c\r\nCookie: d=e; f=g\r\n\r\n"),
        ("a body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde"),
        ("a chunked body", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"),
        ("an empty body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
    ]

    private func answers(to requests: [String]) async throws -> [String] {
        let routes = [HTTPRoute("GET", "/a") { _ in .text("taken") }, HTTPRoute("POST", "/a") { _ in .text("taken") }]
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: routes)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            await server.started()
            let port = UInt16(clamping: try #require(server.port))
            var answers: [String] = []
            for request in requests {
                let connection = try RawConnection(port: port, sending: request)
                answers.append(await connection.receive(until: request.contains("SECOND") ? nil : "\r\n\r\n"))
                connection.close()
            }
            tasks.cancelAll()
            try await tasks.waitForAll()
            return answers
        }
    }

    @Test("what contradicts itself is answered with 400, and nothing behind it is taken for a request")
    func contradictions() async throws {
        let smuggled = "GET /a HTTP/1.1\r\nHost: a\r\nX: SECOND\r\n\r\n"
        let answers = try await answers(to: Self.contradictory.map { $0.request + smuggled })
        for ((name, _), answer) in zip(Self.contradictory, answers) {
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(name): \(answer)")
            #expect(!answer.contains("taken") && !answer.contains(" 200 "), "\(name): \(answer)")
        }
    }

    @Test("what is framed well is taken, however it is spelled")
    func honest() async throws {
        let answers = try await answers(to: Self.honest.map(\.request))
        for ((name, _), answer) in zip(Self.honest, answers) {
            #expect(answer.hasPrefix("HTTP/1.1 200 ") || answer.hasPrefix("HTTP/1.0 200 "), "\(name): \(answer)")
        }
    }

    @Test("a connection serves one request after the other, of all lengths")
    func keptAlive() async throws {
        let path = "/a?" + String(repeating: "x", count: 3000)
        let requests = (0..<20).map {
            "GET \($0 % 2 == 0 ? "/a" : path) HTTP/1.1\r\nHost: a\r\nX-\($0): \(String(repeating: "y", count: $0 * 50))\r\n\r\n"
        }
        let last = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: SECOND\r\n\r\n"
        let answer = try #require(try await answers(to: [requests.joined() + last]).first)
        #expect(answer.ranges(of: "HTTP/1.1 200 ").count == 21)
    }
}
