import Foundation
import Glibc
import SuiteHarness
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

/// A stream of readings judged by replicas that take each other's place, and by one process that nothing disturbs: a subscriber sees the same.
///
/// `VIGIL_MOVES=100` sets the number of moves; a few where it is not set.
@Suite("Shares of alerts that change hands", .serialized, .timeLimit(.minutes(30)))
struct HandOverTests {
    private static let rules = """
        {rules: [
          {id: "high", metric: "heart-rate", latch: true, for: "3s", keepFiringFor: "4s", lateness: "10h", staleAfter: "9h", maximumAge: "10h",
           levels: [{severity: "warning", above: 110, clear: 105}, {severity: "critical", above: 130, for: "2s"}]},
          {id: "often", metric: "heart-rate", severity: "notice", above: 100, repeat: {count: 3, within: "8s"}, lateness: "10h", staleAfter: "9h"},
          {id: "rise", metric: "heart-rate", severity: "notice", take: "rise", over: "10s", above: 25, inhibitedBy: ["high"], lateness: "10h",
           staleAfter: "9h"}]}
        """
    private static let shares = 16
    private static let people = 16

    @Test("moved again and again, it tells the same events as where nothing moves")
    func moves() async throws {
        let wanted = ProcessInfo.processInfo.environment["VIGIL_MOVES"].flatMap { Int($0) } ?? 32
        try await compare { replicas, _ in
            let before = try Self.claims(replicas)
            var round = 0
            while try Self.claims(replicas) - before < wanted {
                let name = round.isMultiple(of: 2) ? "a" : "b"
                for share in 0..<Self.shares { try await replicas.state.leases.move(share, of: "vigil-alert", to: name) }
                try await replicas.waitUntilOwned([name: Self.shares])
                round += 1
            }
            print("moves:", try Self.claims(replicas) - before)
        }
    }

    @Test("one killed, another frozen past its lease and let go on: none of their events is missing, or told with another content")
    func killedAndFrozen() async throws {
        try await compare { replicas, services in
            let (a, b) = (services[0], services[1])
            try await b.kill()
            try await replicas.waitUntilOwned(["a": 16])
            try await b.start()
            try await replicas.waitUntilOwned(["a": 8, "b": 8])
            a.signal(SIGSTOP)
            let frozen = ContinuousClock.now
            try await replicas.waitUntilOwned(["b": 16])
            try await eventually("twenty seconds") { ContinuousClock.now - frozen > .seconds(20) }
            a.signal(SIGCONT)
            try await replicas.waitUntilOwned(["a": 8, "b": 8])
        }
    }

    /// Plays the stream to replicas while `disturb` runs, then as many steps to one process, and compares.
    private func compare(_ disturb: @Sendable @escaping (ReplicaRig, [SuiteService]) async throws -> Void) async throws {
        try await ReplicaRig.with(rules: Self.rules, shares: Self.shares) { replicas in
            let stream = StreamProgress()
            let services = try ["a", "b"].map { try replicas.replica($0) }
            for one in services { try await one.start() }
            try await replicas.waitUntilOwned(["a": 8, "b": 8])
            try await replicas.waitUntilJudging()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                defer { tasks.cancelAll() }
                tasks.addTask {
                    while !stream.ends.load(ordering: .acquiring) {
                        try await Self.send(stream.count.add(1, ordering: .relaxed).oldValue, replicas.rig)
                        try await ContinuousClock().sleep(for: .milliseconds(100))
                    }
                }
                try await disturb(replicas, services)
                stream.ends.store(true, ordering: .releasing)
                try await tasks.waitForAll()
            }
            let steps = stream.count.load(ordering: .relaxed)
            try await AlertRig.with(rules: Self.rules) { alone in
                try await alone.start()
                for step in 0..<steps { try await Self.send(step, alone) }
                try await Self.finish(alone, steps)
                try await eventually(within: .seconds(120), "the same events; \(replicas.rig.differences(from: alone).prefix(3))") {
                    replicas.rig.differences(from: alone).isEmpty
                        || replicas.rig.story.values.joined().count > alone.story.values.joined().count
                }
                #expect(replicas.rig.differences(from: alone) == [])
                let shown = { (rig: AlertRig) in Set(rig.states.filter { !$0.value.participant.hasPrefix("end-") }.keys) }
                #expect(shown(replicas.rig) == shown(alone), "the present states are those of the end")
                print("steps: \(steps), events: \(alone.story.values.joined().count)")
                #expect(alone.story.values.joined().count > steps / 2)
            }
            for one in services { try await one.stop() }
        }
    }

    private static func claims(_ replicas: ReplicaRig) throws -> Int {
        Int(try replicas.psql("SELECT sum(epoch) FROM vigil_alert.lease")) ?? 0
    }

    /// Wearers whose heart rates wander through all the limits, and an acknowledgement now and then.
    private static func send(_ step: Int, _ rig: AlertRig) async throws {
        for wearer in 0..<people {
            let wave = 105 + 35 * sin(Double(step) / (3 + Double(wearer % 5))) + Double((step * 7 + wearer * 3) % 11)
            try await rig.send("w\(wearer)", "heart-rate", wave.rounded(), at: Int64(step))
        }
        guard step % 3 == 2 else { return }
        let json = #"{"command": "acknowledge", "actor": "nurse", "time": \#(AlertRig.base + Int64(step)), "reason": "seen"}"#
        try await rig.command("w\(step % people)", "high", json)
    }

    /// Returns once everything before is told: its own alarm comes after it.
    private static func finish(_ rig: AlertRig, _ steps: Int) async throws {
        for marker in ["end-1", "end-2"] {
            for second in 0..<3 { try await rig.send(marker, "heart-rate", 104, at: Int64(steps + second)) }
            try await eventually("the alarm of \(marker)") { rig.events.contains { $0.participant == marker && $0.rule == "often" } }
        }
    }
}

/// How far a stream has come.
private final class StreamProgress: Sendable {
    let count = Atomic(0)
    let ends = Atomic(false)
}
