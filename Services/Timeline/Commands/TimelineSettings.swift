import ServiceKit

/// The settings of `vigil timeline …`.
enum TimelineSettings {
    static let metric = Setting.optional("metric", .name, help: "The metric, for example heart-rate.")
    static let source = Setting.optional("source", .text, help: "One source only; all of them by default.")
    static let from = Setting.optional("from", TimeText.format, help: "The first moment; a day before the end by default.")
    static let to = Setting.optional("to", TimeText.format, help: "The moment at which the range ends; now by default.")
    static let span = Setting("span", ValueFormat<SpanName>.choice, default: .day, help: "How far the page reaches back.")
    static let by = Setting("by", ValueFormat<BinningName>.choice, default: .weekday, help: "What the bars stand for.")
    static let zone = Setting.optional("zone", .text, help: "An IANA time zone such as Europe/Berlin; the participant's by default.")
    static let width = Setting("width", .integer(in: 1...10_000), default: 100, help: "The most steps of a series.")
    static let limit = Setting("limit", .integer(in: 1...10_000), default: 1000, help: "The most readings.")
    static let seconds = Setting("seconds", .number(in: 0.001...1e9), default: 60, help: "Gaps longer than this.")
    static let passphrase = Setting.secret("passphrase", help: "Seals what is written; `vigil timeline open` opens it again.")
    static let output = Setting("output", ValueFormat<OutputFormat>.choice, default: .table, help: "How the answer is printed.")

    /// The names of `PageSpan`.
    enum SpanName: String, CaseIterable, Sendable { case day, week, month, year, decade }
    /// The names of `HistogramBinning`.
    enum BinningName: String, CaseIterable, Sendable { case weekday, hour, day, week, month }
    /// How an answer is printed.
    enum OutputFormat: String, CaseIterable, Sendable { case table, json, csv }
}
