import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil-import patients FILE…`: imports hReader's patient records.
enum PatientsCommand {
    private static let participant = Setting.optional(
        "participant", .name, help: "The participant of a single record; by default the file's name without its extension.")
    private static let rejects = Setting.optional(
        "rejects", .path, help: "Write to this CSV file what was unusual or left out: file, place, whether it was left out, reason.")

    static let command = Command(
        name: "patients", summary: "imports hReader's patient records: profile, vital signs and entries",
        details: """
            Vital signs become observations; allergies, conditions, encounters, immunizations, medications, \
            procedures, results and the social history become entries of the timeline. What has no time, no \
            number or a contradictory code is left out and reported with file and place. `vigil-import undo` \
            removes a record's observations and entries again; the profile stays.
            Exit codes: 0 everything was imported; 3 something was left out.
            """,
        settings: [participant, rejects, ImportSettings.dryRun, ImportSettings.again] + ImportSettings.delivery + ImportSettings.ledger
            + CommonSettings.broker,
        operands: Operands("FILE", count: 1...10_000, help: "a patient record as JSON")
    ) { invocation in
        let imports = try invocation.operands.map { try read($0, named: invocation[participant], of: invocation.operands.count) }
        try report(zip(invocation.operands, imports).map { ($0, $1.record) }, to: invocation[rejects])
        if try !invocation[ImportSettings.dryRun] { try await deliver(imports, invocation) }
        let left = imports.reduce(0) { $0 + $1.record.rejected }
        if left > 0 { throw CommandError(.someRefused, "\(left) items were left out") }
    }

    private static func read(_ path: String, named name: String?, of files: Int) throws -> PatientImport {
        if name != nil && files > 1 { throw CommandError(.usage, "--participant names one person; \(files) files were given") }
        let participant = name ?? URL(filePath: path).deletingPathExtension().lastPathComponent
        guard Name.isValid(participant) else {
            throw CommandError(.usage, "\(path): its name names no participant; say whose it is by --participant")
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandError(.noInput, "\(path) cannot be read") }
        do {
            return PatientImport(participant: participant, record: try HReaderParser(now: .now).read([UInt8](data)))
        } catch {
            throw CommandError(.someFailed, "\(path): \(error.reason)")
        }
    }

    private static func report(_ records: [(path: String, record: PatientRecord)], to file: String?) throws {
        var rows = [["file", "place", "left-out", "reason"]]
        for (path, record) in records {
            for problem in record.problems {
                rows.append([path, problem.path, problem.isRejected ? "yes" : "no", problem.reason])
                if problem.isRejected { StandardError.line("\(path): \(problem.path): left out: \(problem.reason)".printable) }
            }
            let odd = record.problems.count - record.rejected
            if odd > 0 && file == nil { StandardError.line("\(path.printable): \(odd) odd things were kept; --rejects FILE lists them") }
        }
        guard let file else { return }
        let text = rows.map { CSVText.record($0, delimiter: ",") + "\r\n" }.joined()
        do {
            try Data(text.utf8).write(to: URL(filePath: file))
        } catch {
            throw CommandError(.failure, "\(file) cannot be written")
        }
    }

    private static func deliver(_ imports: [PatientImport], _ invocation: Invocation) async throws {
        let ledger = try await ImportState.ledger(invocation.configuration, patience: try invocation[ImportSettings.patience])
        let ledgered = LedgeredPatients(ledger: ledger, again: try invocation[ImportSettings.again])
        let records = zip(imports, invocation.operands.map { ImportFile(path: $0) }).map { ($0, $1) }
        let (patience, shares) = (try invocation[ImportSettings.patience], try invocation[ShareSettings.shares])
        if let address = try invocation[ImportSettings.store] {
            let store = try address.store(password: invocation[CommonSettings.storePassword]?.exposed)
            try await deliver(records, ledgered, to: StoreSink(store, patience: patience))
            await store.close()
        } else {
            try await BusSession(invocation.configuration).run { requester in
                try await deliver(records, ledgered, to: BusSink(requester, patience: patience, shares: shares))
            }
        }
    }

    private static func deliver(
        _ records: [(PatientImport, ImportFile)], _ ledgered: LedgeredPatients, to sink: some PatientSink
    ) async throws {
        for (patient, file) in records { print(try await ledgered.deliver(patient, file: file, to: sink)) }
    }
}
