import Foundation
import SensorIngest
import Testing
import VigilSchema

@Suite("Examples in the documentation")
struct DocumentationTests {
    private static let tables = ["deploy/docs/reference/formats.md"]
    private static let payloads = tables.flatMap { payloads(of: $0) }

    /// The payloads that `mosquitto_pub` is given in a document's table of formats.
    private static func payloads(of document: String) -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = (try? String(contentsOf: root.appending(path: document), encoding: .utf8)) ?? ""
        return text.matches(of: #/\| `mosquitto_pub .* -m '([^']+)'`/#).map { String($0.output.1) }
    }

    @Test("has one for every format that is text", arguments: tables)
    func complete(document: String) {
        #expect(Self.payloads(of: document).count == PayloadFormats.standard.formats.count - 1)
    }

    @Test("becomes readings that are all believed", arguments: payloads)
    func payload(text: String) throws {
        let bytes = Array(text.utf8)
        let format = try PayloadFormats.standard.select(contentType: nil, bytes: bytes.span)
        let decoded = try format.decode(bytes.span, received: Timestamp(seconds: 1_700_000_000))
        #expect(!decoded.readings.isEmpty && decoded.refusals.isEmpty)
        for located in decoded.readings { _ = try Normaliser().normalise(located, now: Timestamp(seconds: 1_700_000_000)) }
    }

    @Test("the list of metrics is that of the catalogue; vigil metrics --markdown prints it")
    func metrics() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try String(contentsOfFile: root + "/deploy/docs/reference/metrics.md", encoding: .utf8)
        #expect(text.contains(MetricTable.markdown))
    }
}
