import CSVImport
import Foundation
import TestSupport
import Testing
import VigilSchema

@Suite("hReader records")
struct HReaderTests {
    private let reader = HReaderParser(now: Timestamp(seconds: 1_700_000_000))

    private func read(_ section: String) throws -> PatientRecord {
        try reader.read(Array(#"{"first":"A","last":"B","gender":"F","birthdate":-86400,\#(section)}"#.utf8))
    }

    @Test("reads a profile, also of someone born before 1970")
    func profile() throws {
        let record = try read(#""conditions":[]"#)
        #expect(record.profile == ParticipantProfile(first: "A", last: "B", birthDate: "1969-12-31", sex: .female))
    }

    @Test("takes numbers from strings, a unit from the catalogue where it is null, and says so")
    func vitalSigns() throws {
        let record = try read(
            #""vital_signs":[{"_id":"x","codes":{"LOINC":["39156-5"]},"time":1327899600,"value":{"scalar":"17.5","units":null}}]"#)
        #expect(
            record.observations == [
                Observation(metric: "body-mass-index", time: Timestamp(seconds: 1_327_899_600), content: .value(17.5), unit: "kg/m2")
            ])
        #expect(record.problems.map(\.path) == ["$.vital_signs[0].value.units"])
        #expect(record.rejected == 0)
    }

    @Test(
        "leaves out what has no time, no name, no number, or a code that contradicts its name, and says where",
        arguments: [
            (#""allergies":[{"_id":"x","codes":{},"time":1}]"#, "$.allergies[0]"),
            (#""conditions":[{"_id":"x","description":"Asthma","time":null,"start_time":null}]"#, "$.conditions[0]"),
            (#""vital_signs":[{"description":"BMI","time":1,"value":{"scalar":"Positive"}}]"#, "$.vital_signs[0].value"),
            (
                #""vital_signs":[{"description":"Systolic Blood Pressure","codes":{"SNOMED-CT":["271650006"]},"time":1,"value":{"scalar":90}}]"#,
                "$.vital_signs[0].codes"
            ),
            (#""vital_signs":[{"description":"Shoe size","codes":{},"time":1,"value":{"scalar":42}}]"#, "$.vital_signs[0].codes"),
            (#""vital_signs":[{"description":"BMI","time":1,"value":{"scalar":"1.7","units":"kg/m2"}}]"#, "$.vital_signs[0]"),
        ])
    func leftOut(section: String, path: String) throws {
        let record = try read(section)
        #expect(record.problems.filter(\.isRejected).map(\.path) == [path])
        #expect(record.entries.isEmpty && record.observations.isEmpty && record.items == 1)
    }

    @Test("keeps two values under one name, code and time, and reports that one may be another measure")
    func miscoded() throws {
        let item = #"{"description":"Total Cholesterol","codes":{"LOINC":["2093-3"]},"time":5,"value":{"scalar":"#
        let record = try read(#""results":[\#(item)"189.0"}},\#(item)"38.0"}}]"#)
        #expect(record.entries.map(\.value) == [189, 38])
        #expect(Set(record.entries.map(\.id)).count == 2)
        #expect(record.problems.contains { $0.path == "$.results[1]" && $0.reason.contains("different measure") })
    }

    @Test("refuses a file that is no record, and takes the rest of one with an unexpected type")
    func unexpected() throws {
        for text in ["[1]", "{\"a\": 1}", "{\"conditions\": ", ""] {
            #expect(throws: PayloadError.self) { try reader.read(Array(text.utf8)) }
        }
        let record = try read(
            #""allergies":[{"_id":"a","description":"Nuts","time":1,"reaction":["x"],"severity":{"description":"mild"}},7],"results":{"a":1},"medications":[{"_id":"a","description":"Aspirin","start_time":2}]"#
        )
        #expect(record.entries.map(\.description) == ["Nuts", "Aspirin"])
        #expect(record.entries.map(\.id) == ["a", "medication-a"], "one must not take the other's place")
        #expect(record.entries[0].detail == "mild")
        #expect(record.problems.filter(\.isRejected).map(\.path) == ["$.allergies[1]", "$.results"])
        #expect(record.problems.contains { $0.path == "$.allergies[0].reaction" && !$0.isRejected })
        #expect(record.items == 4)
    }

    @Test("keeps an illness without a time at the record's newest, and says so")
    func undated() throws {
        let record = try read(
            #""conditions":[{"_id":"c","description":"Asthma","start_time":null},{"_id":"d","description":"Flu","time":500}]"#)
        #expect(record.entries.map(\.description) == ["Flu", "Asthma"] && record.entries.map(\.time.seconds) == [500, 500])
        #expect(record.entries[1].detail?.contains("not known") == true)
    }

    @Test(
        "accounts for every item of the recorded patients, twice the same",
        .enabled(if: RecordedData.folder != nil, "\(RecordedData.hint)"),
        arguments: [("js", 37, 37 + 24 + 13 + 1 + 1, 1), ("ms", 61, 61 + 22 + 4 + 3 + 11 + 9 + 1 + 1, 1)])
    func recorded(name: String, observations: Int, items: Int, rejected: Int) throws {
        let file = try #require(RecordedData.folder).appending(path: "hreader/\(name).json")
        let bytes = [UInt8](try Data(contentsOf: file))
        let record = try reader.read(bytes)
        #expect(record.items == items)
        #expect(record.observations.count == observations)
        #expect(record.rejected == rejected)
        #expect(record.entries.count + record.observations.count + record.rejected == items)
        #expect(Set(record.entries.map(\.id)).count == record.entries.count)
        #expect(try reader.read(bytes).entries == record.entries)
    }
}
