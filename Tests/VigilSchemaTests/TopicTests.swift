import Testing
import VigilSchema

@Suite("Topic")
struct TopicTests {
    static let topics: [(Topic, String)] = [
        (.ingest(participant: "12", device: "A01"), "vigil/v1/ingest/12/A01"),
        (.manual(participant: "12", account: "carl"), "vigil/v1/ingest/12/manual/carl"),
        (.readings(Partition(participant: "12")), "vigil/v1/observations/\(Partition(participant: "12"))/readings"),
        (.waveforms(Partition(number: 63)!), "vigil/v1/observations/3f/waveforms"),
        (.derived(Partition(number: 10)!), "vigil/v1/observations/0a/derived"),
        (.history(Partition(number: 0)!), "vigil/v1/history/00"),
        (.latest(participant: "a.b", metric: "heart-rate"), "vigil/v1/latest/a.b/heart-rate"),
        (.alert(participant: "a", rule: "r"), "vigil/v1/alerts/a/r"),
        (.alertEvent(participant: "a", rule: "r"), "vigil/v1/alert-events/a/r"),

        (.receipt(participant: "a", device: "d"), "vigil/v1/receipts/a/d"),
        (.reject(participant: "a", device: "d"), "vigil/v1/rejects/a/d"),
        (.audit(account: "alert"), "vigil/v1/audit/alert"),
        (.request(account: "carl", service: "alert"), "vigil/v1/requests/carl/alert"),
        (.moduleStatus(service: "ingest", instance: "i1"), "vigil/v1/modules/ingest/i1/status"),
        (.moduleExchange(service: "ingest"), "vigil/v1/modules/ingest/exchange"),
        (.moduleGet(service: "ingest"), "vigil/v1/modules/ingest/get"),
        (.moduleSet(service: "ingest"), "vigil/v1/modules/ingest/set"),

        (.message(participant: "a", module: "weight"), "vigil/v1/messages/a/weight"),
        (.response(account: "Frau Müller", request: ""), "vigil/v1/responses/Frau Müller"),
        (.response(account: "me", request: "1"), "vigil/v1/responses/me/1"),
        (.response(account: "me", request: "1/2/3"), "vigil/v1/responses/me/1/2/3"),
    ]

    @Test("is built and read back the same", arguments: topics)
    func roundTrip(topic: Topic, path: String) throws {
        #expect(topic.path == path)
        #expect(try Topic(parsing: path) == topic)
    }

    static let shared: [(Topic, String)] = [
        (.readings(Partition(number: 0x37)!), "vigil/v1/observations/3/7/37/readings"),
        (.waveforms(Partition(number: 63)!), "vigil/v1/observations/3/f/3f/waveforms"),
        (.derived(Partition(number: 0x20)!), "vigil/v1/observations/0/0/20/derived"),
        (.history(Partition(number: 0x1a)!), "vigil/v1/history/2/a/1a"),
        (.alert(participant: "a", rule: "r"), "vigil/v1/alerts/a/r"),
    ]

    @Test("names the share in front of the partition where a deployment has shares, and is read back the same", arguments: shared)
    func shares(topic: Topic, path: String) throws {
        #expect(topic.path(.shared) == path)
        #expect(try Topic(parsing: path) == topic)
        #expect(Topic.Form.shared.applied(to: topic.path) == path && Topic.Form.plain.applied(to: path) == topic.path)
        #expect(Topic.Form.shared.applied(to: path) == path)
        #expect(topic.paths.contains(path) && topic.paths.contains(topic.path))
    }

    @Test(
        "leaves alone what is none of its topics",
        arguments: ["", "vigil/v1/observations/zz/readings", "elsewhere/observations/00/readings"])
    func strangers(path: String) { #expect(Topic.Form.shared.applied(to: path) == path) }

    @Test(
        "refuses what is not the suite's, saying which level is wrong",
        arguments: [
            ("vigil/v2/ingest/a/b", "start with"), ("vigil/v1/", "none of"), ("vigil/v1/ingest/a", "too few"),
            ("vigil/v1/ingest//b", "participant"), ("vigil/v1/ingest/a/b/c", "too many"), ("vigil/v1/ingest/a/b c", "device"),
            ("vigil/v1/ingest/ä/b", "participant"), ("vigil/v1/history/40", "partition"), ("vigil/v1/history/0A", "partition"),
            ("vigil/v1/observations/2/7/37/readings", "modulo"), ("vigil/v1/observations/3/6/37/readings", "modulo"),
            ("vigil/v1/observations/3/37/readings", "too few"), ("vigil/v1/history/3/07/37", "modulo"),
            ("vigil/v1/observations/3/7/77/readings", "partition"), ("vigil/v1/observations/00/other", "readings, waveforms or derived"),
            ("vigil/v1/modules/a/b/c", "status"),
            ("vigil/v1/ingest/\(String(repeating: "x", count: 65))/b", "participant"), ("vigil/v1/other/a/b", "none of"),
            ("vigil/v1/latest/a/b c", "metric"), ("vigil/v1/alerts/a/b c", "rule"), ("vigil/v1/alert-events/a/b c", "rule"),
            ("vigil/v1/alert-events/a/", "rule"), ("vigil/v1/messages/a/b c", "module"), ("vigil/v1/receipts/a/b c", "device"),
            ("vigil/v1/rejects/a/b c", "device"), ("vigil/v1/alert-commands/a/b", "none of"),
            ("vigil/v1/ingest/a b/manual/c", "participant"),
            ("vigil/v1/timeline/other", "none of"), ("vigil/v1/timeline/queries/x", "none of"), ("vigil/v1/requests/a", "none of"),
            ("vigil/v1/requests/a/b/c", "none of"), ("vigil/v1/requests/a b/c", "account"), ("vigil/v1/requests/a/b c", "service"),
            ("vigil/v1/audit", "none of"), ("vigil/v1/audit/a/b", "none of"), ("vigil/v1/audit/a b", "account"),
            ("vigil/v1/responses", "none of"), ("vigil/v1/responses//x", "account"), ("vigil/v1/history", "none of"),
            ("vigil/v1/history/0/00", "none of"), ("vigil/v1/history/0/0/0/00", "none of"), ("vigil/v1/observations/00", "none of"),
            ("vigil/v1/observations/0/0/00/x/readings", "none of"),
            ("vigil/v1/observations/0/0/00/other", "readings, waveforms or derived"),
            ("vigil/v1/modules/a", "none of"), ("vigil/v1/modules/a/b/c/d", "none of"),
            ("vigil/v1/modules/a/status", "exchange, get or set"),
            ("vigil/v1/modules/a b/get", "service"), ("vigil/v1/modules/a/b c/status", "instance"), ("vigil/v1", "start with"),
        ] as [(String, String)])
    func refusal(path: String, words: String) {
        let error = #expect(throws: TopicError.self) { try Topic(parsing: path) }
        #expect(error?.reason.contains(words) == true)
    }

    @Test(
        "of a request names the account that its answers go to",
        arguments: [
            ("vigil/v1/responses/carl/7", "carl"), ("vigil/v1/responses/carl", "carl"), ("vigil/v1/responses/", "vigil"),
            ("vigil/v1/receipts/carl/7", "vigil"), ("answers/a/b/c", "vigil"),
        ])
    func request(answeredOn topic: String, account: String) {
        #expect(Topic.request(answeredOn: topic, service: "alert") == .request(account: account, service: "alert"))
    }

    @Test("takes names of 1 to 64 letters, digits and three marks", arguments: [1, 2, 63, 64, 65, 0])
    func names(length: Int) {
        let name = String(repeating: "x", count: length)
        #expect(Name.isValid(name) == (1...64).contains(length) && Name.isValid(name[...]) == (1...64).contains(length))
    }

    @Test("takes in a name just the bytes that are allowed, at any place")
    func bytes() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-".utf8)
        for byte in UInt8(0)...127 {
            for name in [[byte], [0x61, byte], [byte, 0x61], [UInt8](repeating: 0x61, count: 12) + [byte]] {
                let text = String(decoding: name, as: UTF8.self)
                #expect(Name.isValid(text) == allowed.contains(byte) && Name.isValid(text[...]) == allowed.contains(byte), "\(byte)")
            }
        }
    }
}
