import FHIRMapping
import Foundation
import TestSupport
import Testing

@testable import Dashboard

@Suite("FHIR: entries, devices, everything and the summary", .timeLimit(.minutes(5)))
struct FHIREntryTests {
    private static func page(_ path: String, as account: String = "nurse", _ server: DashboardServer) async throws -> FHIRPageRead {
        let reply = try await FHIRFixture.get(path, as: account, server)
        #expect(reply.status == 200, "\(path) \(reply.text)")
        return try FHIRPageRead(reply)
    }

    @Test(
        "entries are found by type, code, status and time",
        arguments: [
            ("Condition?", 2), ("Condition?code=J45", 1), ("Condition?code=http://hl7.org/fhir/sid/icd-10-cm%7CJ45", 1),
            ("Condition?code=http://loinc.org%7CJ45", 0), ("Condition?clinical-status=active", 1),
            ("Condition?clinical-status=http://terminology.hl7.org/CodeSystem/condition-clinical%7Cresolved", 1),
            ("Condition?onset-date=ge2024-05-02", 0), ("AllergyIntolerance?", 1), ("MedicationStatement?status=active", 1),
            ("MedicationStatement?code=435", 1), ("Immunization?vaccine-code=141&date=2024-05-01", 1), ("Procedure?", 0), ("Device?", 4),
            ("Device?identifier=urn:vigil:source%7Ccuff", 1), ("Encounter?", 0), ("CarePlan?", 0),
        ])
    func search(_ search: String, _ expected: Int) async throws {
        try await FHIRFixture.run { server in
            let found = try await Self.page(search + "&patient=anna", server)
            #expect(found.ids.count == expected && found.total == expected)
            for id in found.ids {
                let type = search.prefix { $0 != "?" }
                let reply = try await FHIRFixture.get("\(type)/\(id)", as: "nurse", server)
                #expect(reply.status == 200 && reply.text.contains("\"id\":\"\(id)\""))
                #expect(try await FHIRFixture.get("\(type)/\(id)", as: "paul", server).status == 404)
                let other = type == "Condition" ? "Procedure" : "Condition"
                #expect(try await FHIRFixture.get("\(other)/\(id)", as: "nurse", server).status == 404)
            }
        }
    }

    @Test("each Observation refers to the Device that it is from")
    func devices() async throws {
        try await FHIRFixture.run { server in
            let devices = Set(try await Self.page("Device?patient=anna", server).ids.map { "Device/" + $0 })
            let observations = try await Self.page("Observation?patient=anna&_count=1000", server).entries
            let named = Set(observations.compactMap { ($0["device"] as? [String: Any])?["reference"] as? String })
            #expect(named == devices && devices.count == 4)
        }
    }

    @Test("everything is every resource once, page by page, and keeps to types and times", arguments: [3, 1000])
    func everything(_ count: Int) async throws {
        try await FHIRFixture.run { server in
            func all(_ search: String) async throws -> [[String: Any]] {
                var found: [[String: Any]] = []
                var path: String? = "Patient/anna/$everything?_count=\(count)\(search)"
                while let asked = path {
                    let page = try await Self.page(asked, server)
                    #expect(page.entries.count <= count)
                    found += page.entries
                    path = page.links["next"]
                }
                return found
            }
            let found = try await all("")
            let counts = Dictionary(grouping: found) { $0["resourceType"] as? String ?? "" }.mapValues(\.count)
            #expect(
                counts == [
                    "Patient": 1, "Device": 4, "Observation": 136, "Condition": 2, "AllergyIntolerance": 1, "MedicationStatement": 1,
                    "Immunization": 1,
                ])
            #expect(Set(found.compactMap { $0["id"] as? String }).count == found.count)
            #expect(try await all("&_type=Patient,Condition").count == 3)
            #expect(try await all("&_type=Observation&start=2024-05-01T00:10Z&end=2024-05-01T00:19Z").count == 10)
        }
    }

    @Test(
        "a place that a client made up ends nothing: it is the first page, or refused", arguments: ["0/-5/1", "0/999999/1", "-1/x/1", "//"])
    func place(_ place: String) async throws {
        try await FHIRFixture.run { server in
            let text = Data(place.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
            for path in ["Patient/anna/$everything?_count=1", "Patient?_count=1", "Condition?patient=anna&_count=1"] {
                let reply = try await FHIRFixture.get("\(path)&_place=\(text)", as: "ward", server)
                #expect([200, 400].contains(reply.status), "\(path)")
            }
        }
    }

    @Test("an alternative without a code is none that everything fits")
    func emptyAlternative() async throws {
        try await FHIRFixture.run { server in
            let named = try await Self.page("Condition?patient=anna&clinical-status=resolved", server).entries.count
            #expect(try await Self.page("Condition?patient=anna&clinical-status=resolved,", server).entries.count == named)
        }
    }

    @Test("the summary has the required sections, which say so where nothing is known, and each reference is in the document")
    func summary() async throws {
        try await FHIRFixture.run { server in
            for (person, sections, isKnown) in [("anna", 6, true), ("ben", 4, false)] {
                let reply = try await FHIRFixture.get("Patient/\(person)/$summary", as: "ward", server)
                let bundle = try #require(try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any])
                let resources = (bundle["entry"] as? [[String: Any]] ?? []).compactMap { $0["resource"] as? [String: Any] }
                let composition = try #require(resources.first)
                let found = composition["section"] as? [[String: Any]] ?? []
                #expect(bundle["type"] as? String == "document" && composition["resourceType"] as? String == "Composition")
                #expect(found.count == sections)
                let references = Set(found.flatMap { $0["entry"] as? [[String: String]] ?? [] }.compactMap { $0["reference"] })
                let there = Set(resources.dropFirst(2).map { "\($0["resourceType"] ?? "")/\($0["id"] ?? "")" })
                #expect(references == there && !there.isEmpty)
                #expect(reply.text.contains("no-allergy-info") != isKnown && reply.text.contains("no-problem-info") != isKnown)
                #expect(reply.text.contains("no-medication-info") != isKnown)
                // A reader of the words alone must see what is over, and of when a number is.
                #expect(reply.text.contains(/\(active, \d{4}-\d\d-\d\d/) == isKnown)
            }
            #expect(try await FHIRFixture.get("Patient/ben/$summary", as: "nurse", server).status == 404)
            #expect(try await FHIRFixture.get("Patient/ben/$everything", as: "nurse", server).status == 404)
        }
    }

    @Test("all of it passes an independent validator")
    func valid() async throws {
        try await FHIRFixture.run { server in
            var lines = ""
            for path in [
                "Patient/anna/$everything?_count=1000", "Patient/anna/$summary", "Patient/ben/$summary", "Device?patient=anna", "metadata",
            ] {
                lines += try await FHIRFixture.get(path, as: "ward", server).text.replacing("\n", with: " ") + "\n"
            }
            #expect(try FHIRValidator.validate(lines) == "Bundle 4 CapabilityStatement 1")
        }
    }

    @Test("a narrative holds what strangers wrote as text")
    func narrative() {
        let text = FHIR.Narrative(["<script>&amp;\u{1}"]).div
        #expect(text == "<div xmlns=\"http://www.w3.org/1999/xhtml\"><ul><li>&lt;script&gt;&amp;amp;</li></ul></div>")
    }
}
