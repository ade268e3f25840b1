import TimelineStore
import VigilSchema

/// An export of a participant's timeline: observations of a range or a metric, or everything that is kept, so that an import brings it back.
struct TimelineExport {
    let store: any TimelineStore
    let participant: String
    /// One metric only; nil: all.
    let metric: String?
    let range: Range<Timestamp>
    let format: ExportFormat
    /// Leaves texts in CSV as they are that a spreadsheet would take for a formula.
    var isRaw = false
    /// A Boolean value that indicates whether profile, entries, alerts and replaced values come too, where no metric is chosen.
    var isComplete = false

    /// Writes it.
    /// - Parameters:
    ///   - path: nil or `-` for standard output.
    ///   - passphrase: seals it.
    func write(to path: String?, passphrase: String? = nil) async throws {
        var progress = ExportProgress(isShown: path != nil)
        try await ExportSink.writing(path: path, passphrase: passphrase) { sink in try await write(to: &sink, &progress) }
    }

    private func write(to sink: inout ExportSink, _ progress: inout ExportProgress) async throws {
        let profile = try await store.profile(participant: participant)
        var encoder = format.encoder(profile: profile, isRaw: isRaw)
        var output: [UInt8] = []
        encoder.begin(&output)
        if isComplete, metric == nil, let profile { try encoder.add(.profile(profile), of: participant, to: &output) }
        try await ExportSource(store: store, participant: participant, metric: metric, range: range).forEach { group in
            try encoder.add(group, to: &output)
            try sink.write(output)
            output.removeAll(keepingCapacity: true)
            progress.add(group.observations.count)
        }
        if metric == nil { try await writeRecords(&encoder, to: &sink, &output) }
        try encoder.end(&output)
        try sink.write(output)
        progress.finish(bytes: sink.bytes)
    }

    private func writeRecords(_ encoder: inout any ExportEncoder, to sink: inout ExportSink, _ output: inout [UInt8]) async throws {
        if isComplete {
            try await store.forEachRecord(of: participant) { record in
                try encoder.add(record, of: participant, to: &output)
                try sink.write(output)
                output.removeAll(keepingCapacity: true)
            }
        } else if format == .fhir {
            for entry in try await store.entries(participant: participant, from: range.lowerBound, to: range.upperBound) {
                try encoder.add(entry, of: participant, to: &output)
            }
        }
    }
}
