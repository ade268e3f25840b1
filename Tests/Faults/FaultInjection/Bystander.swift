import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// An honest device that publishes a few readings a second and measures how long it waits for each receipt, whatever others do.
final class Bystander: Sendable {
    private struct State {
        var confirmed: Set<Int> = []
        var longest = Duration.zero
        var isEnding = false
    }

    private let broker: MosquittoServer
    private let state = Mutex(State())
    private static let topic = "vigil/v1/ingest/bystander/d"
    private static let receipts = "vigil/v1/receipts/bystander/d"

    init(_ broker: MosquittoServer) { self.broker = broker }

    /// The longest wait for a receipt so far.
    var longest: Duration { state.withLock { $0.longest } }

    func end() { state.withLock { $0.isEnding = true } }

    /// Publishes until `end()`.
    func run() async throws {
        var number = 0
        while !state.withLock({ $0.isEnding }) {
            guard let device = try? await HostileClient.connected(port: broker.port), (try? await device.subscribe(Self.receipts)) == 1
            else {
                try await Task.sleep(for: .milliseconds(50))
                continue
            }
            while device.isOpen, !state.withLock({ $0.isEnding }) {
                number += 1
                await publish(number, device)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func publish(_ number: Int, _ device: HostileClient) async {
        let mark = Array("\(number)".utf8)
        let began = ContinuousClock.now
        device.publish(
            Self.topic, #"{"metric":"heart-rate","time":\#(1_500_000_000 + number),"value":61}"#,
            properties: [.responseTopic(Self.receipts), .correlation(mark)])
        try? await eventually(within: .seconds(60), "a receipt") { device.messages.contains { $0.correlation == mark } || !device.isOpen }
        guard device.messages.contains(where: { $0.correlation == mark && $0.text.contains(#""outcome":"stored""#) }) else {
            // A broken connection takes the receipt with it: nobody knows.
            if device.isOpen { state.withLock { $0.longest = max($0.longest, began.duration(to: .now)) } }
            return
        }
        state.withLock { state in
            state.confirmed.insert(number)
            state.longest = max(state.longest, began.duration(to: .now))
        }
    }

    /// Returns what is wrong with its readings.
    /// - Parameter limit: The longest that it may have waited; nil where the broker or a service was away.
    func problems(in store: StoreUnderTest, limit: Duration?) async throws -> [String] {
        let (confirmed, longest) = state.withLock { ($0.confirmed.count, $0.longest) }
        let rows = try await store.rows(
            "SELECT count(*), count(DISTINCT time) FROM readings WHERE participant = 'bystander' AND source = 'd'")
        let counts = rows.first?.compactMap { Int($0) } ?? []
        var problems: [String] = []
        if counts.count != 2 || counts[0] != counts[1] || counts[0] < confirmed {
            problems.append("of a bystander's readings \(confirmed) have receipts, and \(counts) are stored")
        }
        if let limit, longest > limit { problems.append("a bystander waited \(longest) for a receipt") }
        return problems
    }
}

/// Two notifiers of the alerting, programs both: one that can be made to hang, and one that writes down what it is told.
struct Notifiers: Sendable {
    let file: String
    private let told: String
    private let brake: String

    init(in folder: TemporaryFolder) throws {
        let (told, brake) = (folder.path("told.txt"), folder.path("brake"))
        (self.told, self.brake) = (told, brake)
        let common = #"minimumSeverity: "critical", groupBy: ["participant"], groupWait: "0s", groupInterval: "1s""#
        file = try folder.write(
            """
            {notifiers: [
              {id: "hangs", type: "command", command: ["/bin/sh", "-c", "while [ -e \(brake) ]; do sleep 0.1; done"], \(common)},
              {id: "works", type: "command", command: ["/bin/sh", "-c", "echo \\"$(date +%s.%N) $(cat)\\" >> \(told)"], \(common)},
            ]}
            """, to: "notifiers.json5")
    }

    func hang() throws { try Data().write(to: URL(filePath: brake)) }
    func release() { unlink(brake) }

    private struct Told: Decodable {
        let alerts: [AlertWatch.Event]
        /// The events that ended before they could be told.
        let resolved: [AlertWatch.Event]
        let time: Double
    }

    /// Returns the participants whose alert was told of, and the longest that a notification took from its decision to the program.
    private func read() -> (participants: Set<String>, longest: Double) {
        var (participants, longest) = (Set<String>(), 0.0)
        for line in ((try? String(contentsOfFile: told, encoding: .utf8)) ?? "").split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let arrived = Double(parts[0]),
                let told = try? JSONDecoder().decode(Told.self, from: Data(parts[1].utf8))
            else { continue }
            participants.formUnion((told.alerts + told.resolved).map(\.participant))
            longest = max(longest, arrived - told.time)
        }
        return (participants, longest)
    }

    /// The participants whose alert the working notifier was told of so far.
    func peopleTold() -> Set<String> { read().participants }

    /// Returns whom the working notifier was not told of, and how late it was where nothing but the other one hung.
    func problems(raised: Set<String>, limit: Double?) -> [String] {
        let (participants, longest) = read()
        let missing = raised.subtracting(participants)
        var problems =
            missing.isEmpty
            ? [] : ["the notifier that works was not told of \(missing.count) of \(raised.count) alerts: \(missing.sorted().prefix(3))"]
        if let limit, longest > limit { problems.append("the notifier that works was told after \(longest) s") }
        return problems
    }
}
