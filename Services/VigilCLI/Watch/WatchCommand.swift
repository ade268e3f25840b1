import MessageBus
import ServiceKit
import VigilSchema

/// `vigil watch`: what happens, in lines for people.
enum WatchCommand {
    static let waveforms = Setting("waveforms", .boolean, default: false, help: "Show a line for each block of samples too.")
    static let metric = Setting("metric", .list(of: .text), default: [], help: "Only these metrics.")

    static let command = Command(
        name: "watch", summary: "shows readings, alerts, refusals and the services' states as they come",
        details: "Shows all participants, or only the ones that are named. Ctrl-C ends it.",
        settings: [waveforms, metric] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", count: 0...64, help: "Whom to show; all by default.")
    ) { invocation in
        let lines = try WatchLines(
            participants: Set(invocation.operands), metrics: Set(invocation[metric]), showsWaveforms: invocation[waveforms])
        let session = try BrokerSession(invocation, command: "watch")
        _ = try await Interruption.stoppable {
            try await session.receiving(lines.subscriptions) { batches in
                for try await batch in batches {
                    defer { batch.settle(.committed) }
                    for line in batch.messages.flatMap(lines.lines) {
                        guard StandardOutput.line(line) else { return }
                    }
                }
            }
        }
    }
}
