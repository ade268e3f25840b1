import MessageBus
import ServiceKit
import Signals
import VigilSchema

/// `vigil simulate`: a wearer that does not exist, publishing as a device.
enum SimulateCommand {
    static let command = Command(
        name: "simulate", summary: "publishes a synthetic wearer: electrocardiogram, airflow, skin conductance, temperature",
        details: """
            The wearer rests, is stressed and recovers, over and over. Each second is one message to \
            vigil/v1/ingest/<participant>/<device>. At its end the command says how many observations the broker has acknowledged.
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
