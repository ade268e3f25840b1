import Access
import AlertRules
import Foundation
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("Deciding and publishing, one cause after the other", .timeLimit(.minutes(10)))
struct AlertCoordinatorTests {
    @Test("is alive for less than half a minute after a turn; no time passes before what was left over is out")
    func alive() async throws {
        let rig = try CoordinatorRig()
        #expect(!rig.coordinator.isAlive)
        try await rig.coordinator.tick()
        #expect(!rig.coordinator.isAlive, "nothing has begun")
        try await rig.coordinator.publishLeftOver()
        #expect(rig.coordinator.isAlive)
        rig.wait(until: 129, 999_999)
        #expect(rig.coordinator.isAlive)
        rig.wait(until: 130)
        #expect(!rig.coordinator.isAlive)
        try await rig.coordinator.tick()
        #expect(rig.coordinator.isAlive)
    }

    @Test("what was acknowledged lately is repeated once, two seconds after a connection came back")
    func repetition() async throws {
        let rig = try CoordinatorRig()
        rig.coordinator.connected()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        rig.wait(until: 103)
        try await rig.coordinator.tick()
        #expect(rig.told == ["12 raised"], "the first connection is none that came back")
        rig.coordinator.connected()
        rig.wait(until: 104, 999_999)
        try await rig.coordinator.tick()
        #expect(rig.told.count == 1)
        rig.wait(until: 105)
        try await rig.coordinator.tick()
        #expect(rig.told == ["12 raised", "12 raised"])
        rig.wait(until: 108)
        try await rig.coordinator.tick()
        #expect(rig.told.count == 2)
        // What comes back later is repeated again.
        rig.coordinator.connected()
        rig.wait(until: 110)
        try await rig.coordinator.tick()
        #expect(rig.told.count == 3)
    }

    @Test("a connection that breaks again and again is waited for fifteen seconds at most")
    func unsteady() async throws {
        let rig = try CoordinatorRig()
        rig.coordinator.connected()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        for second in 100..<115 {
            rig.wait(until: Int64(second))
            rig.coordinator.connected()
            rig.wait(until: Int64(second), 999_999)
            try await rig.coordinator.tick()
        }
        #expect(rig.told.count == 1)
        rig.wait(until: 115)
        try await rig.coordinator.tick()
        #expect(rig.told.count == 2)
    }

    @Test("what the broker did not take is given out again with the next, in order")
    func failing() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        rig.publisher.failNext(BusError(.connectionLost, during: .publish))
        await #expect(throws: BusError.self) { try await rig.coordinator.take([rig.reading(120)]) }
        #expect(rig.told.isEmpty)
        try await rig.coordinator.take([rig.reading(90)])
        #expect(rig.told == ["12 raised", "12 cleared"])
    }

    @Test("a batch that is given back and comes again is done only once what it led to has left, though nothing of it is new")
    func givenBack() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        let batch = [rig.reading(120)]
        for _ in 0..<2 {
            rig.publisher.failNext(BusError(.connectionLost, during: .publish))
            await #expect(throws: BusError.self) { try await rig.coordinator.take(batch) }
        }
        #expect(rig.told.isEmpty)
        try await rig.coordinator.take(batch)
        #expect(rig.told == ["12 raised"])
        try await rig.coordinator.take(batch)
        #expect(rig.told == ["12 raised"], "once")
        // It counts as told from then on.
        for second in stride(from: 106, through: 166, by: 6) as StrideThrough<Int64> {
            rig.wait(until: second)
            try await rig.coordinator.tick()
        }
        #expect(try rig.store.unpublished().isEmpty)
    }

    @Test("what was acknowledged over a minute ago is not kept for the broker any more")
    func acknowledged() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        for second in stride(from: 105, through: 160, by: 5) as StrideThrough<Int64> {
            rig.wait(until: second)
            try await rig.coordinator.tick()
        }
        #expect(try rig.store.unpublished().count == 1)
        rig.wait(until: 168)
        try await rig.coordinator.tick()
        #expect(try rig.store.unpublished().isEmpty)
    }

    @Test("readings of strangers are warned of when it begins, and whenever there are more than ten times as many")
    func strangers() async throws {
        let rig = try CoordinatorRig(capacity: 1)
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        let text = "readings not judged: too many participants, see --participant-limit"
        var warned: [Int: [String]] = [:]
        for number in 1...111 {
            try await rig.coordinator.take([rig.reading(120, of: "stranger-\(number)")])
            if [1, 10, 11, 110, 111].contains(number) { warned[number] = rig.log.values("readings", of: text) }
        }
        #expect(warned == [1: ["1"], 10: ["1"], 11: ["1", "11"], 110: ["1", "11"], 111: ["1", "11", "111"]])
    }

    @Test("rules that changed while it was away are read at the start, once")
    func changedRules() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        let next = try CoordinatorRig(#"{rules: [{id: "other", metric: "heart-rate", severity: "warning", above: 200}]}"#, in: rig.folder)
        try await next.coordinator.publishLeftOver()
        #expect(next.told == ["12 raised", "12 cleared"])
        #expect(await next.core.files.map(\.text) == [try String(contentsOfFile: rig.folder.path("rules.json5"), encoding: .utf8)])
        let again = try CoordinatorRig(
            #"{rules: [{id: "other", metric: "heart-rate", severity: "warning", above: 200}]}"#, in: rig.folder)
        try await again.coordinator.publishLeftOver()
        #expect(again.told == ["12 raised", "12 cleared"], "only what may not have arrived")
    }

    private static let watching = """
        {rules: [{id: "notifier", kind: "technical", metric: "notifier-status", severity: "warning", oneOf: ["failing"]}]}
        """

    @Test("a notifier that is not there any more is no longer told to be failing; one that is, is", arguments: [[], ["web"]])
    func vanished(notifiers: [String]) async throws {
        let rig = try CoordinatorRig(Self.watching, notifiers: ["web"])
        try await rig.coordinator.publishLeftOver()
        await rig.coordinator.report(notifier: "web", .failing)
        #expect(rig.told == ["_module.vigil-notifier.web raised"])
        let next = try CoordinatorRig(Self.watching, in: rig.folder, notifiers: notifiers)
        try await next.coordinator.publishLeftOver()
        // The first is repeated, as the broker may have forgotten it.
        #expect(next.told.last == "_module.vigil-notifier.web \(notifiers.isEmpty ? "cleared" : "raised")")
        await next.coordinator.report(notifier: "web", .delivering)
        #expect(next.told.last == "_module.vigil-notifier.web cleared")
    }

    @Test("its state stands in for the journal once it has ended")
    func finish() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        var records = 0
        try rig.store.eachRecord { _ in records += 1 }
        #expect(records > 0)
        try await rig.coordinator.finish()
        records = 0
        try rig.store.eachRecord { _ in records += 1 }
        #expect(records == 0)
    }

    @Test("rules are read again where they differ; what is wrong with them is said, and the former stay")
    func reload() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        #expect(try await rig.coordinator.reload() == nil)
        #expect(rig.log.lines.isEmpty, "they are the same")
        try rig.folder.write(CoordinatorRig.plain.replacing("110", with: "111"), to: "rules.json5")
        #expect(try await rig.coordinator.reload() == nil)
        #expect(rig.log.lines == ["notice: rules read again"])
        try await rig.coordinator.take([rig.reading(111)])
        #expect(rig.told.isEmpty)
        try rig.folder.write("{rules: [{}]}", to: "rules.json5")
        #expect(try await rig.coordinator.reload()?.hasPrefix("rules are wrong; the former stay in force\n") == true)
        try FileManager.default.removeItem(atPath: rig.folder.path("rules.json5"))
        #expect(try await rig.coordinator.reload()?.hasPrefix("rules cannot be read; the former stay in force: there is no rule") == true)
        try await rig.coordinator.take([rig.reading(112)])
        #expect(rig.told == ["12 raised"])
    }

    @Test("all who ask for the rules to be read again are answered by one reading, a thousand at most")
    func reloads() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        for number in 0..<1000 {
            let answer = try await rig.ask(#"{"command": "reload", "actor": "a", "id": "\#(number)"}"#)
            #expect(answer.isEmpty)
        }
        #expect(
            try await rig.ask(#"{"command": "reload", "actor": "a"}"#)
                == [#"{"error":"too many others ask for it already","ok":false}"#])
        try rig.folder.write("{rules: [{}]}", to: "rules.json5")
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await rig.coordinator.runReloads() }
            try await eventually("the answers") { rig.answers.messages.count == 1001 }
            #expect(rig.log.lines == ["error: rules are wrong; the former stay in force"])
            try rig.folder.write(CoordinatorRig.plain, to: "rules.json5")
            _ = try await rig.ask(#"{"command": "reload", "actor": "a"}"#)
            try await eventually("the next answer") { rig.answers.messages.count == 1002 }
            tasks.cancelAll()
        }
        let texts = rig.answers.messages.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts.count { $0.contains("the former stay in force") } == 1000 && texts.last == #"{"ok":true}"#)
    }

    @Test("an erasure is answered with what it removed; what was never there was not")
    func erasure() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120), rig.reading(120, of: "13")])
        for removed in [#"{"alerts":1,"transitions":1}"#, "{}"] {
            let answer = try #require(try await rig.ask(#"{"command": "erase", "actor": "a"}"#).first)
            #expect(
                answer.contains(#""ok":true"#) && answer.contains(#""instance":"test""#) && answer.contains("\"removed\":\(removed)"),
                "\(answer)")
        }
        let states = rig.publisher.messages.filter { $0.topic.hasPrefix("vigil/v1/alerts/") }
        #expect(
            states.map { "\($0.topic.suffix(7)) \($0.payload.isEmpty) \($0.retained)" } == [
                "12/high false true", "13/high false true", "12/high true true",
            ])
    }

    @Test("what is kept of a person is given, with facts, thresholds and transitions")
    func export() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(120)])
        _ = try await rig.ask(
            #"{"command": "set-profile", "actor": "a", "profile": {"born": 1000, "saturationScale": 2, "height": 181.5, "pregnant": true}}"#
        )
        _ = try await rig.ask(
            #"{"command": "set-threshold", "actor": "a", "reason": "r", "severity": "warning", "value": 140}"#, rule: "high")
        let data = try await rig.core.personalData(of: "12").json
        let text = String(decoding: data, as: UTF8.self)
        for part in [
            #""born":1000"#, #""saturationScale":2"#, #""height":181.5"#, #""pregnant":true"#,
            #""thresholds":[{"rule":"high","severity":"warning","value":140}]"#, #""transition":"raised""#, "heart-rate: 120",
        ] { #expect(text.filter { !$0.isWhitespace }.contains(part.filter { !$0.isWhitespace }), "\(part) in \(text)") }
        let answer = try #require(try await rig.ask(#"{"command": "export", "actor": "a"}"#).first)
        #expect(answer.contains(#""ok":true"#) && answer.contains(#""part":0"#) && answer.contains(#""parts":1"#), "\(answer)")
        #expect(try await rig.ask(#"{"command": "export", "actor": "a", "part": 1}"#).first?.contains(#""ok":false"#) == true)
        let other = String(decoding: try await rig.core.personalData(of: "13").json, as: UTF8.self)
        #expect(!other.contains("profile"))
    }

    @Test("history is answered for one alert, for one person and for all, the newest two hundred first")
    func history() async throws {
        let rig = try CoordinatorRig()
        try await rig.coordinator.publishLeftOver()
        try await rig.coordinator.take([rig.reading(90, of: "13"), rig.reading(120, of: "13")])
        for number in 0..<101 {
            try await rig.coordinator.take([rig.reading(120, id: "\(number) a"), rig.reading(90, id: "\(number) b")])
        }
        func history(_ participant: String, _ rule: String) async throws -> [[String: Any]] {
            let answer = try #require(try await rig.ask(#"{"command": "history"}"#, of: participant, rule: rule).first)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
            #expect(object["ok"] as? Bool == true)
            return try #require(object["events"] as? [[String: Any]])
        }
        let own = try await history("12", "high")
        #expect(own.count == 200 && own.first?["sequence"] as? Int == 202 && own.last?["sequence"] as? Int == 3)
        #expect(try await history("13", "all").map { $0["transition"] as? String } == ["raised"])
        #expect(try await history("all", "all").count == 200)
        #expect(try await history("12", "none").isEmpty)
    }

    @Test("a test of a notifier is passed on to it, four at a time, and answered with its result")
    func tests() async throws {
        let rig = try CoordinatorRig(notifiers: ["web"])
        try await rig.coordinator.publishLeftOver()
        let command = #"{"command": "notify-test", "notifier": "web", "actor": "\#(String(repeating: "n", count: 201))"}"#
        #expect(
            try await rig.ask(#"{"command": "notify-test", "notifier": "wbe", "actor": "a"}"#)
                == [#"{"error":"there is no notifier \"wbe\"; did you mean \"web\"?","ok":false}"#])
        for _ in 0..<4 { #expect(try await rig.ask(command).isEmpty) }
        #expect(try await rig.ask(command) == [#"{"error":"too many tests are waiting already","ok":false}"#])
        let tests = try #require(rig.feed.inbox(of: "web")).takeTests()
        #expect(tests.map(\.actor) == Array(repeating: String(repeating: "n", count: 200), count: 4))
        await tests[0].answer("delivered", true)
        await tests[1].answer("not delivered", false)
        let texts = rig.answers.messages.suffix(2).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts == [#"{"lines":["delivered"],"ok":true}"#, #"{"error":"not delivered","ok":false}"#])
    }

    @Test("notifiers are woken by transitions, not by scores alone")
    func waking() async throws {
        let rig = try CoordinatorRig(
            """
            {scores: {news2: {}}, rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110}]}
            """, notifiers: ["web"])
        try await rig.coordinator.publishLeftOver()
        let inbox = try #require(rig.feed.inbox(of: "web"))
        let clock = SteppingClock(1)
        try await rig.coordinator.take([rig.reading(100)])
        #expect(rig.publisher.messages.contains { $0.topic.contains("/readings") }, "a score")
        await inbox.wait(atMost: .seconds(1), clock: clock)
        #expect(clock.steps.count == 1, "nothing woke it")
        try await rig.coordinator.take([rig.reading(120)])
        await inbox.wait(atMost: .seconds(1), clock: clock)
        #expect(rig.told == ["12 raised"])
    }
}

@Suite("One caller at a time", .timeLimit(.minutes(10)))
struct AsyncMutexTests {
    /// Who was let through, in order, and how many are inside.
    private final class Trace: Sendable {
        let log = Mutex<[Int]>([])
        let inside = Atomic(0)
        func note(_ number: Int) { log.withLock { $0.append(number) } }
        var numbers: [Int] { log.withLock { $0 } }
    }

    @Test("goes through in the order of coming, and alone, also over suspensions")
    func order() async throws {
        let (mutex, trace) = (AsyncMutex(), Trace())
        let gate = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                await mutex.withLock {
                    trace.note(0)
                    for await _ in gate.stream { break }
                }
            }
            try await eventually("the first") { trace.numbers == [0] }
            for number in 1...20 {
                tasks.addTask {
                    await mutex.withLock {
                        #expect(trace.inside.add(1, ordering: .relaxed).newValue == 1)
                        await Task.yield()
                        trace.note(number)
                        trace.inside.subtract(1, ordering: .relaxed)
                    }
                }
            }
            for _ in 0..<1000 { await Task.yield() }
            #expect(trace.numbers == [0], "nobody else while it is taken")
            gate.continuation.yield()
            try await tasks.waitForAll()
        }
        #expect(trace.numbers.sorted() == Array(0...20))
        // It is free again.
        #expect(await mutex.withLock { 7 } == 7)
    }
}
