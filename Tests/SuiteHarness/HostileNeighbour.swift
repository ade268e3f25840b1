import Foundation
import Synchronization
import TestSupport

/// A device account that publishes what is refused and asks for answers with all the correlation data that MQTT lets it, while the same session
/// subscribes to every answer and acknowledges none.
package struct HostileNeighbour: Sendable {
    /// The line of `vigil accounts add` that it needs.
    package static let account = ["mallory", "--participant", "mallory"]

    private static let readings = [
        #"{"metric":"heart-rate","value":6100}"#, #"{}"#, #"[{"metric":"heart-rate","value":61},{"metric":"x","value":1}]"#,
    ]
    private static let answers = "vigil/v1/receipts/mallory/mallory"
    private let broker: GuardedBroker

    package init(_ broker: GuardedBroker) { self.broker = broker }

    /// Publishes as fast as the broker acknowledges, two hundred in flight, while another task works; thrown out, it comes back.
    /// - Returns: what the work returned, the number of hostile messages that the broker took, and how often it threw the device out.
    package func act<Value: Sendable>(
        beside work: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, sent: Int, disconnects: Int) {
        let tally = Tally()
        async let attack: Void = keepOn(tally)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
        tally.state.withLock { $0.isOver = true }
        try await attack
        let (_, sent, disconnects) = tally.state.withLock { $0 }
        return (try outcome.get(), sent, disconnects)
    }

    /// The attack's course.
    private final class Tally: Sendable {
        let state = Mutex((isOver: false, sent: 0, disconnects: 0))
        var isOver: Bool { state.withLock { $0.isOver } }
    }

    private func keepOn(_ tally: Tally) async throws {
        while !tally.isOver {
            do {
                try await attack(tally)
            } catch is NeverHappened {
                tally.state.withLock { $0.disconnects += 1 }
            }
        }
    }

    private func attack(_ tally: Tally) async throws {
        let device = try await broker.client("mallory") { $0.properties = [.sessionExpiry(3600), .receiveMaximum(65_535)] }
        device.set(.never)
        try await device.subscribe(Self.answers, Self.answers + "/#", "vigil/v1/rejects/mallory/+", "vigil/v1/#")
        let properties: [MQTTProperty] = [.responseTopic(Self.answers), .correlation([UInt8](repeating: 1, count: 60_000))]
        while !tally.isOver {
            let identifiers = (0..<200).map { number in
                device.publish(
                    "vigil/v1/ingest/mallory/mallory", Self.readings[number % 3],
                    properties: number % 4 == 0 ? Array(properties.prefix(1)) : properties)
            }
            try await device.acknowledged(identifiers, within: .seconds(60))
            tally.state.withLock { $0.sent += identifiers.count }
        }
    }
}

/// An honest device that publishes a reading at an even pace and waits for the receipt of each.
package struct PacedDevice: Sendable {
    /// The line of `vigil accounts add` that it needs.
    package static let account = ["anna-watch", "--participant", "anna"]

    private let broker: GuardedBroker
    private let interval: Duration

    package init(_ broker: GuardedBroker, interval: Duration) {
        self.broker = broker
        self.interval = interval
    }

    /// Publishes so many readings; returns the time from when each was due to its receipt, so that a stall does not hide those that it kept
    /// from being sent.
    package func waits(_ count: Int) async throws -> [Duration] {
        let device = try await broker.client("anna-watch")
        try await device.subscribe("vigil/v1/receipts/anna/anna-watch")
        let start = ContinuousClock.now
        var waits: [Duration] = []
        for number in 0..<count {
            let due = start + interval * number
            try await Task.sleep(until: due, clock: .continuous)
            device.publish(
                "vigil/v1/ingest/anna/anna-watch", #"{"metric":"heart-rate","value":61,"time":\#(1_700_000_000 + number)}"#,
                properties: [.responseTopic("vigil/v1/receipts/anna/anna-watch"), .correlation([UInt8(number % 256)])])
            try await eventually("the receipt of reading \(number)") { device.messages.count > number }
            waits.append(ContinuousClock.now - due)
        }
        guard device.messages.allSatisfy({ $0.text.contains(#""stored":1"#) }) else { throw HarnessError("a reading was not stored") }
        return waits
    }
}
