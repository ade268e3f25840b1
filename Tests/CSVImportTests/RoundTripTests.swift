import Foundation
import Testing
import Timeline
import VigilSchema

@testable import CSVImport

@Suite("Vigil's own exports come back as what they were")
struct RoundTripTests {
    private static let groups: [ObservationGroup] = {
        func observation(
            _ metric: String, _ content: Observation.Content, _ unit: String, at time: Int64 = 1_711_360_800_123_456, sequence: Int32 = 0,
            interval: Int32 = 0, zone: Int16? = nil
        ) -> Observation {
            Observation(
                metric: metric, time: Timestamp(microseconds: time), sequence: sequence, interval: interval, content: content, unit: unit,
                zone: zone)
        }
        let first = [
            observation("heart-rate", .value(61.5), "/min", zone: 120),
            observation("heart-rate", .value(62), "/min", sequence: 3, zone: -330),
            observation("systolic-pressure", .value(121), "mm[Hg]"), observation("diastolic-pressure", .value(79), "mm[Hg]"),
            observation("steps", .value(8000), "{steps}", interval: 86_400),
            observation("note", .text("=1+1, \"quoted\"\nsecond line ''"), "1"),
            observation("ecg", .samples([0.1, -0.25, 3], period: 0.004), "mV"), observation("odd-metric", .value(-7.25), "mmol/L"),
            observation("body-temperature", .value(36.6), "Cel", at: -86_400_000_000), observation("blood-glucose", .text("<40"), "mg/dL"),
            observation("pain", .value(3), "1"),
        ]
        return [
            ObservationGroup(
                participant: "p_1", source: "=belt", session: nil, received: Timestamp(seconds: 1_711_400_000), observations: first),
            ObservationGroup(
                participant: "p_1", source: "watch", session: "05", received: Timestamp(seconds: 1_711_400_000),
                observations: [observation("heart-rate", .value(60), "/min")]),
        ]
    }()

    private func export(_ format: ExportFormat) throws -> String {
        var encoder = format.encoder(profile: nil)
        var output: [UInt8] = []
        encoder.begin(&output)
        for group in Self.groups { try encoder.add(group, to: &output) }
        let entry = TimelineEntry(
            id: "c1", kind: .condition, time: Timestamp(seconds: 1_327_899_600), description: "Asthma", codes: ["SNOMED-CT": ["195967001"]])
        let note = TimelineEntry(id: "n1", kind: .note, time: Timestamp(seconds: 1_327_899_601), description: "slept badly")
        let result = TimelineEntry(
            id: "r1", kind: .result, time: Timestamp(seconds: 1_327_899_602), description: "LDL", value: 112, unit: "mg/dL",
            codes: ["LOINC": ["13457-7"]])
        for entry in [entry, note, result] { try encoder.add(entry, of: "p_1", to: &output) }
        try encoder.end(&output)
        return String(decoding: output, as: UTF8.self)
    }

    private func lines(_ decoded: [Decoded], withSessions: Bool) -> Set<String> {
        Set(
            decoded.flatMap(\.rows).map { row in
                let session = withSessions ? row.session ?? "-" : "-"
                return "\(row.participant) \(row.source) \(session) \(row.metric) \(row.time) \(row.sequence) \(row.interval) \(row.value) "
                    + "\(row.text ?? "-") \(row.samples) \(row.period) \(row.unit) \(row.zone.map(String.init) ?? "-")"
            })
    }

    private func expected(withSessions: Bool) -> Set<String> {
        Set(
            Self.groups.flatMap { group in
                group.observations.map { observation in
                    var (value, text, samples, period) = (0.0, "-", [Double](), 0.0)
                    switch observation.content {
                    case .value(let number): value = number
                    case .text(let words): text = words
                    case .samples(let values, let distance): (samples, period) = (values, distance)
                    }
                    let session = withSessions ? group.session ?? "-" : "-"
                    return
                        "\(group.participant) \(group.source) \(session) \(observation.metric) \(observation.time.seconds) \(observation.sequence) "
                        + "\(observation.interval) \(value) \(text) \(samples) \(period) \(observation.unit) \(observation.zone.map(String.init) ?? "-")"
                }
            })
    }

    @Test("CSV and JSON, with sources, sessions, intervals, numbers, zones, texts and samples", arguments: [ExportFormat.csv, .json])
    func tables(format: ExportFormat) throws {
        let decoded = try Decoded.all(try export(format), name: "export.\(format.rawValue)")
        #expect(decoded.flatMap(\.rejects).map(\.reason) == [])
        let (read, written) = (lines(decoded, withSessions: true), expected(withSessions: true))
        #expect(read.subtracting(written) == [] && written.subtracting(read) == [])
    }

    @Test("FHIR, with entries under their own ids")
    func fhir() throws {
        let decoded = try Decoded.all(try export(.fhir), name: "export.ndjson")
        #expect(decoded.flatMap(\.rejects).map(\.reason) == [])
        let (read, written) = (lines(decoded, withSessions: true), expected(withSessions: true))
        #expect(read.subtracting(written) == [])
        #expect(written.subtracting(read) == [])
        let entries = decoded.flatMap(\.records).compactMap { _, record in
            if case .entry(let entry, _) = record { entry } else { nil }
        }
        #expect(entries.map(\.id) == ["c1", "n1", "r1"] && entries.map(\.kind) == [.condition, .note, .result])
        #expect(
            entries.map(\.description) == ["Asthma", "slept badly", "LDL"] && entries[2].value == 112
                && entries[0].codes == ["SNOMED-CT": ["195967001"]])
    }
}
