import Foundation
import Testing
import VigilSchema

@testable import CSVImport

@Suite("FHIR R4")
struct FHIRImportTests {
    private static let resources = [
        #"{"resourceType":"Patient","id":"pat-1","name":[{"family":"Doe","given":["Jane"]}],"gender":"female","birthDate":"1980-05-01"}"#,
        #"{"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},"subject":{"reference":"Patient/pat-1"},"effectiveDateTime":"2024-03-25T10:00:00+01:00","valueQuantity":{"value":61,"unit":"beats/minute","code":"/min"},"device":{"display":"Watch"}}"#,
        #"{"resourceType":"Observation","id":"o2","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"85354-9"}]},"subject":{"reference":"Patient/pat-1"},"effectiveDateTime":"2024-03-25T10:00:00Z","component":[{"code":{"coding":[{"system":"http://loinc.org","code":"8480-6"}]},"valueQuantity":{"value":120,"code":"mm[Hg]"}},{"code":{"coding":[{"system":"http://loinc.org","code":"8462-4"}]},"valueQuantity":{"value":80,"code":"mm[Hg]"}}]}"#,
        #"{"resourceType":"Observation","id":"o3","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"15074-8"}],"text":"Glucose"},"subject":{"reference":"Patient/pat-1"},"effectivePeriod":{"start":"2024-03-25T10:00:00Z","end":"2024-03-25T10:05:00Z"},"valueQuantity":{"value":6.3,"unit":"mmol/l","code":"mmol/L"}}"#,
        #"{"resourceType":"Observation","id":"o4","status":"final","code":{"text":"Smoking status"},"subject":{"reference":"Patient/pat-1"},"effectiveDateTime":"2024-03-25","valueCodeableConcept":{"text":"Never"}}"#,
        #"{"resourceType":"Observation","id":"o5","status":"final","code":{"coding":[{"code":"131328"}]},"subject":{"reference":"Patient/pat-1"},"effectiveDateTime":"2024-03-25T10:00:00Z","valueSampledData":{"origin":{"value":0,"code":"mV"},"period":4,"factor":0.5,"dimensions":1,"data":"1 2 -1"}}"#,
        #"{"resourceType":"Observation","id":"o6","status":"final","code":{"coding":[{"code":"2339-0"}]},"subject":{"reference":"Patient/pat-1"},"effectiveDateTime":"2024-03-25T10:00:00Z","valueQuantity":{"value":40,"comparator":"<","code":"mg/dL"}}"#,
        #"{"resourceType":"Observation","id":"o7","status":"entered-in-error","code":{"text":"x"},"valueString":"y"}"#,
        #"{"resourceType":"Condition","id":"c1","code":{"coding":[{"system":"http://snomed.info/sct","code":"195967001","display":"Asthma"}]},"subject":{"reference":"Patient/pat-1"},"onsetDateTime":"2012-01-30"}"#,
        #"{"resourceType":"AllergyIntolerance","id":"c1","code":{"text":"Nuts"},"patient":{"reference":"Patient/pat-1"},"recordedDate":"2010"}"#,
        #"{"resourceType":"MedicationRequest","id":"m1","medicationCodeableConcept":{"text":"Aspirin"},"subject":{"reference":"Patient/pat-1"},"authoredOn":"2020-02-01T08:00:00Z","dosageInstruction":[{"text":"one a day"}]}"#,
        #"{"resourceType":"Immunization","id":"i1","vaccineCode":{"coding":[{"system":"http://hl7.org/fhir/sid/cvx","code":"140","display":"Influenza"}]},"patient":{"reference":"Patient/pat-1"},"occurrenceDateTime":"2021-10-01"}"#,
        #"{"resourceType":"Encounter","id":"e1","type":[{"text":"Check-up"}],"subject":{"reference":"Patient/pat-1"},"period":{"start":"2021-10-01T09:00:00Z","end":"2021-10-01T09:30:00Z"}}"#,
        #"{"resourceType":"Claim","id":"x"}"#,
    ]

    private static let forms = [
        resources.joined(separator: "\n"), "[\(resources.joined(separator: ","))]",
        #"{"resourceType":"Bundle","type":"collection","entry":["#
            + resources.map { #"{"fullUrl":"urn:uuid:1","resource":\#($0)}"# }.joined(separator: ",") + #"],"total":14}"#,
    ]

    @Test("reads resources a line, in a list and in a Bundle, to the same readings and entries", arguments: forms)
    func read(text: String) throws {
        let all = try Decoded.all(text, name: "x.json")
        try #require(all.count == 1)
        let decoded = all[0]
        #expect(decoded.rows.allSatisfy { $0.participant == "pat-1" })
        #expect(decoded.values("heart-rate") == [61] && decoded.rows[0].zone == 60 && decoded.rows[0].source == "Watch")
        #expect(decoded.values("systolic-pressure") == [120] && decoded.values("diastolic-pressure") == [80])
        #expect(abs(decoded.values("blood-glucose")[0] - 6.3 * 18.016) < 1e-9)
        #expect(decoded.rows.first { $0.metric == "blood-glucose" }?.interval == 300)
        #expect(decoded.rows.contains { $0.metric == "smoking-status" && $0.text == "Never" })
        #expect(decoded.rows.first { $0.metric == "ecg" }?.samples == [0.5, 1, -0.5])
        #expect(decoded.rejects.isEmpty && decoded.rows.contains { $0.metric == "blood-glucose" && $0.text == "<40" })
        #expect(decoded.entries.map(\.entry.kind) == [.condition, .allergy, .medication, .immunization, .encounter])
        #expect(Set(decoded.entries.map(\.entry.id)).count == 5, "ids are unique within a type only")
        #expect(decoded.entries[0].entry.codes == ["SNOMED-CT": ["195967001"]] && decoded.entries[2].entry.detail == "one a day")
        #expect(decoded.profiles.map(\.profile.birthDate) == ["1980-05-01"])
        #expect(decoded.notes == ["left out: 1 Claim, 1 Observation (entered-in-error)"])
        #expect(
            decoded.account.rows == 14 && decoded.account.accepted == 7 + 5 + 1 && decoded.account.rejected == 0
                && decoded.account.ignored == 2)
    }

    @Test("takes laboratory results by their codes, in grams or moles, as the metrics that the module of medical tests reads")
    func laboratory() throws {
        let cases = [
            ("2160-0", "1.1", "mg/dL", "serum-creatinine", 1.1), ("14682-9", "88.4", "umol/L", "serum-creatinine", 1.0),
            ("718-7", "14.2", "g/dL", "haemoglobin", 14.2), ("718-7", "142", "g/L", "haemoglobin", 14.2),
            ("14647-2", "5.2", "mmol/L", "total-cholesterol", 201.06), ("59261-8", "53", "mmol/mol", "hba1c", 7.0),
            ("777-3", "250", "10*9/L", "platelets", 250), ("6690-2", "6.1", "10*3/uL", "leukocytes", 6.1),
            ("3016-3", "2.5", "m[IU]/L", "thyrotropin", 2.5), ("30522-7", "1.2", "mg/dL", "c-reactive-protein", 12),
        ]
        for (code, value, unit, metric, expected) in cases {
            let text = """
                {"resourceType":"Observation","id":"l","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"\(code)"}],\
                "text":"x"},"subject":{"reference":"Patient/p"},"effectiveDateTime":"2024-03-25T10:00:00Z",\
                "valueQuantity":{"value":\(value),"unit":"\(unit)","code":"\(unit)"}}
                """
            let decoded = try #require(try Decoded.all(text, name: "x.json").first)
            let found = try #require(decoded.values(metric).first, "\(code) \(unit): \(decoded.rejects)")
            #expect(abs(found - expected) < 0.01, "\(code) \(found)")
        }
    }

    @Test("gives Vigil's own exports back under the identities that they had")
    func own() throws {
        let decoded = try Decoded(
            #"{"resourceType":"Observation","id":"x","identifier":[{"system":"urn:vigil:observation","value":"p_1|odd-metric|belt|1711360800123456|3"}],"status":"final","code":{"text":"Odd metric"},"subject":{"reference":"Patient/p-1"},"effectiveDateTime":"2024-03-25T11:00:00.123456+01:00","valueQuantity":{"value":7,"code":"1"}}"#,
            name: "x.json")
        let row = try #require(decoded.rows.first)
        #expect(row.participant == "p_1" && row.metric == "odd-metric" && row.source == "belt" && row.sequence == 3)
        #expect(row.time == 1_711_360_800.123456 && row.zone == 60)
    }

    @Test("refuses broken JSON with its line, and says what a resource lacks")
    func broken() throws {
        let error = #expect(throws: ImportError.self) { try Decoded("{\"resourceType\":\"Observation\",\n\"code\": }", name: "x.json") }
        #expect(error?.message.contains("line 2") == true)
        let bare = try Decoded(#"{"resourceType":"Observation","code":{"text":"Pulse"},"valueInteger":60}"#, name: "x.json")
        #expect(bare.rejects.map(\.reason) == ["it has no effective time, or one that cannot be read"])
    }

    // MARK: Units

    private static func observation(_ code: String, _ value: String, id: String = "o", more: String = "") -> String {
        """
        {"resourceType":"Observation","id":"\(id)","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"\(code)"}]},\
        "subject":{"reference":"Patient/p"},"effectiveDateTime":"2024-03-25T10:00:00Z"\(more),"valueQuantity":{\(value)}}
        """
    }

    @Test(
        "a number without a unit is in the one that its code fixes",
        arguments: [
            ("15074-8", "25", "blood-glucose", 450.4), ("2339-0", "25", "blood-glucose", 25), ("14682-9", "88.4", "serum-creatinine", 1),
            ("14647-2", "5.2", "total-cholesterol", 201.06), ("59261-8", "53", "hba1c", 7.0), ("2160-0", "1.1", "serum-creatinine", 1.1),
        ])
    func fixedUnits(code: String, value: String, metric: String, expected: Double) throws {
        let decoded = try Decoded(Self.observation(code, "\"value\": \(value)"), name: "x.json")
        let found = try #require(decoded.values(metric).first, "\(decoded.rejects)")
        #expect(abs(found - expected) < 0.01, "\(found)")
    }

    @Test(
        "a number without a unit is asked about where its code leaves open which, and taken in the one that is said",
        arguments: [
            ("29463-7", "\"value\":150", "body-weight", "[lb_av]", 68.04), ("8310-5", "\"value\":98.6", "body-temperature", "[degF]", 37),
            ("99505-0", "\"value\":25", "blood-glucose", "mmol/L", 450.4),
        ])
    func openUnits(code: String, value: String, metric: String, unit: String, expected: Double) throws {
        let text = Self.observation(code, value)
        let error = #expect(throws: ImportError.self) { try Decoded(text, name: "x.json") }
        #expect(error?.code == .ambiguous && error?.message.contains("--unit '\(metric)=") == true, "\(error?.message ?? "")")
        let decoded = try Decoded(text, name: "x.json", options: .ofParticipant(nil, [metric: unit]))
        let found = try #require(decoded.values(metric).first, "\(decoded.rejects)")
        #expect(abs(found - expected) < 0.01, "\(found)")
        // What names its own unit, or can be believed in one only, is not asked about.
        #expect(try Decoded(Self.observation("29463-7", "\"value\":150,\"code\":\"[lb_av]\""), name: "x.json").rows.count == 1)
        let warm = try Decoded(Self.observation("8310-5", "\"value\":37.2"), name: "x.json")
        #expect(warm.values("body-temperature") == [37.2] && warm.survey.warnings.contains { $0.contains("names no unit") })
    }

    @Test("a limit without a unit is asked about like a number")
    func openLimit() throws {
        let text = Self.observation("99505-0", "\"value\":25,\"comparator\":\">\"")
        let error = #expect(throws: ImportError.self) { try Decoded(text, name: "x.json") }
        #expect(error?.code == .ambiguous)
    }

    @Test("the questions of a file in the browser are those of its units")
    func asked() throws {
        let bytes = Array(Self.observation("29463-7", "\"value\":150").utf8)
        let file = ImportFile(name: "x.json") { () throws(ImportError) in MemorySource(bytes) }
        let finding = FileStudy(ImportOptions(), chosen: nil, now: Decoded.now).finding(of: file)
        #expect(finding.questions.map(\.column) == ["body-weight"] && finding.problem == nil, "\(finding)")
        #expect(finding.questions.first?.choices.map(\.value) == ["kg", "[lb_av]"])
    }

    // MARK: What is no fact

    @Test(
        "leaves out what says of itself that it is wrong or was never done, and says how many and why",
        arguments: [
            ("Condition", "refuted", true), ("Condition", "entered-in-error", true), ("AllergyIntolerance", "refuted", true),
            ("AllergyIntolerance", "entered-in-error", true), ("MedicationStatement", "not-taken", false),
            ("MedicationStatement", "entered-in-error", false), ("MedicationRequest", "cancelled", false),
            ("MedicationAdministration", "not-done", false), ("Immunization", "not-done", false),
            ("Immunization", "entered-in-error", false), ("Procedure", "not-done", false), ("Procedure", "entered-in-error", false),
            ("DiagnosticReport", "entered-in-error", false), ("DiagnosticReport", "cancelled", false), ("Encounter", "cancelled", false),
            ("CarePlan", "entered-in-error", false), ("Communication", "not-done", false),
        ])
    func untrue(type: String, word: String, isVerification: Bool) throws {
        func text(_ word: String) -> String {
            let status =
                isVerification
                ? #""verificationStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/x","code":"\#(word)"}]}"#
                : #""status":"\#(word)""#
            return """
                {"resourceType":"\(type)","id":"r",\(status),"code":{"text":"Thing"},"vaccineCode":{"text":"Thing"},\
                "subject":{"reference":"Patient/p"},"patient":{"reference":"Patient/p"},"recordedDate":"2020-01-02",\
                "issued":"2020-01-02T00:00:00Z"}
                """
        }
        let decoded = try Decoded(text(word), name: "x.json")
        #expect(decoded.entries.isEmpty && decoded.rejects.isEmpty && decoded.account.ignored == 1)
        #expect(decoded.notes == ["left out: 1 \(type) (\(word))"])
        #expect(try Decoded(text(isVerification ? "confirmed" : "completed"), name: "x.json").entries.count == 1)
    }

    @Test("leaves out an order not to take a medicine")
    func notToTake() throws {
        let text =
            #"{"resourceType":"MedicationRequest","id":"m","status":"active","doNotPerform":true,"medicationCodeableConcept":{"text":"Aspirin"},"subject":{"reference":"Patient/p"},"authoredOn":"2020-02-01"}"#
        let decoded = try Decoded(text, name: "x.json")
        #expect(decoded.entries.isEmpty && decoded.notes == ["left out: 1 MedicationRequest (do-not-perform)"])
    }

    // MARK: Blood pressure

    private static func panel(_ systolic: String, _ diastolic: String) -> String {
        let parts = [("8480-6", systolic), ("8462-4", diastolic)].map { code, value in
            #"{"code":{"coding":[{"system":"http://loinc.org","code":"\#(code)"}]},\#(value)}"#
        }
        return """
            {"resourceType":"Observation","id":"bp","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"85354-9"}]},\
            "subject":{"reference":"Patient/p"},"effectiveDateTime":"2024-03-25T10:00:00Z","component":[\(parts.joined(separator: ","))]}
            """
    }

    @Test("keeps no half of a blood pressure whose other half is refused, and none with the systolic below the diastolic")
    func pressure() throws {
        func value(_ number: Int) -> String { #""valueQuantity":{"value":\#(number),"code":"mm[Hg]"}"# }
        let both = try Decoded(Self.panel(value(120), value(80)), name: "x.json")
        #expect(both.rows.map(\.value) == [120, 80] && both.rejects.isEmpty)
        for (panel, alone) in [
            (Self.panel(value(1200), value(80)), "diastolic-pressure"), (Self.panel(value(120), value(800)), "systolic-pressure"),
        ] {
            let half = try Decoded(panel, name: "x.json")
            #expect(half.rows.isEmpty && half.account.accepted == 0 && half.account.rejected == 2)
            #expect(half.rejects.last?.reason == "\(alone) is not kept without the other half of the blood pressure, which was refused")
        }
        let reversed = try Decoded(Self.panel(value(80), value(120)), name: "x.json")
        #expect(reversed.rows.isEmpty && reversed.account.accepted == 0)
        #expect(reversed.rejects.map(\.reason) == Array(repeating: "the systolic pressure is below the diastolic one", count: 2))
        // What says that it was not measured refuses nothing.
        let felt = try Decoded(Self.panel(value(120), #""dataAbsentReason":{"text":"palpated"}"#), name: "x.json")
        #expect(felt.rows.map(\.value) == [120] && felt.rejects.isEmpty)
    }
}
