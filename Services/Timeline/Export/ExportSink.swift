import Cryptography
import Foundation
import Settings

/// The destination of an export: a file, which appears under its name only once it is whole, or standard output; sealed on the way if asked.
struct ExportSink {
    private let handle: FileHandle
    private let target: URL?
    private var writer: SealedWriter?
    private(set) var bytes = 0

    /// - Parameters:
    ///   - path: nil or `-` for standard output.
    ///   - passphrase: seals the export.
    init(path: String?, passphrase: String?) throws {
        writer = try passphrase.map { try SealedWriter(passphrase: $0) }
        guard let path, path != "-" else {
            (handle, target) = (.standardOutput, nil)
            return
        }
        guard !Self.isSpecial(path) else {
            guard let handle = FileHandle(forWritingAtPath: path) else { throw CommandError(.failure, "\(path) cannot be written") }
            (self.handle, target) = (handle, nil)
            return
        }
        let target = URL(filePath: path)
        let partial = Self.partial(target)
        // Health data: for the owner's eyes only, from the first byte.
        guard FileManager.default.createFile(atPath: partial.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: partial.path)
        else { throw CommandError(.failure, "\(path) cannot be written") }
        (self.handle, self.target) = (handle, target)
    }

    mutating func write(_ plain: [UInt8]) throws {
        try put(writer?.seal(plain) ?? plain)
    }

    /// Hands a sink to `body` and puts the file in its place; where `body` throws, nothing of it is left.
    static func writing(path: String?, passphrase: String?, _ body: (inout ExportSink) async throws -> Void) async throws {
        var sink = try ExportSink(path: path, passphrase: passphrase)
        do {
            try await body(&sink)
            try sink.finish()
        } catch {
            sink.abandon()
            throw error
        }
    }

    /// Removes what was written so far.
    func abandon() {
        guard let target else { return }
        try? handle.close()
        try? FileManager.default.removeItem(at: Self.partial(target))
    }

    /// Puts the file in its place.
    mutating func finish() throws {
        if let rest = writer?.finish() { try put(rest) }
        guard let target else { return }
        try handle.synchronize()
        try handle.close()
        if rename(Self.partial(target).path, target.path) != 0 { throw CommandError(.failure, "\(target.path) cannot be written") }
    }

    private mutating func put(_ data: [UInt8]) throws {
        bytes += data.count
        try handle.write(contentsOf: data)
    }

    /// Returns whether the path leads to something that no file may take the place of: a device, a pipe, `/dev/stdout`, or a folder.
    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private static func partial(_ target: URL) -> URL { target.appendingPathExtension("partial") }
}
