import Foundation
import SuiteHarness
import TestSupport

/// A subscriber that keeps every alert event it is sent: Debian's `mosquitto_sub`, with a session that outlives broken connections.
struct AlertWatch: Sendable {
    /// An alert's transition, as far as it can be foreseen.
    struct Event: Decodable {
        let participant: String
        let rule: String
        let sequence: Int
        let transition: String
        let time: Double
        let value: Double?
    }

    private let process: ChildProcess

    init(_ broker: MosquittoServer, in folder: TemporaryFolder) throws {
        process = try ChildProcess(
            "/usr/bin/mosquitto_sub",
            [
                "-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "5", "-q", "1", "-c", "-x", "86400", "-i", "alert-watch", "-F", "%p",
                "-t", "vigil/v1/alert-events/+/+",
            ], output: folder.path("alert-watch.txt"))
    }

    /// The payloads that have come, each once.
    var lines: Set<String> { Set(process.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)) }

    /// Each event once, by the alert's participant and rule, in the order of their numbers; and how many came twice but not the same.
    func events() -> (byAlert: [String: [Event]], differing: Int) {
        let lines = lines
        let events = lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        let numbers = Set(events.map { "\($0.participant) \($0.rule) \($0.sequence)" })
        let byAlert = Dictionary(grouping: events) { "\($0.participant) \($0.rule)" }
        return (byAlert.mapValues { $0.sorted { $0.sequence < $1.sequence } }, lines.count - numbers.count)
    }

    func stop() async throws {
        process.signal(SIGTERM)
        try await process.waitForExit()
    }

    /// The retained messages of a filter, by topic: all that have come once twenty looks found no more. A state follows its event: what is published
    /// while it looks takes the place of what was retained.
    static func retained(_ filter: String, _ broker: MosquittoServer) async throws -> [String: String] {
        let client = try await HostileClient.connected(port: broker.port)
        try await client.subscribe(filter)
        var (count, unchanged) = (0, 0)
        while unchanged < 20 {
            try await Task.sleep(for: .milliseconds(100))
            let now = client.messages.count
            unchanged = now == count ? unchanged + 1 : 0
            count = now
        }
        return Dictionary(client.messages.map { ($0.topic, $0.text) }) { $1 }.filter { !$0.value.isEmpty }
    }
}

/// The decisions of `vigil-alert` about the numbered participants, as its own file keeps it.
struct AlertHistory: Sendable {
    let path: String

    /// The events as they were written, in order.
    func events() async throws -> [String] {
        let sql = "SELECT CAST(content AS TEXT) FROM events WHERE kind < 2 AND participant LIKE 'bench-%' ORDER BY id"
        return try await StoreUnderTest.sqlite(path: path).lines(sql)
    }

    /// Returns the participant of an event; nil for what is no event.
    static func participant(_ line: String) -> String? {
        try? JSONDecoder().decode(AlertWatch.Event.self, from: Data(line.utf8)).participant
    }

    /// Events that a subscriber was not shown, byte for byte.
    func problems(_ events: [String], seen: Set<String>) -> [String] {
        let missing = events.filter { !seen.contains($0) }
        return missing.isEmpty ? [] : ["\(missing.count) of \(events.count) alert events reached no subscriber, the first: \(missing[0])"]
    }

    /// Alerts whose retained state is not that of their last event. While a condition lasts, the state is shown again with its present value.
    func problems(_ events: [String], retained: [String: String]) -> [String] {
        var last: [String: String] = [:]
        for line in events {
            guard let event = try? JSONDecoder().decode(AlertWatch.Event.self, from: Data(line.utf8)) else { continue }
            last["vigil/v1/alerts/\(event.participant)/\(event.rule)"] = line.contains(#""state":"none""#) ? "" : line
        }
        let wrong = last.filter { !Self.isState(retained[$0.key, default: ""], of: $0.value) }
        guard let (topic, event) = wrong.min(by: { $0.key < $1.key }) else { return [] }
        let found = retained[topic].map { "\"\($0)\"" } ?? "nothing"
        return ["\(wrong.count) retained alert states are not the last; below \(topic) stands \(found) in place of \"\(event)\""]
    }

    /// Indicates whether a retained state is that of an event: byte for byte, or shown again later, with another value alone.
    static func isState(_ state: String, of event: String) -> Bool {
        if state == event { return true }
        guard let shown = fields(state), let decided = fields(event), let updated = shown["updated"] as? Double else { return false }
        guard updated >= decided["time"] as? Double ?? .infinity else { return false }
        let present: Set = ["updated", "value", "message"]
        let kept = { (fields: [String: Any]) in NSDictionary(dictionary: fields.filter { !present.contains($0.key) }) }
        return kept(shown) == kept(decided)
    }

    private static func fields(_ text: String) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    }
}
