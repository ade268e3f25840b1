import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// `vigil publish`: a device on the command line, and the reference for how a device keeps what it has not been confirmed.
enum PublishCommand {
    static let command = Command(
        name: "publish", summary: "publishes readings as a device does: one from options, or a payload a line from standard input",
        details: """
            With --metric it publishes that one reading. Otherwise each line of standard input is a payload in any format that \
            vigil-ingest takes. Ends with 0 once the broker has everything, with --receipt or --spool once the timeline has \
            committed it, and with 1 when something was refused or stayed unconfirmed.
            """,
        settings: PublishSettings.all
    ) { invocation in
        let sender = try DeviceSender(
            topic: Topic.ingest(participant: invocation[PublishSettings.participant], device: invocation[PublishSettings.device]).path,
            wantsReceipt: try invocation[PublishSettings.receipt] || invocation[PublishSettings.spool] != nil,
            patience: invocation[PublishSettings.receiptWithin], spool: try spool(invocation))
        let payloads = try payloads(invocation)
        let session = try BrokerSession(invocation, command: "publish")
        let outcome = try await Interruption.stoppable { try await sender.send(payloads, over: session) }
        guard let outcome else { throw CommandError(.failure, "interrupted; with --spool what is unconfirmed is sent next time") }
        StandardOutput.line(outcome.description)
        if !outcome.isComplete { throw CommandError(.failure, "not everything is stored") }
    }

    private static func spool(_ invocation: Invocation) throws -> Spool? {
        try invocation[PublishSettings.spool].map { try Spool(path: $0) }
    }

    /// The payloads to publish, read as they are asked for: those together that arrived together.
    private static func payloads(_ invocation: Invocation) throws -> any Sequence<[[UInt8]]> & Sendable {
        if let reading = try reading(invocation) { return [[reading]] }
        return InputLines()
    }

    private static func reading(_ invocation: Invocation) throws -> [UInt8]? {
        guard let metric = try invocation[PublishSettings.metric] else {
            guard try invocation[PublishSettings.value] == nil, try invocation[PublishSettings.text] == nil else {
                throw CommandError(.usage, "--value and --text need --metric")
            }
            return nil
        }
        let unit = try invocation[PublishSettings.unit] ?? MetricCatalogue.standard.definition(named: metric)?.unit ?? "1"
        let time = try invocation[PublishSettings.time].map { Timestamp(seconds: $0) } ?? .now
        let content: Observation.Content
        switch (try invocation[PublishSettings.value], try invocation[PublishSettings.text]) {
        case (let value?, nil): content = .value(value)
        case (nil, let text?): content = .text(text)
        default: throw CommandError(.usage, "--metric needs either --value or --text")
        }
        return BatchEncoder.encode(Observation(metric: metric, time: time, content: content, unit: unit))
    }
}
