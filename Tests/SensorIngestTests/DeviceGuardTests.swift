import MessageBus
import SensorIngest
import Testing
import VigilSchema

@Suite("Guards on devices")
struct DeviceGuardTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    private func message(_ text: String, _ sender: String = "12/A01", correlation: String? = nil) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/ingest/\(sender)", payload: Array(text.utf8),
            properties: MessageProperties(correlationData: correlation.map { Array($0.utf8) }))
    }

    private func reading(at time: Timestamp) -> String { #"{"metric":"heart-rate","time":\#(time.seconds),"value":70}"# }

    @Test("refuses a device in quarantine with one reject a second, and takes it again when released")
    func quarantine() {
        let deviceRules = DeviceRules()
        var reader = MessageReader(deviceRules: deviceRules)
        let good = message(reading(at: start))
        deviceRules.change { $0.quarantined.insert(DeviceAddress(participant: "12", device: "A01")) }
        let refused = reader.read([good, good, message(reading(at: start), "12/B")], received: start)
        #expect(refused.refused == 2 && refused.accepted == 1)
        #expect(refused.refusals.map(\.error.code) == [.quarantined])
        #expect(reader.read([good], received: start.advanced(bySeconds: 1)).refusals.count == 1)
        deviceRules.change { $0.quarantined.removeAll() }
        #expect(reader.read([good], received: start).accepted == 1)
    }

    @Test("holds a device to the participant for whom it sent first, where that is wanted")
    func binding() {
        var reader = MessageReader()
        let policy = DevicePolicy(bindsDevices: true)
        let messages = [message(reading(at: start), "12/A01"), message(reading(at: start), "13/A01")]
        #expect(reader.read(messages, received: start).accepted == 2)
        let bound = reader.read(messages, received: start, policy: policy)
        #expect(bound.accepted == 1)
        #expect(bound.refusals.map(\.error.reason) == ["the device is bound to another participant"])
        #expect(bound.refusals.map(\.address.participant) == ["13"])
    }

    @Test("corrects a clock by one offset, the same for a reading that is sent again", arguments: [true, false])
    func clock(corrects: Bool) throws {
        var reader = MessageReader()
        let policy = DevicePolicy(correctsClocks: corrects)
        var notices: [DeviceNotice] = []
        for index in 0..<20 {
            let received = start.advanced(bySeconds: Double(index) * 5)
            let slow = message(reading(at: received.advanced(bySeconds: -3600)))
            notices += reader.read([slow], received: received, policy: policy).notices
        }
        #expect(notices == [.clock(DeviceAddress(participant: "12", device: "A01"), seconds: 3600, isCorrected: corrects)])
        let measured = start.advanced(bySeconds: -3500)
        for delay in [0.0, 7] {
            let result = reader.read([message(reading(at: measured))], received: start.advanced(bySeconds: 100 + delay), policy: policy)
            let time = try #require(result.batches.first?.batch.groups.first?.observations.first?.time)
            #expect(time == measured.advanced(bySeconds: corrects ? 3600 : 0))
        }
    }

    @Test("holds back a flood of equal messages, but answers those who ask")
    func flood() {
        var reader = MessageReader()
        let same = message(reading(at: start))
        let result = reader.read(Array(repeating: same, count: 50), received: start.advanced(bySeconds: 1))
        #expect(result.accepted == 10 && result.heldBack == 40)
        #expect(result.notices == [.flood(DeviceAddress(participant: "12", device: "A01"))])
        let asked = reader.read([message(reading(at: start), correlation: "1")], received: start.advanced(bySeconds: 2))
        #expect(asked.accepted == 1)
    }

    @Test("refuses what exceeds a device's rate, in words, and lets the other devices pass")
    func rate() {
        var reader = MessageReader()
        let messages = (0..<200).map { message(reading(at: start.advanced(bySeconds: Double($0)))) } + [message(reading(at: start), "13/B")]
        let result = reader.read(messages, received: start.advanced(bySeconds: 300), policy: DevicePolicy(rate: 10))
        #expect(result.accepted == 101 && result.tooFast == 100)
        #expect(result.refusals.allSatisfy { $0.error.code == .tooFast && $0.address.participant == "12" })
        #expect(result.refusals.count == 60)
        let later = reader.read([message("{")], received: start.advanced(bySeconds: 400), policy: DevicePolicy(rate: 10))
        #expect(later.refusals.map(\.omitted) == [40])
    }

    @Test("takes what waited in the session while nobody took it, whatever the rate, and holds the device to its rate afterwards")
    func backlog() {
        var reader = MessageReader()
        let policy = DevicePolicy(rate: 1)
        func taken(_ count: Int, at second: Double, _ known: ArrivalStamps.Known) -> Int {
            let messages = (0..<count).map { message(reading(at: start.advanced(bySeconds: second - 0.001 * Double($0)))) }
            return reader.read(messages, received: start.advanced(bySeconds: second), policy: policy, known: known).accepted
        }
        // A connection without a session brings nothing from before.
        #expect(taken(30, at: 0, .init(connection: 1)) == 10)
        #expect(taken(30, at: 31, .init(connection: 1)) == 10)
        let resumed = ArrivalStamps.Known(connection: 2, isResumed: true)
        #expect(taken(28, at: 62, resumed) == 28 && taken(28, at: 62, resumed) == 3)
        // A process that began anew knows no device.
        reader = MessageReader()
        #expect(taken(599, at: 100, resumed) == 599 && taken(20, at: 161, resumed) == 10)
    }

    @Test(
        "refuses the name of a service, whose readings the others pass over", arguments: ["vigil-alert", "vigil-stress", "vigil-modules-2"])
    func serviceName(device: String) {
        var reader = MessageReader()
        let result = reader.read(
            [message(reading(at: start), "12/\(device)"), message(reading(at: start), "12/vigil-publish")], received: start)
        #expect(result.accepted == 1 && result.refusals.map(\.error.code) == [.badTopic])
    }

    @Test("a person's entries have the account that typed them in as their source, which no device can be called")
    func manual() throws {
        var reader = MessageReader()
        let result = reader.read(
            [message(reading(at: start), "12/manual/carl"), message(reading(at: start), "12/manual.carl")], received: start)
        #expect(result.accepted == 1)
        #expect(result.refusals.map(\.error.code) == [.badTopic])
        let group = try #require(result.batches.first?.batch.groups.first)
        #expect(group.participant == "12")
        #expect(group.source == "manual.carl")
    }

    @Test("holds back no reading that was refused before: one of a time ahead is good when that has come")
    func ahead() {
        var reader = MessageReader()
        let early = message(reading(at: start.advanced(bySeconds: 4_000_000)))
        for _ in 0..<15 { #expect(reader.read([early], received: start).refused == 1) }
        #expect(reader.read([early], received: start.advanced(bySeconds: 4_000_000)).accepted == 1)
    }

    @Test("passes over what the broker had kept, and says so once")
    func retained() {
        var reader = MessageReader()
        let kept = IncomingMessage(topic: "vigil/v1/ingest/12/A01", payload: Array("0#0#0#0#0#36.9#0#0#0#0#0#0#".utf8), retained: true)
        let result = reader.read([kept, kept, kept], received: start)
        #expect(result.accepted == 0 && result.batches.isEmpty)
        #expect(result.refusals.map(\.error.code) == [.retained])
    }

    @Test("counts a repeat, and changes nothing else about a device, only once the delivery is settled")
    func rollBack() {
        let rules = DeviceRules()
        var reader = MessageReader(deviceRules: rules)
        let same = message(reading(at: start))
        for _ in 0..<30 {
            #expect(reader.read([same], received: start, policy: DevicePolicy(rate: 1)).accepted == 1)
            reader.rollBack()
        }
        #expect(reader.read([same], received: start, policy: DevicePolicy(rate: 1)).heldBack == 0)
        reader.commit()
        #expect(reader.read(Array(repeating: same, count: 12), received: start).heldBack > 0)
    }

    @Test("does not keep half of a blood pressure whose other half is refused")
    func halfPressure() {
        var reader = MessageReader()
        let text = """
            [{"metric":"systolic-pressure","time":1484840182,"value":120},{"metric":"diastolic-pressure","time":1484840182,"value":900},
             {"metric":"systolic-pressure","time":1484840183,"value":121},{"metric":"diastolic-pressure","time":1484840183,"value":80}]
            """
        let result = reader.read([message(text)], received: start)
        #expect(result.accepted == 2 && result.refused == 2)
        // Neither do two of the one kind make one, nor halves of two devices.
        let other =
            #"{"metric":"systolic-pressure","time":1484840184,"value":120},{"metric":"systolic-pressure","time":1484840184,"value":125}"#
        let bad = #"{"metric":"diastolic-pressure","time":1484840184,"value":900}"#
        #expect(reader.read([message("[\(other),\(bad)]")], received: start).accepted == 0)
        let sensors = reader.read([message(#"{"Sensors":{"Systolic":120,"Pulse":60}}"#)], received: start)
        #expect(sensors.accepted == 1 && sensors.refused == 1)
    }

    @Test(
        "refuses a message of which nothing is understood",
        arguments: [#"{"Sensors":{}}"#, "[]", #"{"observations":[]}"#, #"{"Sensors":{"Pulse":null}}"#, "0#0#0#0#0#0#0#0#-1#-1#0#0#"])
    func nothing(text: String) {
        var reader = MessageReader()
        let result = reader.read([message(text, correlation: "1")], received: start)
        // Of the line the two airflow readings and the electrocardiogram are measurements.
        #expect(text.hasPrefix("0#") ? result.accepted == 2 : result.refused == 1 && result.accepted == 0)
        if result.accepted == 0 { #expect(result.receiptRequests.first?.receipt().outcome == .rejected) }
    }

    @Test("refuses texts and names of sessions that are too long, by themselves")
    func long() {
        var reader = MessageReader()
        let note = String(repeating: "x", count: 4097)
        let texts = reader.read([message(#"[{"metric":"note","time":1,"text":"\#(note)"},\#(reading(at: start))]"#)], received: start)
        #expect(texts.accepted == 1 && texts.refusals.map(\.error.code) == [.tooLarge])
        let session = String(repeating: "s", count: 10_000)
        let whole = reader.read(
            [message(#"{"session":"\#(session)","observations":[\#(reading(at: start))]}"#), message(reading(at: start))], received: start)
        #expect(whole.accepted == 1 && whole.refusals.map(\.error.path) == ["$.session"])
    }
}
