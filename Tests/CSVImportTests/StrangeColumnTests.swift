import Foundation
import Testing

@testable import CSVImport

@Suite("columns of strangers' tables that must not be stored as what they resemble")
struct StrangeColumnTests {
    private func ambiguity(_ text: String, name: String = "x.csv") -> String? {
        do {
            _ = try Decoded.all(text, name: name, options: .ofParticipant())
            return nil
        } catch let error as ImportError {
            return error.code == .ambiguous ? error.message : nil
        } catch { return nil }
    }

    @Test(
        "what stands behind a unit's brackets belongs to the name",
        arguments: [
            ("Time,SpO2 (%),SpO2 (%) alarm limit\n2025-11-13T06:40:00Z,97,88\n", "oxygen-saturation", [97.0]),
            ("Time,Weight (kg) goal,Weight (kg)\n2025-11-13T06:40:00Z,75,82\n", "body-weight", [82]),
            ("Zeit;Puls (1/min) Grenzwert\n2025-11-13T06:40:00Z;120\n", "heart-rate", []),
            ("Time,Glucose (mg/dL) - target high\n2025-11-13T06:40:00Z,180\n", "blood-glucose", []),
            ("Time,Body fat (%),Body fat (%) - right arm\n2025-11-13T06:40:00Z,24,18\n", "body-fat", [24]),
        ])
    func suffixes(text: String, metric: String, values: [Double]) throws {
        #expect(try Decoded(text, options: .ofParticipant()).values(metric) == values)
    }

    @Test(
        "the time of an export, a transfer or a record's making is none of measuring",
        arguments: [
            "Exported at,Created,SpO2 (%)", "Received,Sampled,SpO2 (%)", "Sync time,Measurement,SpO2 (%)",
            "date_created,observed_on,SpO2 (%)",
            "created_at,measured,SpO2 (%)", "Exportdatum,Messung,SpO2 (%)", "Birth date,Datum,SpO2 (%)",
        ])
    func times(header: String) throws {
        let decoded = try Decoded("\(header)\n2026-11-28 10:00,2025-11-13 07:15,80\n", options: .ofParticipant())
        #expect(decoded.rows.filter { $0.metric == "oxygen-saturation" }.map(\.time) == [1_763_018_100])
    }

    @Test("asks where two columns that no word names hold times")
    func twoTimes() {
        #expect(ambiguity("Foo,Bar,SpO2 (%)\n2025-11-28 10:00,2025-11-13 07:15,80\n")?.contains("\"Foo\" and \"Bar\"") == true)
    }

    @Test("AM and PM in a column of their own belong to the time; other parts of a day are asked about")
    func clocks() throws {
        let decoded = try Decoded("Date,Time,AM/PM,Pulse\n2025-11-13,7:15,PM,71\n", options: .ofParticipant())
        #expect(decoded.rows.filter { $0.metric == "heart-rate" }.map(\.time) == [1_763_061_300])
        for text in [
            "Date,Hour,Heart rate\n2025-11-13,7,61\n", "Datum;Tageszeit;Puls\n13.11.2025;morgens;71\n13.11.2025;abends;68\n",
            "Date,Time,Period,Pulse\n2025-11-13,07:15,evening,71\n", "Date,Minute of day,Pulse\n2025-11-13,435,71\n",
        ] {
            #expect(ambiguity(text)?.contains("when in the day") == true, "\(text)")
        }
        #expect(ambiguity("Date,Time,Period,Pulse\n2025-11-13,19:15,evening,71\n2025-11-13,07:15,morning,71\n") == nil)
    }

    @Test("a second header begins a part, and rows below one that nobody knows are refused")
    func secondHeaders() throws {
        let parts = try Decoded.all(
            "Time,SYS,DIA\n2025-11-13T05:00:01Z,136,84\nTime,Weight,BMI\n2025-11-13T05:10:01Z,82,25\n", name: "x.csv",
            options: .ofParticipant("UTC", ["Weight": "kg"]))
        #expect(parts.flatMap { $0.values("systolic-pressure") } == [136] && parts.flatMap { $0.values("body-weight") } == [82])
        let unknown = try Decoded(
            "Time,SYS,DIA\n2025-11-13T05:00:01Z,136,84\nTime,Foo,Bar\n2025-11-13T05:10:01Z,82,25\nTime,SYS,DIA\n2025-11-13T05:20:01Z,130,80\n",
            options: .ofParticipant())
        #expect(unknown.values("systolic-pressure") == [136, 130] && unknown.rejects.contains { $0.reason.contains("second header") })
    }

    @Test(
        "rows that makers mark are left out",
        arguments: [
            ("Excluded", "true"), ("Discarded", "x"), ("finger_off", "1"), ("status", "planned"), ("status", "failed"),
            ("type", "predicted"),
            ("Sample Type", "Control Solution"), ("type", "Target"), ("Prime", "true"), ("[Control]", "Control"),
        ])
    func marks(header: String, mark: String) throws {
        let decoded = try Decoded(
            "Time,SpO2 (%),\(header)\n2025-11-13T06:30:00Z,97,\n2025-11-13T06:31:00Z,71,\(mark)\n", options: .ofParticipant())
        #expect(decoded.values("oxygen-saturation") == [97])
    }

    @Test("a value that its own column excludes is refused, and what else the row has is kept")
    func exclusion() throws {
        let decoded = try Decoded(
            "date,temperature.value,temperature.exclude,Pulse\n2025-11-13,36.45,false,60\n2025-11-14,37.90,true,61\n",
            options: .ofParticipant())
        #expect(decoded.rejects.map(\.reason) == ["the file excludes this value"] && decoded.values("heart-rate") == [60, 61])
    }

    @Test("a table of several persons is asked about where the user said one")
    func persons() throws {
        let text = "Patient ID,Time,SpO2 (%)\nanna,2025-11-13T06:40:00Z,97\nben,2025-11-13T06:41:00Z,80\n"
        #expect(ambiguity(text)?.contains("2 persons") == true)
        #expect(try Decoded(text).rows.map(\.participant) == ["anna", "ben"])
        #expect(ambiguity("Name,Date,SpO2 (%)\nAnna,2025-11-13,97\nBen,2025-11-13,80\n")?.contains("2 persons") == true)
        #expect(ambiguity("Name,Date,SpO2 (%)\nAnna,2025-11-13,97\nAnna,2025-11-14,80\n") == nil)
    }

    @Test("asks whether two digits are a year or a day where the year may come first")
    func shortYears() throws {
        #expect(ambiguity("Datum;Puls\n25-11-13;71\n25-11-14;72\n")?.contains("--date-order dmy") == true)
        #expect(
            try Decoded("Datum;Puls\n13.11.25;71\n14.11.25;72\n", options: .ofParticipant()).rows.map(\.time) == [
                1_762_992_000, 1_763_078_400,
            ])
    }

    @Test("Influx names what was measured by its field; unknown names of long tables are told")
    func long() throws {
        let decoded = try Decoded(
            "_time,_value,_field,_measurement\n2025-11-13T06:40:00Z,71,heart_rate,vitals\n2025-11-13T06:41:00Z,8,wobble,vitals\n",
            options: .ofParticipant())
        #expect(decoded.values("heart-rate") == [71] && decoded.survey.warnings.contains { $0.contains("\"wobble\"") })
    }

    @Test("a heart rate under bpm is not Oura's for that, and the next step names no metric")
    func claims() throws {
        let decoded = try Decoded.all(
            #"[{"timestamp":"2025-11-13T05:00:01Z","bpm":76,"spo2":80}]"#, name: "x.json", options: .ofParticipant())
        #expect(decoded.map(\.survey.profile.name) == ["generic"] && decoded[0].values("oxygen-saturation") == [80])
        #expect(ambiguity("Time,Value\n2025-11-13T05:00:01Z,76\n")?.contains("--metric 'Value=NAME'") == true)
    }
}

@Suite("drafts of profiles do not answer what an import asks")
struct ProfileDraftTests {
    /// The file read by the profile that `sniff` would write.
    private func byDraft(_ text: String) throws -> Decoded {
        let bytes = Array(text.utf8)
        let file = ImportFile(name: "x.csv") { () throws(ImportError) in MemorySource(bytes) }
        let survey = try Surveyor(options: .ofParticipant()).sniffed(file, now: Decoded.now)
        let draft = ProfileText(survey.profile, header: survey.header, options: .ofParticipant()).json5
        return try Decoded(text, options: .ofParticipant(), profile: try ProfileFile.parse(Array(draft.utf8), file: "draft"))
    }

    @Test(
        "the order of dates, silent columns",
        arguments: ["Date,Heart rate\n03/11/2025 19:15,71\n04/11/2025 19:15,72\n", "Time,Value\n2025-11-13T05:00:01Z,76\n"])
    func questions(text: String) throws {
        let error = #expect(throws: ImportError.self) { try byDraft(text) }
        #expect(error?.code == .ambiguous)
    }

    @Test("rows that are marked stay left out")
    func marks() throws {
        let decoded = try byDraft("datetime,glucose (mg/dL),is_deleted\n2025-11-13T19:30:00Z,142,0\n2025-11-13T19:35:00Z,44,1\n")
        #expect(decoded.values("blood-glucose") == [142])
    }

    @Test("a long table keeps its names, and a header with marks that nobody sees is readable")
    func names() throws {
        let long = try byDraft("Date,Time,Measurement,Value,Unit\n2025-11-13,06:31,Pulse,71,bpm\n2025-11-13,06:33,Weight,181.4,lbs\n")
        #expect(long.values("heart-rate") == [71] && long.values("body-weight").count == 1)
        #expect(try byDraft("Time,Heart\u{A0}rate,SpO2\u{200E}\n2025-11-13T05:00:01Z,71,97\n").values("oxygen-saturation") == [97])
    }
}
