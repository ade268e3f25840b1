import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Mapped readings without a time")
struct MappedStampTests {
    private static let now = Timestamp(seconds: 1_700_000_000)
    private static let mapping = """
        {mappings: [{topics: ["gateways/{p}", "vigil/v1/ingest/{p}/{d}"], each: ".", participant: "@p", device: {from: "id"}, knownNames: true, ignore: ["id"]}]}
        """

    private let line = IncomingMessage(
        topic: "gateways/anna", payload: Array(#"[{"id":"a","hr":61},{"id":"b","hr":62},{"id":"b","hr":63},{"id":"c","hr":64}]"#.utf8),
        packetID: 9)

    private func reader() throws -> MessageReader { MessageReader(mappings: MappingRules(try MappingFile.parse(Self.mapping))) }

    /// The devices and times of what was read.
    private func identities(_ result: IngestResult) -> [String] {
        result.batches.flatMap(\.batch.groups).flatMap { group in
            group.observations.map { "\(group.source) \($0.time.microseconds - Self.now.microseconds) \($0.content)" }
        }.sorted()
    }

    @Test("have the same times when a message for several devices comes again, whatever each of them had sent before")
    func again() throws {
        var reader = try reader()
        // The second is ahead of the others by some microseconds.
        for number in 0..<5 {
            _ = reader.read(
                [IncomingMessage(topic: "gateways/anna", payload: Array(#"[{"id":"b","hr":6\#(number)}]"#.utf8))], received: Self.now)
        }
        let first = reader.read([line], received: Self.now)
        #expect(identities(first) == ["a 5 value(61.0)", "b 5 value(62.0)", "b 6 value(63.0)", "c 5 value(64.0)"])
        reader.rollBack()
        let again = reader.read([line], received: Self.now.advanced(bySeconds: 9), known: .init(stamps: first.stamps))
        #expect(identities(again) == identities(first) && again.stamps == first.stamps)
        // What comes next is later, of each.
        let next = reader.read([line], received: Self.now)
        #expect(Set(identities(next)).isDisjoint(with: identities(first)))
    }

    @Test("are told apart where one device sends them all, as parts of it")
    func owned() throws {
        var reader = try reader()
        let own = IncomingMessage(topic: "vigil/v1/ingest/anna/hub", payload: line.payload, packetID: 9)
        let first = reader.read([own], received: Self.now)
        #expect(Set(identities(first)).count == 4 && identities(first).allSatisfy { $0.hasPrefix("hub/") })
        reader.rollBack()
        #expect(
            identities(reader.read([own], received: Self.now.advanced(bySeconds: 9), known: .init(stamps: first.stamps)))
                == identities(first))
    }

    @Test(
        "have those of a copy that was acknowledged before the connection broke, as far back as there may be one, and of nothing else",
        arguments: [(10, 1, true), (11, 2, true), (11, 1, false), (10, 0, false), (8, 2, false)] as [(UInt16, Int, Bool)])
    func copy(packet: UInt16, earlier: Int, isKnown: Bool) throws {
        var reader = try reader()
        let first = reader.read([line], received: Self.now)
        reader.commit()
        var copy = IncomingMessage(topic: line.topic, payload: line.payload, packetID: packet)
        copy.earlierCopies = earlier
        let result = reader.read([copy], received: Self.now.advanced(bySeconds: 9), known: .init(stamps: first.stamps))
        #expect((identities(result) == identities(first)) == isKnown)
    }

    @Test("are known also where the broker begins to count its numbers anew")
    func numbers() {
        let key = ArrivalStamps.Key(packet: 2, digest: 7)
        #expect(key.preceding(1) == .init(packet: 1, digest: 7) && key.preceding(2) == .init(packet: 65_535, digest: 7))
    }
}
