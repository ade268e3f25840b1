import Testing
import VigilSchema

@Suite("Reply topics")
struct ReplyTopicTests {
    private static let device = ReplyTopic.Asker.device(participant: "anna", device: "watch-1")

    @Test(
        "takes what lies below an account's responses, or below the asker's own receipts",
        arguments: [
            ("vigil/v1/responses/carer/7", ReplyTopic.Asker.account), ("vigil/v1/responses/carer", .account),
            ("vigil/v1/responses/Frau Müller/a/b/c", .account), ("vigil/v1/receipts/anna/watch-1", device),
            ("vigil/v1/receipts/anna/watch-1/7/8", device), ("vigil/v1/responses/anna/7", device),
            ("vigil/v1/receipts/vigil-import/main/x", .service),
            ("vigil/v1/responses/a" + String(repeating: "/", count: 196), .account),
        ])
    func taken(path: String, asker: ReplyTopic.Asker) throws {
        let topic = try ReplyTopic(path, correlation: [1, 2], of: asker)
        #expect(topic.path == path && topic.correlation == [1, 2])
    }

    @Test(
        "refuses everything else in words",
        arguments: [
            ("", ReplyTopic.Asker.account), ("x", .account), ("/", .account), ("answers/me", .account), ("$SYS/x", .account),
            ("vigil/v1/responses", .account), ("vigil/v1/responses/", .account), ("vigil/v1/responses//x", .account),
            ("vigil/v1/receipts/anna/watch-1", .account), ("vigil/v1/receipts/anna/watch-2", device),
            ("vigil/v1/receipts/anna/watch-10", device), ("vigil/v1/receipts/anna", device), ("vigil/v1/receipts/bea/watch-1", device),
            ("vigil/v1/receipts//main", .service), ("vigil/v1/alerts/anna/fever", .service), ("vigil/v1/ingest/anna/watch-1", device),
            ("vigil/v1/modules/vigil-alert/set", .service), ("vigil/v1/responses/a/+", .account), ("vigil/v1/responses/a/#", .account),
            ("vigil/v1/responses/a/\0", .account), ("vigil/v1/responses/a/\u{7}", .account), ("vigil/v1/responses/a/\u{FFFF}", .account),
            ("vigil/v1/responses/a" + String(repeating: "/", count: 197), .account),
            ("vigil/v1/responses/a/" + String(repeating: "x", count: 1004), .account), (String(repeating: "/", count: 300), device),
        ])
    func refused(path: String, asker: ReplyTopic.Asker) {
        let error = #expect(throws: PayloadError.self) { try ReplyTopic(path, of: asker) }
        #expect(error?.reason.hasPrefix("the response topic ") == true)
    }

    @Test("takes 64 bytes of correlation data and 1024 of topic, and not one more")
    func bounds() throws {
        let topic = "vigil/v1/responses/a/" + String(repeating: "x", count: 1003)
        #expect(try ReplyTopic(topic, correlation: [UInt8](repeating: 0, count: 64), of: .account).path.utf8.count == 1024)
        let error = #expect(throws: PayloadError.self) {
            try ReplyTopic(topic, correlation: [UInt8](repeating: 0, count: 65), of: .account)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("is a topic of the suite")
    func parsed() throws {
        for path in ["vigil/v1/responses/carer", "vigil/v1/responses/carer/7/8"] {
            #expect(try Topic(parsing: path).path == path)
        }
        #expect(throws: TopicError.self) { try Topic(parsing: "vigil/v1/responses/") }
    }
}
