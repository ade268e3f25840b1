import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Bounds of mapped messages")
struct MappingBoundTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    private func read(_ mapping: String, _ payload: [UInt8]) throws -> IngestResult {
        var reader = MessageReader(
            mappings: MappingRules(try MappingFile.parse("{mappings: [{topics: [\"t\"], participant: \"a\", \(mapping)}]}")))
        return reader.read([IncomingMessage(topic: "t", payload: payload)], received: Self.now)
    }

    private func read(_ mapping: String, _ payload: String) throws -> IngestResult { try read(mapping, Array(payload.utf8)) }

    @Test("a thousand devices in one message are taken, and those of the others left out, in words")
    func devices() throws {
        let records = (0..<1_003).map { #"{"id":"d\#($0)","hr":61}"# } + [#"{"id":"d0","hr":62}"#]
        let result = try read(#"each: ".", device: {from: "id"}, knownNames: true, ignore: ["id"]"#, "[\(records.joined(separator: ","))]")
        #expect(result.accepted == 1_001 && result.refused == 3)
        #expect(result.refusals.first?.error.reason.contains("more than 1000 devices") == true, "\(result.refusals.map(\.error.reason))")
    }

    @Test(
        "a key given twice, and more than a thousand in one object, are refused in every format",
        arguments: [
            ("m,a=1,a=2 hr=61", "twice"), ("m hr=61,hr=62", "twice"),
            ("m hr=61,\((0..<1_000).map { "k\($0)=1" }.joined(separator: ","))", "1000 keys"),
        ])
    func lines(line: String, reason: String) throws {
        let result = try read(#"format: "influx", each: [".", "fields"], device: "b", knownNames: true"#, "m hr=60\n\(line)")
        #expect(
            result.accepted == 0 && result.refusals.map(\.error.reason).contains { $0.contains(reason) }, "\(result.refusals.map(\.error))")
        #expect(result.refusals.first?.error.offset == 8)
    }

    /// A CBOR map of texts to small numbers.
    private func map(_ keys: [String]) -> [UInt8] {
        var bytes: [UInt8] = [0xBF]
        for key in keys {
            bytes.append(0x60 | UInt8(key.utf8.count))
            bytes += Array(key.utf8)
            bytes += [0x18, 61]
        }
        return bytes + [0xFF]
    }

    @Test("a key given twice, and more than a thousand in one object, are refused in CBOR too")
    func cbor() throws {
        let mapping = #"format: "cbor", device: "b", knownNames: true, ignore: ["*"]"#
        #expect(try read(mapping, map(["hr"] + (0..<999).map { "k\($0)" })).accepted == 1)
        for (keys, reason) in [(["hr"] + (0..<1_000).map { "k\($0)" }, "1000 keys"), (["hr", "x", "hr"], "twice")] {
            let result = try read(mapping, map(keys))
            #expect(
                result.accepted == 0 && result.refusals.map(\.error.reason).contains { $0.contains(reason) },
                "\(result.refusals.map(\.error))")
        }
    }

    @Test(
        "a period that is no finite number is refused with its reading, and no other",
        arguments: [[0xF9, 0x7E, 0x00], [0xF9, 0x7C, 0x00], [0xF9, 0xFC, 0x00]] as [[UInt8]])
    func periods(half: [UInt8]) throws {
        let payload: [UInt8] = [0xA3, 0x62, 0x68, 0x72, 0x18, 61, 0x61, 0x70] + half + [0x61, 0x77, 0x18, 70]
        let result = try read(
            #"format: "cbor", device: "b", readings: [{metric: "heart-rate", value: "hr", period: "p"}, {metric: "body-weight", value: "w"}]"#,
            payload)
        #expect(result.accepted == 1 && result.refused == 1)
        #expect(result.refusals.first?.error.code == .notFinite, "\(result.refusals.map(\.error))")
    }
}
