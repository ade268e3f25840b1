import Foundation
import Observability
import VigilSchema

/// Files into the timeline: what the Import page does, through `vigil-import serve`. Who is signed in begins a job for a file, sends it in pieces, has
/// it looked at, answers what it leaves open, tries and imports it.
enum ImportOperations {
    /// The most bytes of a piece that is sent here; it goes on over the bus in smaller ones.
    static let piece = 2 * ImportRequest.mostBytes
    private static let operate = APIOperation.Caller.permitted(.operate)

    static let all = [
        list, begin, job, append, step("survey", "Has a file looked at: what it is, and what it leaves open."),
        step("try", "Has a file read to its end without importing it: every cell is accounted for."),
        step("start", "Imports a file, behind those that were asked for before."), rejects, discard, undo,
    ]

    private static let answers: [APIOperation.Parameter] = [
        .init("participant", "Whose every row is, whatever the file says."),
        .init("zone", "Of times that do not name theirs: Europe/Berlin."),
        .init("dateOrder", "dmy or mdy."), .init("units", .object, "The units of columns, by header."),
        .init("columns", .array, "The names of the columns of a file without a header; - leaves one out."),
        .init("profile", "A built-in profile, instead of the first that fits."),
        .init("again", .boolean, "Imports again what is in already."),
    ]

    private static let list = APIOperation(
        "GET", "/imports", "The files on their way, and the newest imports.", for: operate
    ) { call in
        .json(try await call.bus.importing(ImportRequest("jobs")))
    }

    private static let begin = APIOperation(
        "POST", "/imports", "Begins a file; the answer holds the job by which all else is asked for.", for: operate,
        body: [.init("name", "The file's name."), .init("size", .integer, "Its length in bytes.")]
    ) { call in
        struct Form: Decodable {
            let name: String
            let size: Int
        }
        let form = try call.body(Form.self)
        let answer = try await call.bus.importing(ImportRequest("begin", name: form.name, size: form.size))
        try await call.audit("import-begin", "\(form.size) bytes")
        return .json(answer)
    }

    private static let job = APIOperation(
        "GET", "/imports/{job}", "One file: its state, what it was found to be, and what became of every cell.", for: operate
    ) { call in
        .json(try await call.bus.importing(ImportRequest("jobs", job: try call.path("job"))))
    }

    private static let append = APIOperation(
        bytes: "PUT", "/imports/{job}/data",
        "Sends a piece of a file, at most \(piece) bytes; the answer says how many bytes are there, behind which the next piece begins.",
        for: operate, query: [.init("offset", .integer, "Where the piece belongs.")]
    ) { call in
        let job = try call.path("job")
        guard let offset = try call.number("offset").flatMap({ Int(exactly: $0) }), offset >= 0 else {
            throw APIError.malformed("offset is where the piece belongs, in bytes")
        }
        let body = call.request.body
        guard !body.isEmpty, body.count <= piece else {
            throw APIError(status: body.isEmpty ? 400 : 413, code: "malformed", reason: "a piece has 1 to \(piece) bytes")
        }
        var answer: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: ImportRequest.mostBytes) {
            let data = Data(body[start..<min(body.count, start + ImportRequest.mostBytes)]).base64EncodedString()
            answer = try await call.bus.importing(ImportRequest("append", job: job, offset: offset + start, data: data))
        }
        return .json(answer)
    }

    private static func step(_ name: String, _ summary: String) -> APIOperation {
        APIOperation("POST", "/imports/{job}/\(name)", summary, for: operate, body: answers) { call in
            let given = try call.body(ImportAnswers.self)
            let answer = try await call.bus.importing(ImportRequest(name, job: try call.path("job"), answers: given))
            if name == "start" { try await call.audit("import-start") }
            return .json(answer)
        }
    }

    private static let rejects = APIOperation(
        "GET", "/imports/{job}/rejects", "The cells that were refused, as CSV that can be corrected and imported, page by page.",
        for: operate,
        query: [.init("after", .integer, "The next that the page before told.")]
    ) { call in
        let after = try call.number("after").flatMap { Int(exactly: $0) }
        return .json(try await call.bus.importing(ImportRequest("rejects", job: try call.path("job"), after: after)))
    }

    private static let discard = APIOperation(
        "DELETE", "/imports/{job}", "Gives a file up: what was sent of it is removed. What it brought stays.", for: operate
    ) { call in
        .json(try await call.bus.importing(ImportRequest("discard", job: try call.path("job"))))
    }

    private static let undo = APIOperation(
        "POST", "/imports/undo/{id}", "Takes out of the timeline exactly what an import has added.", for: operate
    ) { call in
        let answer = try await call.bus.importing(ImportRequest("undo", id: try call.path("id")))
        try await call.audit("import-undo", try call.path("id"))
        return .json(answer)
    }
}

extension SuiteClient {
    private struct ImportFailure: Decodable {
        let ok: Bool
        let code: String?
        let error: String?
    }

    /// Asks `vigil-import serve`, and returns the answer.
    func importing(_ command: ImportRequest) async throws -> [UInt8] {
        let answer: [UInt8]
        do {
            answer = try await send(command, to: "import", within: .seconds(10))
        } catch {
            throw APIError.away("the import service does not answer")
        }
        guard let said = try? JSONDecoder().decode(ImportFailure.self, from: Data(answer)) else {
            throw APIError(status: 502, code: "failed", reason: "the import service's answer cannot be read")
        }
        guard !said.ok else { return answer }
        switch said.code {
        case "unknown-job", "unknown-import": throw APIError.notFound
        default: throw APIError(status: 400, code: said.code ?? "refused", reason: said.error ?? "refused")
        }
    }
}
