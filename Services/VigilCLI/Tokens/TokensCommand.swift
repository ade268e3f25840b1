import Foundation
import Observability
import SensorIngest
import ServiceKit
import Settings
import VigilSchema

/// `vigil tokens`: who may send readings over HTTP.
enum TokensCommand {
    static let command = Command(
        name: "tokens", summary: "makes and removes tokens for readings that phones and web hooks send over HTTP",
        subcommands: [add, list, remove])

    private static let file = Setting(
        "tokens", .path, default: ".vigil/ingest-tokens", help: "The file of tokens, which vigil-ingest --ingest-http-tokens reads.")

    private static let add = Command(
        name: "add", summary: "makes a token for a participant's device and prints it once; it is not stored",
        settings: [file], operands: Operands("NAME", count: 1...2, help: "The participant, and the device; without a device any.")
    ) { invocation in
        let (participant, device) = try names(invocation.operands)
        let path = try invocation[file]
        let token = try changing(path) { $0.add(participant: participant, device: device ?? "*") }
        StandardOutput.line(token)
    }

    private static let list = Command(
        name: "list", summary: "lists the devices that have tokens; the tokens themselves are not stored", settings: [file]
    ) { invocation in
        for entry in try read(invocation[file]).entries {
            StandardOutput.line("\(entry.participant)\t\(entry.device)\t\(entry.digest.prefix(8))…")
        }
    }

    private static let remove = Command(
        name: "remove", summary: "removes the tokens of a participant or a device; the next request is refused",
        settings: [file],
        operands: Operands("NAME", count: 1...2, help: "The participant, and the device; without a device all of them.")
    ) { invocation in
        let (participant, device) = try names(invocation.operands)
        let path = try invocation[file]
        let count = try changing(path) { tokens in
            let count = tokens.remove(participant: participant, device: device)
            guard count > 0 else { throw CommandError(.failure, "there is no token for \(invocation.operands.joined(separator: "/"))") }
            return count
        }
        StandardOutput.line("\(count) taken away")
    }

    private static func names(_ operands: [String]) throws -> (String, String?) {
        for name in operands where !Name.isValid(name) && name != "*" {
            throw CommandError(.usage, "\"\(name)\" is no name: 1–64 of A-Za-z0-9_.-")
        }
        return (operands[0], operands.count > 1 ? operands[1] : nil)
    }

    /// Changes the file as it is now. Two who do so at once come one after the other.
    static func changing<Result>(_ path: String, _ change: (inout IngestTokens) throws -> Result) throws -> Result {
        try FolderLock.holding(URL(filePath: path).deletingLastPathComponent().path) {
            var tokens = try read(path)
            let result = try change(&tokens)
            try write(tokens, to: path)
            return result
        }
    }

    private static func read(_ path: String) throws -> IngestTokens {
        guard FileManager.default.fileExists(atPath: path) else { return IngestTokens() }
        do {
            return try IngestTokens(text: String(contentsOf: URL(filePath: path), encoding: .utf8), file: path)
        } catch {
            throw CommandError(.failure, "\(error)")
        }
    }

    /// Replaces the file at once, readable by its owner alone from the first moment.
    private static func write(_ tokens: IngestTokens, to path: String) throws {
        let fresh = "\(path).new"
        unlink(fresh)
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.failure, "\(path) cannot be written: \(String(cString: strerror(errno)))") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(tokens.text.utf8))
        try handle.synchronize()
        guard rename(fresh, path) == 0 else {
            throw CommandError(.failure, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
