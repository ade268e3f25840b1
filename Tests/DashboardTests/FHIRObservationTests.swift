import Foundation
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@testable import Dashboard

@Suite("FHIR: observations", .timeLimit(.minutes(5)))
struct FHIRObservationTests {
    private static func pages(_ search: String, as account: String = "nurse", _ server: DashboardServer) async throws -> [FHIRPageRead] {
        var pages: [FHIRPageRead] = []
        var path: String? = search
        while let asked = path {
            let reply = try await FHIRFixture.get(asked, as: account, server)
            #expect(reply.status == 200 && reply.headers["content-type"] == "application/fhir+json", "\(reply.text)")
            pages.append(try FHIRPageRead(reply))
            path = pages.last?.links["next"]
            try #require(pages.count < 500)
        }
        return pages
    }

    private static func count(_ search: String, _ server: DashboardServer) async throws -> Int {
        try await pages("Observation?patient=anna&_count=1000&\(search)", server).map(\.entries.count).reduce(0, +)
    }

    @Test(
        "pages of any length are the whole, each observation once, in order, also where a page ends within a moment",
        arguments: [1, 2, 7, 50])
    func paging(_ length: Int) async throws {
        try await FHIRFixture.run { server in
            for (sort, isNewestFirst) in [("-date", true), ("date", false)] {
                let search = "Observation?patient=anna&_sort=\(sort)"
                let whole = try await Self.pages(search + "&_count=1000", server)
                #expect(whole.count == 1 && Set(whole[0].ids).count == whole[0].ids.count)
                // 124 rates, five others, two of glucose, three pressures, a result and a note.
                #expect(whole[0].ids.count == 136)
                let pages = try await Self.pages(search + "&_count=\(length)", server)
                #expect(pages.flatMap(\.ids) == whole[0].ids)
                #expect(pages.allSatisfy { $0.ids.count <= length })
                let times = whole[0].entries.compactMap { resource -> Double? in
                    let period = (resource["effectivePeriod"] as? [String: String])?["start"]
                    let text = resource["effectiveDateTime"] as? String ?? period ?? ""
                    return DateTimeText(text)?.time.seconds
                }
                #expect(times.count == 136 && times == times.sorted(by: isNewestFirst ? (>) : (<)))
            }
        }
    }

    @Test("each is read by the id that a search gives, as the search gives it")
    func read() async throws {
        try await FHIRFixture.run { server in
            let all = try await Self.pages("Observation?patient=anna&_count=1000", server)[0]
            for resource in all.entries.prefix(20) + all.entries.suffix(20) {
                let id = try #require(resource["id"] as? String)
                let reply = try await FHIRFixture.get("Observation/\(id)", as: "nurse", server)
                let read = try #require(try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? NSDictionary)
                #expect(reply.status == 200 && read == resource as NSDictionary)
                #expect(try await FHIRFixture.get("Observation/\(id)", as: "paul", server).status == 404)
            }
            let id = try #require(all.ids.first)
            #expect(try await Self.count("_id=\(id),none", server) == 1)
            let some = all.ids.prefix(5).joined(separator: ",")
            #expect(
                try await Self.pages("Observation?patient=anna&_count=2&_id=\(some)", server).flatMap(\.ids) == Array(all.ids.prefix(5)))
            #expect(try await Self.count("_id=\(some)&_lastUpdated=lt2020", server) == 0)
            for wrong in [
                "none", id.dropLast() + "x", "\(id)x", "zzzzzzzz-1-\(String(repeating: "0", count: 32))",
                "\(id.prefix(9))zzzzzzzzzzzz\(id.suffix(33))",
            ] {
                #expect(try await FHIRFixture.get("Observation/\(wrong)", as: "nurse", server).status == 404)
            }
        }
    }

    @Test(
        "a code finds its observations",
        arguments: [
            ("code=http://loinc.org|8867-4", 124), ("code=8867-4", 124), ("code=http://snomed.info/sct|8867-4", 0), ("code=|8867-4", 0),
            ("code=8867-4,http://loinc.org|85354-9", 127), ("code=8867-4&code=85354-9", 0), ("code=85354-9", 3),
            ("code=8480-6", 0), ("combo-code=8480-6", 3), ("component-code=8462-4", 3), ("code=99504-3", 1),
            ("code=urn:vigil:metric|own-metric", 1), ("code=urn:vigil:metric|blood-glucose", 3), ("code=4548-4", 1), ("code=59408-5", 1),
            ("category=vital-signs", 128), ("status=final,amended", 136), ("status=cancelled", 0), ("category=laboratory", 4),
            ("category=survey", 2), ("category=activity", 2),
            ("category=vital-signs&code=59408-5", 1), ("category=laboratory&code=59408-5", 0),
            ("category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory", 4), ("code=http://loinc.org|", 133),
        ])
    func codes(_ search: String, _ expected: Int) async throws {
        try await FHIRFixture.run { server in
            let query = search.replacing("|", with: "%7C")
            #expect(try await Self.count(query, server) == expected)
            let found = try await Self.pages("Observation?patient=anna&_count=1&\(query)", server).flatMap(\.ids)
            #expect(Set(found).count == expected)
        }
    }

    @Test(
        "a date without a zone is on the wearer's clock, and each prefix keeps its end",
        arguments: [
            // The day in Berlin began at 22:00 UTC.
            ("date=2024-05-01", 136), ("date=2024-04-30", 0), ("date=ge2024-05-01T02:00", 136), ("date=ge2024-05-01T02:01", 127),
            ("date=2024-05-01T00:00Z", 9), ("date=2024-05-01T00:00:00Z", 6), ("date=gt2024-05-01T00:00:00Z", 130),
            ("date=le2024-05-01T00:00:00Z", 6), ("date=lt2024-05-01T00:00:00Z", 0),
            ("date=ge2024-05-01T00:10Z&date=lt2024-05-01T00:20Z", 10),
            ("date=ge2024-05-01T00:10Z&date=lt2024-05-01T00:20Z&code=8867-4", 10), ("date=2024", 136), ("date=2024-05", 136),
            ("date=sa2024-05-01", 0), ("date=gt9999", 0), ("date=eb0001", 0), ("date=le9999-12-31&date=ge0001", 136),
            ("_lastUpdated=gt9999", 0), ("date=eb2024-05", 0), ("date=ge2024-05-01T02:00:00%2B02:00", 136),
            ("date=ge2024-05-01T02:00:00+02:00", 136), ("_lastUpdated=ge2024-05-01T00:11Z", 1), ("_lastUpdated=lt2024-05-01T00:11Z", 133),
        ])
    func dates(_ search: String, _ expected: Int) async throws {
        try await FHIRFixture.run { server in
            let found = try await Self.count(search, server)
            #expect(found == expected)
        }
    }

    @Test("the newest of each code are found without the rest")
    func lastN() async throws {
        try await FHIRFixture.run { server in
            let one = try FHIRPageRead(try await FHIRFixture.get("Observation/$lastn?patient=anna", as: "nurse", server))
            // Rate, saturation, three codes of glucose in two, steps, own-metric, note as a metric, pressure, result, note as an entry.
            #expect(one.ids.count == 10 && one.total == 10, "\(one.entries.map { $0["code"] as Any })")
            let rates = try FHIRPageRead(
                try await FHIRFixture.get("Observation/$lastn?patient=anna&code=8867-4&max=3", as: "nurse", server))
            #expect(rates.entries.map { $0["effectiveDateTime"] as? String } == ["59", "58", "57"].map { "2024-05-01T03:\($0):00+02:00" })
            let pressure = try FHIRPageRead(
                try await FHIRFixture.get("Observation/$lastn?patient=anna&code=85354-9", as: "nurse", server))
            #expect((pressure.entries.first?["component"] as? [[String: Any]])?.allSatisfy { $0["valueQuantity"] != nil } == true)
            #expect(pressure.ids.count == 1)
        }
    }

    @Test("an export has the same ids and codes, so that both can be read together")
    func export() async throws {
        let folder = try TemporaryFolder("vigil-fhir-export")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        try await FHIRFixture.fill(store)
        let page = try await store.readings(
            participant: "anna", from: FHIRTimes.always.lowerBound, to: FHIRTimes.always.upperBound, limit: 1000)
        await store.close()
        var encoder = ExportFormat.fhir.encoder(profile: nil)
        var output: [UInt8] = []
        for reading in page.readings {
            let content = try #require(reading.content)
            let observation = Observation(
                metric: reading.metric, time: reading.time, sequence: reading.sequence, interval: reading.period ?? 0, content: content,
                unit: reading.unit, zone: reading.zone)
            let group = ObservationGroup(
                participant: "anna", source: reading.source, session: reading.session, received: reading.received,
                observations: [observation])
            try encoder.add(group, to: &output)
        }
        try encoder.end(&output)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").dropFirst().map { Data($0.utf8) }
        try await FHIRFixture.run { server in
            let served = try await Self.pages("Observation?patient=anna&_count=1000", server)[0].entries
            let exported = lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
            let codes = Dictionary(served.map { ($0["id"] as? String ?? "", $0["code"] as? NSDictionary) }) { $1 }
            // The results and notes that people entered are no readings.
            #expect(Set(exported.map { $0["id"] as? String ?? "" }).count == served.count - 2)
            for resource in exported { #expect(codes[resource["id"] as? String ?? ""] == resource["code"] as? NSDictionary) }
        }
    }

    @Test("everything that is served passes an independent validator")
    func valid() async throws {
        try await FHIRFixture.run { server in
            var lines = ""
            for path in [
                "metadata", "Patient", "Patient/anna", "Patient?_id=none", "Observation?patient=anna&_count=1000",
                "Observation?patient=anna&_count=2",
                "Observation/$lastn?patient=anna", "Observation?patient=anna&_sort=none", "Observation/none",
            ] {
                lines += try await FHIRFixture.get(path, as: "nurse", server).text.replacing("\n", with: " ") + "\n"
            }
            let counts = try FHIRValidator.validate(lines)
            #expect(counts == "Bundle 5 CapabilityStatement 1 OperationOutcome 2 Patient 1")
        }
    }
}
