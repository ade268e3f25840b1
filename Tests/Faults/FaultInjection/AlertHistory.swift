import Foundation
import SuiteHarness
import TestSupport

/// What `vigil-alert` decided about the numbered participants, as its own file keeps it.
struct AlertHistory: Sendable {
    let path: String

    /// The events as they were written, in order.
    func events() async throws -> [String] {
        let sql = "SELECT event FROM history WHERE participant LIKE 'bench-%' ORDER BY id"
        return try await StoreUnderTest.sqlite(path: path).lines(sql)
    }

    /// Events that a subscriber was not shown, byte for byte.
    func problems(_ events: [String], seen: Set<String>) -> [String] {
        let missing = events.filter { !seen.contains($0) }
        return missing.isEmpty ? [] : ["\(missing.count) of \(events.count) alert events reached no subscriber, the first: \(missing[0])"]
    }

    /// Alerts whose retained state is not that of their last event.
    func problems(_ events: [String], retained: [String: String]) -> [String] {
        var last: [String: String] = [:]
        for line in events {
            guard let event = try? JSONDecoder().decode(AlertWatch.Event.self, from: Data(line.utf8)) else { continue }
            last["vigil/v1/alerts/\(event.participant)/\(event.rule)"] = line.contains(#""state":"none""#) ? "" : line
        }
        let wrong = last.filter { $0.value != retained[$0.key, default: ""] }
        return wrong.isEmpty ? [] : ["\(wrong.count) retained alert states are not the last: \(wrong.keys.sorted().prefix(3))"]
    }
}
