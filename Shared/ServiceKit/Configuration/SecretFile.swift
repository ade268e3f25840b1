import Foundation
import MessageBus

/// A file that holds a secret, as Docker and Kubernetes mount them, or a pipe such as `/dev/stdin`.
enum SecretFile {
    /// The file's first line; nil where the file cannot be read or the line is empty.
    static func read(_ path: String) -> Secret? {
        guard let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd() else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
        return line.isEmpty ? nil : Secret(String(line))
    }
}
