import Foundation
import MessageBus
import ServiceKit
import Settings
import VigilSchema

/// `vigil publish`: a device on the command line, and the reference for devices that must lose nothing.
enum PublishCommand {
    static let command = Command(
        name: "publish", summary: "publishes readings as a device does: one from options, or a payload per line of standard input",
        details: """
            With --metric it publishes that one reading. With files, each file is a payload; otherwise each line \
            of standard input is one, in any format that vigil-ingest or a mapping reads. Ends with 0 once the \
            broker has everything (with --receipt or --spool, once the timeline has committed it), and with 1 if \
            something was refused or stayed unconfirmed.
            """,
        settings: PublishSettings.all,
        operands: Operands("FILE", count: 0...10_000, help: "Files; each is published as one payload.")
    ) { invocation in
        let sender = try DeviceSender(
            topic: Topic.ingest(participant: invocation[PublishSettings.participant], device: invocation[PublishSettings.device]).path,
            wantsReceipt: try invocation[PublishSettings.receipt] || invocation[PublishSettings.spool] != nil,
            contentType: invocation[PublishSettings.contentType], patience: invocation[PublishSettings.receiptWithin],
            spool: try spool(invocation))
        let payloads = try payloads(invocation)
        let session = try BrokerSession(invocation, command: "publish")
        let outcome = try await Interruption.stoppable { try await sender.send(payloads, over: session) }
        guard let outcome else { throw CommandError(.failure, "interrupted; with --spool what is unconfirmed is sent next time") }
        // If readings are piped in and none came, they were lost. A spool may have nothing left to send.
        if outcome.sent == 0, try invocation[PublishSettings.spool] == nil {
            throw CommandError(.noInput, "nothing came on standard input, so nothing was published")
        }
        StandardOutput.line(outcome.description)
        if !outcome.isComplete { throw CommandError(.failure, "not everything is stored") }
    }

    private static func spool(_ invocation: Invocation) throws -> Spool? {
        try invocation[PublishSettings.spool].map { try Spool(path: $0) }
    }

    /// The payloads, read on demand; those that arrived together are returned together.
    private static func payloads(_ invocation: Invocation) throws -> any Sequence<[[UInt8]]> & Sendable {
        if let reading = try reading(invocation) {
            guard invocation.operands.isEmpty else { throw CommandError(.usage, "--metric and files exclude each other") }
            return [[reading]]
        }
        if !invocation.operands.isEmpty { return [try invocation.operands.map(content)] }
        return InputLines()
    }

    private static func content(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandError(.noInput, "\(path) cannot be read") }
        guard data.count <= 4_000_000 else { throw CommandError(.data, "\(path) is larger than the broker takes, 4 MB") }
        return [UInt8](data)
    }

    /// A time in Unix seconds, or ISO 8601.
    static func time(_ text: String) throws -> Timestamp {
        if let time = DateTimeText(text)?.time { return time }
        guard let seconds = Double(decimal: text), seconds.magnitude <= 1e11 else {
            throw CommandError(.usage, "--time is Unix seconds or ISO 8601 with a zone, such as 2026-01-31T11:00:00Z, not \"\(text)\"")
        }
        return Timestamp(seconds: seconds)
    }

    private static func reading(_ invocation: Invocation) throws -> [UInt8]? {
        guard let metric = try invocation[PublishSettings.metric] else {
            guard try invocation[PublishSettings.value] == nil, try invocation[PublishSettings.text] == nil else {
                throw CommandError(.usage, "--value and --text need --metric")
            }
            return nil
        }
        let unit = try invocation[PublishSettings.unit] ?? MetricCatalogue.standard.definition(named: metric)?.unit ?? "1"
        let time = try invocation[PublishSettings.time].map { try Self.time($0) } ?? Timestamp.now
        let content: Observation.Content
        switch (try invocation[PublishSettings.value], try invocation[PublishSettings.text]) {
        case (let value?, nil): content = .value(value)
        case (nil, let text?): content = .text(text)
        default: throw CommandError(.usage, "--metric needs either --value or --text")
        }
        return BatchEncoder.encode(Observation(metric: metric, time: time, content: content, unit: unit))
    }
}

/// The settings of `vigil publish`.
enum PublishSettings {
    static let participant = Setting.required("participant", .name, help: "The participant.")
    static let device = Setting("device", .name, default: "vigil-publish", help: "The device.")
    static let metric = Setting.optional("metric", .text, help: "The metric, for example heart-rate.")
    static let value = Setting.optional("value", .number(in: -1e300...1e300), help: "The value.")
    static let text = Setting.optional("text", .text, help: "A text instead of a value.")
    static let unit = Setting.optional("unit", .text, help: "The value's unit, in UCUM; by default the metric's.")
    static let time = Setting.optional(
        "time", .text, help: "When it was measured, in Unix seconds or as 2026-01-31T11:00:00Z; by default now.")
    static let contentType = Setting.optional(
        "content-type", .text, help: "The content type of the payloads, if the first bytes do not show the format.")
    static let spool = Setting.optional(
        "spool", .path, help: "A SQLite file that stores each message until its receipt; earlier messages are sent first.")
    static let receipt = Setting(
        "receipt", .boolean, default: false, help: "Wait until the timeline has committed each message; implied by --spool.")
    static let receiptWithin = Setting(
        "receipt-within", .duration(in: .milliseconds(100) ... .seconds(86_400)), default: .seconds(30),
        help: "How long a receipt may take before the message is sent again (with --spool) or reported as unconfirmed.")

    static let all: [any AnySetting] =
        [participant, device, metric, value, text, unit, time, contentType, spool, receipt, receiptWithin] + BrokerSession.settings
}

/// The non-empty lines of standard input, as many at once as have arrived, which can be stored together.
struct InputLines: Sequence, IteratorProtocol, Sendable {
    private var rest: [UInt8] = []
    private var hasEnded = false

    mutating func next() -> [[UInt8]]? {
        while !hasEnded {
            let arrived = Self.read()
            hasEnded = arrived.isEmpty
            var lines = (rest + arrived).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = hasEnded ? [] : lines.popLast().map(Array.init) ?? []
            let full = lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
            if !full.isEmpty { return full.map(Array.init) }
        }
        return nil
    }

    /// Reads the available bytes, at most 64 KiB; waits if there are none; empty at the end.
    private static func read() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            repeat { count = Foundation.read(STDIN_FILENO, buffer.baseAddress, 65_536) } while count < 0 && errno == EINTR
            if count < 0 { count = 0 }
        }
    }
}
