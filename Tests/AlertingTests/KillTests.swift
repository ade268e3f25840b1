import AlertRules
import Alerting
import Foundation
import TestSupport
import Testing
import VigilSchema

/// A scripted scenario once without and once with kills at random points: a subscriber sees the same.
///
/// `VIGIL_KILLS=200` sets how many; a few where it is not set.
@Suite("vigil-alert killed at random points", .serialized, .timeLimit(.minutes(90)))
struct KillTests {
    private static let rules = """
        {scores: {news2: {}}, rules: [
          {id: "high", metric: "heart-rate", latch: true, for: "3s", keepFiringFor: "4s", lateness: "10h", staleAfter: "5h", maximumAge: "10h",
           levels: [{severity: "warning", above: 110, clear: 105}, {severity: "critical", above: 130, for: "2s"}]},
          {id: "often", metric: "heart-rate", severity: "notice", above: 100, repeat: {count: 3, within: "8s"}, lateness: "10h", staleAfter: "5h"},
          {id: "rise", metric: "heart-rate", severity: "notice", take: "rise", over: "10s", above: 25, inhibitedBy: ["high"], lateness: "10h",
           staleAfter: "5h"}]}
        """

    @Test("shows a subscriber the same events, none lost, none twice, and the same present state at the end")
    func kills() async throws {
        let kills = ProcessInfo.processInfo.environment["VIGIL_KILLS"].flatMap { Int($0) } ?? 8
        let steps = max(40, kills * 3)
        let plain = Record()
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            for step in 0..<steps { try await Self.send(step, rig) }
            try await Self.finish(rig, steps)
            await plain.take(rig)
        }
        let killed = Record()
        let wanted = await plain.count
        try await AlertRig.with(rules: Self.rules) { rig in
            var random = SystemRandomNumberGenerator()
            let points = Set((0..<steps).shuffled(using: &random).prefix(kills))
            try await rig.start()
            for step in 0..<steps {
                try await Self.send(step, rig)
                guard points.contains(step) else { continue }
                // Anywhere in the handling of what was just sent, or before it.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...8000, using: &random)))
                try await rig.kill()
                try await rig.start()
            }
            try await Self.finish(rig, steps)
            await killed.take(rig)
        }
        let (expected, found) = (await plain.events, await killed.events)
        #expect(expected.count == found.count)
        for (alert, events) in expected {
            let difference = zip(events, found[alert] ?? []).first { $0 != $1 }
            let counts = "\(alert): \(found[alert]?.count ?? 0) instead of \(events.count)"
            #expect(difference == nil, "\(counts); \(difference?.0 ?? "") became \(difference?.1 ?? "")")
            #expect(found[alert]?.count == events.count, "\(counts)")
        }
        let isSame = await plain.states == killed.states
        #expect(isSame)
        #expect(wanted > steps / 4)
    }

    /// Three wearers whose heart rates wander through all the limits, and commands now and then.
    private static func send(_ step: Int, _ rig: AlertRig) async throws {
        for wearer in 0..<3 {
            let wave = 105 + 35 * sin(Double(step) / (3 + Double(wearer))) + Double((step * 7 + wearer * 3) % 11)
            try await rig.send("w\(wearer)", "heart-rate", wave.rounded(), at: Int64(step))
        }
        let time = AlertRig.base + Int64(step)
        guard step % 9 == 5 else { return }
        let until = Date().timeIntervalSince1970 + 7200
        try await rig.command(
            "w\(step % 3)", "high",
            #"{"command": "\#(step % 2 == 0 ? "acknowledge" : "clear")", "actor": "nurse", "time": \#(time), "reason": "seen", "until": \#(until)}"#
        )
    }

    /// The second marker is sent once the first's alert is there, so it is judged later than all else, and its alert comes after everything.
    private static func finish(_ rig: AlertRig, _ steps: Int) async throws {
        for marker in ["marker-1", "marker-2"] {
            for second in 0..<3 { try await rig.send(marker, "heart-rate", 140, at: Int64(steps + second)) }
            try await eventually(within: .seconds(60), "the alert of \(marker)") {
                rig.events.contains { $0.participant == marker && $0.rule == "often" }
            }
        }
    }

    /// The messages that a subscriber saw, without the moments of deciding.
    private actor Record {
        private(set) var events: [String: [String]] = [:]
        private(set) var states: [String: String] = [:]
        var count: Int { events.values.reduce(0) { $0 + $1.count } }

        func take(_ rig: AlertRig) {
            for event in rig.events where !event.participant.hasPrefix("marker") {
                events["\(event.participant)/\(event.rule)", default: []].append(timeless(event))
            }
            states = rig.states.filter { !$0.value.participant.hasPrefix("marker") }.mapValues { state in
                var state = state
                // The newest value comes up to five seconds later.
                (state.updated, state.value, state.threshold, state.message) = (nil, nil, nil, [:])
                return timeless(state)
            }
        }

        /// Everything but when it was decided.
        private func timeless(_ message: AlertMessage) -> String {
            var message = message
            message.decided = 0
            let bytes = try? message.encoded()
            return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}
