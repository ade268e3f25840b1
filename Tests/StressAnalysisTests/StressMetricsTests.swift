import Access
import Foundation
import MessageBus
import Observability
import ServiceKit
import Signals
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import StressAnalysis

@Suite("What the stress analysis tells of its work")
struct StressMetricsTests {
    /// Engines that say how they went away.
    private final class Engines: EngineSource {
        let profiles: any ProfileStore
        private let closed = Mutex<[Bool]>([])
        private let wholes = Mutex<[Bool]>([])

        init() throws {
            profiles = SQLiteProfileStore(try ServiceState(path: ":memory:", migrations: SQLiteProfileStore.migrations))
        }

        /// For each that went whether everything had been published.
        var gone: [Bool] { closed.withLock { $0 } }

        /// For each that went whether nothing in it waited to be published or kept.
        var whole: [Bool] { wholes.withLock { $0 } }

        func open() async throws -> StressEngine { StressEngine(profiles: try await profiles.all()) }

        func close(_ engine: StressEngine, isDrained: Bool) async {
            closed.withLock { $0.append(isDrained) }
            let isWhole = ((try? engine.snapshot()) ?? nil) != nil
            wholes.withLock { $0.append(isWhole) }
        }
    }

    /// A pipeline with all that it tells.
    private struct Told: Sendable {
        let registry = MetricsRegistry()
        let source = BatchSource()
        let publisher = InMemoryPublisher()
        let engines: Engines

        init() throws { engines = try Engines() }

        func value(_ name: String) -> String? {
            registry.render().split(separator: "\n").first { $0.hasPrefix("vigil_stress_\(name) ") }
                .map { String($0.split(separator: " ")[1]) }
        }

        /// The answers on a topic below `responses/carer`.
        func answers(_ name: String) -> [String] {
            publisher.messages.filter { $0.topic == "vigil/v1/responses/carer/\(name)" }.map { String(decoding: $0.payload, as: UTF8.self) }
        }

        func pipeline(_ batches: BatchSource) -> StressPipeline<BatchSource> {
            StressPipeline(
                batches: batches, publisher: publisher, replies: ReplyPublisher(publisher), instance: "second", engines: engines,
                mode: LiveValue(.built), calibration: LiveValue(120), metrics: StressMetrics(registry),
                log: Logger(service: "test", level: .error, sink: { _ in }), now: { Timestamp(seconds: WearerFeed.start + 100) })
        }
    }

    /// Runs a pipeline beside a test; it has ended when this returns.
    private func running(_ body: @Sendable @escaping (Told) async throws -> Void) async throws -> Told {
        let told = try Told()
        let pipeline = told.pipeline(told.source)
        try await withRunning({ try await pipeline.run() }, stop: { told.source.finish() }) { try await body(told) }
        return told
    }

    private func reading(
        _ name: String, at second: Double, received: Double? = nil, count: Int = 1, metric: String = "heart-rate", retained: Bool = false
    ) -> IncomingMessage {
        let observations = (0..<count).map {
            Observation(
                metric: metric, time: Timestamp(seconds: WearerFeed.start + second + Double($0)), content: .value(70), unit: "/min")
        }
        let batch = WearerFeed.batch(name, observations, received: WearerFeed.start + (received ?? second))
        return IncomingMessage(topic: WearerFeed.topic(batch).path, payload: BatchEncoder.encode(batch), retained: retained)
    }

    private func command(_ json: String, _ name: String = "p1", to answer: String? = nil, retained: Bool = false) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/requests/\(name)/stress", payload: Array((#"{"participant": "\#(name)", "# + json.dropFirst()).utf8),
            retained: retained,
            properties: MessageProperties(responseTopic: answer.map { "vigil/v1/responses/carer/\($0)" }))
    }

    private static let junk = IncomingMessage(topic: "vigil/v1/observations/00/readings", payload: [0])

    // MARK: Counts

    @Test("every message is counted, every observation that is taken in, every one derived, and every command as what became of it")
    func counters() async throws {
        let block = WearerFeed.batch(
            "p3",
            [
                Observation(
                    metric: "airflow", time: Timestamp(seconds: WearerFeed.start), content: .samples([1, 2, 3, 4], period: 0.25), unit: "1")
            ],
            received: WearerFeed.start)
        let waveform = IncomingMessage(topic: WearerFeed.topic(block).path, payload: BatchEncoder.encode(block))
        let told = try await running { told in
            #expect(
                await told.source.send([
                    reading("p1", at: 0, count: 31, metric: "skin-temperature"), reading("p2", at: 0, count: 2), Self.junk,
                ]) == .committed)
            #expect(await told.source.send([command(#"{"command": "cancel"}"#), command("{}"), Self.junk]) == .committed)
            #expect(await told.source.send([waveform, waveform, waveform, reading("p4", at: 1, retained: true)]) == .committed)
            // What was shown for one delivery stands there with the next.
            #expect(await told.source.send([]) == .committed)
            #expect(told.value("participants") == "3" && told.value("blocks_dropped") == "2")
        }
        let counts = [
            "messages_total": "10", "messages_malformed_total": "2", "observations_total": "36", "commands_total": "1",
            "commands_refused_total": "1", "participants": "0", "blocks_dropped": "0", "settle_seconds_count": "4",
        ]
        for (name, count) in counts { #expect(told.value(name) == count, "\(name): \(told.value(name) ?? "")") }
        let derived = try told.publisher.messages.flatMap { try BatchDecoder().decode($0.payload.span).groups }.flatMap(\.observations)
        #expect(derived.count > 10 && told.value("derived_total") == "\(derived.count)")
        #expect(told.engines.gone == [true])
    }

    @Test("the lag is that of the oldest observation of the last message, and never less than nothing")
    func lag() async throws {
        @Sendable func two(_ first: Double, _ second: Double) throws -> IncomingMessage {
            let groups = try [first, second].flatMap { time in
                try BatchDecoder().decode(reading("p1", at: time).payload.span).groups
            }
            let batch = ObservationBatch(id: ULID.make(at: Timestamp(seconds: 1)), groups: groups)
            return IncomingMessage(topic: Topic.readings(Partition(participant: "p1")).path, payload: BatchEncoder.encode(batch))
        }
        let told = try await running { told in
            for (messages, lag) in [
                ([try two(91, 97)], "9"), ([try two(97, 91)], "9"), ([try two(95, 96), try two(98, 99)], "2"),
                ([reading("p1", at: 130)], "0"),
            ] {
                #expect(await told.source.send(messages) == .committed)
                #expect(told.value("lag_seconds") == lag)
            }
        }
        #expect(told.value("settle_seconds_count") == "4")
    }

    @Test("a delivery that is given back is not counted as settled, and what it derived is counted once it is published")
    func givenBack() async throws {
        let told = try await running { told in
            told.publisher.fail { _ in BusError(.connectionLost, during: .publish) }
            #expect(await told.source.send([reading("p1", at: 0, count: 31, metric: "skin-temperature")]) == .rejected)
            #expect(told.value("derived_total") == "0")
            told.publisher.fail(where: nil)
            #expect(await told.source.send([]) == .committed)
            #expect(Int(told.value("derived_total") ?? "") ?? 0 > 10)
        }
        #expect(told.value("settle_seconds_count") == "1" && told.value("messages_total") == "1")
    }

    // MARK: Commands

    @Test("a retained command is refused, each topic's once, and a retained reading is passed over")
    func retained() async throws {
        let told = try await running { told in
            for _ in 0..<2 {
                let messages = [
                    command(#"{"command": "cancel"}"#, "p1", to: "1", retained: true),
                    command(#"{"command": "cancel"}"#, "p2", to: "2", retained: true), reading("p3", at: 0, retained: true),
                ]
                #expect(await told.source.send(messages) == .committed)
            }
        }
        for name in ["1", "2"] {
            #expect(told.answers(name).count == 1 && told.answers(name)[0].contains("without the retain flag"))
            #expect(told.answers(name)[0].contains(#""ok":false"#))
        }
        #expect(told.value("commands_refused_total") == "2" && told.value("observations_total") == "0")
    }

    @Test("of retained commands a thousand topics are remembered, and then none is answered")
    func thousand() async throws {
        let told = try await running { told in
            let commands = (0...1001).map { command("{}", "p\($0)", to: "x", retained: true) }
            #expect(await told.source.send(commands) == .committed)
        }
        #expect(told.answers("x").count == 1000)
    }

    @Test("an answer tells the mode of those who have none of their own, and the usual length of a calibration is the setting's")
    func defaults() async throws {
        let told = try await running { told in
            let begun = [command(#"{"command": "calibrate"}"#, to: "1"), command(#"{"command": "mode", "mode": "base"}"#, to: "2")]
            #expect(await told.source.send([reading("p1", at: 0)] + begun) == .committed)
            // The last update of 120 s is there once five more are known.
            #expect(await told.source.send([reading("p1", at: 1, received: 114, count: 114)]) == .committed)
            let before = try await told.engines.profiles.all()
            #expect(before["p1"]?.baseline == nil)
            #expect(await told.source.send([reading("p1", at: 115, received: 130, count: 16)]) == .committed)
            let after = try await told.engines.profiles.all()
            #expect(after["p1"]?.baseline?.heartRate == 70)
            #expect(await told.source.send([command(#"{"command": "cancel"}"#, to: "3")]) == .committed)
        }
        #expect(
            told.answers("1").first?.contains(#""mode":"built""#) == true
                && told.answers("1").first?.contains(#""calibrating":true"#) == true)
        #expect(
            told.answers("2").first?.contains(#""mode":"base""#) == true
                && told.answers("3").first?.contains(#""calibrating":false"#) == true)
    }

    @Test("what is kept of somebody is given in parts, and removed with a confirmation of how much it was")
    func personal() async throws {
        let told = try await running { told in
            #expect(await told.source.send([reading("p1", at: 0), command(#"{"command": "mode", "mode": "base"}"#)]) == .committed)
            let kept = try await told.engines.profiles.all()
            #expect(kept.keys.sorted() == ["p1"])
            let commands = [
                command(#"{"command": "export", "part": 0}"#, to: "1"), command(#"{"command": "export", "part": 7}"#, to: "2"),
                command(#"{"command": "erase"}"#, to: "3"),
            ]
            #expect(await told.source.send(commands) == .committed)
            let left = try await told.engines.profiles.all()
            #expect(left.isEmpty)
        }
        let decoder = JSONDecoder()
        func part(_ name: String) throws -> PersonalDataPart {
            try decoder.decode(PersonalDataPart.self, from: Data(try #require(told.answers(name).first).utf8))
        }
        let (first, beyond) = (try part("1"), try part("2"))
        #expect(first.ok && first.service == "vigil-stress" && first.instance == "second" && first.part == 0)
        #expect(String(decoding: first.data ?? Data(), as: UTF8.self).contains("base") && !beyond.ok)
        let erased = try decoder.decode(ErasureConfirmation.self, from: Data(try #require(told.answers("3").first).utf8))
        #expect(erased == ErasureConfirmation(service: "vigil-stress", instance: "second", removed: ["analyses": 1, "profiles": 1]))
    }

    @Test("somebody whose name is all is obeyed for, once they are known")
    func all() async throws {
        let told = try await running { told in
            let order = #"{"command": "cancel"}"#
            #expect(
                await told.source.send([command(order, "all", to: "1"), reading("all", at: 0), command(order, "all", to: "2")])
                    == .committed)
        }
        #expect(told.answers("1").first?.contains("whose analysis") == true && told.answers("2").first?.contains(#""ok":true"#) == true)
    }

    // MARK: The end

    @Test("an engine can be handed over once its results are published and its profiles kept or removed", arguments: ["mode", "erase"])
    func whole(command word: String) async throws {
        let told = try await running { told in
            let commands = [command(#"{"command": "mode", "mode": "base"}"#), command(#"{"command": "\#(word)", "mode": "built"}"#)]
            #expect(await told.source.send([reading("p1", at: 0, count: 31)] + commands) == .committed)
        }
        #expect(told.engines.whole == [true])
    }

    @Test("an engine that is cancelled is not handed over as one that has published everything")
    func cancelled() async throws {
        let told = try Told()
        let pipeline = told.pipeline(told.source)
        let running = Task { try await pipeline.run() }
        #expect(await told.source.send([reading("p1", at: 0)]) == .committed)
        running.cancel()
        try await running.value
        #expect(told.engines.gone == [false] && told.value("participants") == "0")
    }

    @Test("an engine whose messages end with a fault is closed as one with something left, and the fault is told")
    func failed() async throws {
        let told = try Told()
        let pipeline = StressPipeline(
            batches: AsyncThrowingStream<MessageBatch, any Error> { $0.finish(throwing: BusError(.closed, during: .publish)) },
            publisher: told.publisher, replies: ReplyPublisher(told.publisher), engines: told.engines, mode: LiveValue(.enhanced),
            calibration: LiveValue(120), metrics: StressMetrics(told.registry), log: Logger(service: "test", level: .error, sink: { _ in }),
            now: { Timestamp(seconds: WearerFeed.start) })
        await #expect(throws: BusError.self) { try await pipeline.run() }
        #expect(told.engines.gone == [false])
    }
}
