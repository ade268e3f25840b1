import Foundation
import SensorIngest
import Testing
import VigilSchema

@Suite("Examples in the documentation")
struct DocumentationTests {
    /// The payloads that `mosquitto_pub` is given in the table of formats.
    private static let payloads: [String] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = (try? String(contentsOf: root.appending(path: "deploy/docs/formats.md"), encoding: .utf8)) ?? ""
        return text.matches(of: #/-m '([^']+)'/#).map { String($0.output.1) }
    }()

    @Test("has one for every format that is text")
    func complete() {
        #expect(Self.payloads.count == PayloadFormats.standard.formats.count - 1)
    }

    @Test("becomes readings that are all believed", arguments: payloads)
    func payload(text: String) throws {
        let bytes = Array(text.utf8)
        let format = try PayloadFormats.standard.select(contentType: nil, bytes: bytes.span)
        let decoded = try format.decode(bytes.span, received: Timestamp(seconds: 1_700_000_000))
        #expect(!decoded.readings.isEmpty && decoded.refusals.isEmpty)
        for located in decoded.readings { _ = try Normaliser().normalise(located, now: Timestamp(seconds: 1_700_000_000)) }
    }
}
