import Access
import AlertRules
import Alerting
import Foundation
import HealthModules
import MessageBus
import SensorIngest
import StressAnalysis
import Testing
import VigilSchema

@testable import ServiceKit

@Suite("AsyncAPI document")
struct AsyncAPITests {
    private static let partition = Partition(participant: "12")
    private static let topics: [Topic] = [
        .ingest(participant: "12", device: "A01"), .manual(participant: "12", account: "carl"), .readings(partition), .waveforms(partition),
        .derived(partition),
        .history(partition),
        .latest(participant: "12", metric: "heart-rate"), .alert(participant: "12", rule: "r"), .alertEvent(participant: "12", rule: "r"),
        .receipt(participant: "12", device: "A01"),
        .reject(participant: "12", device: "A01"), .message(participant: "12", module: "weight"),
        .response(account: "carer", request: "7"), .request(account: "carl", service: "timeline"),
        .audit(account: "alert"),
        .moduleStatus(service: "vigil-ingest", instance: "main"), .moduleExchange(service: "vigil-ingest"),
        .moduleGet(service: "vigil-ingest"), .moduleSet(service: "vigil-ingest"),
    ]

    private func channels() throws -> [String: [String: Any]] {
        try #require(try JSONSchema.read("asyncapi.json")["channels"] as? [String: [String: Any]])
    }

    @Test("has a channel for every topic of the code, and no other")
    func topics() throws {
        let patterns = try channels().values.map { channel in
            try #require(channel["address"] as? String).replacing(/\{\w+\}/, with: "[^/]+")
        }
        let paths = Self.topics.flatMap(\.paths)
        for path in paths { #expect(try patterns.filter { try path.wholeMatch(of: Regex($0)) != nil }.count == 1, "\(path)") }
        for pattern in patterns {
            let regex = try Regex(pattern)
            #expect(paths.contains { $0.wholeMatch(of: regex) != nil }, "\(pattern)")
        }
    }

    @Test("names messages that exist, with schemas that can be read")
    func messages() throws {
        let components = try #require(try JSONSchema.read("asyncapi.json")["components"] as? [String: Any])
        let messages = try #require(components["messages"] as? [String: [String: Any]])
        for channel in try channels().values {
            for name in try #require(channel["messages"] as? [String: Any]).keys { #expect(messages[name] != nil, "\(name)") }
        }
        for message in messages.values {
            guard let reference = (message["payload"] as? [String: Any])?["$ref"] as? String else { continue }
            _ = try JSONSchema.read(reference)
        }
    }

    @Test("names the content types that ingest accepts")
    func contentTypes() throws {
        let components = try #require(try JSONSchema.read("asyncapi.json")["components"] as? [String: Any])
        let messages = try #require(components["messages"] as? [String: [String: Any]])
        let ingest = try #require(try channels()["ingest"]?["messages"] as? [String: Any])
        let named = Set(ingest.keys.compactMap { messages[$0]?["contentType"] as? String })
        for format in PayloadFormats.standard.formats where format.name != NativeFormat().name {
            #expect(!named.isDisjoint(with: format.contentTypes), "\(format.name)")
        }
        #expect(named.contains(MediaType.json))
    }

    @Test(
        "gives examples that fit the schemas, and others that do not",
        arguments: [
            "reading", "device-message", "batch", "receipt", "reject", "confirmation", "alert", "alert-command", "stress-command",
            "health-message", "audit-lines", "erasure-order", "erasure-confirmation", "import-request", "personal-data",
        ])
    func examples(name: String) throws {
        let schema = try JSONSchema("\(name).json")
        #expect(!schema.examples.isEmpty)
        for example in schema.examples { #expect(try schema.problems(example) == []) }
        for refused in schema.refused { #expect(try !schema.problems(refused).isEmpty, "\(refused)") }
    }

    @Test(
        "fits what the code accepts: examples are taken, and what the schema refuses is refused", arguments: ["reading", "device-message"])
    func accepted(name: String) throws {
        let schema = try JSONSchema("\(name).json")
        for example in schema.examples {
            let readings = try readings(bytes(example))
            #expect(!readings.readings.isEmpty && readings.refusals.isEmpty, "\(example)")
        }
        for refused in schema.refused {
            let readings = try? readings(bytes(refused))
            #expect(readings?.readings.isEmpty ?? true, "\(refused)")
        }
    }

    @Test("fits canonical batches")
    func batch() throws {
        let schema = try JSONSchema("batch.json")
        for example in schema.examples {
            let encoded = BatchEncoder.encode(try batch(bytes(example)))
            #expect(try schema.problems(in: encoded) == [])
        }
        for refused in schema.refused {
            let payload = try bytes(refused)
            #expect(throws: PayloadError.self) { try batch(payload) }
        }
    }

    @Test("fits what the code sends")
    func sent() throws {
        let time = Timestamp(seconds: 1_700_000_000.25)
        let receipt = Receipt(outcome: .rejected, batch: "1", stored: 1, duplicates: 2, corrections: 3, rejected: 4, reasons: ["a"])
        #expect(try JSONSchema("receipt.json").problems(in: receipt.encoded()) == [])
        for code in PayloadError.Code.allCases {
            let reject = Reject(
                participant: "12", device: "A01", time: time, error: PayloadError(code, "why", offset: 3), count: 1, topic: "t",
                payload: [1])
            #expect(try JSONSchema("reject.json").problems(in: reject.encoded()) == [])
        }
        let confirmation = Confirmation(stored: ["1"], refused: [.init(batch: "2", reason: "b")])
        #expect(try JSONSchema("confirmation.json").problems(in: confirmation.encoded()) == [])
        let status = ModuleStatus.lastWill(service: "vigil-ingest", instance: "main")
        #expect(try JSONSchema("module-status.json").problems(in: status.payload) == [])
        let item = ExchangeItem(name: "a", keypath: "a.b", type: .integer, readonly: true, description: "c")
        #expect(try JSONSchema("exchange-list.json").problems(in: encoded([item])) == [])
        let message = SentMessage(
            schema: SentMessage.schema, participant: "12", module: "weight", version: "1.0", time: 1, kind: .warning, code: "c",
            text: LocalizedText("a", de: "b", ru: "c"))
        #expect(try JSONSchema("health-message.json").problems(in: encoded(message)) == [])
        let answer = ExchangeAnswer(service: "vigil-ingest", instance: "main", id: "1", name: "a", value: .number(2), error: "no")
        #expect(try JSONSchema("exchange-answer.json").problems(in: encoded(answer)) == [])
    }

    @Test("fits the parts of what a service keeps of a person")
    func personalData() throws {
        let schema = try JSONSchema("personal-data.json")
        for part in [0, 1, 2] {
            let text = [UInt8](repeating: 0x20, count: PersonalDataPart.length + 1)
            let answer = PersonalDataPart(of: text, part: part, service: "vigil-alert", instance: "main")
            #expect(try schema.problems(in: answer.encoded()) == [])
            #expect(answer.ok == (part < 2))
        }
    }

    @Test("fits alerts and the commands to them")
    func alerts() throws {
        let alert = try JSONSchema("alert.json")
        for example in alert.examples { #expect(try alert.problems(in: AlertMessage(decoding: bytes(example)).encoded()) == []) }
        let command = try JSONSchema("alert-command.json")
        for example in command.examples {
            let decoded = try JSONDecoder().decode(CommandMessage.self, from: Data(bytes(example)))
            #expect(try command.problems(in: encoded(decoded)) == [])
        }
    }

    @Test("fits the commands that the stress analysis takes, and those that it refuses")
    func stressCommands() throws {
        let schema = try JSONSchema("stress-command.json")
        for example in schema.examples { _ = try StressCommand(decoding: bytes(example)) }
        for refused in schema.refused {
            let payload = try bytes(refused)
            #expect(throws: (any Error).self) { try StressCommand(decoding: payload) }
        }
    }

    private func readings(_ payload: [UInt8]) throws -> DecodedReadings {
        try ReadingDecoder().decode(payload.span)
    }

    private func batch(_ payload: [UInt8]) throws -> ObservationBatch {
        try BatchDecoder().decode(payload.span)
    }

    private func bytes(_ value: Any) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed))
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] { [UInt8](try JSONEncoder().encode(value)) }
}
