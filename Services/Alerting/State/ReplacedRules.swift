import AlertRules
import Cryptography

/// The rules that a share was judged by and no longer is, known by their content: a replica whose folder still holds some of them is behind the others.
struct ReplacedRules: Sendable {
    /// The name in the store under which they are kept.
    static let name = "replaced-rules"
    /// The most that are known; of more the oldest are forgotten.
    private static let most = 256
    private var digests: [String]

    init(decoding bytes: [UInt8]?) {
        digests = bytes.map { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } ?? []
    }

    var encoded: [UInt8] { Array(digests.joined(separator: "\n").utf8) }

    func contains(_ files: [RuleFile]) -> Bool { digests.contains(files.digest) }

    /// Notes that rules came in the place of former ones, which themselves may have been replaced before.
    mutating func note(_ former: [RuleFile], replacedBy files: [RuleFile]) {
        let (old, new) = (former.digest, files.digest)
        digests.removeAll { $0 == old || $0 == new }
        if !former.isEmpty, old != new { digests.append(old) }
        digests = digests.suffix(Self.most)
    }
}

extension [RuleFile] {
    /// SHA-256 of the files' texts, the same wherever they lie and whatever they are called.
    var digest: String {
        let hash = SHA256()
        for file in self {
            // With its length, so that no text can pass for several.
            let bytes = [UInt8]("\(file.text.utf8.count):\(file.text)".utf8)
            hash.update(bytes, count: bytes.count)
        }
        return hash.finish()
    }
}
