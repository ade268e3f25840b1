import Access
import Cryptography
import Foundation
import VigilSchema

/// The tokens with which phones and web hooks may send: a line each, `sha256 participant device secret`, the device `*` for any of the participant's.
/// `secret` is the SHA-256 of the token's SHA-1: Nightscout's uploaders send that in place of what they were given. Older lines lack it.
///
/// Only digests are kept. A token is 256 random bits, so that a quick digest is enough and guessing hopeless.
package struct IngestTokens: Sendable, Hashable {
    /// A token's digest and what it is for.
    package struct Entry: Sendable, Hashable {
        package let digest: String
        package let participant: String
        /// `*` stands for any.
        package let device: String
        /// The digest of the token as Nightscout's uploaders send it; nil where it is not known.
        package let secret: String?

        package init(digest: String, participant: String, device: String, secret: String? = nil) {
            (self.digest, self.participant, self.device, self.secret) = (digest, participant, device, secret)
        }

        /// Returns whether it is for the device.
        package func covers(_ address: DeviceAddress) -> Bool {
            participant == address.participant && (device == "*" || device == address.device)
        }
    }

    /// A line that is none.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    package private(set) var entries: [Entry]

    package init(entries: [Entry] = []) { self.entries = entries }

    /// Reads a file's text; every line must be right. What follows `#` is for people.
    package init(text: String, file: String = "tokens") throws(Malformed) {
        entries = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            if words.isEmpty { continue }
            let digests = [words[0]] + words.dropFirst(3)
            guard (3...4).contains(words.count), digests.allSatisfy({ $0.count == 64 && $0.allSatisfy(\.isHexDigit) }),
                Name.isValid(words[1]), words[2] == "*" || Name.isValid(words[2])
            else { throw Malformed(description: "\(file):\(number + 1): \"sha256 participant device\" is expected, the device * for any") }
            let secret = words.count > 3 ? words[3].lowercased() : nil
            entries.append(Entry(digest: words[0].lowercased(), participant: words[1], device: words[2], secret: secret))
        }
    }

    /// As a file's text.
    package var text: String { entries.map { "\($0.digest) \($0.participant) \($0.device)\($0.secret.map { " " + $0 } ?? "")\n" }.joined() }

    /// The purpose of a token; empty where it is none.
    package func entries(for token: String) -> [Entry] {
        guard !token.isEmpty, token.utf8.count <= 1024 else { return [] }
        // What is compared are digests: how long that takes tells nothing about the token.
        let digest = SHA256.hex(of: token)
        return entries.filter { $0.digest == digest || $0.secret == digest }
    }

    /// Makes a token for a device, and returns it: nowhere else is it found again.
    package mutating func add(participant: String, device: String) -> String {
        let token = RandomToken.make()
        let secret = SHA1.hex(Array(token.utf8)).map { SHA256.hex(of: $0) }
        entries.append(Entry(digest: SHA256.hex(of: token), participant: participant, device: device, secret: secret))
        return token
    }

    /// Takes away the tokens of a participant, or of one device; returns the number.
    package mutating func remove(participant: String, device: String?) -> Int {
        let before = entries.count
        entries.removeAll { $0.participant == participant && (device == nil || $0.device == device) }
        return before - entries.count
    }
}

/// The tokens of a file, read again when it changes: one that is taken away is refused from the next request on.
package actor TokenFile {
    private let path: String
    private var version: FileVersion?
    private var tokens: IngestTokens
    private let onMistake: @Sendable (String) -> Void

    /// - Throws: where the file cannot be read, or has a mistake.
    package init(path: String, onMistake: @escaping @Sendable (String) -> Void = { _ in }) throws {
        self.path = path
        self.onMistake = onMistake
        version = FileVersion(path)
        tokens = try Self.read(path)
    }

    /// The tokens now; none where the file cannot be read any more or has a mistake, because nobody knows then whom it takes a token from.
    package var current: IngestTokens {
        let now = FileVersion(path)
        guard now != version else { return tokens }
        version = now
        do {
            tokens = try Self.read(path)
        } catch {
            tokens = IngestTokens()
            onMistake("\(error)")
        }
        return tokens
    }

    private static func read(_ path: String) throws -> IngestTokens {
        try IngestTokens(text: String(contentsOf: URL(filePath: path), encoding: .utf8), file: path)
    }
}
