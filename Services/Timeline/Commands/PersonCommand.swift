import Foundation
import MessageBus
import Observability
import ServiceKit
package import Settings
import TimelineStore
import VigilSchema

/// `vigil export-person`: everything that the timeline keeps of a person, in one sealed file, as the right of access asks for.
package enum PersonCommand {
    private static let file = Setting.optional("file", .path, help: "The archive to write, PARTICIPANT.tar.sealed by default.")
    private static let plain = Setting(
        "plain", .boolean, default: false, help: "Writes the archive unsealed, for whoever has a safe place for it.")

    package static let command = Command(
        name: "export-person", summary: "Writes everything that is kept of a person into one sealed archive.",
        details: """
            Profile, entries, readings, replaced values, waveforms, alerts, sessions and the lines of the audit trail, as JSON and CSV, and all of \
            it again as FHIR R4, in a tar archive that is sealed with the passphrase; `vigil timeline open` opens it. It reads the timeline; what \
            alert rules and the stress analysis remember besides is derived from it.
            """,
        settings: [file, plain, TimelineSettings.passphrase] + CommonSettings.database, operands: Operands("PARTICIPANT", help: "Whose.")
    ) { invocation in
        let store = try TimelineCommands.openStore(invocation)
        let participant = invocation.operands[0]
        guard try await store.participants().contains(participant) else {
            throw CommandError(
                .noInput, "nothing is stored of \(TerminalText.printable(participant)); `vigil timeline participants` lists everybody")
        }
        let passphrase = try invocation[TimelineSettings.passphrase]?.exposed
        guard try passphrase != nil || invocation[plain] else {
            throw CommandError(.usage, "--passphrase-file must be given: the file that holds the passphrase on its first line; or --plain")
        }
        await AuditCommands.note("export-person", participant: participant, in: store)
        let path = try invocation[file] ?? participant + (passphrase == nil ? ".tar" : ".tar.sealed")
        try await ExportSink.writing(path: path, passphrase: passphrase) { sink in
            var archive = PersonArchive(store: store, participant: participant)
            try await archive.write(to: &sink)
        }
        StandardError.line("written to \(TerminalText.printable(path))")
        await store.close()
    }
}

/// The data kept of a person, as the members of a tar archive; long ones in parts, so that they take little memory.
struct PersonArchive {
    /// A part is ended once it has as many bytes.
    private static let part = 4 << 20

    private let store: any TimelineStore
    private let participant: String
    private let encoder: JSONEncoder
    private let time = Int(Date().timeIntervalSince1970)

    init(store: any TimelineStore, participant: String) {
        self.store = store
        self.participant = participant
        encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    }

    mutating func write(to sink: inout ExportSink) async throws {
        let always = ExportSource.always
        let profile = try await store.profile(participant: participant)
        let entries = try await store.entries(participant: participant, from: always.lowerBound, to: always.upperBound)
        try add("profile.json", try encoder.encode(profile ?? ParticipantProfile()), to: &sink)
        try add("entries.json", try encoder.encode(entries), to: &sink)
        try add("metrics.json", try encoder.encode(try await store.metrics(participant: participant)), to: &sink)
        try add("sessions.json", try encoder.encode(try await store.sessions(participant: participant)), to: &sink)
        try await addAlerts(to: &sink)
        try await addAudit(to: &sink)
        try await addCorrections(to: &sink)
        let source = ExportSource(store: store, participant: participant, metric: nil, range: always)
        for format in ExportFormat.allCases {
            var encoder = format.encoder(profile: profile)
            try await addParts("observations", format, source, &encoder, entries, to: &sink)
        }
        try sink.write(TarArchive.end)
    }

    private func add(_ name: String, _ content: some Sequence<UInt8>, to sink: inout ExportSink) throws {
        try sink.write(TarArchive.member("\(participant)/\(name)", Array(content), time: time))
    }

    private func addParts(
        _ name: String, _ format: ExportFormat, _ source: ExportSource, _ encoder: inout any ExportEncoder, _ entries: [TimelineEntry],
        to sink: inout ExportSink
    ) async throws {
        var (output, number) = ([UInt8](), 1)
        let ending = format == .fhir ? "ndjson" : format.rawValue
        func end(_ encoder: inout any ExportEncoder, _ sink: inout ExportSink) throws {
            try encoder.end(&output)
            try add("\(name)-\(number).\(ending)", output, to: &sink)
            output.removeAll(keepingCapacity: true)
            number += 1
        }
        encoder.begin(&output)
        try await source.forEach { group in
            if output.count >= Self.part {
                try end(&encoder, &sink)
                encoder.begin(&output)
            }
            try encoder.add(group, to: &output)
        }
        for entry in entries { try encoder.add(entry, of: participant, to: &output) }
        try end(&encoder, &sink)
    }

    private func addAlerts(to sink: inout ExportSink) async throws {
        let always = ExportSource.always
        var (number, offset) = (1, 0)
        while true {
            let alerts = try await store.alerts(
                participant: participant, from: always.lowerBound, to: always.upperBound, limit: 1000, offset: offset)
            if alerts.isEmpty && number > 1 { return }
            try add("alerts-\(number).json", try encoder.encode(alerts), to: &sink)
            guard alerts.count == 1000 else { return }
            (number, offset) = (number + 1, offset + 1000)
        }
    }

    private func addAudit(to sink: inout ExportSink) async throws {
        var (number, last): (Int, Int64) = (1, 0)
        while true {
            let lines = try await store.audit(
                participant: participant, from: ExportSource.always.lowerBound, to: ExportSource.always.upperBound, limit: 10_000,
                after: last)
            if lines.isEmpty && number > 1 { return }
            try add("audit-\(number).json", try encoder.encode(lines), to: &sink)
            guard let line = lines.last else { return }
            (number, last) = (number + 1, line.number)
        }
    }

    private func addCorrections(to sink: inout ExportSink) async throws {
        var (number, last): (Int, Int64) = (1, 0)
        while true {
            let replaced = try await store.corrections(participant: participant, after: last)
            if replaced.isEmpty && number > 1 { return }
            try add("replaced-values-\(number).json", try encoder.encode(replaced), to: &sink)
            guard let value = replaced.last else { return }
            (number, last) = (number + 1, value.number)
        }
    }
}
