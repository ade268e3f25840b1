import Dashboard
import Foundation
import MessageBus
import SuiteHarness
import TestSupport
import VigilSchema

/// A dashboard with an account that sees everybody, and what it needs to be fed.
struct DashboardUnderLoad {
    let service: SuiteService
    let port: UInt16
    let token: String

    init(broker: MosquittoServer, folder: TemporaryFolder) async throws {
        port = try LoopbackPort.free()
        let web = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Services/Dashboard/Web").standardized.path
        service = try SuiteService(
            "vigil-dashboard", settings: ["--dashboard-port", "\(port)", "--web-folder", web], brokerPort: broker.port, folder: folder)
        try await service.start()
        let accounts = try AccountStore(path: AccountStore.path(stateFolder: folder.path("state")))
        let now = Date().timeIntervalSince1970
        try await accounts.add(Account(name: "bench", roles: [.carer], participants: ["*"]), now: now)
        token = try await accounts.makeToken(for: "bench", label: "bench", now: now)
    }
}

/// From when a device's reading was due to be published to its arrival in a viewer's stream of events, through the broker, `vigil-ingest` and
/// `vigil-dashboard`, while the whole suite runs and devices send 1,000 other readings a second; milliseconds.
struct ViewerLatency: Benchmark {
    let share: LatencyShare
    var name: String { "viewer-latency-\(share.suffix)" }
    let unit = "ms"
    var goal: Goal { .atMost(share == .median ? 150 : 400) }
    private static let rate = 1000
    private static let seconds = 24
    private static let probes = 1000

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder(), broker = try await MosquittoServer.start()
        let others = try ["vigil-timeline", "vigil-alert", "vigil-stress", "vigil-modules", "vigil-ingest"].map { name in
            let store = name == "vigil-timeline" ? ["--store", "sqlite:\(folder.path("timeline.sqlite"))"] : []
            return try SuiteService(name, settings: store, brokerPort: broker.port, folder: folder)
        }
        for service in others { try await service.start() }
        let dashboard = try await DashboardUnderLoad(broker: broker, folder: folder)
        let viewer = try EventStreams(port: dashboard.port, token: dashboard.token, waves: [nil])
        viewer.start()
        try await eventually("the snapshot") { viewer.bytes[0] > 0 }
        let readings = NumberedReadings(base: Int64(Date().timeIntervalSince1970), participants: Self.rate / NumberedReadings.metrics.count)
        let load = Publication(format: .device, readings: readings, messages: Self.rate * Self.seconds, window: 5000, rate: Self.rate)
        let publisher = try load.start(port: broker.port, in: folder)
        let due = try await Self.send(broker, until: viewer)
        _ = try await publisher.result()
        viewer.stop()
        for service in others.reversed() + [dashboard.service] { try await service.stop() }
        let delays = viewer.arrivals.compactMap { name, time in due[name].map { Double(time - $0) / 1e6 } }
        Output.note("\(delays.count) of \(Self.probes) seen; the slowest \(Table.number(delays.max() ?? .nan)) ms")
        return delays.count == Self.probes ? share.of(delays) : .nan
    }

    /// After two seconds of load a probe every 20 ms, each of somebody else. Returns when each was due.
    private static func send(_ broker: MosquittoServer, until viewer: EventStreams) async throws -> [String: Int64] {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "probes")))
        return try await withRunning(publisher) { publisher in
            let clock = ContinuousClock()
            let start = (instant: clock.now, time: MonotonicTime.now)
            var due: [String: Int64] = [:]
            for number in 0..<probes {
                let after = 2000 + number * 20
                try await clock.sleep(until: start.instant + .milliseconds(after))
                due["probe-\(number)"] = start.time + Int64(after) * 1_000_000
                let payload = #"{"metric":"heart-rate","time":\#(Date().timeIntervalSince1970),"value":72,"unit":"/min"}"#
                try await publisher.publish(
                    OutgoingMessage(topic: Topic.ingest(participant: "probe-\(number)", device: "1").path, payload: Array(payload.utf8)))
            }
            try await eventually(within: .seconds(20), "all probes") { viewer.arrivals.count >= probes }
            return due
        }
    }
}

/// The cost of 200 viewers, each watching a waveform of 250 samples a second of one of 20 wearers, beside one that has stopped reading.
struct ViewerCrowd: Benchmark {
    enum Cost: String { case memory, processor }

    let cost: Cost
    var name: String { "viewers-200-\(cost.rawValue)" }
    var unit: String { cost == .memory ? "MB" : "cores" }
    var goal: Goal { .atMost(cost == .memory ? 60 : 1) }
    let repeats = 1
    private static let viewers = 200
    private static let wearers = 20
    private static let seconds = 30

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder(), broker = try await MosquittoServer.start()
        let dashboard = try await DashboardUnderLoad(broker: broker, folder: folder)
        let idle = dashboard.service.usage?.resident ?? 0
        let waves = (0..<Self.viewers).map { "wearer-\($0 % Self.wearers)" }
        let viewers = try EventStreams(port: dashboard.port, token: dashboard.token, waves: waves, frozen: 1)
        viewers.start()
        try await eventually(within: .seconds(60), "all viewers") { viewers.bytes.allSatisfy { $0 > 0 } }
        try await Self.feed(broker, seconds: 5)
        let (before, start) = (dashboard.service.usage?.processor ?? 0, MonotonicTime.now)
        let earlier = viewers.bytes
        try await Self.feed(broker, seconds: Self.seconds)
        let passed = Double(MonotonicTime.now - start) / 1e9
        let usage = dashboard.service.usage
        let cores = ((usage?.processor ?? .nan) - before) / passed
        let rates = zip(viewers.bytes, earlier).map { Double($0 - $1) / passed / 1000 }
        viewers.stop()
        try await dashboard.service.stop()
        let megabytes = Double(usage?.peak ?? 0) / 1e6
        Output.note(
            "\(idle / 1_000_000) MB idle, \(Table.number(megabytes)) MB at most, \(Table.number(cores)) cores; "
                + "\(Table.number(rates.min() ?? 0)) to \(Table.number(rates.max() ?? 0)) KB/s a viewer")
        guard (rates.min() ?? 0) > 0.8 * (rates.max() ?? 0) else {
            throw HarnessError("viewers were served unlike: \(rates.min() ?? 0) KB/s")
        }
        return cost == .memory ? megabytes : cores
    }

    /// Publishes every wearer's electrocardiogram as canonical blocks, ten a second.
    private static func feed(_ broker: MosquittoServer, seconds: Int) async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "wearers")))
        try await withRunning(publisher) { publisher in
            let clock = ContinuousClock()
            let start = clock.now
            for step in 0..<seconds * 10 {
                try await clock.sleep(until: start + .milliseconds(step * 100))
                for wearer in 0..<wearers { try await publisher.publish(block(of: "wearer-\(wearer)", step: step)) }
            }
        }
    }

    private static func block(of wearer: String, step: Int) -> OutgoingMessage {
        let samples = (0..<25).map { Double((($0 + step * 25) * 37) % 400) / 200 - 1 }
        let observation = Observation(
            metric: "ecg", time: Timestamp(seconds: Date().timeIntervalSince1970), content: .samples(samples, period: 0.004), unit: "mV")
        let batch = ObservationBatch(
            id: ULID.make(at: .init(seconds: Date().timeIntervalSince1970)),
            groups: [
                ObservationGroup(
                    participant: wearer, source: "\(wearer)/chest", received: observation.time, observations: [observation])
            ])
        return OutgoingMessage(
            topic: Topic.waveforms(Partition(participant: wearer)).path, payload: BatchEncoder.encode(batch), qos: .atMostOnce)
    }
}
