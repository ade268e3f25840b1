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
            #"{"session":"05","observations":[{"time":1484840182,"metric":"heart-rate","value":70}]}"#,
            #"{"time":1484840182,"metric":"heart-rate","value":70}"#,
            #" { "metric" : "heart-rate","time":1484840182,"value":70} "#,
            " [ {\"value\":70,\n\"metric\":\"heart-rate\",\"time\":1484840182}, {\"metric\":\"hart-rate\"} ]",
        ])
    func native(text: String) throws {
        let plain = try ReadingDecoder().decode(Array(text.utf8).span)
        let payload = try #require(ReceiptInPayload.asking(Array(text.utf8), at: Self.topic))
        let asking = try ReadingDecoder().decode(payload.span)
        #expect(asking.receipt == ReceiptWish(responseTopic: Self.topic))
        #expect(asking.readings.map(\.observation) == plain.readings.map(\.observation))
        #expect(asking.session == plain.session && !asking.readings.isEmpty)
    }

    @Test(
        "has no place in what is of another format, or says itself where the receipt is to come",
        arguments: [
            #"[{"n":"heart-rate","u":"beat/min","v":70}]"#, "spO2#97#", "", #"{"header":{},"body":{}}"#,
            #"{"responseTopic":"vigil/v1/receipts/12/A01/mine","observations":[{"metric":"heart-rate","time":1484840182,"value":70}]}"#,
        ])
    func other(text: String) {
        #expect(ReceiptInPayload.asking(Array(text.utf8), at: Self.topic) == nil)
    }
}
