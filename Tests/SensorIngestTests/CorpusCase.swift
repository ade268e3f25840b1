import Foundation
import SensorIngest
import Testing
import VigilSchema

/// One document of the corpus and what it must become.
///
/// A corpus file holds cases as lines: `case` and a name; `text` (with ¬n, ¬r, ¬t, ¬0 for what a line cannot hold) or `hex` and the document;
/// then, in order, `is` and an observation, `no` and a refusal of one reading, or `fail` and the refusal of all of it.
/// The file is named like the format.
struct CorpusCase: Sendable, CustomTestStringConvertible {
    let format: String
    var name: String
    var bytes: [UInt8] = []
    var observations: [String] = []
    var refusals: [String] = []
    var failure: String?

    var testDescription: String { "\(format): \(name)" }

    /// The time at which every document of the corpus is received.
    static let received = Timestamp(microseconds: 1_700_000_000_500_000)

    /// All cases of the corpus's files.
    static let all: [CorpusCase] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Corpus")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }.flatMap(read)
    }()

    private static func read(_ file: URL) -> [CorpusCase] {
        var cases: [CorpusCase] = []
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            let word = parts[0], rest = parts.count > 1 ? String(parts[1]) : ""
            if word == "case" {
                cases.append(CorpusCase(format: file.deletingPathExtension().lastPathComponent, name: rest))
            } else if !cases.isEmpty {
                cases[cases.count - 1].take(word, rest)
            }
        }
        return cases
    }

    private mutating func take(_ word: Substring, _ rest: String) {
        switch word {
        case "text": bytes = CorpusCase.unescaped(rest)
        case "hex": bytes = CorpusCase.hexadecimal(rest)
        case "is": observations.append(rest)
        case "no": refusals.append(rest)
        case "fail": failure = rest
        default: break
        }
    }

    private static func unescaped(_ text: String) -> [UInt8] {
        let simple: [Character: Character] = ["n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\"]
        var result = ""
        var characters = text.makeIterator()
        while let character = characters.next() {
            guard character == "¬", let next = characters.next() else {
                result.append(character)
                continue
            }
            result.append(simple[next] ?? next)
        }
        return Array(result.utf8)
    }

    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = Array(text.filter { $0 != " " })
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
