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

    private static func importer(_ arguments: [String], _ suite: ImportTarget) throws -> ChildProcess {
        try ChildProcess(
            try BuiltCommand.path("vigil-import"), ["patients"] + arguments + ["--broker-port", "\(suite.broker.port)"],
            output: suite.folder.path("patients-\(UUID().uuidString).log"))
    }

    /// What the store holds of the person, a line each.
    private static func rows(_ store: StoreUnderTest) async throws -> [String] {
        let readings = try await ImportTarget.readings(of: store)
        let entries = try await store.rows("SELECT id, kind, description FROM entry ORDER BY id")
        let profiles = try await store.rows("SELECT first, sex, birth_date FROM profile")
        return readings.filter { $0.hasPrefix("ada ") }.sorted() + (entries + profiles).map { $0.joined(separator: "|") }
    }

    @Test("brings a record in once, over the bus or straight into a store, and names what was left out by file and place")
    func patients() async throws {
        let suite = try await ImportTarget(.sqlite, server: PostgresServer())
        let file = try suite.folder.write(Self.record, to: "ada.json"), rejects = suite.folder.path("rejects.csv")
        let direct = StoreUnderTest.sqlite(path: suite.folder.path("direct.sqlite"))
        for (store, flags) in [(suite.store, []), (direct, ["--store", direct.setting()])] {
            let first = try Self.importer([file, "--rejects", rejects] + flags, suite)
            #expect(try await first.waitForExit(within: .seconds(60)) == 3, "\(first.output)")
            #expect(first.output.contains("\(file): $.vital_signs[2]: left out: it has no time"))
            #expect(first.output.contains("ada: 5 items: 2 entries, 2 observations stored, 0 known, 1 left out"), "\(first.output)")
            let rows = try await Self.rows(store)
            #expect(rows.count == 5 && rows.contains("c1|condition|Asthma") && rows.contains("Ada|female|1969-12-31"), "\(rows)")
            let second = try Self.importer([file] + flags, suite)
            #expect(try await second.waitForExit(within: .seconds(60)) == 3)
            #expect(second.output.contains("0 observations stored, 2 known"), "\(second.output)")
            #expect(try await Self.rows(store) == rows)
        }
        let listed = try await ChildProcess.run("/bin/cat", [rejects], in: suite.folder)
        #expect(listed.contains("\(file),$.vital_signs[0].value.units,no,") && listed.contains("\(file),$.vital_signs[2],yes,"))
        try await suite.stop()
    }
}
