import Testing
import VigilSchema

@testable import CSVImport

/// Exports whose rows are nights and events rather than readings; the facts are those of Fitbit's and Synthea's documents and of public samples.
@Suite("nights and events of other exports")
struct EventTableTests {
    private static let patient = "9d188916-8390-282b-3ec2-73fce6e08649"

    @Test("Fitbit's nights: minutes, stages with their lengths, and short times awake apart from them, at the wearer's clock")
    func fitbitSleep() throws {
        let decoded = try #require(
            try Decoded.all(
                #"""
                [{ "logId" : 22128553286, "dateOfSleep" : "2019-04-28", "startTime" : "2019-04-27T23:09:00.000",
                   "endTime" : "2019-04-28T07:33:30.000", "duration" : 30240000, "minutesToFallAsleep" : 0, "minutesAsleep" : 438,
                   "minutesAwake" : 66, "minutesAfterWakeup" : 1, "timeInBed" : 504, "efficiency" : 86, "type" : "stages",
                   "levels" : { "summary" : { "deep" : { "count" : 4, "minutes" : 103 }, "wake" : { "count" : 33, "minutes" : 66 } },
                     "data" : [ { "dateTime" : "2019-04-27T23:09:00.000", "level" : "wake", "seconds" : 30 },
                                { "dateTime" : "2019-04-27T23:09:30.000", "level" : "light", "seconds" : 900 } ],
                     "shortData" : [ { "dateTime" : "2019-04-27T23:12:00.000", "level" : "wake", "seconds" : 60 } ] },
                   "mainSleep" : true },
                 { "logId" : 1, "dateOfSleep" : "2015-06-16", "startTime" : "2015-06-15T23:46:00.000", "endTime" : "2015-06-16T10:19:10.000",
                   "minutesAsleep" : 608, "timeInBed" : 633, "efficiency" : 97, "type" : "classic",
                   "levels" : { "summary" : { "restless" : { "count" : 14, "minutes" : 24 } },
                     "data" : [ { "dateTime" : "2015-06-15T23:46:00.000", "level" : "restless", "seconds" : 360 } ] } }]
                """#, name: "sleep-2019-04-28.json", options: .ofParticipant("Europe/Berlin")
            ).first)
        #expect(decoded.survey.profile.name == "fitbit-sleep" && decoded.rejects.isEmpty, "\(decoded.rejects.map(\.reason))")
        #expect(decoded.values("sleep-minutes") == [438, 608] && decoded.values("sleep-efficiency") == [86, 97])
        #expect(
            decoded.values("sleep-deep") == [6180] && decoded.values("sleep-awake") == [3960] && decoded.values("sleep-restless") == [1440])
        let night = try #require(decoded.rows.first { $0.metric == "sleep-minutes" })
        #expect(night.time == 1_556_399_340 && night.interval == 30_270 && night.zone == 120)
        let stages = decoded.rows.filter { $0.metric == "sleep-stage" }
        #expect(stages.map(\.text) == ["wake", "light", "restless"] && stages.map(\.interval) == [30, 900, 360])
        #expect(decoded.rows.filter { $0.metric == "sleep-stage-short" }.map(\.interval) == [60])
    }

    @Test("Fitbit's weights: dates month first, and a question about the unit that the account had")
    func fitbitWeight() throws {
        let text =
            #"[{ "logId" : 1499299199000, "weight" : 189.1, "bmi" : 27.39, "date" : "07/05/17", "time" : "23:59:59", "source" : "API" }]"#
        var options = ImportOptions.ofParticipant()
        options.units = ["weight": "[lb_av]"]
        let decoded = try #require(try Decoded.all(text, name: "weight-2017-07-05.json", options: options).first)
        #expect(decoded.survey.profile.name == "fitbit-weight" && decoded.rows.first?.time == 1_499_299_199)
        #expect(decoded.values("body-weight").map { ($0 * 10).rounded() / 10 } == [85.8] && decoded.values("body-mass-index") == [27.39])
        #expect(decoded.rows.count == 2)
    }

    @Test("Synthea's events become entries, each under an id that a later export gives it again")
    func synthea() throws {
        let row = "2009-09-27,,\(Self.patient),f2de2a64,111088007"
        let allergies = try #require(
            try Decoded.all(
                "START,STOP,PATIENT,ENCOUNTER,CODE,SYSTEM,DESCRIPTION,TYPE,CATEGORY,REACTION1,DESCRIPTION1,SEVERITY1\n\(row),SNOMED-CT,Latex (substance),allergy,environment,418290006,Itching (finding),MODERATE\n",
                name: "allergies.csv"
            ).first)
        let allergy = try #require(allergies.entries.first)
        #expect(allergy.participant == Self.patient && allergy.entry.kind == .allergy && allergy.entry.description == "Latex (substance)")
        #expect(allergy.entry.codes == ["SNOMED-CT": ["111088007"]] && allergy.entry.detail == "environment; Itching (finding), moderate")
        let header = "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION\n"
        let open = try #require(try Decoded.all("\(header)\(row),Sinusitis\n", name: "conditions.csv").first?.entries.first?.entry)
        let closed = try #require(
            try Decoded.all("\(header)\(row.replacing(",,", with: ",2009-10-04,")),Sinusitis\n", name: "conditions.csv").first?.entries
                .first)
        #expect(
            open.kind == .condition && open.ends == nil && open.id == closed.entry.id
                && closed.entry.ends == Timestamp(seconds: 1_254_614_400))
        let twice = try #require(try Decoded.all("\(header)\(row),Sinusitis\n\(row),Sinusitis\n", name: "x/conditions.csv").first)
        #expect(Set(twice.entries.map(\.entry.id)).count == 2 && twice.rows.isEmpty)
    }

    @Test(
        "each table by its columns",
        arguments: [
            (
                "START,STOP,PATIENT,PAYER,ENCOUNTER,CODE,DESCRIPTION,BASE_COST,PAYER_COVERAGE,DISPENSES,TOTALCOST,REASONCODE,REASONDESCRIPTION",
                "2009-09-27T14:12:44Z,,P,p,e,665078,Loratadine 5 MG,7.24,0.00,174,1259.76,1,Hay fever", TimelineEntry.Kind.medication
            ),
            ("DATE,PATIENT,ENCOUNTER,CODE,DESCRIPTION,BASE_COST", "2023-10-10T04:17:47Z,P,e,140,Influenza,140.52", .immunization),
            (
                "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION,BASE_COST,REASONCODE,REASONDESCRIPTION",
                "2023-10-10T04:17:47Z,2023-10-10T04:32:47Z,P,e,430193006,Reconciliation,735.40,,", .procedure
            ),
            (
                "Id,START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION,REASONCODE,REASONDESCRIPTION", "i,2009-09-13,,P,e,384758001,Self-care,,",
                .regimen
            ),
            (
                "Id,START,STOP,PATIENT,ORGANIZATION,PROVIDER,PAYER,ENCOUNTERCLASS,CODE,DESCRIPTION,TOTAL_CLAIM_COST,REASONCODE",
                "i,2023-01-27T16:17:47Z,2023-01-27T16:32:47Z,P,o,d,y,ambulatory,185345009,Encounter for symptom,,", .encounter
            ),
        ])
    func kinds(header: String, row: String, kind: TimelineEntry.Kind) throws {
        let decoded = try #require(try Decoded.all("\(header)\n\(row)\n", name: "table.csv").first)
        #expect(decoded.entries.map(\.entry.kind) == [kind] && decoded.entries[0].participant == "P")
        #expect(decoded.rows.isEmpty && decoded.rejects.isEmpty && decoded.account.accepted == 1)
    }

    @Test("patients fill profiles; what is no event is refused in words; a row without a time is refused at its line")
    func others() throws {
        let patients = try #require(
            try Decoded.all(
                "Id,BIRTHDATE,DEATHDATE,FIRST,LAST,GENDER\n\(Self.patient),2014-10-06,,Maynard46,Mosciski958,M\n", name: "patients.csv"
            ).first)
        #expect(patients.profiles.map(\.profile.birthDate) == ["2014-10-06"] && patients.profiles[0].profile.sex == .male)
        let claims = #expect(throws: ImportError.self) { try Decoded.all("Id,PATIENTID,PROVIDERID\n1,2,3\n", name: "claims.csv") }
        #expect(claims.map { "\($0)".contains("claims") && "\($0)".contains("--pattern") } == true)
        let unnamed = #expect(throws: ImportError.self) {
            try Decoded.all("START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION\n2009-09-27,,P,e,1,x\n", name: "table.csv")
        }
        #expect(unnamed.map { "\($0)".contains("conditions.csv") } == true)
        let untimed = try #require(
            try Decoded.all(
                "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION\n2009-09-27,,P,e,1,x\n,,P,e,1,y\n", name: "conditions.csv"
            ).first)
        #expect(untimed.entries.count == 1 && untimed.rejects.map(\.line) == [3])
    }
}
