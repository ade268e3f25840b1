import Access
import Foundation
import Testing

extension RightsTests {
    /// A topic of each kind below `vigil/v1/`, who reads it, and who writes it: what each service has to do with, and nothing else.
    private static let table: [(topic: String, readers: String, writers: String)] = [
        ("ingest/anna/w1", "ingest operator", "ingest operator"),
        // With one level for the partition, and with three where a deployment has shares.
        (
            "observations/1f/readings", "stress modules alert timeline dashboard operator",
            "ingest modules alert timeline import operator"
        ),
        ("observations/1f/waveforms", "stress timeline dashboard operator", "ingest timeline operator"),
        ("observations/1f/derived", "modules alert timeline dashboard operator", "ingest stress timeline operator"),
        ("observations/1f/other", "timeline dashboard operator", "ingest timeline operator"),
        ("observations/16/3/1f/readings", "stress modules alert timeline dashboard operator", "ingest modules alert timeline operator"),
        ("observations/16/3/1f/waveforms", "stress timeline dashboard operator", "ingest timeline operator"),
        ("observations/16/3/1f/derived", "stress modules alert timeline dashboard operator", "ingest stress timeline operator"),
        ("history/1f", "modules timeline operator", "modules timeline import operator"),
        ("latest/anna/heart-rate", "dashboard operator", "ingest timeline operator"),
        ("alerts/anna/fever", "alert dashboard operator", "alert operator"),
        ("alert-events/anna/fever", "timeline operator", "alert"),
        ("receipts/anna/w1", "ingest import operator", "ingest alert timeline operator"),
        ("receipts/anna/w1/1", "ingest import operator", "ingest alert timeline operator"),
        ("rejects/anna/w1", "operator", "ingest stress alert timeline"),
        ("messages/anna/weight", "dashboard operator", "modules operator"),
        // What others ask, and the answers to them.
        ("requests/carl/ingest", "ingest", ""), ("requests/carl/stress", "stress", ""), ("requests/carl/modules", "modules", ""),
        ("requests/carl/alert", "alert", ""), ("requests/carl/timeline", "modules timeline", ""), ("requests/carl/import", "import", ""),
        ("requests/carl/dashboard", "dashboard", ""), ("requests/carl/timeline/more", "", ""),
        ("responses/carl/1", "", "ingest stress modules alert timeline import dashboard"),
        ("audit/ingest", "timeline", "ingest"), ("audit/stress", "timeline", "stress"), ("audit/modules", "timeline", "modules"),
        ("audit/alert", "timeline", "alert"), ("audit/import", "timeline", "import"), ("audit/dashboard", "timeline", "dashboard"),
        ("audit/timeline", "timeline", ""), ("audit/operator", "timeline", ""),
        // A service's state and settings.
        ("modules/vigil-demo/main/status", "alert dashboard operator monitor", "operator"),
        ("modules/vigil-demo/main/other", "dashboard operator", "operator"),
        ("modules/vigil-demo/get", "dashboard operator", "dashboard operator"),
        ("modules/vigil-demo/set", "dashboard operator", "dashboard operator"),
        ("modules/vigil-demo/exchange", "dashboard operator", "operator"),
        ("modules/vigil-ingest/exchange", "ingest dashboard operator", "ingest operator"),
        ("modules/vigil-stress/exchange", "stress dashboard operator", "stress operator"),
        ("modules/vigil-modules/exchange", "modules dashboard operator", "modules operator"),
        ("modules/vigil-alert/exchange", "alert dashboard operator", "alert operator"),
        ("modules/vigil-timeline/exchange", "timeline dashboard operator", "timeline operator"),
        ("modules/vigil-import/exchange", "import dashboard operator", "import operator"),
        ("modules/vigil-dashboard/exchange", "dashboard operator", "dashboard operator"),
        ("other", "", ""), ("", "", ""),
    ]

    /// The broker's own figures, and what is not the suite's.
    private static let elsewhere = [
        ("$SYS/broker/clients/disconnected", "operator monitor", ""), ("$SYS/broker/uptime", "monitor", ""),
        ("vigil/v2/ingest/anna/w1", "", ""),
        ("home/bath/scale", "", ""),
    ]

    /// The rights of each user in the shipped list, with those that everybody has.
    private static func shipped() throws -> [String: [(right: String, filter: String)]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "deploy/mosquitto/acl"), encoding: .utf8)
        var (users, patterns, user) = ([String: [(right: String, filter: String)]](), [(right: String, filter: String)](), "")
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "user": (user, users[words[1]]) = (words[1], users[words[1]] ?? [])
            case "pattern": patterns.append((words[1], words[2]))
            default: users[user, default: []].append((words[1], words[2]))
            }
        }
        for name in users.keys { users[name]? += patterns.map { ($0.right, $0.filter.replacing("%u", with: name)) } }
        return users
    }

    private static func covers(_ filter: String, _ topic: String) -> Bool {
        let (wanted, levels) = (
            filter.split(separator: "/", omittingEmptySubsequences: false), topic.split(separator: "/", omittingEmptySubsequences: false)
        )
        for (place, level) in wanted.enumerated() {
            if level == "#" { return true }
            guard place < levels.count, level == "+" || level == levels[place] else { return false }
        }
        return wanted.count == levels.count
    }

    @Test("every service's account reads and writes what its service has to do with, asks in its own name, and nothing else")
    func services() throws {
        let users = try Self.shipped()
        #expect(users.keys.sorted() == AccountList.services.sorted())
        func may(_ user: String, _ right: String, _ topic: String) -> Bool {
            (users[user] ?? []).contains { [right, "readwrite"].contains($0.right) && Self.covers($0.filter, topic) }
        }
        for (topic, readers, writers) in Self.table.map({ ("vigil/v1/" + $0.topic, $0.readers, $0.writers) }) + Self.elsewhere {
            for (right, expected) in [("read", readers), ("write", writers)] {
                let found = AccountList.services.filter { may($0, right, topic) }
                #expect(found.sorted() == expected.split(separator: " ").map(String.init).sorted(), "\(right) \(topic)")
            }
        }
        for user in AccountList.services {
            #expect(may(user, "write", "vigil/v1/requests/\(user)/alert") && !may(user, "write", "vigil/v1/requests/\(user)/alert/more"))
            #expect(may(user, "read", "vigil/v1/responses/\(user)") && may(user, "read", "vigil/v1/responses/\(user)/1/2"))
        }
    }
}
