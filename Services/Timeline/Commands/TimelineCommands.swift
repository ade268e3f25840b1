import Foundation
import MessageBus
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
            name: "timeline", summary: "shows and exports stored data of participants",
            details: "Reads the database of --store itself, whether services run or not. Only erase asks vigil-timeline over the broker.",
            subcommands: subcommands + others)
    }

    private static var subcommands: [Command] {
        [
            query("participants", .participants, "Everybody who was observed.", [], participant: false),
            query("metrics", .metrics, "What is stored of a participant.", []),
            query("latest", .latest, "The newest value of each metric.", []),
            query("readings", .readings, "Readings, earliest first.", [S.metric, S.from, S.to, S.limit, S.after]),
            query("series", .series, "A metric in steps with their extremes.", [S.metric, S.source, S.from, S.to, S.width]),
            query("waveform", .waveform, "The samples of a waveform in a window.", [S.metric, S.source, S.from, S.to]),
            query(
                "envelope", .envelope, "The smallest and largest samples of a waveform in steps.",
                [S.metric, S.source, S.from, S.to, S.width]),
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
            SelectCommand.command, RetentionCommand.command, SealCommand.command, StorageCommand.command, PlotCommand.command,
            ExportCommand.command, OpenCommand.command,
        ]
    }

    private typealias S = TimelineSettings

    private static func query(
        _ name: String, _ query: TimelineQuery.Name, _ summary: String, _ settings: [any AnySetting], participant: Bool = true,
        columns: [String]? = nil
    ) -> Command {
        QueryCommand(query: query, settings: settings, columns: columns).command(name, summary, participant: participant)
    }

    /// The store that the settings name. Whoever looks into one that is not there has mistyped its name.
    package static func openStore(_ invocation: Invocation) throws -> any TimelineStore {
        let address = try address(invocation[CommonSettings.store])
        if case .sqlite(let path) = address, !FileManager.default.fileExists(atPath: path) {
            throw CommandError(.noInput, "there is no timeline at \(path): --store names it, and vigil-timeline makes it")
        }
        return try address.store(password: invocation[CommonSettings.storePassword]?.exposed)
    }

    /// The address that the `store` setting names.
    static func address(_ text: String) throws(ConfigurationError) -> StoreAddress {
        guard let address = StoreAddress(text) else {
            throw ConfigurationError(name: "--store", problem: .malformed(value: text, accepts: StoreAddress.accepts))
        }
        return address
    }
}

/// The settings of `vigil timeline …`.
enum TimelineSettings {
    static let metric = Setting.optional("metric", .name, help: "The metric, for example heart-rate.")
    static let source = Setting.optional("source", .text, help: "One source only; all of them by default.")
    static let from = Setting.optional("from", TimeText.format, help: "The start of the range; a day before the end by default.")
    static let to = Setting.optional("to", TimeText.format, help: "The end of the range; now by default.")
    static let span = Setting("span", ValueFormat<PageSpan>.choice, default: .day, help: "The length of the page.")
    static let by = Setting("by", ValueFormat<HistogramBinning>.choice, default: .weekday, help: "The grouping of the bars.")
    static let zone = Setting.optional("zone", .text, help: "An IANA time zone such as Europe/Berlin; the participant's by default.")
    static let width = Setting("width", .integer(in: 1...10_000), default: 100, help: "The most steps of a series.")
    static let limit = Setting.optional(
        "limit", .integer(in: 1...1_000_000_000),
        help: "The most rows; by default all for readings as CSV or JSON, else 1000.")
    static let after = Setting.optional("after", .text, help: "Continue where an earlier output ended, as it says.")
    static let raw = Setting(
        "raw", .boolean, default: false, help: "Write texts in CSV unchanged, for programs. A spreadsheet may run them as formulas.")
    static let seconds = Setting("seconds", .number(in: 0.001...1e9), default: 60, help: "The shortest gap that is listed, in seconds.")
    static let passphrase = Setting.secret("passphrase", help: "The passphrase file that seals the output; `vigil timeline open` opens it.")
    static let output = Setting("output", ValueFormat<OutputFormat>.choice, default: .table, help: "The format of the output.")

    /// The way an answer is printed.
    enum OutputFormat: String, CaseIterable, Sendable { case table, json, csv }
}
