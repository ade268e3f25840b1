import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// The suite with accounts and the shipped access list, hostile clients that send sequences of packets, and an honest device beside them.
///
/// After each sequence the honest device has to have its receipt in time and no service may have ended; from time to time, and at the end, the
/// store is counted: what the honest device sent stands there once, nobody else appeared, and no hostile reading was multiplied.
struct PacketFuzzer: Sendable {
    /// The longest that an honest device may wait for its receipt.
    static let longestWait = Duration.seconds(2)
    /// The most resident memory of a service, in megabytes.
    static let mostMemory = 60
    private static let services = ["vigil-timeline", "vigil-stress", "vigil-alert", "vigil-ingest"]

    let seed: UInt64
    let seconds: Double
    /// The numbers of the sequences; nil for as many as the time allows.
    let only: ClosedRange<UInt64>?
    /// The folder for the sequence that found something, and those before it.
    let artifacts: String
    let say: @Sendable (String) -> Void

    /// Runs until the time is over or something is found; returns the finding.
    func run() async throws -> String? {
        let broker = try await GuardedBroker.start(accounts: Participants.accounts)
        let folder = try TemporaryFolder("vigil-packets")
        let store = StoreUnderTest.sqlite(path: folder.path("timeline.sqlite"))
        let services = try Self.services.map { name in
            try SuiteService(
                name,
                settings: broker.settings(String(name.dropFirst(6))) + (name == "vigil-timeline" ? ["--store", store.setting()] : []),
                brokerPort: broker.server.port, folder: folder)
        }
        for service in services { try await service.start() }
        let honest = try await HonestDevice(broker)
        let finding = try await fuzz(broker, services, honest, store)
        for service in services { try? await service.kill() }
        return finding
    }

    private func fuzz(
        _ broker: GuardedBroker, _ services: [SuiteService], _ honest: HonestDevice, _ store: StoreUnderTest
    ) async throws -> String? {
        let end = ContinuousClock.now + .seconds(seconds)
        var (number, slowest) = (only?.lowerBound ?? 0, Duration.zero)
        var recent: [PacketSequence] = []
        while only.map({ number <= $0.upperBound }) ?? (ContinuousClock.now < end) {
            let sequence = PacketSequence(seed: seed, number: number)
            recent = recent.suffix(19) + [sequence]
            async let waited = honest.receipt()
            await HostileParty(broker).play(sequence)
            let waits = [await waited, await honest.receipt()]
            slowest = waits.reduce(slowest) { max($0, $1.time) }
            var finding = waits.first { $0.time > Self.longestWait }.map { "an honest device's receipt came late: \($0)" }
            if let ended = services.first(where: \.hasEnded) { finding = "\(ended.name) ended: \(ended.lastLines)" }
            if finding == nil, number % 50 == 49 { finding = try await examine(services, honest, store) }
            if let finding { return try tell(finding, recent, services) }
            number += 1
        }
        say("\(number - (only?.lowerBound ?? 0)) sequences, \(honest.confirmed) honest readings, the slowest receipt after \(slowest)")
        say(services.map { "\($0.name) \(($0.usage?.peak ?? 0) / 1_000_000) MB" }.joined(separator: ", "))
        return try await examine(services, honest, store).map { try tell($0, recent, services) }
    }

    /// Keeps the sequences, and returns the finding with its place.
    private func tell(_ finding: String, _ recent: [PacketSequence], _ services: [SuiteService]) throws -> String {
        let last = recent.last?.number ?? 0
        let file = "\(artifacts)/packets-\(seed)-\(last)"
        let logs = services.map { "== \($0.name)\n\($0.counters)\n\($0.lastLines)" }.joined(separator: "\n")
        let text = recent.map { "== \($0.number)\n\($0)" }.joined(separator: "\n")
        try FileManager.default.createDirectory(atPath: artifacts, withIntermediateDirectories: true)
        try Data("\(finding)\n\(text)\n\(logs)\n".utf8).write(to: URL(filePath: file))
        return
            "sequence \(last) of seed \(seed): \(finding)\nkept in \(file); again: --seed \(seed) --only \(recent.first?.number ?? 0)-\(last)"
    }

    /// Counts the store and looks at the services' memory.
    private func examine(_ services: [SuiteService], _ honest: HonestDevice, _ store: StoreUnderTest) async throws -> String? {
        let own = try await store.lines("SELECT value FROM readings WHERE participant = 'anna' AND source = 'anna-watch' ORDER BY time")
        if own.count != honest.confirmed {
            return "\(own.count) readings of the honest device are stored, \(honest.confirmed) have receipts"
        }
        let strangers = try await store.lines(
            "SELECT name FROM participant WHERE name NOT IN ('anna', 'mallory') AND name NOT LIKE '\\_%' ESCAPE '\\'")
        if !strangers.isEmpty {
            let traces = try await store.lines(
                "SELECT participant || ' ' || metric || ' ' || source || ' ' || coalesce(value, text) FROM readings WHERE participant NOT IN ('anna', 'mallory') "
                    + "AND participant NOT LIKE '\\_%' ESCAPE '\\' LIMIT 5")
            return "participants that nobody may write for: \(strangers) \(traces)"
        }
        let repeated = try await store.lines(
            "SELECT text FROM readings WHERE participant = 'mallory' AND text LIKE 'mallory-%' GROUP BY text HAVING count(*) > 1")
        if !repeated.isEmpty { return "stored more than once: \(repeated.prefix(3))" }
        let greedy = services.filter { ($0.usage?.peak ?? 0) > Self.mostMemory * 1_000_000 }
        return greedy.first.map { "\($0.name) took \(($0.usage?.peak ?? 0) / 1_000_000) MB" }
    }
}

/// The hostile clients of one sequence.
struct HostileParty: Sendable {
    private let broker: GuardedBroker

    init(_ broker: GuardedBroker) { self.broker = broker }

    /// Sends everything, and waits a moment for what may come back.
    func play(_ sequence: PacketSequence) async {
        var clients: [Int: HostileClient] = [:]
        for (place, step) in sequence.steps {
            if case .connect(let connection) = step {
                clients[place] = try? HostileClient(port: broker.outsidePort, clientID: connection.clientID, version: connection.version)
                clients[place]?.send(.connect(connection))
            } else if let client = clients[place] {
                await carryOut(step, client)
            }
        }
        try? await Task.sleep(for: .milliseconds(20))
    }

    private func carryOut(_ step: PacketSequence.Step, _ client: HostileClient) async {
        switch step {
        case .connect: break
        case .send(let packet): client.send(packet)
        case .sendBytes(let bytes): client.send(bytes: bytes)
        case .acknowledge(let how): client.set(how)
        case .hangUp: client.hangUp()
        case .pause(let milliseconds): try? await Task.sleep(for: .milliseconds(milliseconds))
        }
    }
}
