import Cryptography

/// A content's length and SHA-256.
struct ContentDigest: Hashable, Sendable {
    let size: Int
    let digest: String

    /// For content that is not looked up.
    static let none = ContentDigest(size: 0, digest: "")

    private init(size: Int, digest: String) {
        self.size = size
        self.digest = digest
    }

    /// Reads the file once.
    init(_ file: ImportFile) throws(ImportError) {
        var source = try file.open()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        let hash = SHA256()
        var size = 0
        while true {
            let count = try source.read(into: &buffer, at: 0, limit: buffer.count)
            if count == 0 { break }
            hash.update(buffer, count: count)
            size += count
        }
        self.size = size
        digest = hash.finish()
    }

    /// The digest of a text.
    static func of(_ text: String) -> String {
        let hash = SHA256()
        let bytes = Array(text.utf8)
        hash.update(bytes, count: bytes.count)
        return hash.finish()
    }
}
