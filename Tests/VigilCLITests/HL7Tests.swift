import Foundation
import MessageBus
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import VigilCLI

@Suite("HL7 version 2 results over MLLP", .timeLimit(.minutes(1)))
struct HL7Tests {
    private static let head = #"MSH|^~\&|LAB|HOSP|VIGIL||20260131120000||ORU^R01^ORU_R01|C42|P|2.5.1"#

    private func message(_ lines: String..., head: String = Self.head) -> [UInt8] {
        Array(([head] + lines).joined(separator: "\r").utf8)
    }

    private func results(_ lines: String..., zone: String? = nil) throws -> HL7Results {
        let bytes = Array(
            ([Self.head, "PID|1||anna^^^HOSP||Doe^A", "OBR|1|||panel|||20260131113000+0100"] + lines)
                .joined(separator: "\r").utf8)
        return HL7Results(
            try #require(HL7Message(bytes)), zone: zone)
    }

    @Test(
        "a result becomes a reading with the metric of its code, its unit and its time with its zone")
    func reading() throws {
        let results = try results(
            "OBX|1|NM|8867-4^Heart rate^LN||72|/min|||||F|||20260131113000.5+0100",
            "OBX|2|NM|8310-5^T^LN||36.6|Cel|||||F",
            #"OBX|3|ST|9999-x^Odd\T\end^L||x||||||F"#, "OBX|4|NM|8867-4^HR^LN||||||||I")
        let readings = try #require(results.readings["anna"])
        #expect(readings.map(\.metric) == ["heart-rate", "body-temperature"])
        #expect(
            readings[0].content == .value(72) && readings[0].unit == "/min" && readings[0].zone == 60)
        #expect(readings[0].time == Timestamp(seconds: 1_769_855_400.5))
        #expect(readings[1].time == Timestamp(seconds: 1_769_855_400))
        #expect(results.problems == ["segment 6: the code of OBX-3 is not known"])
    }

    @Test(
        "what is no measurement of a known person and moment is refused by its segment",
        arguments: [
            "OBX|1|NM|8867-4^^LN||seventy|/min|||||F", "OBX|1|NM|8867-4^^LN||70|/min|||||W",
            "OBX|1|SN|2345-7^^LN||<>^400|mg/dL|||||F", "OBX|1|SN|2345-7^^LN||^70^-^90|mg/dL|||||F",
            "OBX|1|ED|8867-4^^LN||x||||||F", "OBX|1|NM|8867-4^^LN||70|/min|||||F|||20260131",
            "OBX|1|NM|8867-4^^LN||70|/min|||||F|||20261331113000Z",
        ])
    func refusals(_ line: String) throws {
        let results = try results(line)
        #expect(
            results.readings.isEmpty && results.problems.count == 1
                && results.problems[0].hasPrefix("segment 4: "), "\(results)")
    }

    @Test(
        "what vigil-ingest will refuse is refused here, and handed on: a meter's limit may be an emergency",
        arguments: [
            ("OBX|1|NM|8867-4^^LN||700|/min|||||F", "implausible"), ("OBX|1|SN|2345-7^^LN||>^600|mg/dL|||||F", "wrong-type"),
            ("OBX|1|SN|2345-7^^LN||<^20|mg/dL|||||F", "wrong-type"), ("OBX|1|NM|2345-7^^LN||5.5||||||F", "implausible"),
            ("OBX|1|CWE|80288-4^^LN||1^Mentally alert^SCT||||||F", "implausible"),
        ])
    func unstorable(_ line: String, _ code: String) throws {
        let results = try results(line)
        #expect(results.readings["anna"]?.count == 1)
        #expect(results.problems == ["segment 4: the result cannot be stored: \(code)"])
    }

    @Test("a time without a zone needs one to be named, also on the day that clocks change")
    func zones() throws {
        let line = "OBX|1|NM|8867-4^^LN||70|/min|||||F|||"
        #expect(try results(line + "20260701120000").problems.count == 1)
        let summer = try results(line + "20260701120000", zone: "Europe/Berlin").readings["anna"]
        #expect(summer?.first?.time == Timestamp(seconds: 1_782_900_000) && summer?.first?.zone == 120)
        let changed = try results(line + "20260329040000", zone: "Europe/Berlin").readings["anna"]
        #expect(changed?.first?.zone == 120)
        let passed = try results(line + "20260329023000", zone: "Europe/Berlin")
        #expect(passed.readings.isEmpty && passed.problems.count == 1)
        let repeated = try results(line + "20261025023000", zone: "Europe/Berlin").readings["anna"]
        #expect(repeated?.first?.time == Timestamp(seconds: 1_792_888_200) && repeated?.first?.zone == 120)
        #expect(try results(line + "20260701120000", zone: "-03:30").readings["anna"]?.first?.zone == -210)
    }

    @Test(
        "any bytes are no message or one with empty fields, and an answer never carries the sender's delimiters"
    )
    func total() throws {
        for text in ["", "MSH", "MSH|", "MSH|||||", "PID|1", "MSHAAAAA"] {
            #expect(HL7Message(Array(text.utf8)) == nil, "\(text)")
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var bytes = message("PID|1||anna", "OBX|1|NM|8867-4^^LN||70|/min|||||F|||20260131113000Z")
            for _ in 0..<Int.random(in: 1...8) {
                bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let message = HL7Message(Array(bytes.prefix(Int.random(in: 0...bytes.count)))) else {
                continue
            }
            _ = HL7Results(message, zone: "UTC")
            let answer = String(
                decoding: message.answer("AE", ["a|b\rMSA|AA|x"], at: Timestamp(seconds: 0)), as: UTF8.self)
            #expect(answer.split(separator: "\r").count == 3, "\(answer)")
        }
    }

    @Test(
        "frames are cut whatever pieces they come in; what lies between is left out, and of a frame without end a bounded part is kept"
    )
    func frames() {
        let stream: [UInt8] =
            Array("noise".utf8) + MLLPDecoder.frame([1, 2]) + Array("x".utf8) + MLLPDecoder.frame([3])
        for size in 1...stream.count {
            var (decoder, found) = (MLLPDecoder(), [[UInt8]]())
            for start in stride(from: 0, to: stream.count, by: size) {
                found += decoder.take(stream[start..<min(start + size, stream.count)])
            }
            #expect(found == [[1, 2], [3]])
        }
        var decoder = MLLPDecoder()
        #expect(decoder.take([0x0B] + [UInt8](repeating: 0x41, count: HL7Message.largest + 1000)).isEmpty)
        #expect(decoder.take([0x1C, 0x0D]).map(\.count) == [HL7Message.largest + 1])
    }

    @Test("idle connections shut nobody out")
    func idle() async throws {
        let (bus, listener) = (Bus(), try MLLPListener(host: "127.0.0.1", port: 0))
        let serving = Task { try await listener.serve { await HL7Command.answer($0, nil, "hl7", bus) } }
        defer { serving.cancel() }
        let crowd = try (0..<40).map { _ in try RawConnection(port: listener.port) }
        let sender = try RawConnection(port: listener.port)
        let whole = message("PID|1||anna", "OBX|1|NM|8867-4^^LN||70|/min|||||F|||20260131113000+0000")
        sender.send(String(decoding: MLLPDecoder.frame(whole), as: UTF8.self))
        #expect(await sender.receive(until: "MSA|AA|C42").contains("MSA|AA|C42"))
        withExtendedLifetime(crowd) {}
    }

    /// Keeps what is published, or refuses it.
    private final class Bus: MessagePublisher {
        let messages = Mutex<[OutgoingMessage]>([])
        let isAway = Mutex(false)

        func publish(_ message: OutgoingMessage) async throws(BusError) {
            if isAway.withLock({ $0 }) { throw BusError(.closed, during: .publish) }
            messages.withLock { $0.append(message) }
        }
    }

    @Test(
        "a sender is answered over its connection once the broker has everything, and not at all while it is away"
    )
    func conversation() async throws {
        let (bus, listener) = (Bus(), try MLLPListener(host: "127.0.0.1", port: 0))
        let serving = Task { try await listener.serve { await HL7Command.answer($0, nil, "hl7", bus) } }
        defer { serving.cancel() }
        let whole = message("PID|1||anna", "OBX|1|NM|8867-4^^LN||70|/min|||||F|||20260131113000+0000")
        let sender = try RawConnection(port: listener.port)
        func send(_ message: [UInt8]) {
            sender.send(String(decoding: MLLPDecoder.frame(message), as: UTF8.self))
        }
        send(whole)
        send(message("EVN|A01", head: Self.head.replacing("ORU^R01", with: "ADT^A01")))
        let text = await sender.receive(until: "MSA|AR|C42")
        #expect(text.contains("MSA|AA|C42") && text.contains("MSA|AR|C42"), "\(text)")
        #expect(bus.messages.withLock { $0.map(\.topic) } == ["vigil/v1/ingest/anna/hl7"])
        send(message("PID|1||anna", "OBX|1|ED|18842-5^^LN||" + String(repeating: "A", count: HL7Message.largest)))
        #expect(await sender.receive(until: "MSA|AR|C42").contains("bytes at most"))
        send(Array("PID|1".utf8))
        #expect(await sender.receive(until: "MSA|AR|").contains("begins with MSH"))
        #expect(bus.messages.withLock { $0.count } == 1)
        bus.isAway.withLock { $0 = true }
        send(whole)
        #expect(await sender.receive().filter { $0 >= " " }.isEmpty)
    }
}
