import Cryptography
import Foundation
import Observability
package import Settings

/// The pages' files, read once at start: what is not in this list is not served, whatever a path says.
package struct WebFiles: Sendable {
    private struct File: Sendable {
        let bytes: [UInt8]
        let type: String
        let tag: String
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "webmanifest": "application/manifest+json", "png": "image/png",
    ]
    private let files: [String: File]
    /// The words of the pages, of `/lang`.
    package let words: PageWords
    /// The questionnaires, of `/questionnaires`.
    package let questionnaires: [Questionnaire]

    /// Reads a folder with its subfolders, and beside it files of other folders.
    /// - Parameter others: paths by the address that they are served under.
    package init(folder: String, others: [String: String]) throws {
        var files: [String: File] = [:]
        let root = URL(filePath: folder).resolvingSymlinksInPath().path
        guard let found = FileManager.default.enumerator(atPath: root) else { throw WebFilesError(path: folder) }
        for case let name as String in found where Self.types[URL(filePath: name).pathExtension] != nil {
            files["/" + name] = try Self.read("\(root)/\(name)")
        }
        for (address, path) in others { files[address] = try Self.read(path) }
        guard files["/index.html"] != nil else { throw WebFilesError(path: "\(folder)/index.html") }
        self.files = files
        questionnaires = try Questionnaire.read(folder: "\(root)/questionnaires")
        let languages = files.filter { $0.key.hasPrefix("/lang/") }
        words = PageWords(
            files: Dictionary(uniqueKeysWithValues: languages.map { (String($0.key.dropFirst(6).prefix { $0 != "." }), $0.value.bytes) }))
    }

    /// The addresses that are served.
    var addresses: [String] { files.keys.sorted() }

    /// A file, or 304 where the browser has it; nil for an address that is none.
    func answer(_ address: String, to request: HTTPRequest) -> HTTPResponse? {
        guard let file = files[address] else { return nil }
        // Asked for again each time, and only answered in full where it has changed: an upgrade shows at once.
        let headers = ["Content-Type": file.type, "ETag": file.tag, "Cache-Control": "no-cache"]
        if request.headers["if-none-match"] == file.tag { return HTTPResponse(status: 304, headers: headers, body: .bytes([])) }
        return HTTPResponse(headers: headers, body: .bytes(file.bytes))
    }

    /// The page that every address of the application is.
    func page(_ request: HTTPRequest, status: Int = 200) -> HTTPResponse {
        guard var response = answer("/index.html", to: request) else { return .text("not found\n", status: 404) }
        if status != 200 {
            response = answer("/index.html", to: HTTPRequest(path: "/")) ?? response
            response.status = status
        }
        return response
    }

    private static func read(_ path: String) throws -> File {
        guard let data = FileManager.default.contents(atPath: path) else { throw WebFilesError(path: path) }
        let bytes = [UInt8](data)
        let hash = SHA256()
        hash.update(bytes, count: bytes.count)
        let type = types[URL(filePath: path).pathExtension] ?? "application/octet-stream"
        return File(bytes: bytes, type: type, tag: "\"\(hash.finish().prefix(24))\"")
    }
}

/// A file of the pages that is missing.
package struct WebFilesError: Error, CustomStringConvertible, ExitCoded {
    let path: String
    package var exitCode: ExitCode { .configuration }
    package var description: String { "\(path) cannot be read: --web-folder must be the folder of the pages" }
}
