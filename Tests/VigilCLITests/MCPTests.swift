import Foundation
import ServiceKit
import Synchronization
import Testing

@testable import VigilCLI

@Suite("the Model Context Protocol server")
struct MCPTests {
    private final class Asked: Sendable {
        let paths = Mutex<[String]>([])
    }

    private let asked = Asked()

    private func server(status: Int = 200, body: String = "[]") -> MCPServer {
        MCPServer { [asked] path in
            asked.paths.withLock { $0.append(path) }
            return (status, Array(body.utf8))
        }
    }

    private func ask(_ line: String, _ server: MCPServer? = nil) async -> JSONValue? {
        await (server ?? self.server()).answer(Array(line.utf8))
    }

    private func call(_ tool: String, _ arguments: String, _ server: MCPServer? = nil) async -> JSONValue? {
        await ask(#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#, server)
    }

    @Test("greets in the asker's version, or in its own newest", arguments: [("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18")])
    func greeting(_ version: String, _ answered: String) async {
        let line = #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(version)","capabilities":{}}}"#
        let answer = await ask(line)
        #expect(answer?["id"] == .text("a"))
        #expect(answer?["result"]?["protocolVersion"] == .text(answered))
        #expect(await ask(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
        #expect(await ask(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?["result"] == .object([:]))
    }

    @Test(
        "whatever is no request of the protocol gets the error of JSON-RPC",
        arguments: [
            ("{", -32_700.0), ("[]", -32_600), (#"{"id":1}"#, -32_600), (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32_601),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"erase"}}"#, -32_602),
            (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32_600),
        ])
    func errors(_ line: String, _ code: Double) async {
        #expect(await ask(line)?["error"]?["code"] == .number(code))
        #expect(asked.paths.withLock { $0 } == [])
    }

    @Test("each tool is one read of the REST API, with the arguments in its address")
    func calls() async {
        for (tool, arguments, path) in [
            ("list_people", "{}", "/api/v1/participants"), ("latest", #"{"participant":"anna"}"#, "/api/v1/participants/anna/latest"),
            ("list_metrics", #"{"participant":"anna"}"#, "/api/v1/participants/anna/metrics"), ("alerts", "{}", "/api/v1/alerts"),
            (
                "series", #"{"participant":"anna","metric":"heart-rate","from":1.5,"width":20}"#,
                "/api/v1/participants/anna/series?metric=heart-rate&from=1.5&width=20"
            ), ("alert_history", #"{"participant":"anna","to":9}"#, "/api/v1/participants/anna/alerts/history?to=9.0"),
        ] {
            let answer = await call(tool, arguments, server(body: "{\"a\":1}"))
            #expect(asked.paths.withLock { $0.removeLast() } == path)
            #expect(answer?["result"]?["isError"] == .boolean(false))
            guard case .array(let content)? = answer?["result"]?["content"] else { return #expect(Bool(false)) }
            #expect(content.first?["text"] == .text("{\"a\":1}"))
        }
        let listed = await ask(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        guard case .array(let tools)? = listed?["result"]?["tools"] else { return #expect(Bool(false)) }
        #expect(tools.count == 6)
    }

    @Test(
        "arguments that would reach another address are refused, and nothing is asked",
        arguments: [
            #"{}"#, #"{"participant":"../people"}"#, #"{"participant":".."}"#, #"{"participant":"anna?x=1"}"#, #"{"participant":"a/b"}"#,
            #"{"participant":5}"#, #"{"participant":"anna","more":1}"#, #"[]"#, #"{"participant":""}"#,
        ])
    func hostileArguments(_ arguments: String) async {
        #expect(await call("latest", arguments)?["result"]?["isError"] == .boolean(true))
        #expect(asked.paths.withLock { $0 } == [])
    }

    @Test("a refusal or an answer without end is told as the tool's error", arguments: [401, 403, 404, 429, 500, 302])
    func refusals(_ status: Int) async {
        #expect(await call("alerts", "{}", server(status: status))?["result"]?["isError"] == .boolean(true))
        let large = server(body: String(repeating: "1", count: MCPServer.largest + 1))
        #expect(await call("alerts", "{}", large)?["result"]?["isError"] == .boolean(true))
    }
}
