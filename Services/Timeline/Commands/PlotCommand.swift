import Foundation
import MessageBus
import Observability
import Plotting
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil timeline plot`: metrics as pictures.
enum PlotCommand {
    private typealias S = TimelineSettings

    private static let metrics = Setting(
        "metrics", .list(of: .name), default: [], help: "The metrics, separated by commas; by default all stored ones.")
    private static let bars = Setting.optional(
        "histogram", ValueFormat<HistogramBinning>.choice, help: "Draw bars by weekday, hour, day, week or month instead of a line.")
    private static let together = Setting(
        "together", .boolean, default: false, help: "Draw all metrics in one picture, as the two blood pressures always are.")
    private static let format = Setting(
        "format", ValueFormat<PictureFormat>.choice, default: .png,
        help: "The format: png, svg or pdf; by default the extension of --file, else png.")
    private static let file = Setting.optional(
        "file", .path, help: "The picture of one metric, or a tar archive of several; standard output by default.")
    private static let folder = Setting.optional("folder", .path, help: "The folder for a picture of each metric, PARTICIPANT-METRIC.png.")
    private static let pixels = Setting(
        "width", .integer(in: 200...8000), default: 1000,
        help: "The picture's width in pixels, or points of a PDF; text and lines scale with it.")
    private static let height = Setting.optional(
        "height", .integer(in: 100...8000), help: "The picture's height; 0.42 of the width by default.")
    private static let scale = Setting(
        "scale", .number(in: 0.5...8), default: 1, help: "The resolution of a PNG: 2 for fine screens, 3 for print.")

    static let command = Command(
        name: "plot", summary: "draws metrics as PNG, SVG or PDF pictures",
        details: """
            Numbers are lines, one for each source; many numbers are a mean in a band from the lowest to the \
            highest. Counters are bars: sums of hours, days, weeks or months. Texts are a strip. An \
            electrocardiogram of up to a minute is on millimetre paper. Alarms are shaded.
            """,
        settings: [
            metrics, together, bars, file, folder, format, pixels, height, scale, S.source, S.from, S.to, S.zone, S.passphrase,
        ] + CommonSettings.database,
        operands: Operands("PARTICIPANT", help: "the participant")
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let participant = invocation.operands[0]
        await AuditCommands.note("plot", participant: participant, in: store)
        let stored = try await store.metrics(participant: participant, counted: false)
        let pictures = try pictures(of: stored, participant, invocation)
        let size = try size(invocation)
        var output = try PlotOutput(
            folder: invocation[folder], file: invocation[file], isArchive: pictures.count > 1, passphrase: invocation[S.passphrase]?.exposed
        )
        do {
            for (name, summaries) in pictures {
                let picture = try await picture(of: summaries, size, participant, store, invocation)
                try output.add(picture, named: "\(participant)-\(name).\(size.format.rawValue)")
            }
            try output.finish()
        } catch {
            output.abandon()
            throw error
        }
        await store.close()
    }

    /// The content of each picture, by the picture's name.
    private static func pictures(
        of stored: [MetricSummary], _ participant: String, _ invocation: Invocation
    ) throws -> [(name: String, summaries: [MetricSummary])] {
        let asked = try invocation[metrics]
        let wanted = try (asked.isEmpty ? stored.map(\.metric) : asked).map { metric in
            guard let summary = stored.first(where: { $0.metric == metric }) else {
                throw CommandError(
                    .noInput, "no \(metric) is stored of \(TerminalText.printable(participant)); `vigil timeline metrics` lists what is")
            }
            return summary
        }
        if try invocation[together], wanted.count > 1 {
            guard Set(wanted.map(\.unit)).count == 1, !wanted.contains(where: \.isWaveform) else {
                throw CommandError(
                    .usage, "--together takes numbers of one unit; \(Set(wanted.map(\.unit)).sorted().joined(separator: ", ")) are several")
            }
            return [(wanted.map(\.metric).joined(separator: "-"), wanted)]
        }
        var pictures: [(String, [MetricSummary])] = wanted.map { ($0.metric, [$0]) }
        let pressures = wanted.filter { ["systolic-pressure", "diastolic-pressure"].contains($0.metric) && !$0.isWaveform }
        if MetricDrawing.isBloodPressure(pressures.map(\.metric)), let place = pictures.firstIndex(where: { $0.0.hasSuffix("-pressure") }) {
            pictures[place] = ("blood-pressure", pressures.sorted { $0.metric > $1.metric })
            pictures.removeAll { ["systolic-pressure", "diastolic-pressure"].contains($0.0) }
        }
        return pictures
    }

    private static func size(_ invocation: Invocation) throws -> PictureSize {
        let ending = try invocation[file].flatMap { PictureFormat(rawValue: URL(filePath: $0).pathExtension.lowercased()) }
        let asked = try invocation[format]
        return PictureSize(
            width: try invocation[pixels], height: try invocation[height], scale: try invocation[scale],
            format: asked == .png ? ending ?? asked : asked)
    }

    private static func picture(
        of summaries: [MetricSummary], _ size: PictureSize, _ participant: String, _ store: any TimelineStore, _ invocation: Invocation
    ) async throws -> [UInt8] {
        let profile = try await store.profile(participant: participant)
        let now = Timestamp.now
        let to = try invocation[S.to]?.moment(now: now) ?? now
        let from = try invocation[S.from]?.moment(now: now) ?? to.advanced(bySeconds: -86400)
        guard from < to else { throw CommandError(.usage, "--from must lie before --to") }
        let zone = try invocation[S.zone] ?? profile?.timeZone ?? "UTC"
        guard TimeZone(identifier: zone) != nil else { throw CommandError(.usage, "--zone is no IANA time zone such as Europe/Berlin") }
        let range = SeriesRange(
            participant: participant, metric: summaries[0].metric, from: from, to: to, source: try invocation[S.source])
        let drawing = MetricDrawing(store: store, summaries: summaries, range: range, zone: zone, size: size)
        guard let binning = try invocation[bars] else { return try await drawing.overTime() }
        return try await drawing.bars(by: binning)
    }
}

/// The destination of pictures: each a file of a folder, or all in one file or on standard output, several as a tar archive; sealed on the way if
/// asked.
struct PlotOutput {
    private let folder: URL?
    private let file: String?
    private let isArchive: Bool
    private let passphrase: String?
    private var sink: ExportSink?

    /// - Parameters:
    ///   - folder: is made where it is missing.
    ///   - file: nil or `-` for standard output.
    init(folder: String?, file: String?, isArchive: Bool, passphrase: String?) throws {
        self.folder = folder.map { URL(filePath: $0) }
        self.file = file
        self.isArchive = isArchive
        self.passphrase = passphrase
        if let folder = self.folder {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } else {
            sink = try ExportSink(path: file, passphrase: passphrase)
        }
    }

    mutating func add(_ picture: [UInt8], named name: String) throws {
        // A metric's name may be an importer's own.
        let name = String(name.map { $0 == "/" || $0.isNewline ? "_" : $0 })
        let place = isArchive || folder != nil || file == "-" ? name : file ?? name
        StandardError.line("\(TerminalText.printable(place)): \(picture.count) bytes")
        guard let folder else {
            let time = Int(Date().timeIntervalSince1970)
            return try sink?.write(isArchive ? TarArchive.member(name, picture, time: time) : picture) ?? ()
        }
        var file = try ExportSink(path: folder.appending(path: name).path, passphrase: passphrase)
        try file.write(picture)
        try file.finish()
    }

    /// Leaves nothing of the file behind.
    func abandon() { sink?.abandon() }

    /// Puts the file in its place.
    mutating func finish() throws {
        if isArchive { try sink?.write(TarArchive.end) }
        try sink?.finish()
    }
}

/// Files one after the other in the format that `tar` unpacks: POSIX ustar, https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
package enum TarArchive {
    private static let block = 512

    /// The end of an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * block)

    /// A file's place in an archive: header, content, and zeros up to the next block.
    /// - Parameters:
    ///   - name: at most 100 bytes; what is longer is cut.
    ///   - time: when it was changed, Unix seconds.
    package static func member(_ name: String, _ content: [UInt8], time: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) { header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8) }
        func put(_ number: Int, at offset: Int, digits: Int) {
            let octal = String(number, radix: 8)
            put(String(repeating: "0", count: max(0, digits - octal.count)) + octal, at: offset)
        }
        let cut = Array(name.utf8.prefix(100))
        header.replaceSubrange(0..<cut.count, with: cut)
        put(0o600, at: 100, digits: 7)
        for owner in [108, 116] { put(0, at: owner, digits: 7) }
        put(content.count, at: 124, digits: 11)
        put(time, at: 136, digits: 11)
        put("        0", at: 148)
        put("ustar\0" + "00", at: 257)
        put(header.reduce(0) { $0 + Int($1) }, at: 148, digits: 6)
        header[154] = 0
        let rest = (block - content.count % block) % block
        return header + content + [UInt8](repeating: 0, count: rest)
    }
}
