import Cryptography
import Foundation
import MessageBus
import ServiceKit

/// `vigil timeline open`: opens a sealed export.
enum OpenCommand {
    private static let passphrase = Setting.secret("passphrase", help: "What the export was sealed with.")
    private static let file = Setting.optional("file", .path, help: "The file to write; standard output by default.")

    static let command = Command(
        name: "open", summary: "Opens an export that was sealed with a passphrase.", settings: [passphrase, file],
        operands: Operands("SEALED", help: "the sealed file")
    ) { invocation in
        guard let secret = try invocation[passphrase] else {
            throw CommandError(.usage, "--passphrase-file must be given: the file that holds the passphrase on its first line")
        }
        let path = invocation.operands[0]
        guard let input = FileHandle(forReadingAtPath: path) else { throw CommandError(.noInput, "\(path) cannot be read") }
        var reader = SealedReader(passphrase: secret.exposed)
        var sink = try ExportSink(path: invocation[file], passphrase: nil)
        do {
            while let data = try input.read(upToCount: 1 << 16), !data.isEmpty { try sink.write(reader.open(Array(data))) }
            try reader.finish()
        } catch let error as SealingError {
            throw CommandError(.data, "\(path): \(error)")
        }
        try sink.finish()
    }
}
