import Foundation
import HTTPClient
import Synchronization
import TestSupport
import Testing

@Suite("HTTP client", .timeLimit(.minutes(4)))
struct HTTPClientTests {
    private let server: PythonServer
    private let client = HTTPClient()
    private let folder: URL

    init() async throws {
        server = try await PythonServer(script: Scripts.http)
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    private func whole() -> [UInt8] { (0..<4096).flatMap { _ in (0...255).map { UInt8($0) } } }

    @Test("gives back status, header fields and body")
    func get() async throws {
        let answer = try await client.get(url("/echo"), headers: [HTTPHeader("X-Extra", "hello")])
        #expect(answer.status == 200)
        #expect(answer.headers["x-kind"] == "echo")
        #expect(answer.body == Array("hello".utf8))
        #expect(try await client.get(url("/missing")).status == 404)
    }

    @Test("posts bytes with their type, also none")
    func post() async throws {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let answer = try await client.post(url("/echo"), body: body, contentType: "application/json", headers: [HTTPHeader("X-Extra", "é")])
        #expect(answer.body == body)
        #expect(answer.headers["X-Type"] == "application/json")
        #expect(try await client.post(url("/echo"), body: [], contentType: "text/plain").body.isEmpty)
    }

    @Test("follows a redirect, but never to a file")
    func redirects() async throws {
        #expect(try await client.get(url("/redirect")).headers["X-Kind"] == "echo")
        await #expect(throws: TransferError.self) { try await client.get(url("/to-file")) }
    }

    @Test("refuses an address that is no web address", arguments: ["file:///etc/passwd", "localhost/x", "http://", "http://a b/"])
    func addresses(url: String) async {
        let error = await #expect(throws: TransferError.self) { try await client.get(url) }
        #expect(error?.code == .invalidURL)
    }

    @Test("refuses an answer beyond the limit, and a header field with a line's end")
    func limits() async {
        let large = await #expect(throws: TransferError.self) { try await client.get(url("/file"), limit: 1000) }
        #expect(large?.code == .tooLarge)
        await #expect(throws: TransferError.self) { try await client.get(url("/echo"), headers: [HTTPHeader("A", "b\r\nC: d")]) }
    }

    @Test("says when nobody listens and when the answer does not come in time")
    func failures() async {
        let silent = await #expect(throws: TransferError.self) { try await client.get(url("/slow"), timeout: .milliseconds(100)) }
        #expect(silent?.code == .timedOut && silent?.isTransient == true)
        let nobody = await #expect(throws: TransferError.self) { try await client.get("http://127.0.0.1:1/") }
        #expect(nobody?.code == .unreachable && nobody?.isTransient == true)
    }

    @Test("ends a transfer when its task is cancelled")
    func cancelling() async {
        let (client, address) = (client, url("/slow"))
        let task = Task { try await client.get(address) }
        task.cancel()
        let error = await #expect(throws: TransferError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("downloads to a file and tells how far it is")
    func download() async throws {
        let path = folder.appending(path: "data").path()
        let last = Mutex<HTTPProgress?>(nil)
        let result = try await client.download(url("/file"), to: path) { progress in last.withLock { $0 = progress } }
        #expect(result.bytes == 1 << 20 && !result.wasResumed)
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == whole())
        #expect(last.withLock { $0?.received } == 1 << 20)
    }

    @Test(
        "continues where a file ends, begins anew where the server cannot, and finds a whole file whole",
        arguments: ["/file", "/plain-file"])
    func resuming(path: String) async throws {
        let file = folder.appending(path: "part").path()
        try Data(whole()[..<1000]).write(to: URL(filePath: file))
        let result = try await client.download(url(path), to: file, resume: true)
        #expect(result.wasResumed == (path == "/file"))
        #expect(try Array(Data(contentsOf: URL(filePath: file))) == whole())
        let again = try await client.download(url(path), to: file, resume: true)
        #expect(again.bytes == 1 << 20)
    }

    @Test("leaves the file as it was when the server refuses")
    func refused() async throws {
        let file = folder.appending(path: "kept").path()
        try Data([1, 2, 3]).write(to: URL(filePath: file))
        let error = await #expect(throws: TransferError.self) { try await client.download(url("/missing"), to: file) }
        #expect(error?.code == .status(404) && error?.isTransient == false)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data([1, 2, 3]))
    }
}

/// The servers that the tests talk to.
enum Scripts {
    /// Answers `/echo`, `/redirect`, `/file` (with ranges), `/plain-file` (without), `/slow`, `/missing`, `/large`.
    static let http = """
        import http.server, time, sys
        DATA = bytes(range(256)) * 4096
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *a): pass
            def answer(self, status, body, headers={}):
                self.send_response(status)
                for k, v in headers.items(): self.send_header(k, v)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                self.answer(200, body, {'X-Type': self.headers['Content-Type'], 'X-Extra': self.headers.get('X-Extra', '')})
            def do_GET(self):
                if self.path == '/echo': self.answer(200, self.headers.get('X-Extra', '').encode(), {'X-Kind': 'echo'})
                elif self.path == '/redirect': self.answer(302, b'', {'Location': '/echo'})
                elif self.path == '/to-file': self.answer(302, b'', {'Location': 'file:///etc/passwd'})
                elif self.path == '/slow': time.sleep(30)
                elif self.path == '/plain-file': self.answer(200, DATA)
                elif self.path == '/file':
                    start = self.headers.get('Range')
                    if start is None: return self.answer(200, DATA)
                    start = int(start.split('=')[1].split('-')[0])
                    if start >= len(DATA): return self.answer(416, b'', {'Content-Range': 'bytes */%d' % len(DATA)})
                    self.answer(206, DATA[start:], {'Content-Range': 'bytes %d-%d/%d' % (start, len(DATA) - 1, len(DATA))})
                else: self.answer(404, b'no such page')
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
