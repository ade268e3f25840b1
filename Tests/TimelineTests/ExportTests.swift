import FHIRMapping
import Foundation
import Settings
import TestSupport
import Testing
import VigilSchema

@testable import Timeline

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
        try encoder.end(&output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("CSV keeps every field, quoting what needs it")
    func csv() throws {
        let text = try export(.csv)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.count == 7)
        #expect(
            lines[1]
                == "an_na,1484840182.410001,2017-01-19T10:36:22.410001-05:00,heart-rate,49.5,/min,,,,\"watch \"\"1\"\", left\",05,,-300,1700000001.500000,,"
        )
        #expect(lines[2].contains("0.11 -2 3e-07"))
        #expect(lines[3].hasPrefix("an_na,-0.250000,1969-12-31T23:59:59.75Z,note,,1,\"two\nlines, \"\"quoted\"\"\""))
    }

    @Test("JSON holds the groups just as a batch does")
    func json() throws {
        let text = try export(.json)
        let batch = Array("{\"schema\":\"vigil/1\",\"batch\":\"b\",\"groups\":\(text)}".utf8)
        #expect(try BatchDecoder().decode(batch.span).groups == groups)
    }

    @Test("InfluxDB's lines carry each reading and sample, escaping what strangers choose")
    func influx() throws {
        let tags = "participant=an_na,session=05,source=watch\\ \"1\"\\,\\ left"
        #expect(
            try export(.influx) == """
                heart-rate,\(tags),unit=/min value=49.5 1484840182410001000
                ecg,\(tags),unit=mV value=0.11 1000000000
                ecg,\(tags),unit=mV value=-2 1002777778
                ecg,\(tags),unit=mV value=3e-07 1005555556
                note,participant=an_na,seq=2,session=05,source=watch\\ "1"\\,\\ left,unit=1 text="two
                lines, \\"quoted\\"" -250000000
                own-metric,\(tags),unit=1 value=1 2000000000
                stress-level,participant=12,source=vigil-stress,unit=1 value=0.25 3000000000

                """)
    }

    @Test("InfluxDB's lines hold no line break of a name, and no backslash that would escape what follows")
    func influxNames() throws {
        var encoder = InfluxExport()
        var output: [UInt8] = []
        let steps = Observation(
            metric: "steps", time: Timestamp(seconds: 1), interval: 3600, content: .value(7), unit: "1")
        let group = ObservationGroup(
            participant: "a", source: "x\n\ry=\\", received: Timestamp(seconds: 5), observations: [steps])
        try encoder.add(group, to: &output)
        #expect(
            String(decoding: output, as: UTF8.self)
                == #"steps,participant=a,period=3600,source=x\n\ry\=\\ ,unit=1 value=7 1000000000"# + "\n")
    }

    @Test("InfluxDB's lines end in words at a time that InfluxDB does not have", arguments: [-12_000_000_000, 12_000_000_000])
    func influxTimes(_ seconds: Double) {
        var encoder = InfluxExport()
        var output: [UInt8] = []
        let old = Observation(metric: "steps", time: Timestamp(seconds: seconds), content: .value(7), unit: "1")
        let group = ObservationGroup(participant: "a", source: "x", received: Timestamp(seconds: 5), observations: [old])
        #expect(throws: CommandError.self) { try encoder.add(group, to: &output) }
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

    private func csv(_ observation: Observation, source: String = "s", isRaw: Bool = false) throws -> String {
        var encoder = ExportFormat.csv.encoder(profile: nil, isRaw: isRaw)
        var output: [UInt8] = []
        try encoder.add(
            ObservationGroup(participant: "a", source: source, received: Timestamp(seconds: 1), observations: [observation]), to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("CSV keeps the interval, half an hour west of Greenwich, a bare carriage return in a text, and no formula unless asked")
    func details() throws {
        let steps = Observation(
            metric: "steps", time: Timestamp(seconds: 1_484_840_182), interval: 86_400, content: .value(-8), unit: "{steps}", zone: -30)
        #expect(try csv(steps) == "a,1484840182,2017-01-19T15:06:22-00:30,steps,-8,{steps},,86400,,s,,,-30,1,,\r\n")
        let note = Observation(metric: "note", time: Timestamp(seconds: 1), content: .text("=1\rtwo"), unit: "1")
        #expect(try csv(note, source: "@a") == "a,1,1970-01-01T00:00:01Z,note,,1,\"'=1\rtwo\",,,'@a,,,,1,,\r\n")
        #expect(try csv(note, source: "@a", isRaw: true) == "a,1,1970-01-01T00:00:01Z,note,,1,\"=1\rtwo\",,,@a,,,,1,,\r\n")
    }

    @Test("FHIR has a panel for blood pressure, a period for a day's steps, a comparator for a sensor's Low, and every kind of entry")
    func fhirDetails() throws {
        func observation(_ metric: String, _ content: Observation.Content, _ unit: String, interval: Int32 = 0) -> Observation {
            Observation(metric: metric, time: Timestamp(seconds: 1_484_840_182), interval: interval, content: content, unit: unit, zone: 60)
        }
        var encoder = ExportFormat.fhir.encoder(profile: ParticipantProfile(first: "Anna"))
        var output: [UInt8] = []
        encoder.begin(&output)
        let observations = [
            observation("systolic-pressure", .value(120), "mm[Hg]"), observation("oxygen-saturation", .value(97), "%"),
            observation("diastolic-pressure", .value(80), "mm[Hg]"), observation("steps", .value(8214), "{steps}", interval: 86_400),
            observation("blood-glucose", .text("<40"), "mg/dL"), observation("vo2max", .value(41), "mL/min·kg"),
            observation("odd", .value(1), "a nonsense unit"), observation("heart-rate", .text("<0x1p3"), "/min"),
        ]
        try encoder.add(
            ObservationGroup(participant: "anna", source: "Dexcom G6", received: Timestamp(seconds: 5), observations: observations),
            to: &output)
        let lone = Observation(metric: "diastolic-pressure", time: Timestamp(seconds: 9), content: .value(81), unit: "mm[Hg]")
        try encoder.add(
            ObservationGroup(participant: "anna", source: "cuff", received: Timestamp(seconds: 9), observations: [lone]), to: &output)
        for kind in TimelineEntry.Kind.allCases {
            for ends in [nil, Timestamp(seconds: 20)] {
                let entry = TimelineEntry(
                    id: "\(kind.rawValue)-\(ends == nil)", kind: kind, time: Timestamp(seconds: 10), ends: ends, description: "Something",
                    value: kind == .result && ends == nil ? 5.5 : nil, text: kind == .result && ends != nil ? "Positive" : nil,
                    unit: "mmol/L",
                    codes: ["ICD-10-CM": ["J45"], "own list": ["x y", "z"]], detail: "10 mg")
                try encoder.add(entry, of: "anna", to: &output)
            }
        }
        try encoder.end(&output)
        let text = String(decoding: output, as: UTF8.self)
        #expect(
            try FHIRValidator.validate(text)
                == "AllergyIntolerance 2 CarePlan 2 Condition 2 Encounter 2 Immunization 2 MedicationStatement 2 Observation 12 Patient 1 Procedure 2"
        )
        let lines = text.split(separator: "\n").map(String.init)
        func line(_ part: String) -> String { lines.first { $0.contains(part) } ?? "" }
        let panel = line("85354-9")
        #expect(panel.contains("8480-6") && panel.contains("8462-4") && panel.contains("\"value\":120") && panel.contains("\"value\":80"))
        #expect(
            lines.count { $0.contains("85354-9") } == 2
                && lines.contains { $0.contains("data-absent-reason") && $0.contains("\"value\":81") })
        #expect(line("2708-6").contains("59408-5"))
        let steps = line("55423-8")
        #expect(steps.contains("\"effectivePeriod\":{\"end\":\"2017-01-20T16:36:22+01:00\",\"start\":\"2017-01-19T16:36:22+01:00\"}"))
        let glucose = line("99504-3")
        #expect(glucose.contains("\"comparator\":\"<\"") && glucose.contains("\"value\":40") && !glucose.contains("41653-7"))
        #expect(line("<0x1p3").contains("comparator") == false && !line("<0x1p3").isEmpty)
        #expect(line("mL/min·kg").contains("\"code\":\"mL/(min.kg)\""))
        #expect(line("a nonsense unit").contains("unitsofmeasure") == false)
    }

    @Test("the units of the catalogue are UCUM's, and what is not is not called so")
    func units() {
        for definition in MetricCatalogue.standard.definitions { #expect(UCUM.isValid(definition.unit), "\(definition.unit)") }
        for unit in [
            "mL/(min.kg)", "10*3/uL", "mm[Hg]", "/min", "{steps}", "kg/m2", "m/s2", "ug/L{total}", "[degF]", "1/s2", "dB[SPL]",
            "mL/min/{1.73_m2}",
        ] {
            #expect(UCUM.isValid(unit), "\(unit)")
        }
        for unit in ["", "mL/min·kg", "lbs", "beats", "kg/", "m//s", "(m", "{x", "°C", "mmHg", "m^2", "k", "m s"] {
            #expect(!UCUM.isValid(unit), "\(unit)")
        }
    }
}
