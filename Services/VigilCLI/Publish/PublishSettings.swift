import ServiceKit
import VigilSchema

/// The settings of `vigil publish`.
enum PublishSettings {
    static let participant = Setting.required("participant", .name, help: "Who was measured.")
    static let device = Setting("device", .name, default: "vigil-publish", help: "What measured.")
    static let metric = Setting.optional("metric", .text, help: "What was measured, for example heart-rate.")
    static let value = Setting.optional("value", .number(in: -1e300...1e300), help: "The value.")
    static let text = Setting.optional("text", .text, help: "A text in place of a value.")
    static let unit = Setting.optional("unit", .text, help: "The value's unit, in UCUM; by default the metric's.")
    static let time = Setting.optional(
        "time", .number(in: -1e11...1e11), help: "When it was measured, in Unix seconds; by default now.")
    static let spool = Setting.optional(
        "spool", .path, help: "SQLite file that keeps each message until its receipt; what it holds from before is sent first.")
    static let receipt = Setting(
        "receipt", .boolean, default: false, help: "Wait until the timeline has committed each message; implied by --spool.")
    static let receiptWithin = Setting(
        "receipt-within", .duration(in: .milliseconds(100) ... .seconds(86_400)), default: .seconds(30),
        help: "How long a receipt may take before the message is sent again (with --spool) or reported as unconfirmed.")

    static let all: [any AnySetting] =
        [participant, device, metric, value, text, unit, time, spool, receipt, receiptWithin] + BrokerSession.settings
}
