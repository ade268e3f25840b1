import Foundation
import MessageBus

/// A file that holds a secret, as Docker and Kubernetes mount them.
enum SecretFile {
    /// The file's first line; nil where the file cannot be read or the line is empty.
    static func read(_ path: String) -> Secret? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
        return line.isEmpty ? nil : Secret(String(line))
    }
}
