import SensorIngest
import TestSupport
import Testing
import VigilSchema

@Suite("A message that holds a document of JSONTestSuite beside its reading")
struct ForeignVectorTests {
    private static let start = Array(#"{"metric":"heart-rate","time":1700000000,"value":61,"beside":"#.utf8)

    /// The readings of a native message with the document as the value of a member that nobody knows; nil where it is refused.
    private func readings(_ document: [UInt8]) throws -> DecodedReadings? {
        let bytes = Self.start + document + Array("}".utf8)
        let formats = PayloadFormats.standard
        let format = try formats.select(contentType: "application/vnd.vigil.observations+json", bytes: bytes.span)
        return try? format.decode(bytes.span, received: CorpusCase.received)
    }

    @Test("is taken or refused as the document is JSON or is not", arguments: ForeignVector.json("parsing.txt"))
    func vectors(vector: ForeignVector) throws {
        let decoded = try readings(vector.bytes)
        switch vector.verdict {
        case .taken: #expect(decoded?.readings.count == 1)
        case .refused: #expect((decoded?.readings.count ?? 0) == 0)
        case .either: break
        }
    }

    @Test("is refused where it is nested a hundred thousand deep", arguments: ["[", "{\"\":", "[{\"\":"])
    func deep(opening: String) throws {
        let document = Array(String(repeating: opening, count: 100_000).utf8)
        #expect((try readings(document)?.readings.count ?? 0) == 0)
    }
}
