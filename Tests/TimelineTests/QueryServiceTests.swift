import Foundation
import MessageBus
import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("Timeline queries over the bus")
struct QueryServiceTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// Sends requests to a service over a store with two readings and an entry, and returns the answers' payloads.
    private func ask(
        _ requests: [String], responseTopic: String? = "vigil/v1/responses/me/1", correlation: [UInt8] = [7], retained: Bool = false
    ) async throws -> [OutgoingMessage] {
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
            batches: source, handler: QueryHandler(store: store, now: { Self.now }), publisher: publisher,
            replies: ReplyPublisher(publisher), metrics: MetricsRegistry(),
            log: Logger(service: "test", level: .error, sink: { _ in }))
        async let running: Void = service.run()
        for request in requests {
            let outcome = await source.send([
                IncomingMessage(
                    topic: "vigil/v1/requests/carer/timeline", payload: Array(request.utf8), retained: retained,
                    properties: MessageProperties(responseTopic: responseTopic, correlationData: correlation))
            ])
            #expect(outcome == .committed)
        }
        source.finish()
        try await running
        return publisher.messages
    }

    private func answer<Result: Codable & Sendable>(_ request: String, as type: Result.Type) async throws -> Result {
        let message = try #require(try await ask([request]).first)
        #expect(message.topic == "vigil/v1/responses/me/1" && message.properties.correlationData == [7])
        return try JSONDecoder().decode(TimelineResponse<Result>.self, from: Data(message.payload)).get()
    }

    @Test("answers with the newest values")
    func latest() async throws {
        let latest = try await answer(#"{"query":"latest","participant":"12"}"#, as: [LatestValue].self)
        #expect(latest.map(\.value) == [60])
        let sources = try await answer(#"{"query":"sources","participant":"12","metric":"heart-rate"}"#, as: [String].self)
        #expect(sources == ["watch"])
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
        let page = try JSONDecoder().decode(TimelineResponse<TimelinePage>.self, from: Data(messages[2].payload)).get()
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
        #expect(
            messages.map(\.topic) == [
                Topic.latest(participant: "12", metric: "heart-rate").path, "vigil/v1/responses/me/1", "vigil/v1/responses/me/1",
            ])
        #expect(messages.first?.payload.isEmpty == true && messages.first?.retained == true)
    }

    @Test("removes the retained reading before a reading is removed, and once more after it")
    func removal() async throws {
        let messages = try await ask([
            #"{"query":"remove-readings","participant":"12","metrics":["heart-rate"],"source":"watch","time":1699999999}"#
        ])
        let topic = Topic.latest(participant: "12", metric: "heart-rate").path
        #expect(messages.map(\.topic) == [topic, topic, "vigil/v1/responses/me/1"])
        #expect(messages.prefix(2).allSatisfy { $0.payload.isEmpty && $0.retained })
    }

    @Test("takes the response topic from the payload where MQTT 3.1.1 has none, and answers nobody without one")
    func responseTopics() async throws {
        let messages = try await ask(
            [#"{"query":"participants","responseTopic":"vigil/v1/responses/me/2"}"#, #"{"query":"participants"}"#], responseTopic: nil)
        #expect(messages.map(\.topic) == ["vigil/v1/responses/me/2"])
    }

    @Test("a retained order to erase erases nothing, and says so")
    func retained() async throws {
        let messages = try await ask([#"{"query":"erase","participant":"12"}"#], retained: true)
        try #require(messages.map(\.topic) == ["vigil/v1/responses/me/1"])
        let failure = #expect(throws: TimelineResponse<Bool>.Failure.self) {
            try JSONDecoder().decode(TimelineResponse<Bool>.self, from: Data(messages[0].payload)).get()
        }
        #expect(failure?.reason.contains("retained") == true)
    }

    @Test(
        "answers nowhere but below responses/<account>, and goes on",
        arguments: [
            String(repeating: "/", count: 300), "x", "vigil/v1/ingest/12/watch", "vigil/v1/receipts/12/watch", "vigil/v1/responses/",
            "vigil/v1/responses/a/#", "vigil/v1/responses/" + String(repeating: "a", count: 2000),
        ])
    func hostileTopics(_ topic: String) async throws {
        #expect(try await ask([#"{"query":"participants"}"#, #"{"query":"erase","participant":"12"}"#], responseTopic: topic).isEmpty)
        #expect(try await ask([#"{"query":"participants"}"#], correlation: Array(repeating: 1, count: 65)).isEmpty)
    }

    @Test("no answer has more than some megabytes, and each says where the rest is")
    func bounded() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let handler = QueryHandler(store: store, now: { Self.now })
        let notes = (0..<600).map {
            Observation(
                metric: "note", time: Self.now.advanced(bySeconds: -Double($0)), content: .text(String(repeating: "n", count: 4096)),
                unit: "1")
        }
        let group = ObservationGroup(participant: "12", source: "watch", received: Self.now, observations: notes)
        _ = try await store.append([ObservationBatch(id: "b", groups: [group])])
        for number in 0..<700 {
            let entry = TimelineEntry(
                id: "e\(number)", kind: .note, time: Self.now.advanced(bySeconds: -Double(number)), description: "d",
                detail: String(repeating: "d", count: 4000))
            try await store.post(entry, participant: "12", received: Self.now)
        }
        let range = TimelineQuery.Range(to: Self.now.advanced(bySeconds: 1))
        var request = TimelineRequest(.entries(participant: "12", range))
        var (entries, answers): ([String], Int) = ([], 0)
        repeat {
            let payload = await handler.answer(request)
            #expect(payload.count < BoundedList.bytes + 10_000)
            let answer = try JSONDecoder().decode(TimelineResponse<[TimelineEntry]>.self, from: Data(payload))
            entries += try answer.get().map(\.id)
            request.after = answer.next
            answers += 1
        } while request.after != nil
        #expect(entries == (0..<700).reversed().map { "e\($0)" } && answers > 1)
        request.after = "1000"
        let old = try JSONDecoder().decode(TimelineResponse<[TimelineEntry]>.self, from: Data(await handler.answer(request)))
        #expect(old.error?.code == "bad-request" && old.error?.reason.contains("after is not the next of an answer") == true)
        request = TimelineRequest(.readings(participant: "12", range, limit: 10_000))
        var times: [Timestamp] = []
        repeat {
            let payload = await handler.answer(request)
            #expect(payload.count < BoundedList.bytes)
            let page = try JSONDecoder().decode(TimelineResponse<ReadingsPage>.self, from: Data(payload)).get()
            times += page.readings.map(\.time)
            request.after = page.next?.after
        } while request.after != nil
        #expect(times == notes.map(\.time).reversed())
        let page = await handler.answer(TimelineRequest(.page(participant: "12")))
        #expect(page.count < BoundedList.bytes)
        let cut = try JSONDecoder().decode(TimelineResponse<TimelinePage>.self, from: Data(page)).get().cut
        #expect(cut == ["entries", "texts"])
        await store.close()
    }

    @Test("answers a quick question while one that takes long is at work, and refuses in words what finds the line full")
    func longQuestions() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let group = ObservationGroup(
            participant: "12", source: "watch", received: Self.now,
            observations: [Observation(metric: "heart-rate", time: Self.now.advanced(bySeconds: -1), content: .value(60), unit: "/min")])
        _ = try await store.append([ObservationBatch(id: "b", groups: [group])])
        let (publisher, source) = (InMemoryPublisher(), BatchSource())
        let service = QueryService(
            batches: source, handler: QueryHandler(store: store, now: { Self.now }), publisher: publisher,
            replies: ReplyPublisher(publisher), metrics: MetricsRegistry(), log: Logger(service: "test", level: .error, sink: { _ in }))
        func question(_ text: String, _ topic: String) -> IncomingMessage {
            IncomingMessage(
                topic: "vigil/v1/requests/carer/timeline", payload: Array(text.utf8), retained: false,
                properties: MessageProperties(responseTopic: "vigil/v1/responses/\(topic)"))
        }
        func answers(_ topic: String) -> [String] {
            publisher.messages.filter { $0.topic.hasSuffix(topic) }.map { String(decoding: $0.payload, as: UTF8.self) }
        }
        async let running: Void = service.run()
        // Somebody's question keeps the thread for long ones until this test lets it go.
        let isHeld = Atomic(false)
        let letGo = DispatchSemaphore(value: 0)
        async let held: Void = store.readAtLength { _ in
            isHeld.store(true, ordering: .releasing)
            letGo.wait()
        }
        try await eventually("that it is kept") { isHeld.load(ordering: .acquiring) }
        let long = [#"{"query":"readings","participant":"12"}"#, #"{"query":"metrics","participant":"12"}"#]
        #expect(await source.send((0..<70).map { question(long[$0 % 2], "asker\($0 % 5)/long") }) == .committed)
        #expect(await source.send([question(#"{"query":"latest","participant":"12"}"#, "quick/1")]) == .committed)
        #expect(answers("quick/1").count == 1 && answers("quick/1")[0].contains("heart-rate"))
        // One is at work, 64 wait; the line may have been asked before the first was taken from it.
        #expect([5, 6].contains(answers("/long").count) && answers("/long").allSatisfy { $0.contains("ask again later") })
        letGo.signal()
        try await held
        source.finish()
        try await running
        #expect(answers("/long").count == 70 && answers("/long").count { $0.contains("heart-rate") } >= 64)
        await store.close()
    }
}
