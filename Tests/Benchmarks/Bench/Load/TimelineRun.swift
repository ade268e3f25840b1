import Foundation
import MessageBus
import SuiteHarness
import TestSupport
import VigilSchema

/// A `vigil-timeline` with a fresh broker and a fresh database: a session that an earlier measurement left would collect what this one publishes.
struct TimelineRun: Sendable {
    let folder: TemporaryFolder
    let store: StoreUnderTest
    let service: SuiteService
    let broker: MosquittoServer

    init(_ kind: StoreUnderTest.Kind, _ bench: Workbench) async throws {
        broker = try await MosquittoServer.start()
        folder = try bench.freshFolder()
        store = try bench.store(kind, in: folder)
        service = try SuiteService("vigil-timeline", settings: ["--store", store.setting()], brokerPort: broker.port, folder: folder)
    }

    /// Waits until that many observations are committed; gives when it saw so, in nanoseconds of `MonotonicTime`.
    func committed(_ count: Int) async throws -> Int64 {
        try await eventually(within: .seconds(300), "\(count) readings committed") {
            guard !service.hasEnded else { throw HarnessError("vigil-timeline ended: \(service.lastLines)") }
            return (service.metric("vigil_timeline_observations_stored_total") ?? 0) >= Double(count)
        }
        return MonotonicTime.now
    }

    /// Stops the service, after which nothing is left at the broker; throws where something is missing or stored twice.
    func finish(_ readings: NumberedReadings, expected: Int) async throws {
        try await service.stop()
        let census = try await store.census(readings, expected: expected)
        guard census.isPerfect else { throw HarnessError("\(census)") }
    }
}

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

    /// Tells what each service has spent.
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

/// Readings of fifty devices at a fixed rate, each of which asks for its receipt.
struct LiveProbe: Sendable {
    /// Readings a second.
    var rate = 100
    var seconds = 10

    /// Returns the time that each took from when it was due, in milliseconds: a reading that a stall kept from being sent counts from its due time.
    func run(_ broker: MosquittoServer) async throws -> [Double] {
        let requester = Requester(
            broker: broker.configuration(clientID: "live-probe"), responsePrefix: "vigil/v1/responses/live-probe")
        return try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
            // The first readings of a device make its entries in the database.
            _ = try await readings(50, requester)
            return try await readings(rate * seconds, requester)
        }
    }

    private func readings(_ count: Int, _ requester: Requester) async throws -> [Double] {
        let start = ContinuousClock.now + .milliseconds(100)
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for number in 0..<count {
                let due = start + .seconds(Double(number) / Double(rate))
                group.addTask { try await reading(number, due, requester) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func reading(_ number: Int, _ due: ContinuousClock.Instant, _ requester: Requester) async throws -> Double {
        try await Task.sleep(until: due)
        let observation = Observation(
            metric: "heart-rate", time: Timestamp(seconds: Date().timeIntervalSince1970), content: .value(70), unit: "/min")
        let answer = try await requester.request(timeout: .seconds(60)) { _ in
            OutgoingMessage(
                topic: Topic.ingest(participant: "live-\(number % 50)", device: "probe").path, payload: BatchEncoder.encode([observation]))
        }
        let receipt = try Receipt(decoding: answer.payload)
        guard receipt.outcome == .stored else { throw HarnessError("a live reading was refused: \(receipt.reasons)") }
        return (ContinuousClock.now - due) / .milliseconds(1)
    }
}
