import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Rules of reading and of batches")
struct ReaderRuleTests {
    private static let start = Timestamp(seconds: 1_700_000_000)

    private func message(_ text: String, topic: String, _ properties: MessageProperties = .init()) -> IncomingMessage {
        IncomingMessage(topic: topic, payload: Array(text.utf8), properties: properties)
    }

    private func mapped(_ topic: String, limits: MessageReader.Limits = .init()) throws -> MessageReader {
        let set = try MappingFile.parse(
            """
            {mappings: [{name: "m", topics: ["\(topic)"], participant: "anna", device: "d", readings: [{metric: "heart-rate", value: "hr"}]}]}
            """)
        return MessageReader(limits: limits, mappings: MappingRules(set))
    }

    // MARK: Topics

    @Test(
        "where there are mappings, a topic is the suite's own where all of its beginning says so",
        arguments: ["mappings/ingest/pulse", "vigil/v1/mapped/x", "vigil/v1/inges", "gateway"])
    func others(topic: String) throws {
        var reader = try mapped(topic)
        #expect(reader.read([message(#"{"hr":61}"#, topic: topic)], received: Self.start).accepted == 1)
    }

    @Test("where there are mappings, a message on the suite's own topics is read as ever, and a wrong topic told as one")
    func own() throws {
        var reader = try mapped("gateway")
        let reading = #"{"metric":"heart-rate","time":1700000000,"value":70}"#
        #expect(reader.read([message(reading, topic: "vigil/v1/ingest/a/b")], received: Self.start).accepted == 1)
        let wrong = reader.read([message(reading, topic: "vigil/v1/ingest/")], received: Self.start)
        #expect(wrong.refusals.map(\.error.code) == [.badTopic])
        let nobodys = reader.read([message(reading, topic: "elsewhere")], received: Self.start)
        #expect(nobodys.refusals.map(\.error.code) == [.unsupported])
    }

    @Test("a message on another's topic is as large as one on the suite's own may be")
    func size() throws {
        let text = #"{"hr":61}"#
        var reader = try mapped("gateway", limits: .init(payload: text.utf8.count))
        #expect(reader.read([message(text, topic: "gateway")], received: Self.start).accepted == 1)
        let large = reader.read([message(text + " ", topic: "gateway")], received: Self.start)
        #expect(large.accepted == 0 && large.refusals.map(\.error.code) == [.tooLarge])
    }

    @Test("who cannot be told by the topic gets no receipt on a topic of the suite's, and one where asked for on its own")
    func receipts() {
        var reader = MessageReader()
        let correlated = MessageProperties(correlationData: [1])
        let result = reader.read([message("1", topic: "vigil/v1/ingest/12", correlated)], received: Self.start)
        #expect(result.receiptRequests.isEmpty && result.refusals.map(\.error.code) == [.badTopic])
        let known = reader.read([message("1", topic: "vigil/v1/ingest/12/A", correlated)], received: Self.start)
        #expect(known.receiptRequests.map(\.topic) == ["vigil/v1/receipts/12/A"])
    }

    // MARK: Batches

    private func parts(_ count: Int, period: Double) -> BatchAssembler.Closed? {
        var assembler = BatchAssembler()
        let samples = (0..<count).map(Double.init)
        assembler.add(
            Observation(metric: "ecg", time: Self.start, content: .samples(samples, period: period), unit: ""),
            from: DeviceAddress(participant: "12", device: "A"), session: nil, received: Self.start, ask: 0)
        return assembler.finish(at: Self.start).first
    }

    @Test(
        "no part of a block lasts longer than a day, and none is empty",
        arguments: [(43_200, [2, 1]), (50_000, [1, 1, 1]), (86_400, [1, 1, 1]), (100_000, [1, 1, 1]), (28_800, [3])] as [(Double, [Int])])
    func days(period: Double, expected: [Int]) throws {
        let observations = try #require(parts(3, period: period)).batch.groups.flatMap(\.observations)
        #expect(observations.map { if case .samples(let samples, _) = $0.content { samples.count } else { -1 } } == expected)
        let starts = expected.indices.map { expected[..<$0].reduce(0, +) }
        #expect(observations.map(\.time) == starts.map { Self.start.advanced(bySeconds: Double($0) * period) })
    }

    @Test("a receipt counts a block that was divided once")
    func divided() throws {
        #expect(try #require(parts(3, period: 86_400)).receiptRequests.map(\.text) == ["0:0-3 0+1 0+2"])
        #expect(try #require(parts(3, period: 1)).receiptRequests.map(\.text) == ["0:0-1"])
    }

    @Test("batches are in the order in which they were filled, each time anew")
    func order() {
        var assembler = BatchAssembler()
        var addresses: [DeviceAddress] = []
        for number in 0..<100 {
            let address = DeviceAddress(participant: "p\(number)", device: "d")
            if !addresses.contains(where: { $0.partition == address.partition }) { addresses.append(address) }
        }
        for places in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            for place in places {
                assembler.add(
                    Observation(metric: "heart-rate", time: Self.start, content: .value(60), unit: "/min"), from: addresses[place],
                    session: nil, received: Self.start)
            }
            #expect(
                assembler.finish(at: Self.start).flatMap(\.batch.groups).map(\.participant) == places.map { addresses[$0].participant })
        }
    }

    // MARK: Rejects

    @Test("a reject goes to the device's own topic, is kept for an hour, and tells how many were left out, if any", arguments: [0, 40])
    func reject(omitted: Int) throws {
        let rejection = Rejection(
            address: DeviceAddress(participant: "12", device: "A"), error: PayloadError(.malformed, "why"), count: 3, omitted: omitted,
            topic: "vigil/v1/ingest/12/A", payload: [1])
        let sent = try #require(rejection.reply(at: Self.start).message)
        #expect(sent.topic == "vigil/v1/rejects/12/A")
        #expect(sent.properties == MessageProperties(contentType: MediaType.json, expiry: .seconds(3_600)))
        let reject = try Reject(decoding: sent.payload)
        #expect(reject.omitted == (omitted == 0 ? nil : omitted) && reject.count == 3 && reject.time == Self.start.seconds)
    }
}
