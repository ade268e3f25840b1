import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import Dashboard

@Suite("Importing under attack", .timeLimit(.minutes(4)))
struct ImportAttackTests {
    private struct Asked: Decodable {
        let command: String
        var job: String?
        var name: String?
        var offset: Int?
        var data: String?
        var actor: String?
    }

    private static func asked(_ server: DashboardServer) throws -> [Asked] {
        try server.asked.all.filter { $0.topic == "vigil/v1/requests/dashboard/import" }
            .map { try JSONDecoder().decode(Asked.self, from: Data($0.payload)) }
    }

    private static let bytes = ["Content-Type": "application/octet-stream"]

    @Test("only an operator imports: to others there is no such thing, and the import service is not asked")
    func others() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true}"# }) { server in
            try await server.accounts.add(
                Account(name: "wall", roles: [.operator], isKiosk: true), now: Date().timeIntervalSince1970)
            for account in ["nurse", "ana", "wall"] {
                let cookie = try await server.cookie(account)
                for operation in DashboardRoutes.operations where operation.path.hasPrefix("/imports") {
                    let path = "/api/v1" + operation.path.replacing("{job}", with: "x").replacing("{id}", with: "x") + "?offset=0"
                    let reply = try await server.send(
                        operation.method, path, as: cookie, body: operation.isChanging ? "{}" : nil,
                        headers: operation.takesBytes ? Self.bytes : [:])
                    #expect(reply.status == 404, "\(account): \(operation.method) \(operation.path)")
                }
            }
            #expect(server.asked.all.isEmpty)
        }
    }

    @Test("a piece goes on in parts that the bus takes, under the name of who is signed in; what is too large or no piece goes nowhere")
    func pieces() async throws {
        try await DashboardServer.run(answering: { _ in #"{"ok":true,"received":524288}"# }) { server in
            let cookie = try await server.cookie("oona"), path = "/api/v1/imports/01J/data"
            let whole = String(repeating: "x", count: ImportOperations.piece)
            for (query, body, headers, status) in [
                ("?offset=0", whole + "x", Self.bytes, 413), ("?offset=0", "", Self.bytes, 400), ("", "a", Self.bytes, 400),
                ("?offset=-1", "a", Self.bytes, 400), ("?offset=nan", "a", Self.bytes, 400), ("?offset=1.5", "a", Self.bytes, 400),
                ("?offset=0", "a", [:], 415), ("?offset=0", "a", ["Content-Type": "text/plain"], 415),
                ("?offset=0", "a", Self.bytes.merging(["Sec-Fetch-Site": "cross-site"]) { $1 }, 403),
                ("?offset=0", String(repeating: "x", count: 3 << 20), Self.bytes, 413),
            ] {
                let reply = try await server.send("PUT", path + query, as: cookie, body: body, headers: headers)
                #expect(reply.status == status, "\(query) \(body.count) \(headers) \(reply.text)")
            }
            #expect(server.asked.all.isEmpty)
            let reply = try await server.send("PUT", path + "?offset=100", as: cookie, body: whole, headers: Self.bytes)
            #expect(reply.status == 200)
            let asked = try Self.asked(server)
            #expect(asked.map(\.command) == ["append", "append"] && asked.compactMap(\.offset) == [100, 100 + 262_144])
            #expect(asked.allSatisfy { $0.actor == "oona" && $0.job == "01J" && Data(base64Encoded: $0.data ?? "")?.count == 262_144 })
            // A form or JSON where bytes are not wanted stays refused.
            let form = try await server.send("POST", "/api/v1/imports", as: cookie, body: "name=a", headers: Self.bytes)
            #expect(form.status == 415)
        }
    }

    @Test(
        "a job of somebody else, a path or a broken line as its name is not found, and reaches no header",
        arguments: ["01FOREIGN", "..%2f..%2fetc%2fpasswd", "a%0d%0aSet-Cookie:%20x=y", "%00", "%22%2C%22command%22%3A%22erase"])
    func foreignJobs(job: String) async throws {
        let refusal = #"{"ok":false,"code":"unknown-job","error":"there is no such job"}"#
        try await DashboardServer.run(answering: { _ in refusal }) { server in
            let cookie = try await server.cookie("oona")
            for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/rejects"), ("POST", "/survey"), ("POST", "/start")] {
                let reply = try await server.send(
                    method, "/api/v1/imports/\(job)\(rest)", as: cookie, body: method == "POST" ? "{}" : nil)
                #expect(reply.status == 404 || reply.status == 400, "\(method) \(job)\(rest): \(reply.status)")
                #expect(reply.headers["set-cookie"] == nil)
            }
            #expect(try Self.asked(server).allSatisfy { ["jobs", "discard", "rejects", "survey", "start"].contains($0.command) })
        }
    }

    @Test("a file that is called like a script comes and goes as text, and a refusal's words too")
    func names() async throws {
        let script = "<script>alert(1)</script>\\u0022\\r\\nX: y.csv"
        try await DashboardServer.run(answering: { _ in #"{"ok":false,"code":"full","error":"<script>alert(2)</script>"}"# }) { server in
            let cookie = try await server.cookie("oona")
            let reply = try await server.send("POST", "/api/v1/imports", as: cookie, body: #"{"name":"\#(script)","size":3}"#)
            #expect(reply.status == 400 && reply.text.contains("<script>alert(2)"))
            #expect(reply.headers["content-type"] == "application/json" && reply.headers["x-content-type-options"] == "nosniff")
            #expect(try Self.asked(server).first?.name == "<script>alert(1)</script>\"\r\nX: y.csv")
        }
    }

    @Test("without the import service it is said that it is away")
    func away() async throws {
        try await DashboardServer.run(answering: { _ in throw BusError(.timedOut, during: .request) }) { server in
            let reply = try await server.send("GET", "/api/v1/imports", as: try await server.cookie("oona"))
            #expect(reply.status == 503 && reply.text.contains("import service"))
        }
    }
}
