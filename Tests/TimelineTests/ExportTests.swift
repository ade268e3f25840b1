import Foundation
import Testing
import Timeline
import VigilSchema

@Suite("Exports")
struct ExportTests {
    private let groups = [
        ObservationGroup(
            participant: "an_na", source: "watch \"1\", left", session: "05", received: Timestamp(seconds: 1_700_000_001.5),
            observations: [
                Observation(
                    metric: "heart-rate", time: Timestamp(microseconds: 1_484_840_182_410_001), content: .value(49.5), unit: "/min",
                    zone: -300),
                Observation(metric: "ecg", time: Timestamp(seconds: 1), content: .samples([0.11, -2, 3e-7], period: 1 / 360), unit: "mV"),
                Observation(
                    metric: "note", time: Timestamp(seconds: -0.25), sequence: 2, content: .text("two\nlines, \"quoted\""), unit: "1"),
                Observation(metric: "own-metric", time: Timestamp(seconds: 2), content: .value(1), unit: "1"),
            ]),
        ObservationGroup(
            participant: "12", source: "vigil-stress", received: Timestamp(seconds: 5),
            observations: [Observation(metric: "stress-level", time: Timestamp(seconds: 3), content: .value(0.25), unit: "1")]),
    ]

    private func export(_ format: ExportFormat, profile: ParticipantProfile? = nil) throws -> String {
        var encoder = format.encoder(profile: profile)
        var output: [UInt8] = []
        encoder.begin(&output)
        for group in groups { try encoder.add(group, to: &output) }
        encoder.end(&output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("CSV keeps every field, quoting what needs it")
    func csv() throws {
        let text = try export(.csv)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.count == 7)
        #expect(
            lines[1]
                == "an_na,1484840182.410001,2017-01-19T10:36:22.410001-05:00,heart-rate,49.5,/min,,,,\"watch \"\"1\"\", left\",05,,-300")
        #expect(lines[2].contains("0.11 -2 3e-07"))
        #expect(lines[3].hasPrefix("an_na,-0.250000,1969-12-31T23:59:59.75Z,note,,1,\"two\nlines, \"\"quoted\"\"\""))
    }

    @Test("JSON holds the groups just as a batch does")
    func json() throws {
        let text = try export(.json)
        let batch = Array("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":\(text)}".utf8)
        #expect(try BatchDecoder().decode(batch.span).groups == groups)
    }

    @Test("FHIR passes an independent validator, and repeats its ids")
    func fhir() throws {
        let text = try export(.fhir, profile: ParticipantProfile(first: "Anna", last: "B", birthDate: "1969-12-31", sex: .female))
        #expect(try export(.fhir, profile: nil).split(separator: "\n").count == 7)
        let lines = text.split(separator: "\n")
        #expect(Set(try lines.map { try id($0) }).count == lines.count)
        #expect(try FHIRValidator.validate(text) == "Observation 5 Patient 2")
    }

    private func id(_ line: Substring) throws -> String {
        struct Resource: Decodable { let id: String }
        return try JSONDecoder().decode(Resource.self, from: Data(line.utf8)).id
    }
}
