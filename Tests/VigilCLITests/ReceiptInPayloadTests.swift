import Testing
import VigilSchema

@testable import VigilCLI

@Suite("The wish for a receipt within a payload")
struct ReceiptInPayloadTests {
    private static let topic = "vigil/v1/receipts/12/A01/7f"

    @Test(
        "is added to what is of the suite's own format, whose readings stay what they were",
        arguments: [
            #"{"metric":"heart-rate","time":1484840182,"value":70}"#,
            #"[{"metric":"heart-rate","time":1484840182,"value":70},{"metric":"steps","time":1484840182,"value":7}]"#,
            #"{"observations":[{"metric":"heart-rate","time":1484840182,"value":70}],"session":"05"}"#,
        ])
    func native(text: String) throws {
        let plain = try ReadingDecoder().decode(Array(text.utf8).span)
        let asking = try ReadingDecoder().decode(ReceiptInPayload.asking(Array(text.utf8), at: Self.topic).span)
        #expect(asking.receipt == ReceiptWish(responseTopic: Self.topic))
        #expect(asking.readings.map(\.observation) == plain.readings.map(\.observation))
        #expect(asking.session == plain.session && !asking.readings.isEmpty)
    }

    @Test("is left out of what is of another format", arguments: [#"[{"n":"heart-rate","u":"beat/min","v":70}]"#, "spO2#97#", ""])
    func other(text: String) {
        #expect(ReceiptInPayload.asking(Array(text.utf8), at: Self.topic) == Array(text.utf8))
    }
}
