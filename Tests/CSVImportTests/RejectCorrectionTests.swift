import TestSupport
import Testing

@testable import CSVImport

@Suite("rejects that are corrected")
struct RejectCorrectionTests {
    /// What a file gives, and what its rejects give once they are corrected.
    private func corrected(
        _ text: String, name: String, profile: Profile? = nil, _ correct: (String) -> String
    ) async throws -> (first: Decoded, again: Decoded) {
        let first = try Decoded(text, name: name, options: .ofParticipant(), profile: profile)
        let folder = try TemporaryFolder("vigil-import"), path = folder.path("rejects.csv"), bytes = Array(text.utf8)
        try await RejectFile(path: path).add(
            first.rejects, of: ImportFile(name: name) { () throws(ImportError) in MemorySource(bytes) }, survey: first.survey)
        var source = try FileSource(path: path)
        let written = correct(String(decoding: try source.readStart(100_000), as: UTF8.self))
        return (first, try Decoded(written, name: "rejects.csv", options: .ofParticipant(), profile: profile))
    }

    @Test("days count for all of their day, also behind one that is still wrong")
    func days() async throws {
        let text = "Date,Steps\n" + (10...19).map { "2024-03-\($0),8000\n" }.joined() + "x,8000\ny,9000\n"
        let (first, again) = try await corrected(text, name: "days.csv") { $0.replacing("y,9000", with: "2024-03-26,9000") }
        #expect(first.rows.map(\.interval) == Array(repeating: 86_400, count: 10) && first.rejects.map(\.line) == [12, 13])
        #expect(again.rows.map(\.value) == [9000] && again.rows.map(\.interval) == [86_400] && again.rejects.count == 1)
    }

    @Test(
        "a row whose time stood in nothing but its file, or was none, is refused, and not taken for one of 1970",
        arguments: [
            ("S1/IBI.csv", "1644226061.0, IBI\n35.5,0.89\nx,0.86\n", "x,0.86", "36.5,0.86", 1),
            ("S1/EDA.csv", "3644226061.0\n4.0\n0.1\n", "0.1", "0.2", 0),
        ])
    func timeless(name: String, text: String, wrong: String, right: String, rows: Int) async throws {
        let (first, again) = try await corrected(text, name: name) { $0.replacing(wrong, with: right) }
        #expect(first.rows.count == rows && first.rejects.count == 1 && again.rows.isEmpty)
        #expect(again.rejects.map(\.reason) == ["the rejects do not tell when the row was measured: correct it where it is from"])
    }

    @Test("a row of counted samples keeps the time that its place gave it")
    func counted() async throws {
        let text = "1644226061.0\n4.0\n0.1\n0.2,9\n\"0.3\"7\n0.4\n"
        let (first, again) = try await corrected(text, name: "S1/EDA.csv") { $0.replacing("0.2,9", with: "0.2") }
        #expect(first.rows.map(\.time) == [1_644_226_061, 1_644_226_061.75])
        #expect(first.rejects.map(\.time) == [1_644_226_061_250_000, 1_644_226_061_500_000])
        #expect(again.rows.map(\.time) == [1_644_226_061.25] && again.rows.map(\.value) == [0.2] && again.rejects.map(\.line) == [3])
    }
}
