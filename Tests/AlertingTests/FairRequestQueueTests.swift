import Foundation
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("Questions that wait for their answers", .timeLimit(.minutes(2)))
struct FairRequestQueueTests {
    /// What was answered, in order.
    private final class Answered: Sendable {
        private let state = Mutex<[String]>([])
        var lines: [String] { state.withLock { $0 } }
        func note(_ line: String) { state.withLock { $0.append(line) } }
    }

    private static func deferredCommand(_ name: String, of account: String) -> AlertCore.DeferredCommand {
        let topic = "vigil/v1/responses/\(account)/1"
        let message = CommandRequest.message(#"{"command": "history"}"#, of: name, answeredOn: topic)
        return AlertCore.DeferredCommand(kind: .history, handler: CommandHandler(message: message))
    }

    /// What is answered of all that waits: the account and the text.
    private func drained(_ line: FairRequestQueue) async -> [String] {
        let answered = Answered()
        line.drain()
        await line.run { deferredCommand in
            deferredCommand.handler.reply(deferredCommand.handler.participant)
        } publish: { replies in
            for message in replies.compactMap(\.message) {
                answered.note("\(message.topic.split(separator: "/")[3]) \(String(decoding: message.payload, as: UTF8.self))")
            }
        }
        return answered.lines
    }

    @Test("are answered account by account in turns: one that asks often makes no other wait for more than one answer")
    func turns() async {
        let line = FairRequestQueue(AlertCounts())
        for name in ["1", "2", "3"] { #expect(line.add(Self.deferredCommand(name, of: "many")) == nil) }
        #expect(line.add(Self.deferredCommand("1", of: "few")) == nil)
        line.add(Self.deferredCommand("", of: "few").handler.reply("ready"), to: "few")
        #expect(line.count == 4)
        #expect(await drained(line) == ["many 1", "few 1", "many 2", "few ready", "many 3"])
        #expect(line.count == 0)
        // Its lane is empty, and it comes last again.
        _ = line.add(Self.deferredCommand("4", of: "many"))
        #expect(await drained(line) == ["many 4"])
    }

    @Test("are refused beyond sixty-four of an account and five hundred and twelve of all, until some are answered; that is counted")
    func bounds() async {
        let (counts, refusal) = (AlertCounts(), "64 questions of this account wait for their answers already: ask again later")
        let line = FairRequestQueue(counts)
        for account in 0..<8 {
            for number in 0..<64 { #expect(line.add(Self.deferredCommand("\(number)", of: "\(account)")) == nil) }
        }
        #expect(line.add(Self.deferredCommand("x", of: "0")) == refusal)
        #expect(line.add(Self.deferredCommand("x", of: "other")) == "512 questions wait for their answers already: ask again later")
        #expect(line.count == 512 && counts.questionsRefused.load(ordering: .relaxed) == 2)
        #expect(await drained(line).count == 512)
        #expect(line.add(Self.deferredCommand("x", of: "0")) == nil)
    }

    @Test("answers that are ready wait too, 256 of an account and 4,096 of all; more are dropped and counted")
    func answers() async {
        let counts = AlertCounts()
        let line = FairRequestQueue(counts)
        let ready = Self.deferredCommand("", of: "a").handler.reply("ready")
        line.add([], to: "a")
        for _ in 0..<257 { line.add(ready, to: "a") }
        #expect(counts.answersDropped.load(ordering: .relaxed) == 1)
        for account in 0..<16 { for _ in 0..<240 { line.add(ready, to: "\(account)") } }
        #expect(counts.answersDropped.load(ordering: .relaxed) == 1)
        line.add(ready, to: "last")
        #expect(counts.answersDropped.load(ordering: .relaxed) == 2)
        #expect(await drained(line).count == 4096)
        line.add(ready, to: "a")
        #expect(await drained(line).count == 1)
    }

    @Test("the asker is the account below whose responses the answer goes; without such a topic there is none")
    func asker() {
        #expect(Self.deferredCommand("12", of: "att").handler.asker == "att")
        for topic in [nil, "x", "vigil/v1/ingest/12/a"] {
            let message = IncomingMessage(topic: "t", payload: [], properties: MessageProperties(responseTopic: topic))
            #expect(CommandHandler(message: message).asker == nil)
        }
    }
}

@Suite("Hostile askers", .timeLimit(.minutes(2)))
struct HostileAskerTests {
    private static func question(_ command: String, of account: String, number: Int) -> IncomingMessage {
        CommandRequest.message(
            #"{"command": "\#(command)"}"#, of: "all", answeredOn: "vigil/v1/responses/\(account)/\(number)")
    }

    private static func texts(_ rig: CoordinatorRig, _ account: String) -> [String] {
        rig.answers.messages.filter { $0.topic.hasPrefix("vigil/v1/responses/\(account)/") }.map {
            String(decoding: $0.payload, as: UTF8.self)
        }
    }

    @Test(
        "a batch of two thousand questions is settled without an answer to any, and an alarm leaves before them; they are answered or refused",
        arguments: ["history", "rules", "why", "export"])
    func flood(command: String) async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take((0..<2000).map { Self.question(command, of: "att", number: $0) })
        #expect(rig.answers.messages.isEmpty)
        try await rig.coordinator.take([rig.reading(120, of: "13")])
        #expect(rig.told == ["13 raised"] && rig.answers.messages.isEmpty)
        // Another's question has its turn.
        try await rig.coordinator.take([Self.question(command, of: "carer", number: 1)])
        rig.coordinator.drainQuestions()
        await rig.coordinator.answerQuestions()
        let answers = Self.texts(rig, "att")
        #expect(answers.count { $0.contains(#""ok":true"#) } == 64)
        let refused = answers.filter { $0.contains(#""ok":false"#) && $0.contains("64 questions of this account wait") }
        #expect(refused.count == 256 && answers.count == 320)
        #expect(Self.texts(rig, "carer").count == 1 && Self.texts(rig, "carer").first?.contains(#""ok":true"#) == true)
        #expect(rig.core.counts.questionsRefused.load(ordering: .relaxed) == 2000 - 64)
        #expect(rig.core.counts.answersDropped.load(ordering: .relaxed) == 2000 - 64 - 256)
    }

    @Test("a question whose asker cannot be answered is not looked up at all")
    func unanswerable() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        let message = CommandRequest.message(#"{"command": "history"}"#, of: "all")
        try await rig.coordinator.take([message])
        #expect(rig.coordinator.lookups.count == 0)
    }

    @Test("what rules there are is put together once, and anew after they were read again")
    func rules() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        #expect(await rig.core.describedRules == nil)
        let first = try await rig.ask(#"{"command": "rules"}"#)
        #expect(first.count == 1 && first.first?.contains(#""id":"high""#) == true)
        #expect(await rig.core.describedRules == first.first)
        try rig.folder.write(CoordinatorRig.plain.replacing("\"high\"", with: "\"higher\""), to: "rules.json5")
        #expect(try await rig.coordinator.reload() == nil)
        #expect(try await rig.ask(#"{"command": "rules"}"#).first?.contains(#""id":"higher""#) == true)
    }

    @Test("an erasure is done when its message is acknowledged, also behind questions, and answered without holding anything up")
    func erasure() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        let erase = CommandRequest.message(#"{"command": "erase", "actor": "a"}"#, answeredOn: "vigil/v1/responses/a/1")
        try await rig.coordinator.take((0..<100).map { Self.question("history", of: "att", number: $0) } + [erase])
        #expect(try await rig.store.history.newest(participant: "12", rule: nil, limit: 9).isEmpty && rig.answers.messages.isEmpty)
        rig.coordinator.drainQuestions()
        await rig.coordinator.answerQuestions()
        #expect(Self.texts(rig, "a").count == 1 && Self.texts(rig, "a").first?.contains(#""transitions":1"#) == true)
    }
}
