import Testing
import VigilSchema

@Suite("Topic")
struct TopicTests {
    static let topics: [(Topic, String)] = [
        (.ingest(participant: "12", device: "A01"), "vigil/v1/ingest/12/A01"),
        (.readings(Partition(participant: "12")), "vigil/v1/observations/\(Partition(participant: "12"))/readings"),
        (.waveforms(Partition(number: 63)!), "vigil/v1/observations/3f/waveforms"),
        (.derived(Partition(number: 10)!), "vigil/v1/observations/0a/derived"),
        (.history(Partition(number: 0)!), "vigil/v1/history/00"),
        (.latest(participant: "a.b", metric: "heart-rate"), "vigil/v1/latest/a.b/heart-rate"),
        (.alert(participant: "a", rule: "r"), "vigil/v1/alerts/a/r"),
        (.alertEvent(participant: "a", rule: "r"), "vigil/v1/alert-events/a/r"),
        (.alertCommand(participant: "a", rule: "r"), "vigil/v1/alert-commands/a/r"),
        (.receipt(participant: "a", device: "d"), "vigil/v1/receipts/a/d"),
        (.reject(participant: "a", device: "d"), "vigil/v1/rejects/a/d"),
        (.timelineQueries, "vigil/v1/timeline/queries"), (.audit(account: "alert"), "vigil/v1/audit/alert"),
        (.request(account: "carl", service: "alert"), "vigil/v1/requests/carl/alert"),
        (.moduleStatus(service: "ingest", instance: "i1"), "vigil/v1/modules/ingest/i1/status"),
        (.moduleExchange(service: "ingest"), "vigil/v1/modules/ingest/exchange"),
        (.moduleGet(service: "ingest"), "vigil/v1/modules/ingest/get"),
        (.moduleSet(service: "ingest"), "vigil/v1/modules/ingest/set"),
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
        ])
    func refusal(path: String, words: String) {
        let error = #expect(throws: TopicError.self) { try Topic(parsing: path) }
        #expect(error?.reason.contains(words) == true)
    }
}
