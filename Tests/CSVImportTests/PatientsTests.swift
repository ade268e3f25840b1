import Foundation
import SuiteHarness
import TestSupport
import Testing

@Suite("vigil-import patients", .serialized, .timeLimit(.minutes(4)))
struct PatientsTests {
    private static let record = """
        {"first": "Ada", "last": "L", "gender": "F", "birthdate": -86400,
         "conditions": [{"_id": "c1", "description": "Asthma", "start_time": 1327899600, "end_time": null, "codes": {"SNOMED-CT": ["195967001"]}}],
         "results": [{"_id": "r1", "description": "LDL", "time": "1327899600", "value": {"scalar": "112", "units": "mg/dL"}}],
         "vital_signs": [
            {"_id": "v1", "description": "BMI", "codes": {"LOINC": ["39156-5"]}, "time": 1327899600, "value": {"scalar": "17.5", "units": null}},
            {"_id": "v2", "description": "Heart Rate", "codes": {"LOINC": ["8867-4"]}, "time": 1327899600, "value": {"scalar": 61, "units": "/min"}},
            {"_id": "v3", "description": "BMI", "codes": {"LOINC": ["39156-5"]}, "time": null, "value": {"scalar": 18}}]}
        """

    /// Returns what the store holds of the person, a line each.
    private static func rows(_ store: StoreUnderTest) async throws -> [String] {
        let readings = try await ImportTarget.readings(of: store)
        let entries = try await store.rows("SELECT id, kind, description FROM entry ORDER BY id")
        let profiles = try await store.rows("SELECT first, sex, birth_date FROM profile")
        return readings.filter { $0.hasPrefix("ada ") }.sorted() + (entries + profiles).map { $0.joined(separator: "|") }
    }

    /// Runs it on records, and gives what it said.
    private static func run(_ arguments: [String], _ suite: ImportTarget, state: String, code: Int32) async throws -> String {
        let importer = try suite.importer(arguments, state: state)
        #expect(try await importer.waitForExit(within: .seconds(60)) == code, "\(importer.output)")
        return importer.output
    }

    @Test("brings a record in once, over the bus or straight into a store, and names what was left out by file and place")
    func patients() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let file = try suite.folder.write(Self.record, to: "ada.json"), rejects = suite.folder.path("rejects.csv")
        let direct = StoreUnderTest.sqlite(path: suite.folder.path("direct.sqlite"))
        for (store, state, flags) in [(suite.store, "bus", []), (direct, "direct", ["--store", direct.setting()])] {
            let first = try await Self.run(["patients", file, "--rejects", rejects] + flags, suite, state: state, code: 3)
            #expect(first.contains("\(file): $.vital_signs[2]: left out: it has no time"))
            #expect(first.contains("ada: 5 items: 2 entries, 2 observations stored, 0 known, 1 left out; import "), "\(first)")
            let rows = try await Self.rows(store)
            #expect(rows.count == 5 && rows.contains("c1|condition|Asthma") && rows.contains("Ada|female|1969-12-31"), "\(rows)")
            let second = try await Self.run(["patients", file] + flags, suite, state: state, code: 3)
            #expect(second.contains("ada: is in already, by import "), "\(second)")
            let third = try await Self.run(["patients", "--again", file] + flags, suite, state: state, code: 3)
            #expect(third.contains("2 entries, 0 observations stored, 2 known"), "\(third)")
            #expect(try await Self.rows(store) == rows)
            let id = try #require(first.firstMatch(of: /; import (\w+)/)).1
            let undone = try await Self.run(["undo", String(id)] + flags, suite, state: state, code: 0)
            #expect(undone.contains("removed 4 observations and entries of \(file)"), "\(undone)")
            #expect(try await Self.rows(store) == ["Ada|female|1969-12-31"])
        }
        let listed = try await ChildProcess.run("/bin/cat", [rejects], in: suite.folder)
        #expect(listed.contains("\(file),$.vital_signs[0].value.units,no,") && listed.contains("\(file),$.vital_signs[2],yes,"))
        try await suite.stop()
    }

    @Test(
        "brings the recorded patients in over the bus, and takes one of them out again",
        .enabled(if: RecordedData.has("hreader"), "\(RecordedData.hint)"))
    func recorded() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let files = RecordedData.files(in: "hreader", extension: "json").map(\.path)
        let said = try await Self.run(["patients"] + files, suite, state: "import", code: 3)
        #expect(said.contains("js: 76 items: 38 entries, 37 observations stored, 0 known, 1 left out; import "), "\(said)")
        #expect(said.contains("ms: 112 items: 50 entries, 61 observations stored, 0 known, 1 left out; import "), "\(said)")
        let count =
            "SELECT (SELECT count(*) FROM reading r JOIN participant p ON p.id = r.participant WHERE p.name = 'NAME') || ',' || "
            + "(SELECT count(*) FROM entry e JOIN participant p ON p.id = e.participant WHERE p.name = 'NAME')"
        func counts(_ name: String) async throws -> String {
            try await suite.store.rows(count.replacing("NAME", with: name)).joined().joined()
        }
        #expect(try await [counts("js"), counts("ms")] == ["37,38", "61,50"])
        let id = try #require(said.firstMatch(of: /ms: 112 .*; import (\w+)/)).1
        _ = try await Self.run(["undo", String(id)], suite, state: "import", code: 0)
        #expect(try await [counts("js"), counts("ms")] == ["37,38", "0,0"])
        try await suite.stop()
    }
}
