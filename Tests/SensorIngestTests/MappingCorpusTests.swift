import Foundation
import SensorIngest
import Testing
import VigilSchema

/// A message as a project publishes it, and what it becomes by the shipped mappings.
///
/// Lines of `Tests/Corpus/mappings`: `case`, `topic`, `text` (the payload), then `is` for each reading and `no` for what the reason of a refusal
/// says. A time without a zone stands as `local:2026-01-31T11:00:00`, the beginning of the day on
/// which they arrive as `today`.
struct PublishedMessage: Sendable, CustomTestStringConvertible {
    var name: String
    var topic = ""
    var payload = ""
    var readings: [String] = []
    var refusals: [String] = []

    var testDescription: String { name }

    static let all: [PublishedMessage] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Corpus/mappings")
        let text = (try? String(contentsOf: folder.appending(path: "bridges.txt"), encoding: .utf8)) ?? ""
        var found: [PublishedMessage] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            if parts[0] == "case" { found.append(PublishedMessage(name: parts[1])) }
            guard !found.isEmpty else { continue }
            found[found.count - 1].take(parts[0], parts[1])
        }
        return found
    }()

    private mutating func take(_ word: String, _ rest: String) {
        switch word {
        case "topic": topic = rest
        case "text": payload = rest
        case "is": readings.append(Self.zoned(rest))
        case "no": refusals.append(rest)
        default: break
        }
    }

    /// With the local time in seconds.
    private static func zoned(_ line: String) -> String {
        line.split(separator: " ", omittingEmptySubsequences: false).map { word in
            if word == "today" {
                return
                    "\(Calendar(identifier: .gregorian).startOfDay(for: Date(timeIntervalSince1970: 1_700_000_000)).timeIntervalSince1970)"
            }
            guard word.hasPrefix("local:"), let time = DateTimeText(word.dropFirst(6) + "Z")?.time.seconds else { return String(word) }
            let date = Date(timeIntervalSince1970: time - Double(TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: time))))
            return "\(date.timeIntervalSince1970)"
        }.joined(separator: " ")
    }
}

@Suite("Published messages")
struct MappingCorpusTests {
    private static let mappings = Result { try MappingFile.load([MappingTests.shipped]) }

    @Test("become readings by the shipped mappings, or are refused in words", arguments: PublishedMessage.all)
    func published(sample: PublishedMessage) throws {
        let message = MappedMessage(Array(sample.payload.utf8), topic: sample.topic, by: try Self.mappings.get())
        #expect(message.accepted == sample.readings, "\(sample.name): \(message.accepted.map { "\nis " + $0 }.joined())")
        #expect(message.refused.count == sample.refusals.count, "\(sample.name): \(message.refused.map { "\nno " + $0 }.joined())")
        for (told, expected) in zip(message.refused, sample.refusals) { #expect(told.contains(expected), "\(sample.name)\nno \(told)") }
    }

    @Test("come in without code, most of them; the others say why")
    func count() {
        let all = PublishedMessage.all
        #expect(all.count >= 67)
        #expect(all.count { !$0.readings.isEmpty } >= 50)
        #expect(all.allSatisfy { !$0.readings.isEmpty || !$0.refusals.isEmpty })
    }
}
