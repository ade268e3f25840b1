import MessageBus
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("Answers to a delivery")
struct AnswersTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    private func observations(_ count: Int) -> [Observation] {
        (0..<count).map {
            Observation(metric: "heart-rate", time: Timestamp(seconds: Double($0)), content: .value(Double($0)), unit: "/min")
        }
    }

    private func group(_ source: String = "A01", participant: String = "12", count: Int = 2) -> ObservationGroup {
        ObservationGroup(participant: participant, source: source, received: Self.now, observations: observations(count))
    }

    private func decoded(
        _ groups: [ObservationGroup], id: String = "a", response: String? = nil, confirmations: String? = nil
    ) -> MessageDecoder.Decoded {
        MessageDecoder.Decoded(
            batch: ObservationBatch(id: id, confirmations: confirmations, groups: groups),
            message: IncomingMessage(
                topic: "vigil/v1/readings/0", payload: [1],
                properties: MessageProperties(responseTopic: response, correlationData: response == nil ? nil : [7])))
    }

    private func messages(_ fill: (inout Answers) -> Void) -> [OutgoingMessage] {
        var answers = Answers()
        fill(&answers)
        return answers.finished().compactMap(\.message)
    }

    private static let odd = AppendRejection(group: 0, observation: 0, reason: "it is odd")
    private static let late = AppendRejection(group: 0, observation: 1, reason: "it is late")

    @Test(
        "a receipt says stored where anything was kept or nothing was there, and rejected where nothing was kept",
        arguments: [
            (AppendCounts(stored: 1), Receipt(outcome: .stored, batch: "a", stored: 1)),
            (AppendCounts(duplicates: 2), Receipt(outcome: .stored, batch: "a", duplicates: 2)),
            (AppendCounts(), Receipt(outcome: .stored, batch: "a")),
            (
                AppendCounts(corrections: 1, rejections: [odd]),
                Receipt(outcome: .stored, batch: "a", corrections: 1, rejected: 1, reasons: ["it is odd"])
            ),
            (AppendCounts(rejections: [odd]), Receipt(outcome: .rejected, batch: "a", rejected: 1, reasons: ["it is odd"])),
            (AppendCounts(rejections: [late, odd]), Receipt(outcome: .rejected, batch: "a", rejected: 2, reasons: ["it is late"])),
        ])
    func receipts(counts: AppendCounts, receipt: Receipt) throws {
        let sent = messages { $0.add(counts, for: decoded([group()], response: "vigil/v1/responses/x"), at: Self.now) }
        let answer = try #require(sent.first { $0.topic == "vigil/v1/responses/x" })
        #expect(try Receipt(decoding: answer.payload) == receipt)
        #expect(answer.properties.correlationData == [7] && answer.properties.contentType == "application/json")
        #expect(sent.count == 1 + counts.rejected)
        #expect(messages { $0.add(counts, for: decoded([group()]), at: Self.now) }.count == counts.rejected)
    }

    @Test("no receipt goes to a topic that is not for answers")
    func badTopic() {
        for topic in ["vigil/v1/readings/12/A01", "elsewhere", "vigil/v1/responses/#"] {
            #expect(messages { $0.add(AppendCounts(stored: 1), for: decoded([group()], response: topic), at: Self.now) }.isEmpty)
            #expect(messages { $0.add(AppendCounts(stored: 1), for: decoded([group()], confirmations: topic), at: Self.now) }.isEmpty)
        }
    }

    @Test("a reject goes to the device of each observation that was not kept, with the observation and the reason")
    func rejects() throws {
        let groups = [group(), group("strap/left", participant: "13"), group("a+b", participant: "14"), group(participant: "n o")]
        let rejections = (0..<4).map { AppendRejection(group: $0, observation: 1, reason: "reason \($0)") }
        let sent = messages { $0.add(AppendCounts(stored: 4, rejections: rejections), for: decoded(groups), at: Self.now) }
            .sorted { $0.topic < $1.topic }
        #expect(
            sent.map(\.topic) == [
                "vigil/v1/rejects/12/A01", "vigil/v1/rejects/13/strap", "vigil/v1/rejects/14/vigil-timeline",
            ])
        #expect(sent.allSatisfy { $0.properties.expiry == .seconds(3600) && $0.properties.contentType == "application/json" })
        for (number, message) in sent.enumerated() {
            let reject = try Reject(decoding: message.payload)
            let expected = Reject(
                participant: "\(12 + number)", device: ["A01", "strap", "vigil-timeline"][number], time: Self.now,
                error: PayloadError(.unsupported, "reason \(number)"), count: 1, topic: "vigil/v1/readings/0",
                payload: BatchEncoder.encode(observations(2)[1]))
            #expect(reject == expected)
        }
    }

    @Test("twenty of a group are listed, and counted in them are all of the group")
    func many() throws {
        let rejections =
            (0..<26).map { AppendRejection(group: 0, observation: $0, reason: "reason \($0)") }
            + [AppendRejection(group: 1, observation: 1, reason: "another")]
        let sent = messages {
            $0.add(AppendCounts(rejections: rejections), for: decoded([group(count: 26), group("B")]), at: Self.now)
        }
        let rejects = try sent.map { try Reject(decoding: $0.payload) }
        #expect(rejects.filter { $0.device == "A01" }.map(\.reason) == (0..<20).map { "reason \($0)" })
        #expect(rejects.filter { $0.device == "A01" }.allSatisfy { $0.count == 26 })
        #expect(rejects.filter { $0.device == "B" }.map(\.count) == [1])
    }

    @Test("a rejection of what the batch does not have is answered by nothing")
    func beyond() {
        let rejections = [(1, 0), (-1, 0), (0, 2)].map { AppendRejection(group: $0.0, observation: $0.1, reason: "lost") }
        #expect(messages { $0.add(AppendCounts(rejections: rejections), for: decoded([group()]), at: Self.now) }.isEmpty)
    }

    @Test("one confirmation a topic tells of all batches that ask for it, in place of receipts")
    func confirmations() throws {
        let topics = ["vigil/v1/receipts/vigil-import/1", "vigil/v1/responses/other"]
        let sent = messages { answers in
            for (id, topic, rejections) in [
                ("a", 0, []), ("b", 0, [Self.late, Self.odd]), ("c", 1, []), ("d", 0, []),
            ] as [(String, Int, [AppendRejection])] {
                let batch = decoded([group()], id: id, response: "vigil/v1/responses/x", confirmations: topics[topic])
                answers.add(AppendCounts(stored: 1, rejections: rejections), for: batch, at: Self.now)
            }
        }.filter { !$0.topic.contains("rejects") }.sorted { $0.topic < $1.topic }
        #expect(sent.map(\.topic) == topics)
        let first = try Confirmation(decoding: sent[0].payload)
        #expect(first.stored == ["a", "d"])
        #expect(
            first.refused == [
                Confirmation.Refused(
                    batch: "b", reason: "it is late",
                    observations: [
                        .init(group: 0, observation: 1, reason: "it is late"), .init(group: 0, observation: 0, reason: "it is odd"),
                    ])
            ])
        let second = try Confirmation(decoding: sent[1].payload)
        #expect(second.stored == ["c"] && second.refused.isEmpty)
    }

    @Test("what cannot be read is rejected as a whole, and whoever asked is told why", arguments: [nil, "12"] as [String?])
    func malformed(participant: String?) throws {
        let message = IncomingMessage(
            topic: "vigil/v1/readings/0", payload: Array("{".utf8), properties: MessageProperties(responseTopic: "vigil/v1/responses/x"))
        let error = PayloadError(.malformed, "it is not JSON")
        let sent = messages { $0.add(MessageDecoder.Malformed(message: message, participant: participant, error: error), at: Self.now) }
        #expect(sent.map(\.topic) == ["vigil/v1/rejects/\(participant ?? "unknown")/vigil-timeline", "vigil/v1/responses/x"])
        let reject = try Reject(decoding: sent[0].payload)
        #expect(reject.count == 0 && reject.code == "malformed" && reject.reason == "it is not JSON")
        #expect(reject.time == Self.now.seconds && reject.topic == "vigil/v1/readings/0" && reject.payload == "ew==")
        #expect(try Receipt(decoding: sent[1].payload) == Receipt(outcome: .rejected, reasons: [error.description]))
    }

    @Test("a message is an alert's transition or a batch by its topic, and an unconfirmed alert is neither stored nor refused")
    func decoding() throws {
        func alert(_ isUnconfirmed: Bool?) throws -> IncomingMessage {
            var alert = AlertMessage(
                participant: "12", rule: "tachycardia", sequence: 1, transition: "raised", cause: "reading", time: Self.now.seconds,
                decided: Self.now.seconds, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
                since: Self.now.seconds)
            alert.unconfirmed = isUnconfirmed
            return IncomingMessage(topic: "vigil/v1/alert-events/12/tachycardia", payload: try alert.encoded())
        }
        let batch = ObservationBatch(id: "a", groups: [group()])
        let payload = BatchEncoder.encode(batch)
        let contents = MessageDecoder().decode([
            try alert(nil), try alert(true), try alert(false), IncomingMessage(topic: "vigil/v1/readings/0", payload: payload),
            IncomingMessage(topic: "vigil/v1/alert-events/12/tachycardia", payload: payload),
            IncomingMessage(topic: "vigil/v1/readings/1", payload: try alert(nil).payload),
        ])
        #expect(contents.alerts.map(\.unconfirmed) == [nil, false])
        #expect(contents.batches.map(\.batch) == [batch])
        #expect(contents.malformed.map(\.message.topic) == ["vigil/v1/alert-events/12/tachycardia", "vigil/v1/readings/1"])
        #expect(contents.malformed.map(\.participant) == ["12", nil])
    }
}
