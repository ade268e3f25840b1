import AlertRules
import Foundation
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// What a notifier stores of what it told, and until when it waits.
@Suite("One notifier's state", .timeLimit(.minutes(3)))
struct NotifierStateTests {
    private typealias Rig = NotifierCourseTests.Rig

    /// A receiver that accepts what it was sent only once it is let to, whoever has given up waiting for it.
    private final class SlowReceiver: NotificationChannel {
        private struct State {
            var waiting: [CheckedContinuation<Void, Never>] = []
            var isOpen = false
        }
        private let state = Mutex(State())

        var isAsked: Bool { state.withLock { !$0.waiting.isEmpty } }

        func open() {
            let waiting = state.withLock { state in
                defer { state = State(isOpen: true) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        func send(_ notification: Alerting.Notification) async throws(ChannelError) {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }
    }

    /// What is stored of the group of a participant.
    private static func kept(_ rig: Rig, of participant: String = "12") throws -> NotificationGroup.Kept? {
        let group = try rig.base.store.groups(of: "web").first { $0.name == "participant=\(participant)" }
        return try group.map { try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data($0.state)) }
    }

    @Test("what was delivered is stored while it runs: a kill repeats nothing of it")
    func delivered() async throws {
        let rig = try Rig()
        try await rig.base.coordinator.publishLeftOver()
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("the delivery in the store") {
                try rig.base.store.cursor(of: "web") == 1 && Self.kept(rig)?.number == 1
            }
            let kept = try #require(try Self.kept(rig))
            #expect(kept.newsSince == nil && kept.told == ["12/high"] && kept.firing == [1] && kept.lastSent != nil && kept.failures == 0)
        }
    }

    @Test("what did not arrive is stored as such: it is tried again after a kill, and no sooner")
    func failed() async throws {
        let rig = try Rig()
        try await rig.base.coordinator.publishLeftOver()
        rig.receiver.isAway = true
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("the failure in the store") { try Self.kept(rig)?.failures ?? 0 > 0 }
            let kept = try #require(try Self.kept(rig))
            #expect(kept.newsSince != nil && kept.isUrgent && kept.number == 0 && kept.notBefore > 0 && kept.lastSent == nil)
        }
    }

    @Test("what arrives while it ends is stored as delivered")
    func ending() async throws {
        let receiver = SlowReceiver()
        let rig = try Rig(channel: receiver)
        try await rig.base.coordinator.publishLeftOver()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await rig.notifier.run() }
            try await rig.base.coordinator.take([rig.base.reading(120)])
            try await eventually("the delivery") { receiver.isAsked }
            tasks.cancelAll()
            receiver.open()
            try await tasks.waitForAll()
        }
        let kept = try #require(try Self.kept(rig))
        #expect(kept.number == 1 && kept.newsSince == nil && kept.told == ["12/high"])
        #expect(try rig.base.store.cursor(of: "web") == 1 && rig.delivered.value == 1)
    }

    @Test("it waits for the next reminder, and does not look again and again until then")
    func pause() async throws {
        let clock = SteppingClock(0)
        let rig = try Rig(clock: clock) { $0.repeatInterval = 86_400_000_000 }
        try await rig.base.coordinator.publishLeftOver()
        try await rig.run {
            try await rig.base.coordinator.take([rig.base.reading(120)])
            // Of a day some may have passed on a busy machine.
            try await eventually("the wait for the reminder") { clock.steps.contains { $0 > .seconds(80_000) && $0 <= .seconds(86_400) } }
        }
        #expect(rig.receiver.told == ["firing 12"] && clock.steps.count < 20)
    }
}
