import Foundation
import Glibc
import Observability
import Shares
import SuiteHarness
import TestSupport
import TimelineStore
import VigilSchema

@testable import Alerting

/// Replicas of `vigil-alert` on a real broker and a PostgreSQL of their own.
struct ReplicaRig: Sendable {
    let rig: AlertRig
    let server: PostgresServer
    let state: PostgresState
    private let database: String
    private let shares: Int
    private let settings: [String]
    private let folders: [String: TemporaryFolder]

    /// Runs a test beside broker, subscriber, publisher and database; the replicas are started by the test, and stopped after it.
    static func with(
        rules: String, shares: Int, settings: [String] = [], _ body: @Sendable @escaping (ReplicaRig) async throws -> Void
    ) async throws {
        try await AlertRig.with(rules: rules, form: shares == 1 ? .plain : .shared) { rig in
            let server = try PostgresServer()
            defer { server.remove() }
            try await body(try ReplicaRig(rig, server, shares, settings))
        }
    }

    private init(_ rig: AlertRig, _ server: PostgresServer, _ shares: Int, _ settings: [String]) throws {
        (self.rig, self.server, self.shares, self.settings) = (rig, server, shares, settings)
        database = try server.makeDatabase()
        state = ShareStores.state(database)
        folders = try ["a", "b", "c"].reduce(into: [:]) { $0[$1] = try TemporaryFolder("vigil-alert-\($1)") }
    }

    /// The database as a setting names it.
    var uri: String { "postgresql://vigil@127.0.0.1:\(server.port)/\(database.split(separator: "=").last ?? "")" }

    func replica(_ name: String, rules: String = "rules.json5", settings more: [String] = []) throws -> SuiteService {
        try SuiteService(
            "vigil-alert",
            settings: [
                "--state", uri, "--shares", "\(shares)", "--instance", name, "--rules", rig.folder.path(rules),
            ] + settings + more, brokerPort: rig.server.port, folder: folders[name] ?? rig.folder)
    }

    func psql(_ sql: String) throws -> String { try server.psql(sql, in: database) }

    /// The owners of the shares, by number, as far as their leases have not ended.
    func owners() throws -> [Int: String] {
        let rows = try psql("SELECT share, owner FROM vigil_alert.lease WHERE owner IS NOT NULL AND expires > now()").split(separator: "\n")
        return rows.reduce(into: [:]) { owners, row in
            let columns = row.split(separator: "|").map(String.init)
            if columns.count == 2, let share = Int(columns[0]) { owners[share] = columns[1] }
        }
    }

    func waitUntilOwned(_ counts: [String: Int]) async throws {
        try await eventually(within: .seconds(120), "shares \(counts), not \(try owners())") {
            try Dictionary(grouping: owners().values, by: \.self).mapValues(\.count) == counts
        }
    }
}

extension ReplicaRig {
    /// Waits until every share's owner answers: from then on its session keeps what is sent.
    func waitUntilJudging() async throws {
        for share in Share.all(of: shares) {
            let topic = "vigil/v1/responses/ready/\(share)"
            guard let name = (0..<1000).lazy.map({ "probe-\($0)" }).first(where: share.owns) else { continue }
            for attempt in 0..<60 {
                try await rig.command(name, "high", #"{"command": "why"}"#, responseTopic: topic)
                let isAnswered: Void? = try? await eventually(within: .seconds(1)) { rig.messages("responses/ready/\(share)").count > 0 }
                if isAnswered != nil { break }
                if attempt == 59 { throw NeverHappened(description: "\(share) never answered") }
            }
        }
    }
}

extension AlertRig {
    /// What a subscriber saw of people's alerts, repeats left out, by alert and in the order of the events' numbers; without what hangs on the moment of
    /// the decision. Two contents of one number stand both there.
    var story: [String: [String]] {
        var story: [String: Set<String>] = [:]
        for var event in events
        where !event.participant.hasPrefix("_module.") && !event.participant.hasPrefix("end-") && event.unconfirmed != true {
            event.decided = 0
            let number = String(repeating: "0", count: max(0, 4 - "\(event.sequence)".count)) + "\(event.sequence)"
            let text = (try? event.encoded()).map { String(decoding: $0, as: UTF8.self) } ?? "?"
            story["\(event.participant)/\(event.rule)", default: []].insert("\(number) \(text)")
        }
        return story.mapValues { $0.sorted() }
    }

    /// The difference of what two subscribers saw, in words; empty for none.
    func differences(from other: AlertRig) -> [String] {
        let (own, wanted) = (story, other.story)
        return Set(own.keys).union(wanted.keys).sorted().compactMap { alert in
            let (mine, right) = (own[alert] ?? [], wanted[alert] ?? [])
            guard mine != right else { return nil }
            let first = zip(mine, right).first { $0 != $1 }
            return "\(alert): \(mine.count) instead of \(right.count); \(first?.0 ?? "") instead of \(first?.1 ?? "")"
        }
    }
}
