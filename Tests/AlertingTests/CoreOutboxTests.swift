import AlertRules
import MessageBus
import Synchronization
import Testing
import VigilSchema

@testable import Alerting

/// What the core gives out a second time, what it counts as told, and what it takes for the end of a wait.
@Suite("Alert core and what may not have left", .timeLimit(.minutes(3)))
struct CoreOutboxTests {
    private static func rules(_ members: String) -> String {
        #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, \#(members)}]}"#
    }
    private static let plain = rules("staleAfter: \"2h\"")
    private static let delayed = rules(#"for: "10s", lateness: "0s", staleAfter: "2h""#)
    private static let watching = """
        {rules: [{id: "notifier", kind: "technical", metric: "notifier-status", severity: "warning", oneOf: ["failing"], staleAfter: "1d"}]}
        """

    @Test("what may not have been published goes with the next tick, though nothing is new, and then no more")
    func nextTick() async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        await core.publishingFailed()
        try await core.run(to: 1)
        #expect(core.published("alert-events").count == 2)
        try await core.run(to: 10)
        #expect(core.published("alert-events").count == 2)
    }

    @Test("what was left over counts as told a minute after it was published, and is not given out at the next start")
    func leftOver() async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        try await core.restart(at: 1)
        #expect(core.published("alert-events").count == 2)
        try await core.drain()
        try await core.run(to: 75)
        try await core.restart(at: 76)
        #expect(core.published("alert-events").count == 2)
    }

    @Test("a call that stores nothing names no entry as published, whether it notes the time or not")
    func nothing() async throws {
        let rig = try CoordinatorRig()
        #expect(try await rig.core.leftOver().last == 0)
        for second in [101, 102] as [Int64] {
            rig.wait(until: second)
            #expect(try await rig.core.advance(to: rig.now).last == 0)
        }
        #expect(AlertCore.Output().last == 0)
        #expect(try await rig.core.take([rig.reading(120)], now: rig.now).last == 1)
    }

    @Test("after a start what is left over is durable, and marked as given out before")
    func repeated() async throws {
        let first = try CoordinatorRig()
        try await first.coordinator.publishLeftOver()
        try await first.coordinator.take([first.reading(120)])
        let next = try CoordinatorRig(in: first.folder)
        let left = try await next.core.leftOver()
        #expect(left.repeated == 2 && left.isDurable && left.last == 1)
        #expect(left.messages.map(\.topic) == ["vigil/v1/alert-events/12/high", "vigil/v1/alerts/12/high", "marker"])
        // With what comes next goes what may not have left, before it.
        await next.core.publishingFailed()
        let both = try await next.core.take([next.reading(90, of: "13"), next.reading(120, of: "13")], now: next.now)
        #expect(both.repeated == 2 && both.messages.count == 4 && both.messages.map(\.topic)[2].contains("/13/"))
    }

    @Test("what a leap over a time in which nobody looked led to is so after a kill")
    func leap() async throws {
        let core = try await CoreHarness(Self.delayed)
        try await core.read(120)
        try await core.sleep(to: 3600)
        try await core.drain()
        #expect(core.happened() == ["high pending", "high raised"])
        try await core.restart(at: 3601)
        // It is active already, before the clock goes on.
        try await core.command(#"{"command": "acknowledge", "actor": "nurse", "id": "1"}"#, rule: "high")
        #expect(core.happened() == ["high acknowledged"])
    }

    @Test("neither new rules, an erasure nor a receiver's state is a message that waited at the broker")
    func hearing() async throws {
        let core = try await CoreHarness(Self.delayed)
        try await core.read(120)
        try await core.restart(at: 3600)
        try await core.run(to: 3605)
        try await core.reload(Self.delayed)
        try await core.run(to: 3607)
        try await core.erase("nobody")
        try await core.run(to: 3609)
        try await core.report("web", isFailing: true)
        try await core.run(to: 3610)
        #expect(core.happened() == ["high pending"])
        try await core.run(to: 3611)
        #expect(core.happened() == ["high raised"])
    }

    @Test("a receiver's state is of the moment at which it was told")
    func notifier() async throws {
        let core = try await CoreHarness(Self.watching)
        core.wait(until: 7)
        try await core.report("web", isFailing: true)
        core.wait(until: 9)
        try await core.report("web", isFailing: false)
        #expect(core.times() == [7, 9])
    }

    @Test("what was due when somebody is erased is counted once, and a batch that came before is still known")
    func erasure() async throws {
        let core = try await CoreHarness(Self.delayed)
        try await core.read(120, of: "13")
        try await core.read(120)
        #expect(core.counts.events.load(ordering: .relaxed) == 2)
        core.wait(until: 10)
        try await core.erase("12")
        #expect(core.counts.events.load(ordering: .relaxed) == 4)
        #expect(core.happened() == ["high pending", "high pending", "high raised", "high raised"])
        try await core.redeliver()
        #expect(core.counts.repeated.load(ordering: .relaxed) == 1)
    }

    @Test(
        "somebody who was erased and is heard of again is told under numbers that nobody has seen of the name",
        arguments: StoreKind.allCases)
    func again(kind: StoreKind) async throws {
        let core = try await CoreHarness(Self.plain, on: kind)
        for value in [120.0, 90, 120] { try await core.read(value) }
        #expect(core.lastNumber(of: "12", "high") == 3)
        try await core.erase("12")
        try await core.restart(at: 1)
        try await core.drain()
        _ = core.happened()
        try await core.read(120)
        #expect(core.happened() == ["high raised"] && core.lastNumber(of: "12", "high") == 4)
    }
}
