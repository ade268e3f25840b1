import Foundation
import MessageBus
import Observability
import ServiceKit
package import Settings
import TimelineStore
import VigilSchema

/// `vigil export-person`: everything that is stored of a person, in one sealed file, for the right of access.
package struct PersonCommand {
    /// A member of the archive.
    package typealias File = (name: String, content: [UInt8])

    private static let file = Setting.optional("file", .path, help: "The archive to write, PARTICIPANT.tar.sealed by default.")
    private static let plain = Setting(
        "plain", .boolean, default: false, help: "Write the archive unsealed.")
    private static let timelineOnly = Setting(
        "timeline-only", .boolean, default: false,
        help: "Write only the data in the timeline's database, without asking the services. That is not everything.")

    private let settings: [any AnySetting]
    private let collect: @Sendable (Invocation, String, Set<String>) async throws -> [File]

    /// - Parameters:
    ///   - settings: The settings that `collect` reads.
    ///   - collect: Returns a participant's data outside the timeline. It gets the imports that brought observations of
    ///     the participant.
    package init(
        settings: [any AnySetting], collect: @escaping @Sendable (Invocation, String, Set<String>) async throws -> [File]
    ) {
        (self.settings, self.collect) = (settings, collect)
    }

    package var command: Command {
        Command(
            name: "export-person", summary: "writes everything that is stored of a person into one sealed archive",
            details: """
                The archive is everything that `vigil erase` removes: of the timeline profile, entries, \
                readings, replaced values, waveforms, sums, alerts, sessions and audit lines, as JSON and CSV, \
                and the readings as FHIR R4; of every other service its own data, such as devices, thresholds, \
                baselines, modules' messages, and the dashboard's account without secrets; retained messages of \
                the broker; of this machine the importer's ledger, accounts and logs. It is a tar archive sealed \
                with the passphrase; `vigil timeline open` opens it. The exit code is 69 if a known service does \
                not run, because its part would be missing. Backups and earlier exports are not searched.
                """,
            settings: [Self.file, Self.plain, Self.timelineOnly, TimelineSettings.passphrase] + CommonSettings.database + settings,
            operands: Operands("PARTICIPANT", help: "The participant.")
        ) { try await run($0) }
    }

    private func run(_ invocation: Invocation) async throws {
        let participant = invocation.operands[0]
        guard Name.isValid(participant) else { throw CommandError(.usage, "a participant has 1 to 64 of A-Z a-z 0-9 _ . -") }
        let passphrase = try invocation[TimelineSettings.passphrase]?.exposed
        guard try passphrase != nil || invocation[Self.plain] else {
            throw CommandError(.usage, "--passphrase-file must be given: the file that holds the passphrase on its first line; or --plain")
        }
        let store = try TimelineCommands.openStore(invocation)
        let imports = Set(try await store.imports(participant: participant))
        let files = try invocation[Self.timelineOnly] ? [] : await collect(invocation, participant, imports)
        guard try await store.participants().contains(participant) || !files.isEmpty else {
            throw CommandError(
                .noInput, "nothing is stored of \(TerminalText.printable(participant)); `vigil timeline participants` lists everybody")
        }
        await AuditCommands.note("export-person", participant: participant, in: store)
        let path = try invocation[Self.file] ?? participant + (passphrase == nil ? ".tar" : ".tar.sealed")
        try await ExportSink.writing(path: path, passphrase: passphrase) { sink in
            var archive = PersonArchive(store: store, participant: participant)
            try await archive.write(files, to: &sink)
        }
        StandardError.line("written to \(TerminalText.printable(path))")
        if try invocation[Self.timelineOnly] { StandardError.line("the timeline's part only; the other services were not asked") }
        await store.close()
    }
}

/// A person's data as members of a tar archive, divided into parts to bound the memory.
struct PersonArchive {
    /// The size in bytes at which a part ends.
    private static let part = 4 << 20
    /// The beginning of a table's file names, for each table with data of a person.
    static let files = [
        "reading": "observations", "sealed": "observations", "waveform": "observations", "correction": "replaced-values",
        "rollup_minute": "sums-minute",
        "rollup_hour": "sums-hour", "rollup_day": "sums-day", "entry": "entries", "alert_event": "alerts", "profile": "profile",
        "session": "sessions", "wearer_clock": "clock",
    ]

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

    /// - Parameter others: The data outside the timeline.
    mutating func write(_ others: [PersonCommand.File] = [], to sink: inout ExportSink) async throws {
        for file in others { try add(file.name, file.content, to: &sink) }
        let always = ExportSource.always
        let profile = try await store.profile(participant: participant)
        let entries = try await store.entries(participant: participant, from: always.lowerBound, to: always.upperBound)
        try add("profile.json", try encoder.encode(profile ?? ParticipantProfile()), to: &sink)
        try add("entries.json", try encoder.encode(entries), to: &sink)
        try add("metrics.json", try encoder.encode(try await store.metrics(participant: participant, counted: true)), to: &sink)
        try add("sessions.json", try encoder.encode(try await store.sessions(participant: participant)), to: &sink)
        try add("clock.json", try encoder.encode(try await store.clockChanges(participant: participant)), to: &sink)
        for level in RollupLevel.allCases { try await addSums(level, to: &sink) }
        try await addAlerts(to: &sink)
        try await addAudit(to: &sink)
        try await addCorrections(to: &sink)
        let source = ExportSource(store: store, participant: participant, metric: nil, range: always)
        for format in ExportFormat.restorable {
            var encoder = format.encoder(profile: profile)
            try await addParts("observations", format, source, &encoder, entries, to: &sink)
        }
        try sink.write(TarArchive.end)
    }

    private func add(_ name: String, _ content: some Sequence<UInt8>, to sink: inout ExportSink) throws {
        // A participant may be called "..", so unpacked files stay in the current folder.
        let folder = participant.allSatisfy { $0 == "." } ? "participant" : participant
        try sink.write(TarArchive.member("\(folder)/\(name)", Array(content), time: time))
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

    private func addSums(_ level: RollupLevel, to sink: inout ExportSink) async throws {
        var (number, place) = (1, SumPlace())
        while true {
            let (sums, last) = try await store.sums(participant: participant, level, after: place)
            if sums.isEmpty && number > 1 { return }
            try add("sums-\(level)-\(number).json", try encoder.encode(sums), to: &sink)
            if sums.isEmpty { return }
            (number, place) = (number + 1, last)
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
