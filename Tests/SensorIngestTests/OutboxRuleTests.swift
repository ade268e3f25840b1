import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Rules of the outbox, of receipts and of newest readings")
struct OutboxRuleTests {
    @Test(
        "durations are whole microseconds",
        arguments: [
            (Duration.seconds(2), 2_000_000), (.milliseconds(1_500), 1_500_000), (.microseconds(7), 7), (.nanoseconds(999), 0),
            (.nanoseconds(1_000), 1), (.seconds(-2), -2_000_000),
        ] as [(Duration, Int64)])
    func microseconds(duration: Duration, expected: Int64) {
        #expect(duration.wholeMicroseconds == expected)
    }

    @Test("the newest reading of a series is told once a second at most, an older one never")
    func latest() throws {
        let cache = LatestValueCache(capacity: 2)
        func note(_ seconds: Double, _ value: Double, _ metric: String = "heart-rate", of participant: String = "anna") {
            let observation = Observation(metric: metric, time: Timestamp(seconds: seconds), content: .value(value), unit: "")
            cache.note([
                ObservationBatch(
                    id: "1",
                    groups: [
                        ObservationGroup(
                            participant: participant, source: "w", session: nil, received: Timestamp(seconds: 0),
                            observations: [observation])
                    ])
            ])
        }
        func due(_ seconds: Double) -> [String] {
            cache.due(at: Timestamp(seconds: seconds)).map { "\($0.topic.path) \($0.observation.content)" }.sorted()
        }
        let topic = "vigil/v1/latest/anna/heart-rate"
        note(10, 61)
        note(9, 60)
        #expect(due(100) == ["\(topic) value(61.0)"])
        #expect(due(200).isEmpty)
        note(10, 62)
        #expect(due(201) == ["\(topic) value(62.0)"])
        note(11, 63)
        #expect(due(201.999).isEmpty)
        #expect(due(202) == ["\(topic) value(63.0)"])
        note(1, 1, "b/ad")
        note(1, 97, "oxygen-saturation")
        note(1, 36, "body-temperature")
        #expect(due(300) == ["vigil/v1/latest/anna/oxygen-saturation value(97.0)"])
        let newest = try cache.newest(of: "anna")
        #expect(newest.compactMap { $0["metric"] as? String } == ["heart-rate", "oxygen-saturation"])
        #expect(try cache.newest(of: "bernd").isEmpty && cache.erase(participant: "bernd").isEmpty)
        #expect(Set(cache.erase(participant: "anna").map(\.path)) == [topic, "vigil/v1/latest/anna/oxygen-saturation"])
        #expect(try cache.newest(of: "anna").isEmpty)
    }

    @Test("the observations of a batch that a receipt speaks of are runs, as text and back")
    func coverage() {
        var coverage = ReceiptCoverage(request: 3)
        #expect(coverage.text == "" && coverage.contains(group: 9, observation: 9))
        for (group, observation) in [(0, 2), (0, 3), (0, 5), (1, 6), (1, 0), (1, 1)] {
            coverage.add(group: group, observation: observation)
        }
        #expect(coverage.text == "0:2-4 0:5-6 1:6-7 1:0-2" && coverage.request == 3)
        #expect(ReceiptCoverage(request: 3, text: coverage.text) == coverage)
        let covered = [(0, 2), (0, 3), (0, 5), (1, 6), (1, 0), (1, 1)]
        for group in 0...2 {
            for observation in 0...7 {
                #expect(coverage.contains(group: group, observation: observation) == covered.contains { $0 == (group, observation) })
            }
        }
        for text in ["x", "0:1", "0:2-2", "0:3-2", "0:1-2-3"] {
            #expect(ReceiptCoverage(request: 0, text: text) == ReceiptCoverage(request: 0))
        }
        #expect(ReceiptCoverage(request: 0, text: "0:1-2 x").text == "0:1-2")
    }

    @Test(
        "a receipt tells what is kept of what was accepted, and what is not",
        arguments: [
            (3, 0, 0, nil, Receipt.Outcome.stored, 3, 0), (3, 2, 0, nil, .stored, 3, 2), (3, 2, 1, nil, .stored, 2, 3),
            (3, 0, 3, nil, .rejected, 0, 3), (0, 1, 0, nil, .rejected, 0, 1),
            (0, 0, 0, nil, .stored, 0, 0), (3, 2, 1, "full", .rejected, 0, 5),
        ] as [(Int, Int, Int, String?, Receipt.Outcome, Int, Int)])
    func receipts(accepted: Int, refused: Int, unstored: Int, failure: String?, outcome: Receipt.Outcome, stored: Int, rejected: Int) {
        for isInPayload in [false, true] {
            let request = ReceiptRequest(
                topic: "t", correlation: Array("7".utf8), isInPayload: isInPayload, accepted: accepted, refused: refused,
                unstored: unstored, reason: "why")
            let receipt = request.receipt(failure: failure)
            #expect(
                receipt.outcome == outcome && receipt.stored == stored && receipt.rejected == rejected
                    && receipt.reasons == [failure ?? "why"])
            #expect(receipt.receipt == (isInPayload ? "7" : nil))
            #expect(request.reply().message?.properties.correlationData == (isInPayload ? nil : Array("7".utf8)))
        }
    }

    @Test("the state of the connection of confirmations is that it came back, told once")
    func link() {
        let link = OutboxLink()
        #expect(!link.takeReturn())
        link.connected()
        #expect(!link.takeReturn())
        link.connected()
        link.connected()
        #expect(link.takeReturn())
        #expect(!link.takeReturn())
    }

    @Test("a batch is on its way into the file as long as any keeping of it lasts")
    func underWay() {
        var keeps = KeepsUnderWay()
        #expect(!keeps.contains(anyOf: ["a"]))
        keeps.begin(["a", "b", "a"])
        #expect(
            keeps.contains(anyOf: ["x", "a"]) && keeps.contains(anyOf: ["b"]) && !keeps.contains(anyOf: ["x"]) && !keeps.contains(anyOf: [])
        )
        keeps.end(["a", "b", "x"])
        #expect(keeps.contains(anyOf: ["a"]) && !keeps.contains(anyOf: ["b"]))
        keeps.end(["a"])
        #expect(!keeps.contains(anyOf: ["a", "b"]))
    }
}
