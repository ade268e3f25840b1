import Foundation
import Observability
import Synchronization
import TestSupport
import Testing

@testable import CSVImport

@Suite("hostile and unlucky sources")
struct HostileSourceTests {
    private let folder: TemporaryFolder
    private static let text = "timestamp,participant-id,heart-rate\n100,p,60\n101,p,61\n"

    init() throws { folder = try TemporaryFolder("vigil-import") }

    private func python(_ script: String) throws { _ = try PythonCount.run(script, input: folder.url.path) }

    @Test(
        "takes names from no path that has none: dots, slashes and members of archives",
        arguments: ["./x.csv", "../x.csv", ".", "..", "/", "", "a!../../x.csv", "a.zip!/"])
    func dots(path: String) {
        #expect(NameRule(path: ["participant"]).name(inPath: path) == nil)
        #expect(throws: ImportError.self) { try Decoded("timestamp,pulse\n100,60\n", name: path) }
    }

    @Test("finds the participant in an archive's path and in its member's")
    func members() {
        #expect(NameRule(path: ["participant"]).name(inPath: "participant7/all.zip!b/x.csv") == "7")
        #expect(NameRule(path: ["participant"]).name(inPath: "all.zip!participant_8.csv") == "8")
    }

    @Test("refuses archives that lie: damaged checksums, nothing usable in them, encryption, numbers out of range")
    func liars() throws {
        _ = try folder.write(Self.text, to: "a.csv")
        try python(
            """
            import sys, zipfile, struct
            folder = sys.stdin.read()
            data = open(folder + "/a.csv", "rb").read()
            with zipfile.ZipFile(folder + "/crc.zip", "w") as archive: archive.writestr("a.csv", data, zipfile.ZIP_STORED)
            whole = bytearray(open(folder + "/crc.zip", "rb").read())
            place = whole.index(b"100,p,60"); whole[place:place + 1] = b"9"
            open(folder + "/crc.zip", "wb").write(whole)
            with zipfile.ZipFile(folder + "/empty.zip", "w") as archive: pass
            with zipfile.ZipFile(folder + "/none.zip", "w") as archive: archive.writestr("picture.png", b"x"); archive.writestr("b/", b"")
            with zipfile.ZipFile(folder + "/huge.zip", "w") as archive:
                with archive.open("a.csv", "w", force_zip64=True) as member: member.write(data)
            whole = open(folder + "/huge.zip", "rb").read()
            for number, name in ((2**63 - 1, "most"), (2**64 - 1, "minus"), (3 * 2**40, "bomb")):
                changed = bytearray(whole)
                for signature, offset in ((b"PK\\x03\\x04", 0), (b"PK\\x01\\x02", 0)):
                    place = changed.find(signature)
                    extra = changed.find(struct.pack("<Q", len(data)), place)
                    if extra > 0: changed[extra:extra + 8] = struct.pack("<Q", number)
                open(folder + "/" + name + ".zip", "wb").write(changed)
            """)
        for name in ["empty.zip", "none.zip"] {
            let error = #expect(throws: ImportError.self) { try SourceFinder.expand(folder.path(name)) }
            #expect(error?.message.contains("holds no file") == true, "\(name)")
        }
        for name in ["crc.zip", "most.zip", "minus.zip", "bomb.zip"] {
            #expect(throws: ImportError.self, "\(name)") {
                for file in try SourceFinder.expand(folder.path(name)) {
                    var source = try file.open()
                    _ = try source.readStart(10_000_000)
                }
            }
        }
    }

    @Test("stops what unpacks to hundreds of times its size")
    func bomb() throws {
        try python(
            """
            import sys, bz2
            folder = sys.stdin.read()
            compressor = bz2.BZ2Compressor(9)
            block = b"0" * (1 << 20)
            with open(folder + "/bomb.bz2", "wb") as file:
                for _ in range(1100): file.write(compressor.compress(block))
                file.write(compressor.flush())
            """)
        let file = try #require(try SourceFinder.expand(folder.path("bomb.bz2")).first)
        let error = #expect(throws: ImportError.self) { _ = try ContentDigest(file) }
        #expect(error?.message.contains("zip bomb") == true)
    }

    @Test("reads tar, packed or not, and single files packed by bzip2, xz and zstd")
    func archives() throws {
        _ = try folder.write(Self.text, to: "a.csv")
        try python(
            """
            import sys, tarfile, bz2, lzma
            folder = sys.stdin.read()
            data = open(folder + "/a.csv", "rb").read()
            for name, mode in (("a.tar", "w"), ("a.tgz", "w:gz"), ("a.tar.xz", "w:xz")):
                with tarfile.open(folder + "/" + name, mode) as archive: archive.add(folder + "/a.csv", "../x/a.csv")
            open(folder + "/a.csv.bz2", "wb").write(bz2.compress(data))
            open(folder + "/a.csv.xz", "wb").write(lzma.compress(data))
            """)
        let files = try SourceFinder().files(folder.url.path)
        #expect(files.count == 6)
        for file in files {
            var source = try file.open()
            #expect(String(decoding: try source.readStart(1000), as: UTF8.self) == Self.text, "\(file.name)")
        }
    }

    @Test("walks past circles of links, pipes and unreadable folders, and says what it passed over", .timeLimit(.minutes(1)))
    func folders() throws {
        _ = try folder.write(Self.text, to: "good.csv")
        _ = try folder.write("x", to: "notes.pdf")
        try python(
            """
            import os, sys
            folder = sys.stdin.read()
            os.symlink(folder, folder + "/circle")
            os.symlink(folder + "/b.csv", folder + "/a.csv"); os.symlink(folder + "/a.csv", folder + "/b.csv")
            os.mkfifo(folder + "/pipe.csv")
            """)
        let said = Said()
        let files = try SourceFinder(report: said.add).files(folder.url.path)
        #expect(files.map { $0.name.split(separator: "/").last } == ["a.csv", "b.csv", "good.csv"])
        for file in files where !file.name.hasSuffix("good.csv") { #expect(throws: ImportError.self) { try file.open() } }
        #expect(said.text.contains("3 other files passed over"), "\(said.text)")
        let error = #expect(throws: ImportError.self) { try SourceFinder().files(folder.path("pipe.csv")) }
        #expect(error?.message.contains("is a pipe") == true)
    }

    @Test(
        "refuses files that are no text in words that say what to do",
        arguments: [
            ("%PDF-1.4 x", "PDF"), ("SQLite format 3\u{0}", "SQLite"), ("<!DOCTYPE html><html>", "web page"),
            ("# OpenSignals Text File Format\n", "OpenSignals"), ("PAR1xx", "Parquet"),
            ("ab\u{0}\u{1}\u{0}\u{0}\u{3}\u{0}c", "binary"),
        ])
    func foreign(content: String, word: String) {
        let error = #expect(throws: ImportError.self) { try Decoded(content) }
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    @Test(
        "shows URLs without passwords, keys and tokens",
        arguments: [
            ("https://ann:s3cret@example.org/a.csv", "https://ann:***@example.org/a.csv"),
            ("https://token@example.org/", "https://token@example.org/"),
            ("http://h/x?api_key=abc&day=3&token=zz", "http://h/x?api_key=***&day=3&token=***"), ("http://h/x?day=3", "http://h/x?day=3"),
            ("http://a:b@c:d@h:80/x", "http://a:***@h:80/x"),
        ])
    func urls(url: String, shown: String) { #expect(PublicURL.text(url) == shown) }

    @Test("ends a series of numbered files at the first that repeats the one before, however long the server goes on")
    func series() async throws {
        let server = try await PythonServer(
            script: """
                import http.server
                class Handler(http.server.BaseHTTPRequestHandler):
                    def log_message(self, *arguments): pass
                    def do_GET(self):
                        body = b"one\\n" if self.path.endswith("/1.csv") else b"sorry\\n"
                        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
                server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
                print(server.server_address[1], flush=True)
                server.serve_forever()
                """)
        let said = Said()
        let download = Download(folder: folder.path("downloads"), isKnown: { _ in false }, report: said.add, clock: ImmediateClock())
        let files = try await download.files("http://ann:s3cret@127.0.0.1:\(server.port)/all/")
        #expect(files.count == 2)
        #expect(said.text.contains("3.csv is 2.csv once more") && !said.text.contains("s3cret"), "\(said.text)")
        #expect(files.allSatisfy { !$0.name.contains("s3cret") })
    }

    @Test("lets nothing that a terminal obeys through")
    func escapes() {
        #expect("a\u{1B}[2Jb\u{7}\u{9B}c\u{202E}d".printable == "a\\u{1B}[2Jb\\u{7}\\u{9B}c\\u{202E}d")
        #expect(ImportError(.format, "x\u{1B}]0;t\u{7}\ny").message == "x\\u{1B}]0;t\\u{7}\ny")
        let error = #expect(throws: ImportError.self) { try Decoded("a\u{1B}[31m,b\nx,y\n") }
        #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 32 || $0 == "\n" } == true)
    }
}

/// Lines that were said, from any thread.
final class Said: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    @Sendable func add(_ line: String) { lines.withLock { $0.append(line) } }
}
