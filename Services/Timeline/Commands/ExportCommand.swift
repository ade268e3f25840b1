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
        "format", ValueFormat<ExportFormat>.choice, default: .csv,
        help: "csv, json (groups as on the bus), or fhir (R4, a resource a line).")
    private static let file = Setting.optional("file", .path, help: "The file to write; standard output by default.")
    private static let everything = Setting(
        "all", .boolean, default: false,
        help: "Everything from the first to the last, instead of --from and --to; with profile, entries, alerts and replaced values.")

    static let command = Command(
        name: "export", summary: "Writes a participant's observations as CSV, JSON or FHIR, sealed if asked.",
        settings: [
            format, file, TimelineSettings.passphrase, everything, TimelineSettings.metric, TimelineSettings.from, TimelineSettings.to,
            TimelineSettings.raw,
        ] + CommonSettings.database, operands: Operands("PARTICIPANT", help: "whose")
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let participant = invocation.operands[0]
        guard try await store.participants().contains(participant) else {
            throw CommandError(.noInput, "nothing is stored of \(participant); `vigil timeline participants` lists everybody")
        }
        await AuditCommands.note("export", participant: participant, detail: try invocation[format].rawValue, in: store)
        let export = TimelineExport(
            store: store, participant: participant, metric: try invocation[TimelineSettings.metric], range: try range(invocation),
            format: try invocation[format], isRaw: try invocation[TimelineSettings.raw], isComplete: try invocation[everything])
        try await export.write(to: invocation[file], passphrase: invocation[TimelineSettings.passphrase]?.exposed)
        await store.close()
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
    private static let passphrase = Setting.secret("passphrase", help: "What the export was sealed with.")
    private static let file = Setting.optional("file", .path, help: "The file to write; standard output by default.")

    static let command = Command(
        name: "open", summary: "Opens an export that was sealed with a passphrase.", settings: [passphrase, file],
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
