import Access
import Foundation
import Signals
import Testing
import VigilSchema

@testable import StressAnalysis

@Suite("Who is in memory")
struct EngineStateTests {
    private func reading(_ name: String, at second: Double, _ metric: String = "heart-rate", _ value: Double = 72) -> ObservationBatch {
        WearerFeed.batch(
            name,
            [Observation(metric: metric, time: Timestamp(seconds: WearerFeed.start + second), content: .value(value), unit: "/min")],
            received: WearerFeed.start + second)
    }

    private func take(_ name: String, at second: Double, _ engine: inout StressEngine) {
        engine.take(reading(name, at: second), defaultMode: .enhanced)
    }

    private func handle(_ action: StressCommand.Action, _ name: String, _ engine: inout StressEngine, at second: Double = 0) -> StressReply
    {
        engine.handle(
            StressCommand(action: action), participant: name, at: Timestamp(seconds: WearerFeed.start + second), defaultMode: .enhanced,
            calibrationSeconds: 360)
    }

    /// It is looked for them once more than a minute has passed since the last time, which was at 3600 s.
    @Test("whoever was silent for more than an hour is dropped, within a minute", arguments: [(3601.0, 2), (3660, 2), (3660.5, 1)])
    func sweep(second: Double, count: Int) {
        var engine = StressEngine()
        take("p1", at: 0, &engine)
        take("p2", at: 3600, &engine)
        #expect(engine.participantCount == 2)
        take("p2", at: second, &engine)
        #expect(engine.participantCount == count && engine.taken == 3)
    }

    @Test("what comes late does not drop anybody")
    func late() {
        var engine = StressEngine()
        take("p1", at: 5000, &engine)
        take("p2", at: 0, &engine)
        #expect(engine.participantCount == 2)
        take("p1", at: 5061, &engine)
        #expect(engine.participantCount == 1)
    }

    @Test("whoever was silent for more than an hour is dropped also after the clock was set back by hours")
    func setBack() {
        var engine = StressEngine()
        for (name, second) in [("p1", 10_000.0), ("p2", 10_000), ("p1", 0), ("p2", 0), ("p2", 3700)] {
            engine.take(reading(name, at: second), now: Timestamp(seconds: WearerFeed.start + second), defaultMode: .enhanced)
        }
        #expect(engine.participantCount == 1)
    }

    @Test("people who are taken over say what time it is, by which others were silent for too long")
    func resumed() throws {
        var (one, other, next) = (StressEngine(), StressEngine(), StressEngine())
        take("p1", at: 0, &one)
        take("p2", at: 5000, &other)
        let people = [try #require(try one.snapshot()), try #require(try other.snapshot())].map(\.people)
        #expect(next.resume(EngineSnapshot(people: people[0].merging(people[1]) { $1 })) == 0 && next.participantCount == 2)
        take("p3", at: 100, &next)
        #expect(next.participantCount == 1 && next.knows("p2"))
    }

    @Test("to forget somebody removes what is in memory, what waits, and the profile, and says how much it was")
    func erase() throws {
        var engine = StressEngine()
        for second in 0..<30 { take("p1", at: Double(second), &engine) }
        _ = handle(.mode(.base), "p1", &engine)
        #expect(engine.pending["p1"] != nil && engine.unsaved["p1"]?.mode == .base && engine.knows("p1"))
        let data = String(decoding: try engine.personalData(of: "p1").json, as: UTF8.self)
        #expect(data.contains("analyses") && data.contains("last-received") && data.contains("base"))
        #expect(engine.erase(participant: "p1") == ["analyses": 1, "profiles": 1])
        #expect(engine.pending["p1"] == nil && engine.unsaved["p1"] == nil && engine.erased == ["p1"] && !engine.knows("p1"))
        #expect(engine.erase(participant: "p1") == ["analyses": 0, "profiles": 0])
        engine.saved()
        #expect(engine.erased.isEmpty && engine.participantCount == 0)
        let nothing = String(decoding: try engine.personalData(of: "p1").json, as: UTF8.self)
        #expect(!nothing.contains("last-received"))
    }

    @Test("a command's answer tells mode, baseline and calibration, and only a changed profile is kept")
    func obeys() {
        var profile = StressProfile()
        profile.baseline = .population
        var engine = StressEngine(profiles: ["known": profile])
        let reply = handle(.calibrate(seconds: nil), "known", &engine)
        #expect(
            reply.ok && reply.participant == "known" && reply.mode == "enhanced" && reply.calibrated == true && reply.calibrating == true)
        #expect(engine.unsaved.isEmpty)
        #expect(handle(.cancelCalibration, "known", &engine).calibrating == false)
        #expect(handle(.mode(.built), "known", &engine).mode == "built" && engine.unsaved["known"]?.mode == .built)
        engine.saved()
        #expect(handle(.mode(.built), "known", &engine).ok && engine.unsaved.isEmpty)
        let forgotten = handle(.forget, "known", &engine)
        #expect(forgotten.calibrated == false && engine.unsaved["known"]?.baseline == nil && engine.unsaved["known"] != nil)
        let bounds = StressBounds(heartRate: 50...100)
        #expect(handle(.bounds(bounds), "known", &engine).ok && engine.unsaved["known"]?.bounds == bounds)
        #expect(engine.knows("known") && !engine.knows("other"))
    }

    @Test("to forget the baseline ends guided minutes too")
    func forgetsWhileGuided() {
        var engine = StressEngine()
        #expect(handle(.calibrate(seconds: 60), "p1", &engine).calibrating == true)
        #expect(handle(.forget, "p1", &engine).calibrating == false)
    }

    @Test("blocks that came twice are counted of everybody in memory")
    func dropped() {
        var engine = StressEngine()
        for name in ["p1", "p2"] {
            let block = Observation(
                metric: "airflow", time: Timestamp(seconds: WearerFeed.start),
                content: .samples(Array(repeating: 1, count: 25), period: 0.04),
                unit: "1")
            for _ in 0..<3 { engine.take(WearerFeed.batch(name, [block], received: WearerFeed.start), defaultMode: .enhanced) }
        }
        #expect(engine.dropped == 4)
    }

    /// What was said of somebody, by the time in seconds.
    private func said(_ name: String, from start: Double, to end: Double, _ engine: inout StressEngine) -> [(time: Double, text: String)] {
        var found: [(time: Double, text: String)] = []
        for second in stride(from: start, through: end, by: 1) {
            take(name, at: second, &engine)
            for observation in engine.pending[name] ?? [] {
                if observation.metric == "stress-status", case .text(let text) = observation.content {
                    found.append((observation.time.seconds - WearerFeed.start, text))
                }
            }
            engine.published()
        }
        return found
    }

    @Test("after a take-over it is said once, after twenty seconds, that it warms up, and the reports follow after 65")
    func warmUp() {
        var engine = StressEngine(isSuccessor: true)
        let found = said("p1", from: 0, to: 100, &engine)
        #expect(found.first?.time == 20.5 && found.first?.text == "warming up: another replica has taken over")
        #expect(found.dropFirst().map(\.time).first == 65 && found.dropFirst().allSatisfy { !$0.text.contains("warming") })
    }

    @Test("whoever comes an hour after a take-over was not known before it", arguments: [(3599.0, true), (3600, false)])
    func strangers(second: Double, warmsUp: Bool) {
        var engine = StressEngine(isSuccessor: true)
        take("first", at: 0, &engine)
        let found = said("stranger", from: second, to: second + 40, &engine)
        #expect(found.contains { $0.text.contains("warming") } == warmsUp)
        var first = StressEngine()
        take("first", at: 0, &first)
        #expect(!said("stranger", from: 1, to: 40, &first).contains { $0.text.contains("warming") })
    }

    @Test("a status that says nothing new is told once, and again after something was said")
    func silence() {
        var engine = StressEngine()
        var times: [Double] = []
        for second in 0..<120 {
            // Only a temperature: there is no heart signal, and nothing to say but that; at 60 s a heart rate for ten seconds.
            engine.take(reading("p1", at: Double(second), "skin-temperature", 33), defaultMode: .enhanced)
            if (60..<70).contains(second) { take("p1", at: Double(second) + 0.5, &engine) }
            times += (engine.pending["p1"] ?? []).filter { $0.metric == "stress-status" }.map { $0.time.seconds - WearerFeed.start }
            engine.published()
        }
        #expect(times.filter { $0 < 60 } == [0] && times.filter { $0 > 60 }.count > 5)
    }

    /// At 50 s a reading of the future; at 60 s the clock by which readings are received and dated goes an hour back.
    @Test("what a sensor dates into the future is remarked on for no longer where the clock is set back")
    func remarkSetBack() {
        var engine = StressEngine(), told: [Int] = [], remarked: [Int] = []
        for second in 0..<240 {
            let time = WearerFeed.start + Double(second) - (second < 60 ? 0 : 3600), now = Timestamp(seconds: time)
            func send(_ metric: String, _ lead: Double) {
                let observation = Observation(metric: metric, time: now.advanced(bySeconds: lead), content: .value(60), unit: "/min")
                engine.take(WearerFeed.batch("p1", [observation], source: metric, received: time), now: now, defaultMode: .enhanced)
            }
            send("heart-rate", 0)
            if second == 50 { send("pulse-rate", 500) }
            for observation in engine.pending["p1"] ?? [] where observation.metric == "stress-status" {
                guard case .text(let text) = observation.content else { continue }
                told.append(second)
                if text.contains("future") { remarked.append(second) }
            }
            engine.published()
        }
        #expect(remarked.first == 55 && (remarked.last ?? 999) <= 125 && told.filter { $0 > 130 }.count > 10, "\(remarked) of \(told)")
    }

    @Test("what a sensor dates into the future is remarked on for a minute")
    func remark() {
        var engine = StressEngine()
        var remarked: [Double] = []
        for second in 0..<200 {
            take("p1", at: Double(second), &engine)
            if second == 50 {
                let ahead = WearerFeed.batch(
                    "p1",
                    [
                        Observation(
                            metric: "skin-temperature", time: Timestamp(seconds: WearerFeed.start + 500), content: .value(33), unit: "Cel")
                    ],
                    source: "odd", received: WearerFeed.start + 50)
                engine.take(ahead, defaultMode: .enhanced)
            }
            for observation in engine.pending["p1"] ?? [] {
                if observation.metric == "stress-status", case .text(let text) = observation.content, text.contains("future") {
                    remarked.append(Double(second))
                }
            }
            engine.published()
        }
        // A report comes with each fifth second: from 55 on, while less than 60 s have passed since 50.
        #expect(remarked.first == 55 && remarked.last == 105)
    }
}
