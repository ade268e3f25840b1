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

    @Test("drops nothing that comes too fast, and says how long to pause")
    func rate() {
        var reader = MessageReader()
        let messages = (0..<200).map { message(reading(at: start.advanced(bySeconds: Double($0)))) }
        let result = reader.read(messages, received: start.advanced(bySeconds: 300), policy: DevicePolicy(rate: 10))
        #expect(result.accepted == 200)
        #expect(result.debt > 9 && result.debt < 11)
    }
}
