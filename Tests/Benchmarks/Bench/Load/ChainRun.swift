import SuiteHarness
import TestSupport

/// All four services at a fresh broker and a fresh database.
struct ChainRun: Sendable {
    let timeline: TimelineRun
    private let ingest: SuiteService
    private let others: [SuiteService]

    init(_ kind: StoreUnderTest.Kind, _ bench: Workbench) async throws {
        let timeline = try await TimelineRun(kind, bench)
        let (port, folder) = (timeline.broker.port, timeline.folder)
        self.timeline = timeline
        ingest = try SuiteService("vigil-ingest", brokerPort: port, folder: folder)
        others = try ["vigil-stress", "vigil-alert"].map { try SuiteService($0, brokerPort: port, folder: folder) }
    }

    /// All of them.
    var services: [SuiteService] { [timeline.service, ingest] + others }

    func start() async throws {
        for service in services { try await service.start() }
    }

    /// Waits until that many observations were taken and all of them are confirmed to be committed; gives when it saw so.
    func confirmed(_ count: Int) async throws -> Int64 {
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            if let ended = services.first(where: \.hasEnded) {
                throw HarnessError("\(ended.name) ended: \(ended.lastLines)")
            }
            let accepted = ingest.metric("vigil_ingest_readings_accepted_total") ?? 0
            if accepted >= Double(count), ingest.metric("vigil_ingest_outbox_batches") == 0 { return MonotonicTime.now }
            // Each look costs the services time.
            try await Task.sleep(for: .milliseconds(20))
        }
        throw HarnessError("not all of \(count) observations were confirmed")
    }

    /// What each service has spent.
    func costs(_ messages: Int) -> String {
        ([ingest, timeline.service] + others).map { service in
            "\(service.name) \(Table.number((service.usage?.processor ?? 0) * 1e6 / Double(messages)))"
        }.joined(separator: ", ") + " µs of processor time a message"
    }

    /// Stops the services; throws where something is missing or stored twice.
    func finish(_ publication: Publication, countsBlocks: Bool) async throws {
        for service in others + [ingest] { try await service.stop() }
        guard countsBlocks else { return try await timeline.finish(publication.readings, expected: publication.count) }
        try await timeline.service.stop()
        let samples = try await timeline.store.rows("SELECT sum(count) FROM waveform")
        guard samples.first?.first.flatMap({ Int($0) }) == publication.count else {
            throw HarnessError("\(publication.count) samples were sent and \(samples) are stored")
        }
    }
}
