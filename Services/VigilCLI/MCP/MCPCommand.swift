import Dashboard
import Foundation
import Glibc
import HTTPClient
import MessageBus
import ServiceKit
import Settings

/// `vigil mcp`: lets an assistant read health data, with the rights of a personal token.
enum MCPCommand {
    private static let url = Setting(
        "url", .text, default: "http://127.0.0.1:8080", help: "The dashboard's address: https, or http on this machine.")
    private static let token = Setting.secret("token", help: "The personal token of the account that asks.")
    private static let authorities = Setting.optional(
        "authorities", .path, help: "PEM file of the authorities that the dashboard's certificate is checked against.")

    static let command = Command(
        name: "mcp",
        summary: "answers an assistant's questions about health data: a Model Context Protocol server on standard input and output",
        details: """
            Its tools read over the REST API with the rights of the token, which `vigil people token NAME --read-only` makes, and every \
            reading is in the audit trail; nothing can be changed. For an assistant's configuration: command vigil, arguments mcp --token-file FILE.
            """,
        settings: [url, token, authorities]
    ) { invocation in
        guard let token = try invocation[token] else {
            throw CommandError(.usage, "--token-file is missing: `vigil people token NAME --read-only` makes a token")
        }
        // An assistant can often read the file: what it holds is what it may do.
        guard token.exposed.hasPrefix(AccountStore.readingPrefix) else {
            throw CommandError(.usage, "the token may change data: `vigil people token NAME --read-only` makes one that may only ask")
        }
        let base = String(try invocation[url].reversed().drop { $0 == "/" }.reversed())
        guard isPrivate(base) else { throw CommandError(.usage, "--url is an https address, or an http address of this machine") }
        // A redirect would take the token elsewhere.
        let client = HTTPClient(
            configuration: HTTPClientConfiguration(maximumRedirects: 0, certificateAuthorities: try invocation[authorities]))
        let headers = [HTTPHeader("Authorization", "Bearer \(token.exposed)"), HTTPHeader("Accept", "application/json")]
        let server = MCPServer { path in
            let answer = try await client.get(base + path, headers: headers, timeout: .seconds(30), limit: 4 << 20)
            return (answer.status, answer.body)
        }
        try await run(server)
    }

    private static func isPrivate(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let host = parts.host, parts.user == nil, parts.query == nil else { return false }
        return parts.scheme == "https" || parts.scheme == "http" && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    /// Answers line after line until the end of the input.
    private static func run(_ server: MCPServer) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines = BoundedLines()
        while let line = lines.next() {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }), let answer = await server.answer(line) else { continue }
            guard StandardOutput.line(String(decoding: try encoder.encode(answer), as: UTF8.self)) else { return }
        }
    }
}

/// The lines of standard input. A line that is too long is cut, and so is no JSON.
private struct BoundedLines {
    private static let longest = 1 << 20

    private var buffer: [UInt8] = []
    private var isAtEnd = false

    /// Waits for the next line, without its end; nil at the end of the input.
    mutating func next() -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                line += buffer[..<end].prefix(Self.longest - line.count)
                buffer.removeFirst(end + 1)
                return line
            }
            line += buffer.prefix(Self.longest - line.count)
            buffer.removeAll()
            if isAtEnd { return line.isEmpty ? nil : line }
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { isAtEnd = true } else { buffer = Array(piece[..<count]) }
        }
    }
}
