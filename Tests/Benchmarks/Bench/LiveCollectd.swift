import Foundation
import SuiteHarness
import TestSupport

/// Single readings, live, each durable in PostgreSQL: messages a second by the side of Debian's collectd with its plugins mqtt and postgresql. It
/// acknowledges what it has not stored yet; what it lost is told, not judged.
struct LiveCollectd: Benchmark {
    let name = "live-against-collectd"
    let unit = "messages/s"
    let goal = Goal.ratio(1)
    private let load = Publication(format: .collectd, messages: 100_000)

    func product(_ bench: Workbench) async throws -> Double {
        try await LiveTimeline(name: name, store: .postgres).product(bench)
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let broker = try await MosquittoServer.start(extra: "log_type subscribe")
        let store = try bench.store(.postgres, in: folder)
        guard case .postgres(let server, let connection) = store else { return nil }
        try server.psql(Collectd.schema, in: connection)
        let peer = try Collectd(brokerPort: broker.port, connection: connection, folder: folder)
        try await eventually("collectd is subscribed") {
            guard !peer.process.hasEnded else { throw HarnessError("collectd ended: \(peer.process.output)") }
            return broker.log.contains("peer 1 \(Collectd.topics)")
        }
        let publisher = try load.start(port: broker.port, in: folder)
        let (stored, end) = try await settled(store)
        let start = try await publisher.result()["start"] ?? 0
        peer.process.signal(SIGTERM)
        try await peer.process.waitForExit()
        guard stored > 0 else { throw HarnessError("collectd stored nothing: \(peer.process.output)") }
        try await tellLoss(store)
        return Double(stored) * 1e9 / Double(end - start)
    }

    /// Waits until everything is stored, or nothing more comes; gives how much there is, and since when.
    private func settled(_ store: StoreUnderTest) async throws -> (stored: Int, since: Int64) {
        var (stored, since) = (0, MonotonicTime.now)
        try await eventually(within: .seconds(300), "collectd has stored what it will") {
            let count = try await store.lines("SELECT count(*) FROM collectd_reading").first.flatMap { Int($0) } ?? 0
            if count > stored { (stored, since) = (count, MonotonicTime.now) }
            // It commits every second.
            return stored == load.count || MonotonicTime.now - since > 10_000_000_000
        }
        return (stored, since)
    }

    private func tellLoss(_ store: StoreUnderTest) async throws {
        var census = Census(load.readings, expected: load.count)
        let columns = "participant, metric, extract(epoch FROM time)::bigint, value"
        for row in try await store.rows("SELECT \(columns) FROM collectd_reading") where row.count == 4 {
            census.add(participant: row[0], metric: row[1], second: Int64(row[2]) ?? -1, value: Double(row[3]) ?? .nan)
        }
        Output.note("collectd: \(census)")
    }
}
