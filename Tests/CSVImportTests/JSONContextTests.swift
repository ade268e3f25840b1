import Testing

@testable import CSVImport

@Suite("What stands around a list in JSON")
struct JSONContextTests {
    @Test("a value beside a list is no reading of each of its rows; who, when and what is")
    func beside() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                {"patient":"p7","weight":80,"age":40,"measurements":[{"time":"2024-01-01T10:00:00Z","heart rate":70},
                 {"time":"2024-01-01T10:01:00Z","heart rate":71},{"time":"2024-01-01T10:02:00Z","heart rate":72}]}
                """#, name: "a.json"
            ).first)
        #expect(decoded.values("heart-rate") == [70, 71, 72] && decoded.rows.count == 3, "\(decoded.rows.map(\.metric))")
        #expect(decoded.rows.allSatisfy { $0.participant == "p7" })
        #expect(decoded.survey.warnings.contains { $0.contains("\"weight\"") && $0.contains("\"age\"") }, "\(decoded.survey.warnings)")
    }

    @Test("Google Fit: both pressures of a reading")
    func pressures() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                {"Data Source":"raw:com.google.blood_pressure:x","Data Points":[
                 {"fitValue":[{"value":{"fpVal":121}},{"value":{"fpVal":79}},{"value":{"intVal":1}},{"value":{"intVal":0}}],"originDataSourceId":"cuff","endTimeNanos":1577890860000000000,"startTimeNanos":1577890860000000000,"dataTypeName":"com.google.blood_pressure"}]}
                """#, name: "fit.json", options: .ofParticipant()
            ).first)
        #expect(decoded.values("systolic-pressure") == [121] && decoded.values("diastolic-pressure") == [79])
        #expect(decoded.rows.count == 2 && decoded.rejects.isEmpty)
    }
}
