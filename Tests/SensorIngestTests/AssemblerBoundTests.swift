import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Bounds of batches and of messages")
struct AssemblerBoundTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let address = DeviceAddress(participant: "12", device: "A")

    private func counts(bytes: Int, count: Int = 1_000_000, _ contents: [Observation.Content], session: (Int) -> String? = { _ in nil })
        -> [Int]
    {
        var assembler = BatchAssembler(limits: .init(bytes: bytes, count: count))
        for (number, content) in contents.enumerated() {
            assembler.add(
                Observation(metric: "ecg", time: Self.start, content: content, unit: ""), from: Self.address, session: session(number),
                received: Self.start)
        }
        return assembler.finish(at: Self.start).map(\.batch.count)
    }

    @Test(
        "a batch is closed with the observation that reaches its bytes: 150 a group and its names, 100 a value, a byte a text's, ten a sample"
    )
    func sizes() {
        let value = Observation.Content.value(1), text = Observation.Content.text("twelve bytes"),
            block = Observation.Content.samples([1, 2, 3], period: 1)
        // The group is 150 and its source's name 1.
        #expect(counts(bytes: 251, [value, value]) == [1, 1])
        #expect(counts(bytes: 252, [value, value]) == [2])
        #expect(counts(bytes: 351, [value, value, value]) == [2, 1])
        #expect(counts(bytes: 352, [value, value, value]) == [3])
        #expect(counts(bytes: 263, [text, text]) == [1, 1] && counts(bytes: 264, [text, text]) == [2])
        #expect(counts(bytes: 281, [block, block]) == [1, 1] && counts(bytes: 282, [block, block]) == [2])
        // With a session of its own each observation has a group of its own.
        #expect(
            counts(bytes: 504, [value, value, value]) { "\($0)" } == [2, 1] && counts(bytes: 505, [value, value, value]) { "\($0)" } == [3])
        #expect(counts(bytes: 1_000_000, count: 2, [value, value, value]) == [2, 1])
        #expect(counts(bytes: 1_000_000, count: 3, [value, value, value]) == [3])
    }

    @Test("what JSON escapes is counted as it will be written: no batch of hostile names and texts is larger than those of anybody")
    func escaped() {
        let quotes = Observation.Content.text(#"twelve ""\\ "#), control = Observation.Content.text("\u{8}\u{C}")
        #expect(counts(bytes: 267, [quotes, quotes]) == [1, 1] && counts(bytes: 268, [quotes, quotes]) == [2])
        #expect(counts(bytes: 263, [control, control]) == [1, 1] && counts(bytes: 264, [control, control]) == [2])
        var assembler = BatchAssembler()
        let name = String(repeating: "\u{8}\u{C}", count: 124)
        for number in 0..<1400 {
            assembler.add(
                Observation(metric: "heart-rate", time: Self.start, content: .value(70), unit: "/min"), from: Self.address,
                session: name + "\(number)", received: Self.start)
            assembler.add(
                Observation(metric: "note", time: Self.start, content: .text(name + "\(number)"), unit: ""), from: Self.address,
                part: "p\(number)",
                session: nil, received: Self.start)
        }
        let closed = assembler.finish(at: Self.start)
        #expect(closed.reduce(0) { $0 + $1.batch.count } == 2800)
        for batch in closed { #expect(BatchEncoder.encode(batch.batch).count <= 256 << 10) }
    }

    @Test("a batch holds five thousand observations at most, or 240 KiB, unless said otherwise")
    func defaults() {
        #expect(
            BatchAssembler.Limits() == BatchAssembler.Limits(bytes: 245_760, count: 5_000)
                && MessageReader.Limits() == MessageReader.Limits(payload: 1_048_576, listedRefusals: 20))
    }

    @Test(
        "a block stays whole up to 8192 samples",
        arguments: [(8_192, [8_192]), (8_193, [8_192, 1]), (16_384, [8_192, 8_192]), (16_385, [8_192, 8_192, 1])])
    func blocks(count: Int, parts: [Int]) {
        var assembler = BatchAssembler()
        assembler.add(
            Observation(metric: "ecg", time: Self.start, content: .samples(Array(repeating: 0, count: count), period: 0.5), unit: ""),
            from: Self.address, session: nil,
            received: Self.start)
        let found = assembler.finish(at: Self.start).flatMap(\.batch.groups).flatMap(\.observations)
        #expect(found.map { if case .samples(let samples, 0.5) = $0.content { samples.count } else { -1 } } == parts)
        #expect(found.map(\.time) == parts.indices.map { Self.start.advanced(bySeconds: Double($0) * 4096) })
    }

    private func message(_ text: String, _ sender: String = "12/A", contentType: String? = nil, packet: UInt16 = 0) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/ingest/\(sender)", payload: Array(text.utf8), properties: MessageProperties(contentType: contentType),
            packetID: packet)
    }

    @Test("a message is refused where it is larger than allowed, and taken just below that")
    func payload() {
        let reading = #"{"metric":"heart-rate","time":1700000000,"value":70}"#
        var reader = MessageReader(limits: .init(payload: reading.utf8.count))
        #expect(reader.read([message(reading)], received: Self.start).accepted == 1)
        let large = reader.read([message(reading + " ")], received: Self.start)
        #expect(
            large.accepted == 0 && large.refused == 1
                && large.refusals.first?.error == PayloadError(.tooLarge, "the payload is larger than \(reading.utf8.count) bytes"))
        #expect(
            reader.read([message("")], received: Self.start).refusals.first?.error
                == PayloadError(.malformed, "the payload is empty", offset: 0))
    }

    @Test("a message's refusals are counted all, and listed as many as allowed")
    func listed() {
        var reader = MessageReader(limits: .init(listedRefusals: 3))
        let wrong = Array(repeating: #"{"metric":"heart-rate","time":1700000000,"value":7000}"#, count: 5).joined(separator: ",")
        let result = reader.read([message("[\(wrong)]")], received: Self.start)
        #expect(result.refused == 5 && result.refusals.count == 3 && result.refusals.allSatisfy { $0.count == 5 })
        let whole = reader.read([message("{")], received: Self.start)
        #expect(whole.refused == 1 && whole.refusals.map(\.count) == [0])
    }

    @Test("a session's name has 256 bytes at most", arguments: [(256, true), (257, false)])
    func session(count: Int, isTaken: Bool) {
        var reader = MessageReader()
        let text =
            #"{"session":"\#(String(repeating: "s", count: count))","observations":[{"metric":"heart-rate","time":1700000000,"value":70}]}"#
        #expect(reader.read([message(text)], received: Self.start).accepted == (isTaken ? 1 : 0))
    }

    @Test(
        "readings without a time are told apart by a microsecond where they share metric and time, and the next message's come after them")
    func stamped() {
        var reader = MessageReader()
        func times(_ text: String) -> [Int64] {
            reader.read([message(text)], received: Self.start).batches.flatMap(\.batch.groups).flatMap(\.observations)
                .map { $0.time.microseconds - Self.start.microseconds }
        }
        #expect(
            times(
                #"[{"n":"a:heart-rate","v":61},{"n":"a:heart-rate","v":62},{"n":"a:heart-rate","v":63},{"n":"b:heart-rate","v":63},{"n":"a:ecg","v":1}]"#
            ).sorted() == [0, 0, 0, 1, 2])
        #expect(times(#"[{"n":"a:heart-rate","v":61}]"#) == [3])
        #expect(times(#"[{"n":"a:heart-rate","v":61}]"#) == [4])
    }

    @Test(
        "no two readings without a time get the same though the clock is set back, and later set right, between them or while they come again",
        arguments: [1, 59.9, 60, 2460, 80_000])
    func setBack(seconds: Double) {
        var reader = MessageReader()
        var noted: [ArrivalStamps.Key: Timestamp] = [:]
        var times: [UInt16: Int64] = [:]
        func read(_ packets: Range<UInt16>, at second: Double) {
            // What comes again in the midst of others has the time that it had.
            for run in [packets, 1..<3] {
                let messages = run.map { message(#"{"metric":"note","text":"\#($0)"}"#, packet: $0) }
                let result = reader.read(messages, received: Self.start.advanced(bySeconds: second), known: .init(stamps: noted))
                noted.merge(result.stamps) { $1 }
                let given = result.batches.flatMap(\.batch.groups).flatMap(\.observations).map(\.time.microseconds).sorted()
                #expect(given.count == run.count)
                for (packet, time) in zip(run, given) { #expect(times.updateValue(time, forKey: packet) ?? time == time) }
            }
        }
        read(1..<61, at: 0)
        read(61..<121, at: 0.5 - seconds)
        read(121..<181, at: 0.5 - seconds)
        read(181..<241, at: 1)
        #expect(Set(times.values).count == 240)
    }

    @Test("a message that comes again gets the time that it had, and its stamp is noted")
    func again() throws {
        var reader = MessageReader()
        let line = message("###########4#", packet: 9)
        let key = try #require(ArrivalStamps.Key(line))
        let first = reader.read([line], received: Self.start)
        #expect(first.stamps == [key: Self.start])
        let again = reader.read([line], received: Self.start.advanced(bySeconds: 50), known: .init(stamps: first.stamps))
        #expect(again.batches.first?.batch.groups.first?.observations.first?.time == Self.start && again.stamps == [key: Self.start])
        let other = reader.read(
            [message("###########4#", packet: 10)], received: Self.start.advanced(bySeconds: 50), known: .init(stamps: first.stamps))
        #expect(other.batches.first?.batch.groups.first?.observations.first?.time == Self.start.advanced(bySeconds: 50))
        #expect(reader.read([message("###########4#")], received: Self.start).stamps.isEmpty)
        // What the broker says has not been sent before is another message, whatever its number.
        func repeated(_ isRepeat: Bool) -> Timestamp? {
            let message = IncomingMessage(topic: line.topic, payload: line.payload, packetID: 9, isRepeat: isRepeat)
            let result = reader.read([message], received: Self.start.advanced(bySeconds: 90), known: .init(stamps: first.stamps))
            return result.batches.first?.batch.groups.first?.observations.first?.time
        }
        #expect(repeated(false) == Self.start.advanced(bySeconds: 90) && repeated(true) == Self.start)
    }

    @Test("a rate is told as a whole number where it is one", arguments: [(1.0, "more than 1 messages"), (0.5, "more than 0.5 messages")])
    func rates(rate: Double, words: String) {
        var reader = MessageReader()
        let messages = (0..<12).map { message(#"{"metric":"heart-rate","time":\#(1_700_000_000 + $0),"value":70}"#) }
        let result = reader.read(messages, received: Self.start, policy: DevicePolicy(rate: rate))
        #expect(result.accepted == Int(rate * 10) && result.tooFast == 12 - Int(rate * 10))
        #expect(result.refusals.first?.error.reason.contains(words) == true)
    }

    @Test("a device in quarantine gets one reject a second")
    func quarantine() {
        let rules = DeviceRules()
        rules.change { $0.quarantined = [Self.address] }
        var reader = MessageReader(deviceRules: rules)
        func rejects(_ seconds: Double) -> Int {
            reader.read([message("1")], received: Self.start.advanced(bySeconds: seconds)).refusals.count
        }
        #expect([0, 0.999999, 1, 1.5, 2].map { rejects($0) } == [1, 0, 1, 0, 1])
        // The clock was set back by an hour.
        #expect([-3600, -3599.5, -3599].map { rejects($0) } == [1, 0, 1])
    }

    @Test("a device is bound by name to the participant for whom it sent first, or as an operator has said")
    func bindings() {
        let rules = DeviceRules()
        rules.change { $0.bindings = ["B": "13"] }
        var reader = MessageReader(deviceRules: rules)
        let reading = #"{"metric":"heart-rate","time":1700000000,"value":70}"#
        func accepts(_ sender: String, _ binds: Bool) -> Bool {
            reader.read([message(reading, sender)], received: Self.start, policy: DevicePolicy(bindsDevices: binds)).accepted == 1
        }
        #expect(!accepts("12/B", false) && accepts("13/B", false))
        #expect(accepts("12/A", false) && rules.rules.bindings["A"] == nil)
        #expect(accepts("12/A", true) && rules.rules.bindings["A"] == "12" && !accepts("13/A", true) && !accepts("13/A", false))
    }

    @Test(
        "topics that are none of a device's are refused with advice",
        arguments: ["x", "vigil/v1/ingest/12", "vigil/v1/ingest/12/A/x", "vigil/v1/alerts/12/A"])
    func topics(topic: String) {
        var reader = MessageReader()
        let result = reader.read([IncomingMessage(topic: topic, payload: [0x31])], received: Self.start)
        #expect(result.refusals.map(\.error.code) == [.badTopic] && result.refusals.first?.address == .unknown)
        #expect(result.refusals.first?.error.reason.hasSuffix("devices publish on vigil/v1/ingest/<participant>/<device>") == true)
    }
}
