import Foundation
import Testing

@testable import Dashboard

@Suite("What the dashboard says about itself")
struct DocumentTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// To write it anew after a change: `VIGIL_TEST_WRITE_OPENAPI=1`.
    @Test("deploy/openapi/openapi.json describes exactly the operations that there are")
    func openAPI() throws {
        let file = Self.top.appending(path: "deploy/openapi/openapi.json")
        let made = Data(OpenAPI.document(DashboardRoutes.operations))
        if ProcessInfo.processInfo.environment["VIGIL_TEST_WRITE_OPENAPI"] != nil { try made.write(to: file) }
        #expect(try Data(contentsOf: file) == made)
        let paths = DashboardRoutes.operations.map { "\($0.method) \($0.path)" }
        #expect(Set(paths).count == paths.count)
    }

    @Test("every language has every text, with the same places to fill in")
    func languages() throws {
        func texts(_ language: String) throws -> [String: String] {
            let file = URL(filePath: DashboardServer.webFolder).appending(path: "lang/\(language).json")
            return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
        }
        let english = try texts("en")
        for language in ["de", "ru"] {
            let translated = try texts(language)
            for (key, text) in english {
                let other = try #require(translated[key], "\(language) lacks \(key)")
                #expect(!other.isEmpty)
                #expect(
                    Set(other.matches(of: /\{\w+\}/).map(\.output)) == Set(text.matches(of: /\{\w+\}/).map(\.output)), "\(language) \(key)")
            }
        }
    }

    @Test("every text that the pages ask for exists")
    func usedTexts() throws {
        let folder = URL(filePath: DashboardServer.webFolder)
        let english = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: folder.appending(path: "lang/en.json")))
        let found = try #require(FileManager.default.enumerator(atPath: folder.appending(path: "js").path))
        for case let name as String in found where name.hasSuffix(".js") {
            let code = try String(contentsOf: folder.appending(path: "js/\(name)"), encoding: .utf8)
            for match in code.matches(of: /\bt\('([\w.-]+[\w])'[,)]/) { #expect(english[String(match.1)] != nil, "\(name): \(match.1)") }
        }
    }

    @Test("all JavaScript together is smaller than 200 KB as it goes over the wire, Debian's charts included")
    func sizes() throws {
        let scripts = URL(filePath: DashboardServer.webFolder).appending(path: "js").path
        var files = try #require(FileManager.default.enumerator(atPath: scripts)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".js") }.map { "\(scripts)/\($0)" }
        #expect(files.count > 20)
        files += ["/usr/share/javascript/dygraphs/dist/dygraph.min.js", DashboardServer.webFolder + "/sw.js"]
        let sizes = try files.map { file in
            let process = Process(), pipe = Pipe()
            process.executableURL = URL(filePath: "/bin/gzip")
            process.arguments = ["-6", "--stdout", file]
            process.standardOutput = pipe
            try process.run()
            let packed = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(file)")
            return packed.count
        }
        #expect(sizes.reduce(0, +) < 200_000, "\(sizes)")
    }

    @Test("the pages bring no inline script, style or address of another site")
    func policy() throws {
        let page = try String(contentsOfFile: DashboardServer.webFolder + "/index.html", encoding: .utf8)
        #expect(!page.contains("style=") && !page.contains("<style") && !page.contains("http") && !page.contains(" on"))
    }
}
