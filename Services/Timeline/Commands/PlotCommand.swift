import Foundation
import MessageBus
import Plotting
import ServiceKit
import TimelineStore
import VigilSchema

/// `vigil timeline plot`: metrics as pictures.
enum PlotCommand {
    private typealias S = TimelineSettings

    private static let metrics = Setting(
        "metrics", .list(of: .name), default: [], help: "The metrics, separated by commas; all that are stored by default.")
    private static let bars = Setting.optional(
        "histogram", ValueFormat<S.BinningName>.choice, help: "Bars by weekday, hour, day, week or month in place of a line.")
    private static let file = Setting.optional(
        "file", .path, help: "The picture of one metric, or a tar archive of several; standard output by default.")
    private static let folder = Setting.optional("folder", .path, help: "Where a picture of each metric goes, PARTICIPANT-METRIC.png.")
    private static let pixels = Setting("width", .integer(in: 200...8000), default: 1000, help: "The picture's width in pixels.")
    private static let height = Setting("height", .integer(in: 100...8000), default: 420, help: "The picture's height in pixels.")

    static let command = Command(
        name: "plot", summary: "Draws metrics as PNG pictures, one or many in one call.",
        settings: [metrics, bars, file, folder, pixels, height, S.source, S.from, S.to, S.zone, S.passphrase] + CommonSettings.database,
        operands: Operands("PARTICIPANT", help: "whose")
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let participant = invocation.operands[0]
        let stored = try await store.metrics(participant: participant)
        let asked = try invocation[metrics]
        let wanted = asked.isEmpty ? stored.map(\.metric) : asked
        var output = try PlotOutput(
            folder: invocation[folder], file: invocation[file], isArchive: wanted.count > 1, passphrase: invocation[S.passphrase]?.exposed)
        for metric in wanted {
            guard let summary = stored.first(where: { $0.metric == metric }) else {
                throw CommandError(.noInput, "no \(metric) is stored of \(participant); `vigil timeline metrics` lists what is")
            }
            let picture = try await picture(of: summary, participant, store, invocation)
            try output.add(picture, named: "\(participant)-\(metric).png")
        }
        try output.finish()
        await store.close()
    }

    private static func picture(
        of summary: MetricSummary, _ participant: String, _ store: any TimelineStore, _ invocation: Invocation
    ) async throws -> [UInt8] {
        let profile = try await store.profile(participant: participant)
        let now = Timestamp.now
        let to = try invocation[S.to]?.moment(now: now) ?? now
        let from = try invocation[S.from]?.moment(now: now) ?? to.advanced(bySeconds: -86400)
        guard from < to else { throw CommandError(.usage, "--from must lie before --to") }
        let range = SeriesRange(
            participant: participant, metric: summary.metric, from: from, to: to, source: try invocation[S.source])
        let drawing = MetricDrawing(
            store: store, summary: summary, range: range, zone: try invocation[S.zone] ?? profile?.timeZone ?? "UTC",
            width: try invocation[pixels], height: try invocation[height])
        guard let binning = try invocation[bars] else { return try await drawing.line() }
        return try await drawing.bars(by: HistogramBinning(rawValue: binning.rawValue) ?? .weekday)
    }
}
