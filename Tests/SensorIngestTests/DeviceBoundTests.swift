import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("The bounds of what is known of devices")
struct DeviceBoundTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    private func address(_ device: String) -> DeviceAddress { DeviceAddress(participant: "12", device: device) }

    private func message(_ text: String, _ device: String = "A") -> IncomingMessage {
        IncomingMessage(topic: "vigil/v1/ingest/12/\(device)", payload: Array(text.utf8))
    }

    private func reading(at time: Timestamp) -> String { #"{"metric":"heart-rate","time":\#(time.seconds),"value":70}"# }

    // MARK: Clocks

    @Test("a clock is judged after ten messages over half a minute, and again only after ten more")
    func verdicts() {
        var estimator = ClockSkewEstimator()
        func observe(_ seconds: Double, lag: Double) -> Bool {
            let received = start.advanced(bySeconds: seconds)
            return estimator.observe(newest: received.advanced(bySeconds: -lag), received: received)
        }
        #expect((1...9).allSatisfy { _ in !observe(0, lag: 100) })
        #expect(observe(30, lag: 100) && estimator.offset == 100_000_000)
        #expect((1...9).allSatisfy { !observe(30 + Double($0) * 10, lag: 300) } && estimator.offset == 100_000_000)
        #expect(observe(130, lag: 300) && estimator.offset == 300_000_000)
    }

    @Test("a clock is judged by the newest reading of a message, wherever it stands", arguments: [[0.0, 3_600], [3_600, 0]])
    func newest(ages: [Double]) {
        var reader = MessageReader()
        var notices: [DeviceNotice] = []
        for index in 0..<20 {
            let received = start.advanced(bySeconds: Double(index) * 5)
            let readings = ages.map { reading(at: received.advanced(bySeconds: -$0)) }.joined(separator: ",")
            notices += reader.read([message("[\(readings)]")], received: received).notices
        }
        #expect(notices == [])
    }

    // MARK: Devices that are remembered

    @Test("a device that has sent in two deliveries is remembered before those that have sent in one")
    func regular() {
        var cache = DeviceCache(deviceRules: DeviceRules(), capacity: 4)
        func deliver(_ devices: String...) {
            cache.begin(at: start)
            for device in devices {
                let place = cache.place(of: address(device), at: start)
                cache[place].omittedRejects += 1
            }
        }
        deliver("A")
        deliver("A")
        deliver("B", "C", "D")
        deliver("A", "B")
        #expect(cache[cache.place(of: address("A"), at: start)].omittedRejects == 3)
        #expect(cache[cache.place(of: address("B"), at: start)].omittedRejects == 1)
    }

    @Test("of the devices that send regularly half of the capacity is kept, those that sent last")
    func half() {
        var cache = DeviceCache(deviceRules: DeviceRules(), capacity: 4)
        func deliver(_ devices: String...) {
            cache.begin(at: start)
            for device in devices {
                let place = cache.place(of: address(device), at: start)
                cache[place].omittedRejects += 1
            }
        }
        deliver("A", "B", "C")
        deliver("A")
        deliver("B")
        deliver("C", "D")
        deliver()
        #expect(["A", "B", "C"].map { cache[cache.place(of: address($0), at: start)].omittedRejects } == [0, 2, 2])
    }

    // MARK: Rules

    @Test("what was not written of five thousand devices comes again, and of more only what came meanwhile", arguments: [5_000, 5_001])
    func notWritten(devices: Int) {
        let rules = DeviceRules()
        rules.record((0..<devices).map { DeviceChange(address: address("\($0)"), at: start) })
        let taken = rules.takeChanges()
        rules.notWritten(taken)
        #expect(rules.takeChanges().devices.count == (devices > 5_000 ? 0 : devices))
    }

    @Test("so many devices are bound as there is room for, and the next is refused in words")
    func bindings() {
        var rules = DeviceRuleSet()
        for number in 1..<100_000 { rules.bindings["\(number)"] = "13" }
        var reader = MessageReader(deviceRules: DeviceRules(rules: rules))
        let messages = [message(reading(at: start), "A"), message(reading(at: start), "B"), message(reading(at: start), "A")]
        let result = reader.read(messages, received: start, policy: DevicePolicy(bindsDevices: true))
        #expect(result.accepted == 2)
        #expect(result.refusals.map(\.error.reason) == ["no more devices can be bound"] && result.refusals.map(\.error.code) == [.tooLarge])
    }

    @Test("so many clocks' verdicts are kept as there is room for; those that are known go on changing")
    func offsets() {
        var rules = DeviceRuleSet()
        for number in 1..<100_000 { rules.offsets[address("\(number)")] = 1 }
        let known = DeviceRules(rules: rules)
        func judge(_ device: String, _ verdict: Int64?) -> Int64? {
            var change = DeviceChange(address: address(device), at: start)
            change.clock = .some(verdict)
            known.record([change])
            return known.rules.offsets[address(device)]
        }
        #expect(judge("A", 2) == 2)
        #expect(judge("B", 2) == nil)
        #expect(judge("A", 3) == 3)
        #expect(judge("1", nil) == nil)
        #expect(judge("B", 4) == 4)
    }

    // MARK: What is told

    @Test("of ten thousand devices it is told what is wrong, and of those that are known also when there is no room for more")
    func told() {
        let tracker = DeviceStatusTracker()
        func set(_ number: Int, _ worth: Double?) {
            tracker.set(.clock, of: DeviceAddress(participant: "\(number)", device: "A"), worth, at: start)
        }
        for number in 1...10_001 { set(number, 100) }
        let due = tracker.due(at: start)
        #expect(due.count == 10_000 && !due.contains { $0.participant == "10001" })
        set(1, 200)
        set(10_001, 200)
        set(2, nil)
        let later = tracker.due(at: start)
        #expect(later.map(\.participant) == ["1", "2"] && later.map(\.content) == [.value(200), .value(0)])
    }
}
