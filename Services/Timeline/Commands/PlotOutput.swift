import Foundation
import ServiceKit

/// Where pictures go: each to a file of a folder, or all to one file or standard output, several as a tar archive; sealed on the way if asked.
struct PlotOutput {
    private let folder: URL?
    private let isArchive: Bool
    private let passphrase: String?
    private var sink: ExportSink?

    /// - Parameters:
    ///   - folder: is made where it is missing.
    ///   - file: nil or `-` for standard output.
    init(folder: String?, file: String?, isArchive: Bool, passphrase: String?) throws {
        self.folder = folder.map { URL(filePath: $0) }
        self.isArchive = isArchive
        self.passphrase = passphrase
        if let folder = self.folder {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } else {
            sink = try ExportSink(path: file, passphrase: passphrase)
        }
    }

    mutating func add(_ picture: [UInt8], named name: String) throws {
        StandardError.line("\(name): \(picture.count) bytes")
        guard let folder else {
            let time = Int(Date().timeIntervalSince1970)
            return try sink?.write(isArchive ? TarArchive.member(name, picture, time: time) : picture) ?? ()
        }
        var file = try ExportSink(path: folder.appending(path: name).path, passphrase: passphrase)
        try file.write(picture)
        try file.finish()
    }

    /// Puts the file in its place.
    mutating func finish() throws {
        if isArchive { try sink?.write(TarArchive.end) }
        try sink?.finish()
    }
}
