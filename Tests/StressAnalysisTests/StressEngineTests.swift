import SignalSynthesis
import Signals
import StressAnalysis
import Testing
import VigilSchema

@Suite("Stress engine")
struct StressEngineTests {
    private static func take(_ batches: [ObservationBatch], _ engine: inout StressEngine) -> [Observation] {
        var derived: [Observation] = []
        for batch in batches {
            engine.take(batch, defaultMode: .enhanced)
            derived += engine.pending.values.flatMap { $0 }
            engine.published()
        }
        return derived
    }

    private static func values(_ metric: String, _ observations: [Observation]) -> [Double] {
        observations.compactMap { observation in
            guard observation.metric == metric, case .value(let value) = observation.content else { return nil }
            return value
        }
    }

    private static func statuses(_ observations: [Observation]) -> [String] {
        texts("stress-status", observations)
    }

    private static func texts(_ metric: String, _ observations: [Observation]) -> [String] {
        observations.compactMap { observation in
            guard observation.metric == metric, case .text(let text) = observation.content else { return nil }
            return text
        }
    }

    @Test("tells the rhythm of each minute of a good electrocardiogram, with the minute's length, and that a flat one's is not known")
    func rhythm() throws {
        var feed = WearerFeed()
        var engine = StressEngine()
        let derived = Self.take(feed.seconds(250), &engine)
        #expect(Self.texts("rhythm", derived).suffix(2) == ["regular", "regular"])
        let judged = Self.values("beats-judged", derived)
        #expect(judged.count >= 2 && judged.allSatisfy { (50...75).contains($0) })
        #expect(Self.values("ventricular-beats", derived).allSatisfy { $0 == 0 })
        #expect(Self.values("fibrillation-suspected", derived).allSatisfy { $0 == 0 })
        let minutes = derived.filter { ["rhythm", "beats-judged", "fibrillation-suspected"].contains($0.metric) }
        #expect(minutes.allSatisfy { $0.interval == 60 && $0.time.seconds.truncatingRemainder(dividingBy: 60) == 0 })
        let flat = (0..<250).map { second in
            WearerFeed.batch(
                "p2",
                [
                    Observation(
                        metric: "ecg", time: Timestamp(seconds: WearerFeed.start + Double(second)),
                        content: .samples(Array(repeating: 0.1, count: 250), period: 0.004), unit: "mV"),
                    Observation(
                        metric: "respiration-rate", time: Timestamp(seconds: WearerFeed.start + Double(second)), content: .value(14),
                        unit: "/min"),
                ], received: WearerFeed.start + Double(second))
        }
        let silent = Self.take(flat, &engine)
        #expect(Set(Self.texts("rhythm", silent)).isSubset(of: ["unknown"]) && Self.values("beats-judged", silent).isEmpty)
    }

    @Test("derives heart rate, breathing, skin conductance and stress every five seconds")
    func derives() throws {
        var feed = WearerFeed()
        var engine = StressEngine()
        let derived = Self.take(feed.seconds(120), &engine)
        let heart = Self.values("heart-rate", derived)
        #expect(heart.count >= 18)
        #expect(heart.suffix(10).allSatisfy { abs($0 - 66) < 4 })
        #expect(abs((Self.values("respiration-rate", derived).last ?? 0) - 14) < 2)
        #expect(abs((Self.values("skin-conductance-level", derived).last ?? 0) - 2.4) < 0.6)
        #expect(Self.values("ecg-quality", derived).last ?? 0 > 0.7)
        #expect(Self.values("stress-level", derived).allSatisfy { (0...1).contains($0) })
        #expect(Self.values("stress-calibrated", derived).allSatisfy { $0 == 0 })
        let times = Set(derived.filter { !$0.metric.hasPrefix("heart-rhythm") }.map(\.time.seconds))
        #expect(times.allSatisfy { $0.truncatingRemainder(dividingBy: 5) == 0 })
        #expect(times.count >= 22)
    }

    @Test("gives every derived metric the catalogue's unit and a plausible value")
    func catalogue() {
        var feed = WearerFeed(state: .stress)
        var engine = StressEngine()
        for observation in Self.take(feed.seconds(420), &engine) {
            let definition = MetricCatalogue.standard.definition(named: observation.metric)
            #expect(definition?.unit == observation.unit, "\(observation.metric)")
            if case .value(let value) = observation.content, let plausible = definition?.plausible { #expect(plausible.contains(value)) }
        }
    }

    @Test("calibrates by itself on five quiet minutes, and keeps the profile")
    func calibrates() throws {
        var feed = WearerFeed()
        var engine = StressEngine()
        let derived = Self.take(feed.seconds(420), &engine)
        let profile = try #require(engine.unsaved["p1"])
        #expect(abs((profile.baseline?.heartRate ?? 0) - 66) < 3)
        #expect(abs((profile.baseline?.breathingRate ?? 0) - 14) < 1.5)
        #expect(Self.values("stress-calibrated", derived).last == 1)
        #expect(Self.values("stress-level", derived).last ?? 1 < 0.35)
        #expect(Self.statuses(derived).last == "ok")
    }

    @Test("tells stress from rest once it knows the person")
    func stress() throws {
        var profile = StressProfile()
        profile.baseline = StressBaseline(heartRate: 66, skinConductance: 2.3, breathingRate: 14)
        profile.calibratedAt = 1
        var engine = StressEngine(profiles: ["calm": profile, "tense": profile])
        var calm = WearerFeed(participant: "calm")
        var tense = WearerFeed(participant: "tense", state: .stress)
        let low = Self.values("stress-level", Self.take(calm.seconds(120), &engine))
        let high = Self.values("stress-level", Self.take(tense.seconds(120), &engine))
        let (calmest, tensest) = (try #require(low.last), try #require(high.last))
        #expect(calmest < 0.3)
        #expect(tensest > 0.6)
    }

    @Test("gives the same results when blocks come twice, late or out of order")
    func disorder() {
        var feed = WearerFeed()
        var waveforms: [ObservationBatch] = []
        var readings: [ObservationBatch] = []
        for _ in 0..<90 {
            let (waveform, reading) = feed.second()
            waveforms.append(waveform)
            readings.append(reading)
        }
        var (tidy, untidy) = (StressEngine(), StressEngine())
        let expected = Self.take(zip(waveforms, readings).flatMap { [$0, $1] }, &tidy)
        var mixed: [ObservationBatch] = []
        for index in stride(from: 0, to: 90, by: 3) {
            mixed += [waveforms[index], waveforms[index + 2], waveforms[index], waveforms[index + 1]]
            mixed += readings[index..<index + 3]
        }
        let found = Self.take(mixed, &untidy)
        #expect(untidy.dropped == 30 * 2)
        for metric in ["heart-rate", "heart-rate-variability-rmssd"] {
            #expect(Self.values(metric, found) == Self.values(metric, expected), "\(metric)")
        }
    }

    @Test("passes over what it derived itself")
    func own() {
        var engine = StressEngine()
        let observation = Observation(metric: "heart-rate", time: Timestamp(seconds: 1_700_000_000), content: .value(70), unit: "/min")
        let batch = WearerFeed.batch("p1", [observation], source: StressEngine.source, received: 1_700_000_000)
        #expect(Self.take([batch], &engine).isEmpty)
        #expect(engine.participantCount == 0)
    }

    @Test("says why nothing can be said", arguments: [(Float(0), "the electrocardiogram is flat"), (1, "the electrocardiogram is flat")])
    func reasons(value: Float, reason: String) {
        var engine = StressEngine()
        let batches = (0..<60).map { second in
            let time = WearerFeed.start + Double(second)
            let block = Observation(
                metric: "ecg", time: Timestamp(seconds: time),
                content: .samples([Double](repeating: Double(value), count: 250), period: 0.004),
                unit: "mV")
            return WearerFeed.batch("p1", [block], received: time)
        }
        let derived = Self.take(batches, &engine)
        #expect(Self.values("heart-rate", derived).isEmpty)
        #expect(Self.values("stress-level", derived).isEmpty)
        #expect(Self.values("ecg-quality", derived).allSatisfy { $0 == 0 })
        #expect(Self.statuses(derived).last?.contains(reason) == true)
    }

    private static func mistake(_ metric: String, at seconds: Double, _ content: Observation.Content) -> Observation {
        Observation(metric: metric, time: Timestamp(seconds: WearerFeed.start + seconds), content: content, unit: "1")
    }

    /// Things that a device may send by mistake: blocks that are no waveform, and times in the future.
    static let mistakes: [Observation] = [
        mistake("ecg", at: 30, .samples([0, 1], period: 1e-300)), mistake("ecg", at: 40, .samples([0, 1], period: 1e-6)),
        mistake("ecg", at: 0, .samples([0, 1], period: 86_400)), mistake("acceleration-x", at: 0, .samples([0, 1], period: 1e-300)),
        mistake("heart-rate", at: 86_400, .value(60)), mistake("ecg", at: 86_400, .samples([0, 1], period: 0.004)),
    ]

    @Test("goes on with what is right before and after a device's mistake", arguments: mistakes)
    func goesOn(after mistake: Observation) {
        var feed = WearerFeed()
        var engine = StressEngine()
        let wrong = WearerFeed.batch("p1", [mistake], source: "odd", received: WearerFeed.start)
        var derived = Self.take([wrong] + feed.seconds(120), &engine)
        #expect(Self.values("stress-level", derived).count >= 12)
        let later = WearerFeed.batch("p1", [mistake], source: "odd", received: feed.time)
        derived = Self.take([later, later] + feed.seconds(60), &engine)
        #expect(Self.values("stress-level", derived).count >= 10)
        #expect(derived.allSatisfy { $0.time.seconds < feed.time })
        #expect(Self.values("ecg-quality", derived).last ?? 0 > 0.7)
    }

    @Test("says that it passes over what a sensor dates into the future, and gives a calibration up that its clock has led")
    func ahead() {
        var feed = WearerFeed()
        var engine = StressEngine()
        _ = Self.take([WearerFeed.batch("p1", [Self.mistakes[4]], source: "odd", received: WearerFeed.start)], &engine)
        let begun = engine.handle(
            StressCommand(action: .calibrate(seconds: 60)), participant: "p1", at: Timestamp(seconds: WearerFeed.start),
            defaultMode: .enhanced, calibrationSeconds: 60)
        #expect(begun.calibrating == true)
        let before = Self.take(feed.seconds(30), &engine)
        #expect(Self.statuses(before).last?.contains("a sensor's clock was ahead") == true)
        let wrong = WearerFeed.batch("p1", [Self.mistakes[4]], source: "odd", received: feed.time)
        let after = Self.take([wrong] + feed.seconds(20), &engine)
        #expect(Self.statuses(after).last?.contains("dates into the future") == true)
    }

    @Test("says nothing twice where a delivery comes minutes late, as after a fault of the broker", arguments: [60.0, 150, 280])
    func late(by delay: Double) {
        var feed = WearerFeed(), engine = StressEngine(), undisturbed = StressEngine()
        let before = feed.seconds(300), after = feed.seconds(180)
        let time = feed.time - 180 - delay
        let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: time), content: .value(61), unit: "/min")
        let derived = Self.take(before + [WearerFeed.batch("p1", [reading], received: time)] + after, &engine)
        #expect(derived == Self.take(before + after, &undisturbed))
        #expect(Set(derived.map { "\($0.metric) \($0.time.microseconds) \($0.interval)" }).count == derived.count)
    }

    @Test(
        "goes on at once after the clock by which readings are received and dated was set back",
        arguments: [-3600.0, -1e9])
    func setBack(by lead: Double) {
        var engine = StressEngine()
        func values(_ step: Double) -> [Double] {
            let derived = (0..<120).flatMap { second in
                let time = WearerFeed.start + step + Double(second)
                let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: time), content: .value(60), unit: "/min")
                engine.take(
                    WearerFeed.batch("p1", [reading], received: time), now: Timestamp(seconds: time + 0.1), defaultMode: .enhanced)
                defer { engine.published() }
                return engine.pending["p1"] ?? []
            }
            return Self.values("stress-level", derived)
        }
        let before = values(0).count
        #expect(before >= 20)
        #expect(values(lead).count == before)
        #expect(values(lead + 200).count >= before)
    }

    @Test("listens again to a sensor with a clock of its own within minutes after the host's was set back by an hour")
    func ownClock() {
        var engine = StressEngine()
        func values(_ seconds: Range<Int>, clock: Double) -> [Double] {
            let derived = seconds.flatMap { second in
                let time = WearerFeed.start + Double(second)
                let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: time), content: .value(60), unit: "/min")
                engine.take(
                    WearerFeed.batch("p1", [reading], received: time + clock), now: Timestamp(seconds: time + clock), defaultMode: .enhanced
                )
                defer { engine.published() }
                return engine.pending["p1"] ?? []
            }
            return Self.values("stress-level", derived)
        }
        #expect(values(0..<120, clock: 0).count >= 20)
        _ = values(120..<185, clock: -3600)
        #expect(values(185..<305, clock: -3600).count >= 20)
        #expect(values(305..<425, clock: 0).count >= 20)
    }

    @Test("follows a sensor whose clock is ahead where nothing else is heard")
    func alone() {
        var engine = StressEngine()
        let batches = (0..<60).map { second in
            let time = WearerFeed.start + Double(second)
            let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: time + 600), content: .value(60), unit: "/min")
            return WearerFeed.batch("p1", [reading], received: time)
        }
        #expect(Self.values("stress-level", Self.take(batches, &engine)).count >= 8)
    }

    @Test("says that dry electrodes say nothing")
    func dry() {
        var engine = StressEngine()
        let batches = (0..<400).map { tick in
            let time = WearerFeed.start + Double(tick) / 4
            let reading = Observation(metric: "skin-conductance", time: Timestamp(seconds: time), content: .value(0.01), unit: "uS")
            return WearerFeed.batch("p1", [reading], received: time)
        }
        let derived = Self.take(batches, &engine)
        #expect(Self.values("skin-conductance-quality", derived).last == 0)
        #expect(Self.values("stress-level", derived).isEmpty)
        #expect(Self.statuses(derived).last?.contains("dry") == true)
    }

    @Test("drops who was silent for an hour, and still knows the profile")
    func idle() {
        var engine = StressEngine()
        var feed = WearerFeed()
        _ = Self.take(feed.seconds(10), &engine)
        _ = engine.handle(
            StressCommand(action: .mode(.base)), participant: "p1", at: Timestamp(seconds: WearerFeed.start), defaultMode: .enhanced,
            calibrationSeconds: 360)
        #expect(engine.participantCount == 1)
        let later = WearerFeed.start + 3700
        let reading = Observation(metric: "heart-rate", time: Timestamp(seconds: later), content: .value(60), unit: "/min")
        _ = Self.take([WearerFeed.batch("p2", [reading], received: later)], &engine)
        #expect(engine.participantCount == 1)
        let reply = engine.handle(
            StressCommand(action: .cancelCalibration), participant: "p1", at: Timestamp(seconds: later), defaultMode: .enhanced,
            calibrationSeconds: 360)
        #expect(reply.mode == "base")
    }

    @Test("keeps what it derived until it is published")
    func pending() {
        var engine = StressEngine()
        var feed = WearerFeed()
        for batch in feed.seconds(30) { engine.take(batch, defaultMode: .enhanced) }
        let waiting = engine.pending["p1"]?.count ?? 0
        #expect(waiting > 10)
        for batch in feed.seconds(10) { engine.take(batch, defaultMode: .enhanced) }
        #expect(engine.pending["p1"]?.count ?? 0 > waiting)
        engine.published()
        #expect(engine.pending.isEmpty)
    }

    @Test("listens to one of two devices that measure the same, and hands over when it stops")
    func devices() {
        var engine = StressEngine()
        var batches: [ObservationBatch] = []
        for second in 0..<120 {
            let time = WearerFeed.start + Double(second)
            let reading = { (value: Double) in
                [Observation(metric: "heart-rate", time: Timestamp(seconds: time), content: .value(value), unit: "/min")]
            }
            if second < 40 { batches.append(WearerFeed.batch("p1", reading(60), source: "wrist", received: time)) }
            batches.append(WearerFeed.batch("p1", reading(100), source: "ring", received: time))
        }
        let components = Self.values("stress-heart-component", Self.take(batches, &engine))
        #expect(components.first == StressScore(StressInputs(heartRate: 60), mode: .enhanced, baseline: nil).heart)
        #expect(
            components.last
                == StressScore(StressInputs(heartRate: 100), mode: .enhanced, baseline: nil).heart.map { ($0 * 10_000).rounded() / 10_000 })
    }
}
