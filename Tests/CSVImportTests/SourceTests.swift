import Foundation
import TestSupport
import Testing

@testable import CSVImport

@Suite("sources")
struct SourceTests {
    private let folder: TemporaryFolder
    private static let text = "timestamp,participant-id,heart-rate\n" + (0..<5000).map { "\($0),p,60\n" }.joined()

    init() throws { folder = try TemporaryFolder("vigil-import") }

    private func content(_ file: ImportFile) throws -> String {
        var source = try file.open()
        return String(decoding: try source.readStart(1 << 20), as: UTF8.self)
    }

    private func python(_ script: String) throws { _ = try PythonCount.run(script, input: folder.url.path) }

    @Test("unpacks gzip, several members too, and what a ZIP archive has of data, in the archive's order")
    func archives() throws {
        _ = try folder.write(SourceTests.text, to: "a.csv")
        try python(
            """
            import gzip, sys, zipfile
            folder = sys.stdin.read()
            data = open(folder + "/a.csv", "rb").read()
            open(folder + "/a.csv.gz", "wb").write(gzip.compress(data[:100]) + gzip.compress(data[100:]))
            with zipfile.ZipFile(folder + "/all.zip", "w") as archive:
                archive.writestr("b/deflated.csv", data, zipfile.ZIP_DEFLATED)
                archive.writestr("b/stored.csv", data, zipfile.ZIP_STORED)
                archive.writestr("b/picture.png", b"no")
                with archive.open("b/large.csv", "w", force_zip64=True) as member: member.write(data)
            """)
        let files = try SourceFinder().files(folder.url.path)
        #expect(
            files.map { $0.name.replacing(folder.url.path + "/", with: "") } == [
                "a.csv", "a.csv.gz", "all.zip!b/deflated.csv", "all.zip!b/stored.csv", "all.zip!b/large.csv",
            ])
        for file in files { #expect(try content(file) == SourceTests.text, "\(file.name)") }
        #expect(files[2].size == SourceTests.text.utf8.count)
    }

    @Test("refuses cut-off and damaged archives in words")
    func damaged() throws {
        _ = try folder.write(SourceTests.text, to: "a.csv")
        try python(
            """
            import gzip, sys, zipfile
            folder = sys.stdin.read()
            data = open(folder + "/a.csv", "rb").read()
            open(folder + "/cut.gz", "wb").write(gzip.compress(data)[:-20])
            open(folder + "/wrong.gz", "wb").write(gzip.compress(data)[:-5] + b"12345")
            with zipfile.ZipFile(folder + "/all.zip", "w") as archive: archive.writestr("a.csv", data)
            whole = open(folder + "/all.zip", "rb").read()
            open(folder + "/cut.zip", "wb").write(whole[:-30])
            """)
        let cut = #expect(throws: ImportError.self) { try SourceFinder.expand(folder.path("cut.zip")) }
        #expect(cut?.message.contains("is no archive that can be read, or is cut off") == true)
        for name in ["cut.gz", "wrong.gz"] {
            #expect(throws: ImportError.self, "\(name)") { try content(try SourceFinder.expand(folder.path(name))[0]) }
        }
    }

    @Test("fetches URLs, goes on where a download was cut off, and takes 1.csv, 2.csv, … of one that ends in a slash")
    func downloads() async throws {
        let server = try await PythonServer(script: SourceTests.server)
        let base = "http://127.0.0.1:\(server.port)"
        let download = Download(
            folder: folder.path("downloads"), isKnown: { $0.hasSuffix("/old/1.csv") }, report: { _ in }, clock: ImmediateClock())
        #expect(try await download.files("\(base)/old/1.csv").isEmpty, "it was imported before")
        let files = try await download.files("\(base)/data/")
        #expect(files.map(\.name) == ["\(base)/data/1.csv", "\(base)/data/2.csv"])
        #expect(try content(files[1]) == "number 2\n")
        let whole = try await download.files("\(base)/cut.csv")
        #expect(try content(whole[0]) == String(repeating: "0123456789", count: 1000))
        let short = try await download.files("\(base)/short.csv")
        #expect(throws: ImportError.self) { try content(short[0]) }
        let continued = try await download.files("\(base)/short.csv")
        #expect(try content(continued[0]) == String(repeating: "0123456789", count: 1000))
        let none = try await download.files("\(base)/none.csv") + download.files("\(base)/none/")
        #expect(none.map(\.name) == ["\(base)/none.csv", "\(base)/none/1.csv"])
        for file in none { #expect(throws: ImportError.self) { try content(file) } }
    }

    /// Cuts the first answer for `cut.csv` off, and each for `short.csv`, and continues them when asked to.
    private static let server = """
        import http.server
        BODY = b"0123456789" * 1000
        class Handler(http.server.BaseHTTPRequestHandler):
            cuts = 0
            def log_message(self, *arguments): pass
            def do_GET(self):
                if self.path in ("/data/1.csv", "/data/2.csv"):
                    body = b"number " + self.path[6:7].encode() + b"\\n"
                    self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
                    self.wfile.write(body)
                elif self.path in ("/cut.csv", "/short.csv"):
                    start = int(self.headers.get("Range", "bytes=0-")[6:].split("-")[0])
                    self.send_response(206 if start else 200)
                    if start: self.send_header("Content-Range", "bytes %d-%d/%d" % (start, len(BODY) - 1, len(BODY)))
                    self.send_header("Content-Length", str(len(BODY) - start)); self.end_headers()
                    cut = self.path == "/short.csv" or Handler.cuts == 0
                    Handler.cuts += 1
                    self.wfile.write(BODY[start:start + 1500] if cut else BODY[start:])
                    self.close_connection = True
                else:
                    self.send_response(404); self.send_header("Content-Length", "0"); self.end_headers()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    @Test("takes of a folder what fits the patterns, by name and number")
    func folders() throws {
        for name in ["10.csv", "2.csv", "notes.txt", ".hidden.csv"] { _ = try folder.write("x", to: name) }
        #expect(try SourceFinder().files(folder.url.path).map { URL(filePath: $0.name).lastPathComponent } == ["2.csv", "10.csv"])
        #expect(try SourceFinder(patterns: ["n*.t?t"]).files(folder.url.path).count == 1)
        #expect(throws: ImportError.self) { try SourceFinder(patterns: ["*.pdf"]).files(folder.url.path) }
    }
}
