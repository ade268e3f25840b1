import FHIRMapping
import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import Dashboard

@Suite("FHIR: rights, errors and the interface as a whole", .timeLimit(.minutes(5)))
struct FHIRServerTests {
    private static func code(_ reply: DashboardServer.Reply) throws -> String {
        #expect(reply.headers["content-type"] == "application/fhir+json")
        let outcome = try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any]
        #expect(outcome?["resourceType"] as? String == "OperationOutcome")
        return ((outcome?["issue"] as? [[String: Any]])?.first?["code"] as? String) ?? ""
    }

    @Test("a person sees themselves, a carer those assigned, and nobody else is there")
    func rights() async throws {
        try await FHIRFixture.run { server in
            func patients(_ account: String) async throws -> [String] {
                try FHIRPageRead(try await FHIRFixture.get("Patient", as: account, server)).ids
            }
            // FHIR's ids have no underscore.
            let paul = FHIRId.of(participant: "paul_1")
            #expect(try await patients("paul") == [paul])
            #expect(try await patients("nurse") == ["anna"])
            #expect(try await patients("ward") == ["anna", "ben", paul])
            #expect(try await FHIRFixture.get("Patient/ben", as: "nurse", server).status == 404)
            #expect(try await FHIRFixture.get("Patient/\(paul)", as: "paul", server).status == 200)
            let foreign = try await FHIRFixture.get("Observation?patient=ben", as: "nurse", server)
            #expect(try foreign.status == 200 && FHIRPageRead(foreign).ids.isEmpty)
            // Who sees one person need not name them.
            let own = try FHIRPageRead(try await FHIRFixture.get("Observation", as: "paul", server))
            #expect(own.ids.count == 3)
            #expect(try await FHIRFixture.get("Observation?patient=Patient/\(paul)", as: "ward", server).status == 200)
            let unnamed = try await FHIRFixture.get("Observation", as: "ward", server)
            #expect(try unnamed.status == 400 && Self.code(unnamed) == "required")
        }
    }

    @Test(
        "an operator, an analyst who may not know who somebody is, and nobody are refused",
        arguments: ["Patient", "Patient/anna", "Observation?patient=anna", "Observation/x", "Observation/$lastn?patient=anna"])
    func strangers(_ path: String) async throws {
        try await FHIRFixture.run { server in
            for account in ["oona", "ana"] {
                let reply = try await FHIRFixture.get(path, as: account, server)
                #expect(try reply.status == 404 && Self.code(reply) == "not-found")
            }
            let nobody = try await FHIRFixture.get(path, as: nil, server)
            #expect(try nobody.status == 401 && Self.code(nobody) == "login" && nobody.headers["www-authenticate"] == "Bearer")
            #expect(server.asked.all.allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains("\"people\"") })
        }
    }

    @Test("what is read and searched stands in the audit, with the person")
    func audit() async throws {
        try await FHIRFixture.run { server in
            for path in ["Patient/anna", "Observation?patient=anna", "Observation/$lastn?patient=anna"] {
                #expect(try await FHIRFixture.get(path, as: "nurse", server).status == 200)
            }
            let lines = try await server.accounts.audit(before: nil, limit: 10, participant: "anna").map {
                "\($0.actor) \($0.action) \($0.detail)"
            }
            #expect(lines == ["nurse fhir-search Observation/$lastn", "nurse fhir-search Observation", "nurse fhir-read Patient"])
        }
    }

    @Test(
        "a search that makes no sense is refused with an OperationOutcome",
        arguments: [
            "date=yesterday", "date=2024-13-01", "date=ne2024", "date=2024-02-30", "date=99999999999999", "_count=-1", "_count=x",
            "_sort=code",
            "_place=x", "_place=LTk5", "code:below=8867-4", "patient:Device=anna", "patient=ben", "_sort=date&_sort=-date",
            "date=2024-01-01,2024-01-02",
        ])
    func malformed(_ search: String) async throws {
        try await FHIRFixture.run { server in
            let reply = try await FHIRFixture.get("Observation?patient=anna&\(search)", as: "ward", server)
            #expect(try reply.status == 400 && Self.code(reply) == "invalid", "\(reply.text)")
        }
    }

    @Test("an unknown parameter is refused in strict handling, else passed over and left out of the page's own link")
    func unknown() async throws {
        try await FHIRFixture.run { server in
            let search = "Observation?patient=anna&value-quantity=gt5&_count=2&code=8867-4"
            let strict = try await FHIRFixture.get(search, as: "nurse", headers: ["Prefer": "handling=strict"], server)
            #expect(try strict.status == 400 && Self.code(strict) == "not-supported")
            let lenient = try FHIRPageRead(try await FHIRFixture.get(search, as: "nurse", server))
            #expect(lenient.links["self"] == server.base + "/fhir/R4/Observation?patient=anna&code=8867-4&_count=2")
            #expect(lenient.ids.count == 2 && lenient.links["next"]?.contains("_place=") == true)
            let known =
                "Observation?patient=anna&code=8867-4&category=vital-signs&date=ge2024&_lastUpdated=ge2020&_sort=date&_count=5&_format=json"
            #expect(try await FHIRFixture.get(known, as: "nurse", headers: ["Prefer": "handling=strict"], server).status == 200)
        }
    }

    @Test("pages are bounded, whatever is asked for")
    func bounds() async throws {
        try await FHIRFixture.run { server in
            let many = try await FHIRFixture.get("Observation?patient=anna&_count=1000000", as: "nurse", server)
            #expect(try many.status == 200 && FHIRPageRead(many).ids.count == 136)
            let none = try FHIRPageRead(try await FHIRFixture.get("Observation?patient=anna&_count=0", as: "nurse", server))
            #expect(none.ids.isEmpty && none.links["next"] == nil)
            let long = try await FHIRFixture.get(
                "Observation?patient=anna&code=" + String(repeating: "1,", count: 2100), as: "nurse", server)
            #expect(long.status == 400)
            let names = (0..<600).map { "m\($0)" }.joined(separator: ",")
            let wide = try await FHIRFixture.get("Observation?patient=anna&code=" + names, as: "nurse", server)
            #expect(try wide.status == 400 && Self.code(wide) == "too-costly", "\(wide.status)")
        }
    }

    @Test("anybody may ask what the interface can do, and every search and interaction that it names works")
    func metadata() async throws {
        try await FHIRFixture.run { server in
            let reply = try await FHIRFixture.get("metadata", as: nil, server)
            let document = try #require(try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any])
            let rest = try #require((document["rest"] as? [[String: Any]])?.first?["resource"] as? [[String: Any]])
            for resource in rest {
                let type = try #require(resource["type"] as? String)
                let interactions = (resource["interaction"] as? [[String: String]] ?? []).compactMap { $0["code"] }
                #expect(interactions == ["read", "search-type"])
                let subject = type == "Patient" ? "" : "patient=anna&"
                #expect(try await FHIRFixture.get("\(type)/none", as: "nurse", server).status == 404)
                for parameter in resource["searchParam"] as? [[String: String]] ?? [] {
                    let name = parameter["name"] ?? ""
                    let value = ["date": "ge2000", "number": "1", "reference": "anna"][parameter["type"] ?? ""] ?? "x"
                    let path = "\(type)?\(["patient", "subject"].contains(name) ? "" : subject)\(name)=\(value)"
                    let answer = try await FHIRFixture.get(path, as: "nurse", headers: ["Prefer": "handling=strict"], server)
                    #expect(answer.status == 200, "\(path) \(answer.text)")
                }
            }
        }
    }

    @Test("XML, other methods and other types are refused in words")
    func unsupported() async throws {
        try await FHIRFixture.run { server in
            let xml = try await FHIRFixture.get("Patient?_format=xml", as: "nurse", server)
            #expect(try xml.status == 406 && Self.code(xml) == "not-supported")
            let header = try await FHIRFixture.get("Patient", as: "nurse", headers: ["Accept": "application/fhir+xml"], server)
            #expect(header.status == 406)
            let cookie = try await server.cookie("nurse")
            for (method, path) in [("POST", "Patient"), ("DELETE", "Patient/anna"), ("GET", "Practitioner"), ("GET", "Patient/anna/x/y")] {
                let reply = try await server.send(method, "/fhir/R4/" + path, as: cookie)
                #expect(try reply.status == 404 && Self.code(reply) == "not-supported")
            }
        }
    }

    @Test("while the timeline does not answer, a search is told to come again")
    func away() async throws {
        struct Away: Error {}
        try await DashboardServer.run(answering: { _ in throw Away() }) { server in
            let reply = try await FHIRFixture.get("Observation?patient=anna", as: "nurse", server)
            #expect(try reply.status == 503 && Self.code(reply) == "transient")
        }
    }

    @Test("a search may be sent as a form with a token, and not with a browser's cookie")
    func form() async throws {
        try await FHIRFixture.run { server in
            let token = try await server.accounts.makeToken(for: "nurse", label: "form", now: 0)
            let type = ["Content-Type": "application/x-www-form-urlencoded"]
            let body = "patient=anna&code=http%3A%2F%2Floinc.org%7C8867-4&_count=3&date=ge2024-05-01T02%3A00%3A00%2B02%3A00"
            let all = type.merging(["Authorization": "Bearer " + token]) { $1 }
            let reply = try await server.send("POST", "/fhir/R4/Observation/_search", body: body, headers: all)
            let page = try FHIRPageRead(reply)
            #expect(reply.status == 200 && page.ids.count == 3)
            let next = try await FHIRFixture.get(try #require(page.links["next"]), as: "nurse", server)
            #expect(try FHIRPageRead(next).ids.count == 3)
            let cookie = try await server.cookie("nurse")
            let browser = try await server.send("POST", "/fhir/R4/Observation/_search", as: cookie, body: body, headers: type)
            #expect(browser.status == 415)
        }
    }

    @Test(
        "people are found by what is known of them",
        arguments: [
            ("birthdate=1950-02-03", 1), ("birthdate=1950", 1), ("birthdate=gt1950", 0), ("gender=female", 1), ("gender=male", 0),
            ("name=ber", 1),
            ("name=erg", 0), ("name:contains=erg", 1), ("family:exact=berg", 0), ("given=anna,bob", 1),
            ("identifier=urn:vigil:participant%7Canna", 1),
            ("identifier=ben", 1), ("_id=anna,ben", 2), ("", 3),
        ])
    func people(_ search: String, _ expected: Int) async throws {
        try await FHIRFixture.run { server in
            let page = try FHIRPageRead(try await FHIRFixture.get("Patient?\(search)", as: "ward", server))
            #expect(page.ids.count == expected && page.total == expected)
        }
    }

    @Test("people come page by page")
    func patientPages() async throws {
        try await FHIRFixture.run { server in
            var found: [String] = []
            var path: String? = "Patient?_count=1"
            while let asked = path {
                let page = try FHIRPageRead(try await FHIRFixture.get(asked, as: "ward", server))
                found += page.ids
                path = page.links["next"]
            }
            #expect(found == ["anna", "ben", FHIRId.of(participant: "paul_1")])
        }
    }
}
