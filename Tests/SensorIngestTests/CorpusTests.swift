import SensorIngest
import Testing
import VigilSchema

@Suite("Corpus of formats")
struct CorpusTests {
    private static let contentTypes = [
        "native": "application/vnd.vigil.observations+json", "senml-json": "application/senml+json",
        "senml-cbor": "application/senml+cbor", "libelium": "text/vnd.e-health.line",
        "open-mhealth": "application/vnd.openmhealth+json", "sensors": "application/vnd.e-health.sensors+json",
    ]

    @Test("has documents of every format, taken and refused")
    func isComplete() {
        for format in CorpusTests.contentTypes.keys {
            let cases = CorpusCase.all.filter { $0.format == format }
            #expect(cases.contains { !$0.observations.isEmpty }, "\(format)")
            #expect(cases.contains { $0.failure != nil }, "\(format)")
        }
    }

    @Test("becomes the expected observations, or is refused with the expected reason and byte", arguments: CorpusCase.all)
    func decodes(document: CorpusCase) throws {
        let formats = PayloadFormats.standard
        let format = try formats.select(contentType: CorpusTests.contentTypes[document.format], bytes: document.bytes.span)
        do throws(PayloadError) {
            let readings = try format.decode(document.bytes.span, received: CorpusCase.received)
            #expect(document.failure == nil)
            #expect(readings.readings.map(Described.observation) == document.observations)
            #expect(readings.refusals.map(Described.refusal) == document.refusals)
        } catch {
            #expect(Described.refusal(error) == document.failure)
        }
    }

    @Test("is recognised by its first bytes as what it is", arguments: CorpusCase.all.filter { !$0.observations.isEmpty })
    func recognised(document: CorpusCase) throws {
        let formats = PayloadFormats.standard
        let told = try formats.select(contentType: CorpusTests.contentTypes[document.format], bytes: document.bytes.span)
        let seen = try formats.select(contentType: nil, bytes: document.bytes.span)
        #expect(seen.name == told.name)
    }
}
