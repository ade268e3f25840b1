import AlertRules
import Cryptography

/// The digests of a share's former rules. A replica whose folder still has some of them is behind the others.
struct ReplacedRules: Sendable {
    /// The name under which they are stored.
    static let name = "replaced-rules"
    /// The most digests; the oldest are dropped first.
    private static let most = 256
    private var digests: [String]

    init(decoding bytes: [UInt8]?) {
        digests = bytes.map { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } ?? []
    }

    var encoded: [UInt8] { Array(digests.joined(separator: "\n").utf8) }

    func contains(_ files: [RuleFile]) -> Bool { digests.contains(files.digest) }

    /// Notes that rules replaced former ones, which may have been replaced before.
    mutating func note(_ former: [RuleFile], replacedBy files: [RuleFile]) {
        let (old, new) = (former.digest, files.digest)
        digests.removeAll { $0 == old || $0 == new }
        if !former.isEmpty, old != new { digests.append(old) }
        digests = digests.suffix(Self.most)
    }
}

extension [RuleFile] {
    /// SHA-256 of the files' texts, independent of their names and places.
    var digest: String {
        let hash = SHA256()
        for file in self {
            // With the length, so that no text can pass for several.
            let bytes = [UInt8]("\(file.text.utf8.count):\(file.text)".utf8)
            hash.update(bytes, count: bytes.count)
        }
        return hash.finish()
    }
}
