import Foundation
import SignalSynthesis
import Testing

@testable import CSVImport

@Suite("CSV reader beside Python's")
struct ReferenceReaderTests {
    private static let script = """
        import csv, io, json, sys
        results = []
        for text in json.load(sys.stdin):
            try:
                results.append([row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row])
            except csv.Error:
                results.append(None)
        print(json.dumps(results))
        """

    /// Texts in which what matters to a CSV reader is frequent.
    private static func texts(_ count: Int, seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "bc", "1.5", "é€", ",", ",", ",", "\"", "\"", "\"\"", "\n", "\r\n", "\r", " ", ";", "12345678901234567890", "\"x\",",
            "\"y\"\n",
        ]
        return (0..<count).map { _ in
            (0..<Int.random(in: 0...24, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        }
    }

    private func records(_ text: String, largestRead: Int) throws -> [[String]]? {
        var reader = CSVReader(MemorySource(Array(text.utf8), largestRead: largestRead), capacity: 16)
        var records: [[String]] = []
        while true {
            switch try reader.next() {
            case .record: records.append(reader.texts())
            case .malformed: return nil
            case .end: return records
            }
        }
    }

    @Test("gives the same fields as Python's csv module, or refuses what it refuses, for 20,000 random texts", arguments: [1, 2])
    func agrees(seed: UInt64) throws {
        let texts = ReferenceReaderTests.texts(10_000, seed: seed)
        let input = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
        let output = try PythonCount.run(ReferenceReaderTests.script, input: input)
        let expected = try JSONDecoder().decode([[[String]]?].self, from: output)
        #expect(expected.count == texts.count)
        #expect(expected.contains { $0 == nil } && expected.contains { $0?.isEmpty == false })
        for (index, text) in texts.enumerated() {
            let found = try records(text, largestRead: 1 + index % 9)
            #expect(found == expected[index], "\(text.debugDescription)")
            guard found == expected[index] else { return }
        }
    }
}
