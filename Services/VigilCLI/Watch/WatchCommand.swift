import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import VigilSchema

/// `vigil watch`: what happens, in lines for people.
enum WatchCommand {
    static let waveforms = Setting("waveforms", .boolean, default: false, help: "Also show a line for each block of samples.")
    static let metric = Setting("metric", .list(of: .text), default: [], help: "Only these metrics.")

    static let language = Setting(
        "language", ValueFormat<WatchLanguage>.choice, default: .ofEnvironment,
        help: "The language of alerts; by default the one that LANG names, else English.")
    static let output = Setting(
        "output", ValueFormat<WatchOutput>.choice, default: .text, help: "Lines for people, or a JSON object per line for programs.")

    static let command = Command(
        name: "watch", summary: "shows readings, alerts, refusals and service states as they arrive",
        details: "Shows all participants, or only the named ones. Ctrl-C ends it.",
        settings: [waveforms, metric, language, output] + BrokerSession.settings,
        operands: Operands("PARTICIPANT", count: 0...64, help: "The participants to show; all by default.")
    ) { invocation in
        let lines = try WatchLines(
            participants: Set(invocation.operands), metrics: Set(invocation[metric]), showsWaveforms: invocation[waveforms],
            language: invocation[language], output: invocation[output])
        let session = try BrokerSession(invocation, command: "watch")
        _ = try await Interruption.stoppable {
            try await session.receiving(
                lines.subscriptions,
                onEvent: { event in
                    // Beside the readings: what is read by a program stays whole.
                    if let line = lines.line(event) { StandardError.line(line) }
                }
            ) { batches in
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
