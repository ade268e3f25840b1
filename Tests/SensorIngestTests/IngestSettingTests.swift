import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import Observability
@testable import SensorIngest
@testable import ServiceKit
@testable import Settings

@Suite("Settings of ingest")
struct IngestSettingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Whether the settings take a value.
    private func isTaken(_ name: String, _ value: String) -> Bool {
        (try? IngestContext.make([name: value], in: folder)) != nil
    }

    @Test(
        "take what lies within their bounds, and nothing beyond",
        arguments: [
            ("future-tolerance", "60s", "30d", "59s", "2592001s"), ("maximum-payload", "1024", "16777216", "1023", "16777217"),
            ("outbox-limit", "1048576", "1125899906842624", "1048575", "1125899906842625"), ("rate-limit", "0", "1000000", "-1", "1000001"),
            ("reading-budget", "0", "1000000", "-1", "1000001"),
            ("ingest-http-within", "1s", "300s", "999ms", "301s"), ("ehealth-interval", "100ms", "1d", "99ms", "86401s"),
            ("vehicle-interval", "100ms", "1d", "99ms", "86401s"),
        ])
    func bounds(name: String, least: String, most: String, less: String, more: String) {
        #expect(isTaken(name, least) && isTaken(name, most))
        #expect(!isTaken(name, less) && !isTaken(name, more))
    }

    @Test("are without any flag what the documentation says: careful, and with nothing that needs a decision")
    func defaults() throws {
        let context = try IngestContext.make(in: folder)
        #expect(try !context[SensorIngestService.acceptUnknownMetrics] && !context[SensorIngestService.outboxSync])
        #expect(try !context[SensorIngestService.correctClocks] && !context[SensorIngestService.bindDevices])
        #expect(try !context[SensorIngestService.latest] && context[SensorIngestService.outbox] == .all)
        #expect(try context[SensorIngestService.futureTolerance] == .seconds(86_400))
        #expect(try context[SensorIngestService.maximumPayload] == 1 << 20)
        #expect(try context[SensorIngestService.outboxLimit] == 4_294_967_296)
        #expect(try context[SensorIngestService.rateLimit] == 0)
        #expect(try context[SensorIngestService.mappingFiles] == nil && context[SensorIngestService.state.address] == nil)
        #expect(try context[MappingService.discovery] == "homeassistant")
        #expect(try context[HTTPIngestService.port] == 0 && context[HTTPIngestService.within] == .seconds(30))
        for poll in [PollSettings.eHealth, .vehicle] {
            #expect(try context[poll.url] == "" && context[poll.interval] == .seconds(1) && context[poll.names] == [:])
            #expect(try context[poll.participant] == "unknown" && context[poll.device] == poll.name)
        }
    }

    @Test("say what is wrong with a state that is no database, or with devices that are bound beside one")
    func state() async throws {
        let build = SensorIngestService.command.build
        let error = #expect(throws: ConfigurationError.self) { _ = try IngestContext.make(["state": "mysql://a/b"], in: folder) }
        #expect(error?.name == "--state")
        let both = try IngestContext.make(["state": "postgresql://u@127.0.0.1/d", "bind-devices": "true"], in: folder)
        let other = await #expect(throws: ConfigurationError.self) { _ = try await build(both) }
        #expect(other?.name == "--bind-devices")
        let fine = try IngestContext.make(["state": "postgresql://u@127.0.0.1/d"], in: folder)
        #expect(try await build(fine).count > 5, "nobody connects before it runs")
        // Nor while it runs, nor because it was set when it was the only one.
        await #expect(throws: ExchangeError.readOnly(name: "bind-devices")) {
            try await fine.exchange.set("bind-devices", .text("true"))
        }
        let alone = try IngestContext.make(in: folder)
        _ = try await IngestPolicy.live(alone)
        try await alone.exchange.set("bind-devices", .text("true"))
        #expect(try await !IngestPolicy.live(alone, isOneOfSeveral: true)().devices.bindsDevices)
        #expect(try await alone.exchange.value(of: "bind-devices") == .boolean(false))
    }

    @Test("of ingest over HTTP open no port where none is given, and need tokens where one is")
    func http() throws {
        #expect(try HTTPIngestService.members(try IngestContext.make(in: folder)).isEmpty)
        func problem(_ flags: [String: String]) throws -> String {
            let context = try IngestContext.make(flags.merging(["ingest-http-port": "18443"]) { $1 }, in: folder)
            do {
                _ = try HTTPIngestService.members(context)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(try problem([:]).contains("needs --ingest-http-tokens"))
        #expect(try problem(["ingest-http-tokens": folder.path("none")]).contains(folder.path("none")))
        let tokens = try folder.write("", to: "tokens")
        #expect(try problem(["ingest-http-tokens": tokens]) == "")
        #expect(try problem(["ingest-http-tokens": tokens, "ingest-http-host": "0.0.0.0"]).contains("loopback only"))
        try folder.write("nonsense\n", to: "tokens")
        #expect(try problem(["ingest-http-tokens": tokens]).contains("tokens:1"))
    }

    @Test(
        "take a megabyte of messages at once, and packets in which twice what is taken can be refused in words",
        arguments: [("1024", 4_194_304), ("2097152", 4_194_304), ("2097153", 4_194_306), ("4194304", 8_388_608)] as [(String, UInt32)])
    func limits(payload: String, packet: UInt32) throws {
        let mappings = try folder.write("{mappings: []}", to: "mine.json5")
        try folder.write("old/#\nother/+\n", to: "vigil-ingest-main.mapped-topics")
        let context = try IngestContext.make(["maximum-payload": payload, "mappings": mappings], in: folder)
        var consumer = ConsumerConfiguration(broker: BrokerConfiguration(clientID: "c"), subscriptions: [])
        try SensorIngestService.devices(context, MappingService(context))(&consumer)
        #expect(consumer.broker.maximumPacket == packet && consumer.limits.bytes == 1_048_576)
        #expect(consumer.limits.gather == .milliseconds(5) && consumer.formerFilters == ["old/#", "other/+"])
    }

    @Test("make a poller for each kind of server, told by its name, and one queue for both")
    func pollers() async throws {
        let context = try IngestContext.make(in: folder)
        let members = try await Poller.members(context, DeviceStatusTracker())
        #expect(members.queue.name == "polled" && members.asking.map(\.name) == ["poll-ehealth", "poll-vehicle"])
        for name in ["ehealth-status", "vehicle-status"] {
            let status = try #require(context.exchange.list.first { $0.name == name })
            #expect(try await status.read() == .text("not asked yet"))
        }
        #expect(context.exchange.list.contains { $0.name == "vehicle-url" })
    }
}
