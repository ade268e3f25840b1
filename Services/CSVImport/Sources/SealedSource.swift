import Cryptography
import Synchronization

/// Sealed exports, opened by a passphrase and read as if they lay open. Nothing of them is written to a disk.
final class SealedFiles: Sendable {
    /// The bytes that tell how the key is made: name and version, cost, salt, and the stream's own header.
    private static let preludeLength = 58

    private let passphrase: String
    /// Readers that have derived their keys, which takes long on purpose, by these bytes: a file is opened more than once.
    private let begun = Mutex<[[UInt8]: SealedReader]>([:])

    init(passphrase: String) { self.passphrase = passphrase }

    /// The file, its content opened where it is sealed.
    func opened(_ file: ImportFile) -> ImportFile {
        guard !file.isMissing else { return file }
        var opened = ImportFile(name: file.name, size: file.size) { [self] () throws(ImportError) in
            var source = try file.open()
            let prelude = try source.readStart(Self.preludeLength)
            guard prelude.starts(with: Array("VIGILSEAL".utf8)) else { return try file.open() }
            return SealedSource(source, try reader(prelude, file.name), name: file.name)
        }
        opened.start = file.start
        return opened
    }

    private func reader(_ prelude: [UInt8], _ name: String) throws(ImportError) -> SealedReader {
        if let known = begun.withLock({ $0[prelude] }) { return known }
        var reader = SealedReader(passphrase: passphrase)
        do throws(SealingError) {
            _ = try reader.open(prelude)
        } catch {
            throw ImportError(.source, "\(name): \(error)")
        }
        let begun = reader
        self.begun.withLock { $0[prelude] = begun }
        return reader
    }
}

/// The content of a sealed file, opened as it is read; a cut is noticed at its end.
struct SealedSource: ByteSource {
    private var source: any ByteSource
    private var reader: SealedReader
    private var sealed = [UInt8](repeating: 0, count: 64 << 10)
    private var plain: [UInt8] = []
    private var taken = 0
    private let name: String

    init(_ source: any ByteSource, _ reader: SealedReader, name: String) {
        (self.source, self.reader, self.name) = (source, reader, name)
    }

    mutating func read(into buffer: inout [UInt8], at offset: Int, limit: Int) throws(ImportError) -> Int {
        while taken == plain.count {
            let count = try source.read(into: &sealed, at: 0, limit: sealed.count)
            do throws(SealingError) {
                if count == 0 {
                    try reader.finish()
                    return 0
                }
                plain = try reader.open(Array(sealed[..<count]))
                taken = 0
            } catch {
                throw ImportError(.source, "\(name): \(error)")
            }
        }
        let count = min(limit, plain.count - taken)
        for index in 0..<count { buffer[offset + index] = plain[taken + index] }
        taken += count
        return count
    }
}
