import Testing
import VigilSchema

@Suite("Reply topics")
struct ReplyTopicTests {
    /// A character that Swift's literals do not take.
    private static func scalar(_ value: UInt32) -> String {
        "vigil/v1/responses/a/" + (Unicode.Scalar(value).map { String(Character($0)) } ?? "")
    }
    private static func levels(_ count: Int) -> String { "vigil/v1/responses/a" + slashes(count) }
    private static func long(_ count: Int) -> String { "vigil/v1/responses/a/" + String(repeating: "x", count: count) }
    private static func slashes(_ count: Int) -> String { String(repeating: "/", count: count) }

    private static let device = ReplyTopic.Asker.device(participant: "anna", device: "watch-1")

    @Test(
        "takes what lies below an account's responses, or below the asker's own receipts",
        arguments: [
            ("vigil/v1/responses/carer/7", ReplyTopic.Asker.account), ("vigil/v1/responses/carer", .account),
            ("vigil/v1/responses/Frau Müller/a/b/c", .account), ("vigil/v1/receipts/anna/watch-1", device),
            ("vigil/v1/receipts/anna/watch-1/7/8", device), ("vigil/v1/responses/anna/7", device),
            ("vigil/v1/receipts/vigil-import/main/x", .service),
            ("vigil/v1/responses/carl", .named("carl")), ("vigil/v1/responses/carl/7", .named("carl")),
            ("vigil/v1/receipts/vigil-import/main", .service), ("vigil/v1/responses/a/ ~\u{A0}\u{FDCF}\u{FDF0}\u{FFFD}\u{1FFFD}", .account),
            (levels(196), .account),
        ] as [(String, ReplyTopic.Asker)])
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
            ("vigil/v1/receipts//main", .service), ("vigil/v1/responses/carla", .named("carl")),
            ("vigil/v1/receipts/carl/x", .named("carl")),
            ("vigil/v1/receipts/main", .service), ("vigil/v1/receipts/a b/main", .service), ("vigil/v1/receipts/a/b c", .service),
            ("vigil/v1/responses/a/\u{1F}", .account), ("vigil/v1/responses/a/\u{7F}", .account), ("vigil/v1/responses/a/\u{9F}", .account),
            (scalar(0xFDD0), .account), (scalar(0xFDEF), .account),
            (scalar(0x1FFFE), .account),
            ("vigil/v1/alerts/anna/fever", .service), ("vigil/v1/ingest/anna/watch-1", device),
            ("vigil/v1/modules/vigil-alert/set", .service), ("vigil/v1/responses/a/+", .account), ("vigil/v1/responses/a/#", .account),
            ("vigil/v1/responses/a/\0", .account), ("vigil/v1/responses/a/\u{7}", .account), ("vigil/v1/responses/a/\u{FFFF}", .account),
            (levels(197), .account),
            (long(1004), .account), (slashes(300), device),
        ] as [(String, ReplyTopic.Asker)])
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

    @Test("says where each asker's answers may lie")
    func places() {
        let responses = "the response topic must lie below vigil/v1/responses/"
        let askers: [(ReplyTopic.Asker, String)] = [
            (.account, responses + "<account>"), (.named("carl"), responses + "carl"),
            (Self.device, responses + "<account> or vigil/v1/receipts/anna/watch-1"),
            (.service, responses + "<account> or vigil/v1/receipts/<service>/<instance>"),
        ]
        for (asker, reason) in askers {
            let error = #expect(throws: PayloadError.self) { try ReplyTopic("vigil/v1/alerts/a/b", of: asker) }
            #expect(error?.code == .badTopic && error?.reason == reason)
        }
    }
}
