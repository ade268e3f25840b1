import MessageBus
import ServiceKit
import Settings
import SignalSynthesis
import Synchronization
import VigilSchema

/// `vigil simulate`: a wearer that does not exist, publishing as a device.
enum SimulateCommand {
    static let command = Command(
        name: "simulate", summary: "publishes a synthetic wearer: electrocardiogram, airflow, skin conductance, temperature",
        details: """
            The wearer rests, is stressed and recovers, again and again. Each second is one message to \
            vigil/v1/ingest/<participant>/<device>. At the end the command prints the number of observations \
            that the broker acknowledged.
            """,
        settings: SimulateSettings.all,
        operands: Operands("PARTICIPANT", help: "The wearer's name: 1 to 64 of A-Z a-z 0-9 _ . -")
    ) { invocation in
        let plan = try SimulationPlan(invocation)
        let session = try BrokerSession(invocation, command: "simulate")
        let sent = SentCount()
        _ = try await Interruption.stoppable { try await session.publishing { try await plan.run($0, sent) } }
        StandardOutput.line("published \(sent.observations) observations in \(sent.messages) messages")
    }
}

/// The settings of `vigil simulate`.
enum SimulateSettings {
    static let device = Setting("device", .name, default: "simulator", help: "The device's name.")
    static let seconds = Setting.optional(
        "seconds", .integer(in: 1...31_536_000), help: "The length of the wearer's life in seconds; endless by default.")
    static let speed = Setting(
        "speed", .number(in: 0.01...10_000), default: 1,
        help: "The speed as a multiple of real time. Faster than real time needs --seconds; the wearer's life then ends now.")
    static let seed = Setting("seed", .integer(in: 0...Int.max), default: 1, help: "The seed; another number makes another wearer.")
    static let rest = Setting("rest", .integer(in: 1...86_400), default: 600, help: "Seconds of rest in each round.")
    static let stress = Setting("stress", .integer(in: 1...86_400), default: 300, help: "Seconds of stress in each round.")
    static let recovery = Setting("recovery", .integer(in: 1...86_400), default: 480, help: "Seconds of recovery in each round.")

    static let all: [any AnySetting] = [device, seconds, speed, seed, rest, stress, recovery] + BrokerSession.settings
}

/// The wearer, pace and length that `vigil simulate` was asked for.
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

/// The number of messages that a broker has acknowledged. Threading: from anywhere.
final class SentCount: Sendable {
    private let counts = Mutex((messages: 0, observations: 0))

    var messages: Int { counts.withLock { $0.messages } }
    var observations: Int { counts.withLock { $0.observations } }

    func add(observations: Int) {
        counts.withLock { counts in
            counts.messages += 1
            counts.observations += observations
        }
    }
}
