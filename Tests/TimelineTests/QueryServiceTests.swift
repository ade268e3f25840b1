import Foundation
import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("Timeline queries over the bus")
struct QueryServiceTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// Sends requests to a service over a store with two readings and an entry, and returns the answers' payloads.
    private func ask(_ requests: [String], responseTopic: String? = "answers/1") async throws -> [OutgoingMessage] {
        // A file: the connection that reads is another than the one that writes.
        let folder = try TemporaryFolder()
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let observations = [60.0, 64].enumerated().map {
            Observation(
                metric: "heart-rate", time: Self.now.advanced(bySeconds: -Double($0.offset) - 1), content: .value($0.element), unit: "/min")
        }
        let group = ObservationGroup(participant: "12", source: "watch", received: Self.now, observations: observations)
        _ = try await store.append([ObservationBatch(id: "b", groups: [group])])
        let publisher = InMemoryPublisher()
        let source = BatchSource()
        let service = QueryService(
            batches: source, handler: QueryHandler(store: store, now: { Self.now }), publisher: publisher, metrics: MetricsRegistry(),
            log: Logger(service: "test", level: .error, sink: { _ in }))
        async let running: Void = service.run()
        for request in requests {
            let outcome = await source.send([
                IncomingMessage(
                    topic: Topic.timelineQueries.path, payload: Array(request.utf8),
                    properties: MessageProperties(responseTopic: responseTopic, correlationData: [7]))
            ])
            #expect(outcome == .committed)
        }
        source.finish()
        try await running
        return publisher.messages
    }

    private func answer<Result: Codable & Sendable>(_ request: String, as type: Result.Type) async throws -> Result {
        let message = try #require(try await ask([request]).first)
        #expect(message.topic == "answers/1" && message.properties.correlationData == [7])
        return try JSONDecoder().decode(TimelineResponse<Result>.self, from: Data(message.payload)).get()
    }

    @Test("answers with the newest values")
    func latest() async throws {
        let latest = try await answer(#"{"query":"latest","participant":"12"}"#, as: [LatestValue].self)
        #expect(latest.map(\.value) == [60])
    }

    @Test("answers with a page as hReader has it: blood pressure last, levels apart, entries by kind")
    func page() async throws {
        let requests = [
            #"{"query":"add-levels","participant":"12","levels":{"pain":3,"energy":7},"time":1699999000}"#,
            #"{"query":"add-entries","participant":"12","entries":[{"id":"m1","kind":"medication","time":1699999000,"description":"Salbutamol"}]}"#,
            #"{"query":"page","participant":"12","span":"day"}"#,
        ]
        let messages = try await ask(requests)
        try #require(messages.count == 3)
        let page = try JSONDecoder().decode(TimelineResponse<PageDocument>.self, from: Data(messages[2].payload)).get()
        #expect(page.vitals.map(\.description) == ["Heart rate"])
        #expect(page.vitals.first?.times.count == page.vitals.first?.values.count)
        #expect(page.levels.keys.sorted() == ["energy", "pain"] && page.levels["pain"]?.values == [3])
        #expect(page.medications?.map(\.description) == ["Salbutamol"] && page.allergies == nil)
        let keys = try #require(JSONSerialization.jsonObject(with: Data(messages[2].payload)) as? [String: [String: Any]])["result"]
        #expect(keys?["start_date"] != nil && keys?["timeline_medications"] != nil)
    }

    @Test(
        "says what is wrong with a request",
        arguments: [
            ("nonsense", "no JSON object"), (#"{"participant":"12"}"#, "query is missing"), (#"{"query":"dance"}"#, "query is wrong"),
            (#"{"query":"latest"}"#, "participant"), (#"{"query":"series","participant":"12"}"#, "metric is missing"),
            (#"{"query":"page","participant":"12","span":"hour"}"#, "span is none of day"),
            (#"{"query":"readings","participant":"12","from":5,"to":4}"#, "ends before it starts"),
            (#"{"query":"readings","participant":"12","limit":0}"#, "limit lies outside"),
            (
                #"{"query":"add-entries","participant":"12","entries":[{"id":"a b","kind":"note","time":1,"description":"x"}]}"#,
                "id is 1 to 64"
            ),
            (#"{"query":"add-levels","participant":"12","levels":{"pain":11}}"#, "pain lies outside"),
            (#"{"query":"set-profile","participant":"12","profile":{"timeZone":"Mars"}}"#, "time zone"),
        ])
    func refusals(request: String, words: String) async throws {
        let error = await #expect(throws: TimelineResponse<Bool>.Failure.self) { try await answer(request, as: Bool.self) }
        #expect(error?.code == "bad-request")
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
    }

    @Test("removes the retained newest readings of a participant before the participant is erased, and nobody else's")
    func erasure() async throws {
        let messages = try await ask([#"{"query":"erase","participant":"12"}"#, #"{"query":"erase","participant":"13"}"#])
        #expect(messages.map(\.topic) == [Topic.latest(participant: "12", metric: "heart-rate").path, "answers/1", "answers/1"])
        #expect(messages.first?.payload.isEmpty == true && messages.first?.retained == true)
    }

    @Test("takes the response topic from the payload where MQTT 3.1.1 has none, and answers nobody without one")
    func responseTopics() async throws {
        let messages = try await ask(
            [#"{"query":"participants","responseTopic":"answers/2"}"#, #"{"query":"participants"}"#], responseTopic: nil)
        #expect(messages.map(\.topic) == ["answers/2"])
    }
}
