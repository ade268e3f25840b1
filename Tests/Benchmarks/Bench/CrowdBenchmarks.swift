import Foundation
import MessageBus
import SuiteHarness
import TestSupport

/// Many people, each with one message of six vital signs.
struct Crowd: Sendable {
    let people: Int
    let seconds: Int

    /// Publishes everybody's message, evenly over the time.
    func publish(to broker: MosquittoServer) async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "crowd")))
        try await withRunning(publisher) { publisher in
            let (start, tenth) = (ContinuousClock.now, max(1, people / (seconds * 10)))
            for first in stride(from: 0, to: people, by: tenth) {
                try await Task.sleep(until: start + .seconds(Double(first) * Double(seconds) / Double(people)))
                try await withThrowingTaskGroup { group in
                    for person in first..<min(people, first + tenth) { group.addTask { try await publisher.publish(message(of: person)) } }
                    try await group.waitForAll()
                }
            }
        }
    }

    private func message(of person: Int) -> OutgoingMessage {
        let time = Date.now.timeIntervalSince1970
        let signs = [
            ("heart-rate", 62 + person % 20), ("respiration-rate", 13 + person % 6), ("oxygen-saturation", 96 + person % 3),
            ("systolic-pressure", 112 + person % 15), ("diastolic-pressure", 66 + person % 12), ("body-temperature", 36 + person % 2),
        ]
        let readings = signs.map { #"{"metric":"\#($0.0)","time":\#(time),"value":\#($0.1)}"# }
        return OutgoingMessage(
            topic: "vigil/v1/ingest/person-\(1_000_000 + person)/watch-\(person % 7)",
            payload: Array("[\(readings.joined(separator: ","))]".utf8))
    }
}

/// The most memory that any service takes while 20,000 people send six vital signs each within a minute, under the shipped rules.
struct CrowdMemory: Benchmark {
    let name = "crowd-memory"
    let unit = "MB"
    let goal = Goal.atMost(60)
    let repeats = 1

    func product(_ bench: Workbench) async throws -> Double {
        let crowd = Crowd(people: 20_000, seconds: 60)
        let chain = try await ChainRun(.sqlite, bench)
        try await chain.start()
        try await crowd.publish(to: chain.timeline.broker)
        _ = try await chain.confirmed(6 * crowd.people)
        let peaks = chain.services.compactMap { service in service.usage.map { (service.name, Double($0.peak) / 1e6) } }
        Output.note(peaks.map { "\($0.0) \(Table.number($0.1)) MB" }.joined(separator: ", "))
        for service in chain.services { try await service.stop() }
        return peaks.map(\.1).max() ?? .nan
    }
}

/// Bytes of vigil-alert a person, of 100,000 who have sent six vital signs each, when nothing is active.
struct CrowdAlertMemory: Benchmark {
    let name = "crowd-alert-bytes"
    let unit = "B a person"
    let goal = Goal.atMost(1024)
    let repeats = 1

    func product(_ bench: Workbench) async throws -> Double {
        let (crowd, folder, broker) = (Crowd(people: 100_000, seconds: 120), try bench.freshFolder(), try await MosquittoServer.start())
        let services = try ["vigil-alert", "vigil-ingest"].map {
            try SuiteService($0, settings: $0 == "vigil-ingest" ? ["--outbox", "asked"] : [], brokerPort: broker.port, folder: folder)
        }
        for service in services { try await service.start() }
        let idle = services[0].usage?.resident ?? 0
        try await crowd.publish(to: broker)
        try await eventually(within: .seconds(300), "everybody judged") {
            guard !services[0].hasEnded else { throw HarnessError("vigil-alert ended: \(services[0].lastLines)") }
            return (services[0].metric("vigil_alert_readings_total") ?? 0) >= Double(6 * crowd.people)
        }
        let (resident, peak) = (services[0].usage?.resident ?? 0, services[0].usage?.peak ?? 0)
        Output.note("\(idle / 1_000_000) MB idle, \(resident / 1_000_000) MB with everybody, \(peak / 1_000_000) MB at most")
        for service in services { try await service.stop() }
        return Double(resident - idle) / Double(crowd.people)
    }
}

/// The slowest hundredth of a device's receipts beside another device that sends bad readings and long correlation data as fast as it can and
/// acknowledges nothing, both with accounts as `vigil accounts` makes them.
struct HostileReceipts: Benchmark {
    let name = "receipt-beside-hostile-99"
    let unit = "ms"
    let goal = Goal.atMost(2000)

    func product(_ bench: Workbench) async throws -> Double {
        let broker = try await GuardedBroker.start(accounts: [HostileNeighbour.account, PacedDevice.account])
        let folder = try bench.freshFolder()
        let services = try ["vigil-timeline", "vigil-ingest", "vigil-stress", "vigil-alert"].map { name in
            let store = name == "vigil-timeline" ? ["--store", "sqlite:\(folder.path("timeline.sqlite"))"] : []
            return try SuiteService(
                name, settings: broker.settings(ofService: name) + store, brokerPort: broker.server.port, folder: folder)
        }
        for service in services { try await service.start() }
        let outcome = try await HostileNeighbour(broker).act {
            try await PacedDevice(broker, interval: .milliseconds(50)).waits(300)
        }
        let usages = services.map { ($0.name, $0.usage) } + [("broker", broker.server.processID.flatMap { ProcessUsage(processID: $0) })]
        let times = outcome.value.map { $0 / .milliseconds(1) }.sorted()
        Output.note(
            "\(outcome.sent) hostile messages, \(outcome.disconnects) disconnects; slowest \(Table.number(times.last ?? .nan)) ms; "
                + usages.map { "\($0.0) \(($0.1?.peak ?? 0) / 1_000_000) MB" }.joined(separator: ", "))
        for service in services { try await service.stop() }
        return times[times.count * 99 / 100]
    }
}
