import Foundation
import MessageBus
import SuiteHarness
import TestSupport
import VigilSchema

/// Readings of fifty devices at a fixed rate, each of which asks for its receipt.
struct LiveProbe: Sendable {
    /// Readings a second.
    var rate = 100
    var seconds = 10

    /// How long each took from when it was due, in milliseconds: a reading that a stall kept from being sent counts from its due time.
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
