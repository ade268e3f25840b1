import Foundation

/// A document of another project's test suite, and whether a reader must take it.
package struct ForeignVector: Sendable, CustomStringConvertible {
    /// The expected fate of the document.
    package enum Verdict: String, Sendable {
        case taken = "y"
        case refused = "n"
        /// The standard leaves it to the reader.
        case either = "i"
    }

    package let verdict: Verdict
    package let name: String
    package let bytes: [UInt8]

    package var description: String { name }

    /// The vectors of a file of `Tests/Corpus/json`: a line each of verdict, name and the bytes in hexadecimal.
    package static func json(_ file: String) -> [ForeignVector] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = (try? String(contentsOf: tests.appending(path: "Corpus/json/\(file)"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap(read)
    }

    private static func read(_ line: Substring) -> ForeignVector? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let verdict = Verdict(rawValue: String(words[0])) else { return nil }
        let digits = Array(words[2])
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        return ForeignVector(verdict: verdict, name: String(words[1]), bytes: bytes)
    }
}
