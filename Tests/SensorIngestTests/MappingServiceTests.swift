import Foundation
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest
@testable import ServiceKit
@testable import Settings

@Suite("Mappings of a running service")
struct MappingServiceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ topic: String) -> String {
        """
        {mappings: [{topics: ["\(topic)"], format: "plain", participant: "anna", device: "a", readings: [{metric: "heart-rate", value: "."}]}]}
        """
    }

    private func read(_ name: String, _ context: ServiceContext) async throws -> String {
        let parameter = try #require(context.exchange.list.first { $0.name == name })
        return try await parameter.read().text
    }

    @Test("are none without files, and nobody listens to what bridges announce")
    func none() async throws {
        let context = try IngestContext.make(in: folder)
        let service = try MappingService(context)
        #expect(service.members.isEmpty && service.formerFilters.isEmpty)
        #expect(service.rules.current.mappings.isEmpty && service.rules.announcements.isEmpty)
        #expect(try await read("mappings", context) == "")
        #expect(try await read("discovered", context) == "")
    }

    @Test("are those of every file that is given, with what bridges announce below the level that is given, if any")
    func files() throws {
        let one = try folder.write(file("rooms/+/pulse"), to: "one.json5"), two = try folder.write(file("beds/+/pulse"), to: "two.json5")
        let service = try MappingService(try IngestContext.make(["mappings": "\(one),\(two)"], in: folder))
        #expect(Set(service.rules.files.filters) == ["rooms/+/pulse", "beds/+/pulse"])
        #expect(service.members.map(\.name) == ["mappings"])
        #expect(!service.rules.announcements.isEmpty)
        #expect(service.rules.announcements.allSatisfy { $0.hasPrefix("homeassistant/") })
        let other = try MappingService(try IngestContext.make(["mappings": one, "discovery": "ha"], in: folder))
        #expect(!other.rules.announcements.isEmpty && other.rules.announcements.allSatisfy { $0.hasPrefix("ha/") })
        let off = try MappingService(try IngestContext.make(["mappings": one, "discovery": "off"], in: folder))
        #expect(off.rules.announcements.isEmpty)
    }

    @Test("end the start with their mistake, its place, and the setting's name")
    func mistake() throws {
        let path = try folder.write("{mappings: [{topics: 7}]}", to: "bad.json5")
        let error = #expect(throws: ConfigurationError.self) { try MappingService(try IngestContext.make(["mappings": path], in: folder)) }
        #expect(error?.name == "--mappings" && error?.description.contains("bad.json5:1:") == true)
    }

    @Test("are read again by command, and stay as they were where the files have a mistake")
    func reload() async throws {
        let path = try folder.write(file("rooms/+/pulse"), to: "m.json5")
        let context = try IngestContext.make(["mappings": path], in: folder)
        let service = try MappingService(context)
        let names = try await read("mappings", context)
        #expect(!names.isEmpty)
        let write = try #require(context.exchange.list.first { $0.name == "mappings" }?.write)
        try folder.write(file("beds/+/pulse"), to: "m.json5")
        #expect(service.rules.files.filters == ["rooms/+/pulse"])
        try await write(.text("now"))
        #expect(service.rules.files.filters == ["beds/+/pulse"])
        try folder.write("{", to: "m.json5")
        await #expect(throws: (any Error).self) { try await write(.text("now")) }
        #expect(service.rules.files.filters == ["beds/+/pulse"])
    }

    @Test("tell what became of each announced sensor")
    func discovered() async throws {
        let context = try IngestContext.make(["mappings": try folder.write(file("rooms/+/pulse"), to: "m.json5")], in: folder)
        let service = try MappingService(context)
        let (topic, payload) = DiscoveryTests.announcements[3]
        let (odd, strange) = DiscoveryTests.announcements[5]
        service.rules.announce([(topic, Array(payload.utf8)), (odd, Array(strange.utf8))])
        let lines = try await read("discovered", context).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("taken lolo/weight/kg: body-weight, ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("left odd/state: ") }, "\(lines)")
    }

    @Test("give up what an earlier process listened to and they do not")
    func former() throws {
        let path = try folder.write(file("rooms/+/pulse"), to: "m.json5")
        let context = try IngestContext.make(["mappings": path, "discovery": "off"], in: folder)
        try folder.write("old/pulse\nrooms/+/pulse\n", to: "vigil-ingest-main.mapped-topics")
        #expect(try MappingService(context).formerFilters == ["old/pulse"])
    }

    @Test(
        "name a participant in a constant, a table, a case or what stands in for what is missing, and nobody else",
        arguments: [
            (#""anna""#, ["anna"]), (#""@who""#, []), (#"{from: "@who", else: "anna"}"#, ["anna"]), (#"{from: "@who", else: "@id"}"#, []),
            (#"{is: "anna"}"#, ["anna"]), (#"{from: "@who", table: {"a*": "bernd", "b*": "anna"}}"#, ["anna", "bernd"]),
            (#"{from: "@who", table: "people"}"#, []),
            (#"{choose: [{when: {w: {min: 1}}, is: "bernd"}, {when: {w: 0}, from: "@who", else: "anna"}]}"#, ["anna", "bernd"]),
            (#""unknown""#, []),
        ])
    func naming(participant: String, named: [String]) throws {
        let text = """
            {tables: {people: {"x*": "carl"}}, mappings: [{name: "m", topics: ["a/{who}/{id}"], participant: \(participant), device: "d",
            readings: [{metric: "heart-rate", value: "hr"}]}]}
            """
        let set = try MappingFile.parse(text, file: "folder/m.json5")
        for name in ["anna", "bernd", "unknown", "d"] {
            #expect(set.places(naming: name) == (named.contains(name) ? ["m (m.json5)"] : []), "\(name)")
        }
        // Told once, and not for each mapping that looks somebody up there.
        #expect(set.places(naming: "carl") == ["the table people"])
    }

    @Test(
        "know a name that stands by itself, and not one within a longer word",
        arguments: [
            ("anna", true), ("home/anna/scale", true), ("anna-watch", true), ("watch.anna", true), ("joanna", false), ("annabel", false),
            ("anna7", false), ("7anna", false), ("anna_b", false), ("_anna", false), ("joanna anna", true), ("annabel/anna", true),
            ("", false),
            ("ann", false), ("Anna", false),
        ])
    func isNaming(text: String, expected: Bool) {
        #expect(text.isNaming("anna") == expected)
    }
}
