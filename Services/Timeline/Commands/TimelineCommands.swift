import Foundation
import ServiceKit
package import Settings
package import TimelineStore
import VigilSchema

/// `vigil timeline …`: looks into a timeline, and takes things out of it.
package enum TimelineCommands {
    /// With its subcommands.
    /// - Parameter others: subcommands that come from elsewhere.
    package static func command(and others: [Command]) -> Command {
        Command(
            name: "timeline", summary: "Shows and exports what is stored of participants.",
            details: "Reads the database of --store itself; services may run or not. Only erase asks vigil-timeline over the broker.",
            subcommands: subcommands + others)
    }

    private static var subcommands: [Command] {
        [
            query("participants", .participants, "Everybody who was observed.", [], participant: false),
            query("metrics", .metrics, "What is stored of a participant.", []),
            query("latest", .latest, "The newest value of each metric.", []),
            query("readings", .readings, "Readings, earliest first.", [S.metric, S.from, S.to, S.limit]),
            query("series", .series, "A metric in steps with their extremes.", [S.metric, S.source, S.from, S.to, S.width]),
            query("waveform", .waveform, "The samples of a waveform in a window.", [S.metric, S.source, S.from, S.to]),
            query("page", .page, "A day, week, month, year or decade: values, entries and alerts by time.", [S.span, S.to]),
            query("histogram", .histogram, "A metric by weekday, hour, day, week or month.", [S.metric, S.by, S.from, S.to, S.zone]),
            query("sessions", .sessions, "Recording sessions.", []),
            query(
                "gaps", .gaps, "Times in which nothing of a metric is stored.", [S.metric, S.source, S.from, S.to, S.seconds]),
            query(
                "alerts", .alerts, "The transitions of alerts.", [S.from, S.to, S.limit],
                columns: ["time", "rule", "transition", "state", "severity", "metric", "value", "threshold", "cause", "actor", "reason"]),
            query("entries", .entries, "What people entered.", [S.from, S.to]),
            query("profile", .profile, "What is known of a participant.", []),
            RetentionCommand.command, PlotCommand.command, ExportCommand.command, OpenCommand.command,
        ]
    }

    private typealias S = TimelineSettings

    private static func query(
        _ name: String, _ query: TimelineRequest.Query, _ summary: String, _ settings: [any AnySetting], participant: Bool = true,
        columns: [String]? = nil
    ) -> Command {
        Command(
            name: name, summary: summary, settings: settings + [S.output] + CommonSettings.database,
            operands: participant ? Operands("PARTICIPANT", help: "whose") : .none
        ) { invocation in
            var request = TimelineRequest(query, participant: invocation.operands.first)
            try fill(&request, invocation, settings)
            let store = try openStore(invocation)
            let answer = await QueryHandler(store: store, now: { .now }).answer(request)
            await store.close()
            print(try shown(answer, as: invocation[S.output], columns))
        }
    }

    /// The store that the settings name.
    package static func openStore(_ invocation: Invocation) throws -> any TimelineStore {
        try StoreAddress(invocation[CommonSettings.store]).store(password: invocation[CommonSettings.storePassword])
    }

    private static func fill(_ request: inout TimelineRequest, _ invocation: Invocation, _ settings: [any AnySetting]) throws {
        let names = Set(settings.map(\.declaration.name))
        func has(_ setting: any AnySetting) -> Bool { names.contains(setting.declaration.name) }
        let now = Timestamp.now
        if has(S.metric) { request.metric = try invocation[S.metric] }
        // Readings can be of all metrics at once.
        if has(S.metric), request.metric == nil, request.query != .readings {
            throw CommandError(.usage, "--metric is missing; `vigil timeline metrics PARTICIPANT` lists what there is")
        }
        if has(S.source) { request.source = try invocation[S.source] }
        if has(S.from) { request.from = try invocation[S.from]?.moment(now: now) }
        if has(S.to) { request.to = try invocation[S.to]?.moment(now: now) }
        if has(S.span) { request.span = try invocation[S.span].rawValue }
        if has(S.by) { request.by = try invocation[S.by].rawValue }
        if has(S.zone) { request.zone = try invocation[S.zone] }
        if has(S.width) { request.width = try invocation[S.width] }
        if has(S.limit) { request.limit = try invocation[S.limit] }
        if has(S.seconds) { request.seconds = try invocation[S.seconds] }
    }

    private static func shown(_ answer: [UInt8], as format: TimelineSettings.OutputFormat, _ columns: [String]?) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(answer), options: .fragmentsAllowed) as? [String: Any] ?? [:]
        if let error = object["error"] as? [String: String] {
            let isUsage = error["code"] == "bad-request"
            throw CommandError(isUsage ? .usage : .unavailable, error["reason"] ?? "the timeline gave no answer")
        }
        let result = object["result"] ?? [Any]()
        switch format {
        case .table: return ResultTable(result, columns: columns).table
        case .csv: return ResultTable(result, columns: columns).csv
        case .json:
            let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
            return String(decoding: try JSONSerialization.data(withJSONObject: result, options: options), as: UTF8.self)
        }
    }
}

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
