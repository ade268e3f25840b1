import MessageBus
import ServiceKit
import Signals
import VigilSchema

/// What `vigil simulate` was asked for.
struct SimulationPlan: Sendable {
    private let topic: String
    private let seconds: Int?
    private let speed: Double
    private let wearer: SyntheticWearer

    init(_ invocation: Invocation) throws {
        let participant = invocation.operands.first ?? ""
        guard ValueFormat.name.read(participant) != nil else {
            throw CommandError(.usage, "PARTICIPANT accepts \(ValueFormat.name.accepts), not \"\(participant)\"")
        }
        topic = Topic.ingest(participant: participant, device: try invocation[SimulateSettings.device]).path
        seconds = try invocation[SimulateSettings.seconds]
        speed = try invocation[SimulateSettings.speed]
        guard speed <= 1 || seconds != nil else {
            throw CommandError(.usage, "--speed above 1 needs --seconds, as the wearer would get ahead of the clock")
        }
        wearer = SyntheticWearer(
            seed: UInt64(try invocation[SimulateSettings.seed]),
            script: .restStressRecovery(
                rest: Double(try invocation[SimulateSettings.rest]), stress: Double(try invocation[SimulateSettings.stress]),
                recovery: Double(try invocation[SimulateSettings.recovery])))
    }

    /// Publishes each second once it has passed.
    func run(_ publisher: Publisher, _ sent: SentCount) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        // A life faster than real time ends now, so that nothing lies in the future.
        let ahead = speed > 1 ? Double(seconds ?? 0) : 0
        var feed = WearerFeed(wearer, start: Timestamp.now.advanced(bySeconds: -ahead))
        var phase = ""
        while !Task.isCancelled, sent.messages < seconds ?? .max {
            let second = feed.next()
            if second.phase != phase {
                phase = second.phase
                StandardOutput.line("the wearer is in \(phase)")
            }
            // Cancelled: the second is not sent.
            guard (try? await clock.sleep(until: began + .seconds(second.end / speed))) != nil else { return }
            try await publisher.publish(OutgoingMessage(topic: topic, payload: BatchEncoder.encode(second.observations)))
            sent.add(observations: second.observations.count)
        }
    }
}
