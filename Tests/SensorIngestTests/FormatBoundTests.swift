import Cryptography
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Observability
@testable import SensorIngest
@testable import ServiceKit

@Suite("Bounds of formats, and what is counted and told of what comes", .timeLimit(.minutes(1)))
struct FormatBoundTests {
    private static let received = Timestamp(seconds: 1_700_000_000)

    // MARK: JSON

    private func code(_ json: String) -> PayloadError.Code? {
        do throws(PayloadError) {
            _ = try JSONTree.parse(Array(json.utf8).span)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a document has a thousand keys in one object at most, and thirty-two levels")
    func trees() {
        func keys(_ count: Int) -> String { "{" + (0..<count).map { #""k\#($0)":1"# }.joined(separator: ",") + "}" }
        func levels(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
        #expect(code(keys(1_000)) == nil && code(keys(1_001)) == .tooLarge)
        #expect(code(levels(32)) == nil && code(levels(33)) == .tooLarge)
    }

    // MARK: SenML in CBOR

    /// The refusals of a pack, or its own.
    private func refusals(_ bytes: [UInt8]) -> [String] {
        do throws(PayloadError) {
            return try SenMLCBORFormat().decode(bytes.span, received: Self.received).refusals.map(\.reason)
        } catch {
            return [error.reason]
        }
    }

    @Test(
        "a pack without records is refused, whether its length is told or not",
        arguments: [[0x80], [0x9F, 0xFF], [0xD9, 0xD9, 0xF7, 0x80]] as [[UInt8]])
    func empty(bytes: [UInt8]) {
        #expect(refusals(bytes) == ["the pack has no records"])
    }

    @Test(
        "a version is a positive whole number of a thousand million at most, and one that is newer is told as such",
        arguments: [
            ([0], "a version is a positive whole number"), ([1], ""), ([10], ""),
            ([11], "the version is newer than 10, with features that are not known"),
            ([0x1A, 0x3B, 0x9A, 0xCA, 0x00], "the version is newer than 10, with features that are not known"),
            ([0x1A, 0x3B, 0x9A, 0xCA, 0x01], "a version is a positive whole number"), ([0x20], "a version is a positive whole number"),
        ] as [([UInt8], String)])
    func versions(version: [UInt8], reason: String) {
        // One record: the version, the name ecg, the value 1.
        let pack: [UInt8] = [0x81, 0xA3, 0x20] + version + [0x00, 0x63] + Array("ecg".utf8) + [0x02, 0x01]
        #expect(refusals(pack) == (reason.isEmpty ? [] : [reason]))
    }

    // MARK: IEEE 1752.1

    @Test(
        "a measure of IEEE 1752.1 has a time frame in its first version, and no other version is known",
        arguments: [
            ("total-sleep-time", #""total_sleep_time":{"value":400,"unit":"min"}"#),
            ("ambient-temperature", #""ambient_temperature":{"value":21,"unit":"C"}"#),
        ])
    func ieee(name: String, members: String) throws {
        func readings(_ version: String, _ members: String) -> Int {
            let text =
                #"{"header":{"schema_id":{"namespace":"ieee","name":"\#(name)","version":"\#(version)"},"creation_date_time":"2013-02-05T07:25:00Z"},"body":{\#(members)}}"#
            let bytes = Array(text.utf8)
            return (try? OpenMHealthFormat().decode(bytes.span, received: Self.received).readings.count) ?? 0
        }
        let frame =
            #","effective_time_frame":{"time_interval":{"start_date_time":"2013-02-05T00:00:00Z","end_date_time":"2013-02-05T07:00:00Z"}}"#
        #expect(readings("1.0", members + frame) == 1)
        #expect(readings("1.0", members) == 0)
        #expect(readings("2.0", members + frame) == 0 && readings("0.9", members + frame) == 0)
    }

    // MARK: HTTP

    @Test("each request over HTTP is counted, and each that is refused by itself")
    func requests() async {
        let registry = MetricsRegistry()
        let tokens = IngestTokens(entries: [.init(digest: SHA256.hex(of: "secret"), participant: "anna", device: "phone")])
        let ingest = HTTPIngest(tokens: { tokens }, metrics: HTTPIngestMetrics(registry)) { message throws(BusError) in
            guard let receipt = try? Receipt(outcome: .stored, stored: 1).encoded() else { throw BusError(.refused, during: .request) }
            return IncomingMessage(topic: message.topic, payload: receipt)
        }
        for token in ["secret", "other", "secret", "other", "other"] {
            _ = await ingest.routes[0].handler(
                HTTPRequest(
                    method: "POST", path: "/", query: [:], headers: ["x-vigil-token": token], body: Array("{}".utf8),
                    parameters: ["participant": "anna", "device": "phone"]))
        }
        #expect(registry.render().contains("\nvigil_ingest_http_requests_total 5\n"))
        #expect(registry.render().contains("\nvigil_ingest_http_refused_total 3\n"))
    }

    // MARK: Announced sensors

    /// A log whose lines can be looked at.
    private final class Lines: Sendable {
        private let noted = Mutex<[String]>([])
        var log: Logger { Logger(service: "test", level: .debug, sink: { line in self.noted.withLock { $0.append("\(line)") } }) }

        func count(_ text: String) -> Int { noted.withLock { $0.count { $0.contains(text) } } }
    }

    @Test("what became of announced sensors is told once, as long as it stays so; that the topics could not be kept is told too")
    func announced() throws {
        let folder = try TemporaryFolder("vigil-topics"), lines = Lines()
        let rules = MappingRules(MappingSet(), discoveryPrefix: "homeassistant")
        func announce(_ place: Int) {
            let (topic, payload) = DiscoveryTests.announcements[place]
            rules.announce([(topic, Array(payload.utf8))])
        }
        let topics = MappedTopics(rules: rules, path: folder.path("topics"), log: lines.log)
        topics.follow(
            Consumer(
                configuration: ConsumerConfiguration(broker: BrokerConfiguration(clientID: "c"), subscriptions: [Subscription("a")])))
        #expect(lines.count("sensors are announced") == 0)
        announce(3)
        #expect(lines.count("sensors are announced") == 1 && lines.count("an announced sensor") == 1)
        announce(3)
        rules.replace(with: MappingSet())
        #expect(lines.count("sensors are announced") == 1 && lines.count("an announced sensor") == 1)
        announce(0)
        #expect(lines.count("sensors are announced") == 2 && lines.count("an announced sensor") == 2)
        #expect(lines.count("cannot be kept") == 0)
        let nowhere = MappedTopics(rules: rules, path: folder.path("none/topics"), log: lines.log)
        nowhere.follow(
            Consumer(
                configuration: ConsumerConfiguration(broker: BrokerConfiguration(clientID: "c"), subscriptions: [Subscription("a")])))
        #expect(lines.count("cannot be kept") == 1)
    }

    @Test("a sensor that is announced twice is proposed once")
    func proposedOnce() {
        func lines(_ times: Int) -> [Substring] {
            var proposal = MappingProposal()
            for _ in 0..<times {
                let (topic, payload) = DiscoveryTests.announcements[3]
                proposal.hear(topic: topic, payload: Array(payload.utf8))
            }
            return Array(proposal.text.split(separator: "\n").dropFirst())
        }
        #expect(lines(2) == lines(1) && lines(1).contains { $0.contains("body-weight") })
    }
}
