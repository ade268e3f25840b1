import Foundation
import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("A disk that is full", .timeLimit(.minutes(4)), .enabled("\(SmallDisk.hint)") { await SmallDisk.isPermitted() })
struct FullDiskTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// A disk in memory, unmounted after the body, also when it throws.
    private func withDisk(megabytes: Int, _ body: (SmallDisk) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "vigil-full-\(UUID().uuidString)").path
        let disk = try await SmallDisk(at: path, megabytes: megabytes)
        do { try await body(disk) } catch {
            await disk.remove()
            throw error
        }
        await disk.remove()
    }

    /// 5000 readings that no delivery with another number has.
    private func message(_ number: Int) -> IncomingMessage {
        let observations = (0..<5000).map {
            Observation(
                metric: "heart-rate", time: Timestamp(seconds: 1_600_000_000 + Double(number * 5000 + $0)), content: .value(60),
                unit: "/min")
        }
        let group = ObservationGroup(participant: "12", source: "A01", received: Self.now, observations: observations)
        return IncomingMessage(
            topic: Topic.readings(Partition(participant: "12")).path,
            payload: BatchEncoder.encode(ObservationBatch(id: "\(number)", groups: [group])),
            properties: MessageProperties(responseTopic: "vigil/v1/responses/\(number)"))
    }

    /// Sends deliveries 1, 2, …: before each the disk is filled as `fill` says, and `free` gives room again.
    private func hold(
        _ store: any SQLTimelineStore, fills: [@Sendable () async throws -> Void], free: @escaping @Sendable () throws -> Void
    ) async throws {
        let (source, publisher, registry) = (BatchSource(), InMemoryPublisher(), MetricsRegistry())
        let writer = TimelineWriter(
            batches: source, store: store, replies: ReplyPublisher(publisher), metrics: TimelineMetrics(registry),
            log: Logger(service: "test", level: .error, sink: { _ in }), clock: ImmediateClock(), now: { Self.now })
        async let running: Void = writer.run()
        #expect(await source.send([message(0)]) == .committed)
        for (index, fill) in fills.enumerated() {
            try await fill()
            let failures = Self.failures(registry)
            let isSettled = Atomic<Bool>(false)
            async let outcome = { [message = message(index + 1)] in
                let outcome = await source.send([message])
                isSettled.store(true, ordering: .releasing)
                return outcome
            }()
            try await eventually("failures") { Self.failures(registry) >= failures + 3 }
            let isAcknowledged = isSettled.load(ordering: .acquiring)
            #expect(!isAcknowledged)
            #expect(publisher.messages.count == index + 1)
            try free()
            #expect(await outcome == .committed)
            let receipt = try Receipt(decoding: try #require(publisher.messages.last).payload)
            #expect(receipt.stored == 5000 && receipt.duplicates == 0)
        }
        source.finish()
        try await running
        let days = try await store.read { connection throws(StoreError) in
            try connection.rows("SELECT sum(count), (SELECT count(*) FROM reading) FROM rollup_day")
        }
        #expect(days[0].integer(1) == Int64(5000 * (fills.count + 1)))
    }

    private static func failures(_ registry: MetricsRegistry) -> Int {
        let line = registry.render().split(separator: "\n").first { $0.hasPrefix("vigil_timeline_store_failures_total ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    @Test("holds a delivery unacknowledged while SQLite's disk is full, and stores it once when there is room")
    func sqlite() async throws {
        try await withDisk(megabytes: 8) { disk in
            let store = SQLiteStore(path: "\(disk.path)/timeline.sqlite")
            try await hold(store, fills: [{ try disk.fill() }], free: { disk.free() })
            await store.close()
        }
    }

    @Test("holds a delivery unacknowledged while PostgreSQL's disk is full, also when that stops the server")
    func postgres() async throws {
        try await withDisk(megabytes: 128) { disk in
            let server = try PostgresServer(settings: ["restart_after_crash = off"], in: disk.path)
            defer { server.remove() }
            let connection = try server.makeDatabase()
            let store = PostgresStore(PostgresConfiguration(connection: connection))
            let fillTables: @Sendable () throws -> Void = { try disk.fill() }
            // Without room for its log PostgreSQL ends.
            let fillLog: @Sendable () async throws -> Void = {
                try disk.fill()
                try await eventually("the server's end") {
                    _ = try? server.psql("SELECT pg_switch_wal(), pg_current_xact_id()", in: connection)
                    return !server.isRunning
                }
            }
            try await hold(
                store, fills: [fillTables, fillLog],
                free: {
                    disk.free()
                    if !server.isRunning { try server.start() }
                })
            await store.close()
        }
    }
}
