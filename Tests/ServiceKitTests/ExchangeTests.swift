import Foundation
import MessageBus
import TestSupport
import Testing

@testable import Observability
@testable import ServiceKit
@testable import Settings

@Suite("The exchange list")
struct ExchangeTests {
    private static let size = Setting("batch-size", .integer(in: 1...10), default: 5, help: "Rows in a commit.")

    private func configuration() throws -> Configuration { try Configuration([Self.size], flags: [], environment: [:]) }

    @Test("changes a setting while it is used, and keeps the change over a restart")
    func live() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let exchange = Exchange(store: ParameterStore(path: path))
        let live = try await exchange.live(Self.size, configuration())
        #expect(live.current == 5)
        try await exchange.set("batch-size", .number(8))
        #expect(live.current == 8)
        #expect(try await exchange.value(of: "batch-size") == .number(8))
        let again = Exchange(store: ParameterStore(path: path))
        #expect(try await again.live(Self.size, configuration()).current == 8)
    }

    @Test("refuses what is unknown, read-only or malformed, and changes nothing")
    func refusals() async throws {
        let exchange = Exchange(store: ParameterStore(path: nil))
        let live = try await exchange.live(Self.size, configuration())
        exchange.add(Parameter(name: "version", kind: .text, description: "The build.") { .text("1") })
        await #expect(throws: ExchangeError.readOnly(name: "version")) { try await exchange.set("version", .text("2")) }
        await #expect(throws: ExchangeError.unknown(name: "batch-siz", suggestion: "batch-size")) {
            try await exchange.set("batch-siz", .number(1))
        }
        await #expect(throws: ExchangeError.self) { try await exchange.set("batch-size", .number(11)) }
        await #expect(throws: ExchangeError.self) { try await exchange.set("batch-size", .text("many")) }
        #expect(live.current == 5)
    }

    @Test("of two replicas one answers, or the one that is named; both set what is to be set")
    func replicas() async throws {
        let (first, second) = (Exchange(store: ParameterStore(path: nil)), Exchange(store: ParameterStore(path: nil)))
        let lives = (try await first.live(Self.size, configuration()), try await second.live(Self.size, configuration()))
        second.answerForAll(false)
        let (publisher, sources) = (InMemoryPublisher(), [BatchSource(), BatchSource()])
        let servers = zip(["a", "b"], zip([first, second], sources)).map { name, parts in
            ExchangeServer(
                service: "vigil-x", instance: name, exchange: parts.0, publisher: publisher, batches: parts.1,
                logger: Logger(service: "x", level: .error) { _ in })
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for server in servers { tasks.addTask { try await server.run() } }
            for (topic, payload) in [
                ("get", #"{"name":"batch-size"}"#), ("set", #"{"name":"batch-size","value":9}"#),
                ("set", #"{"name":"batch-size","value":7,"instance":"b"}"#), ("get", #"{"name":"batch-size","instance":"b"}"#),
                ("get", #"{"name":"batch-size","instance":"c"}"#),
            ] {
                let message = IncomingMessage(
                    topic: "vigil/v1/modules/vigil-x/\(topic)", payload: [UInt8](payload.utf8),
                    properties: MessageProperties(responseTopic: "vigil/v1/responses/me"))
                for source in sources { #expect(await source.send([message]) == .committed) }
            }
            for source in sources { source.finish() }
            try await tasks.waitForAll()
        }
        let answers = publisher.messages.filter { !$0.retained }.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(answers.map { $0.contains(#""instance":"a""#) } == [true, true, false, false], "\(answers)")
        #expect(lives.0.current == 9 && lives.1.current == 7)
    }

    @Test("is answered over the bus: list, get, set, and errors in words")
    func server() async throws {
        let exchange = Exchange(store: ParameterStore(path: nil))
        _ = try await exchange.live(Self.size, configuration())
        let publisher = InMemoryPublisher()
        let source = BatchSource()
        let server = ExchangeServer(
            service: "vigil-x", instance: "main", exchange: exchange, publisher: publisher, batches: source,
            logger: Logger(service: "x", level: .error) { _ in })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            let topics = ["get", "set", "set", "get"]
            let payloads = [#"{"name":"batch-size"}"#, #"{"name":"batch-size","value":9}"#, #"{"name":"batch-size","value":99}"#, "{"]
            for (topic, payload) in zip(topics, payloads) {
                let message = IncomingMessage(
                    topic: "vigil/v1/modules/vigil-x/\(topic)", payload: [UInt8](payload.utf8),
                    properties: MessageProperties(responseTopic: "vigil/v1/responses/me", correlationData: [1, 2]))
                #expect(await source.send([message]) == .committed)
            }
            source.finish()
            try await tasks.waitForAll()
        }
        let texts = publisher.messages.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts.first?.contains(#""keypath":"batch-size","name":"batch-size","readonly":false,"type":"integer""#) == true)
        #expect(publisher.messages.first?.retained == true)
        #expect(
            publisher.messages.dropFirst().allSatisfy { $0.topic == "vigil/v1/responses/me" && $0.properties.correlationData == [1, 2] })
        #expect(texts[1].contains(#""value":5"#))
        #expect(texts[2].contains(#""value":9"#))
        #expect(texts[3].contains("accepts a whole number from 1 to 10"))
        #expect(texts[4].contains("the request is malformed"))
    }
}
