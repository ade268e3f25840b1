import Cryptography
import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil timeline export`: a participant's observations as a file.
enum ExportCommand {
    private static let format = Setting(
        "format", ValueFormat<Form>.choice, default: .csv,
        help: """
            csv, json (groups as on the bus), fhir (R4, a resource per line), or, for observations only, influx \
            (line protocol) and parquet (a file per metric and day, in --folder).
            """)
    private static let folder = Setting.optional("folder", .path, help: "The folder of Parquet files; created if missing.")
    private static let file = Setting.optional("file", .path, help: "The file to write; standard output by default.")
    private static let everything = Setting(
        "all", .boolean, default: false,
        help: "Everything, instead of --from and --to; with profile, entries, alerts and replaced values.")

    /// The formats of `--format`: those of one file, and Parquet.
    private enum Form: String, CaseIterable, Sendable {
        case csv, json, fhir, influx, parquet

        /// Nil for Parquet, which has a file a metric and day.
        var ofOneFile: ExportFormat? { ExportFormat(rawValue: rawValue) }
    }

    static let command = Command(
        name: "export", summary: "writes a participant's observations as CSV, JSON, FHIR, InfluxDB's line protocol or Parquet",
        settings: [
            format, file, folder, TimelineSettings.passphrase, everything, TimelineSettings.metric, TimelineSettings.from,
            TimelineSettings.to,
            TimelineSettings.raw,
        ] + CommonSettings.database, operands: Operands("PARTICIPANT", help: "the participant")
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let participant = invocation.operands[0]
        guard try await store.participants().contains(participant) else {
            throw CommandError(.noInput, "nothing is stored of \(participant); `vigil timeline participants` lists everybody")
        }
        await AuditCommands.note("export", participant: participant, detail: try invocation[format].rawValue, in: store)
        let metric = try invocation[TimelineSettings.metric]
        if let format = try invocation[format].ofOneFile {
            let export = TimelineExport(
                store: store, participant: participant, metric: metric, range: try range(invocation), format: format,
                isRaw: try invocation[TimelineSettings.raw], isComplete: try invocation[everything])
            try await export.write(to: invocation[file], passphrase: invocation[TimelineSettings.passphrase]?.exposed)
        } else {
            let source = ExportSource(store: store, participant: participant, metric: metric, range: try range(invocation))
            try await writeParquet(source, invocation)
        }
        await store.close()
    }

    private static func writeParquet(_ source: ExportSource, _ invocation: Invocation) async throws {
        guard let folder = try invocation[folder], try invocation[file] == nil, try invocation[TimelineSettings.passphrase] == nil else {
            throw CommandError(.usage, "parquet needs --folder, and has neither --file nor --passphrase-file")
        }
        let rows = try await ParquetExport(source: source, folder: URL(filePath: folder)).write()
        StandardError.line("\(rows) rows written")
    }

    private static func range(_ invocation: Invocation) throws -> Range<Timestamp> {
        if try invocation[everything] { return ExportSource.always }
        let now = Timestamp.now
        let to = try invocation[TimelineSettings.to]?.moment(now: now) ?? now
        let from = try invocation[TimelineSettings.from]?.moment(now: now) ?? to.advanced(bySeconds: -86400)
        guard from <= to else { throw CommandError(.usage, "--from lies after --to") }
        return from..<to
    }
}

/// Says on standard error how far an export has come.
struct ExportProgress {
    private let isShown: Bool
    private var count = 0
    private var shown = ContinuousClock.now

    init(isShown: Bool) { self.isShown = isShown }

    mutating func add(_ observations: Int) {
        count += observations
        guard isShown, shown.duration(to: .now) > .seconds(1) else { return }
        shown = .now
        StandardError.line("\(count) observations written")
    }

    func finish(bytes: Int) {
        if isShown { StandardError.line("\(count) observations, \(bytes) bytes written") }
    }
}

/// `vigil timeline open`: opens a sealed export.
enum OpenCommand {
    private static let passphrase = Setting.secret("passphrase", help: "The passphrase file of the export.")
    private static let file = Setting.optional("file", .path, help: "The file to write; standard output by default.")

    static let command = Command(
        name: "open", summary: "opens an export that was sealed with a passphrase", settings: [passphrase, file],
        operands: Operands("SEALED", help: "the sealed file")
    ) { invocation in
        guard let secret = try invocation[passphrase] else {
            throw CommandError(.usage, "--passphrase-file must be given: the file that holds the passphrase on its first line")
        }
        let path = invocation.operands[0]
        guard let input = FileHandle(forReadingAtPath: path) else { throw CommandError(.noInput, "\(path) cannot be read") }
        var reader = SealedReader(passphrase: secret.exposed)
        try await ExportSink.writing(path: invocation[file], passphrase: nil) { sink in
            do {
                while let data = try input.read(upToCount: 1 << 16), !data.isEmpty { try sink.write(reader.open(Array(data))) }
                try reader.finish()
            } catch let error as SealingError {
                throw CommandError(.data, "\(path): \(error)")
            }
        }
    }
}
