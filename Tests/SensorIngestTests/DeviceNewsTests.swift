import Testing
import VigilSchema

@testable import SensorIngest

@Suite("News of devices, and their registry")
struct DeviceNewsTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private let tracker = DeviceStatusTracker(capacity: 2)

    private func at(_ seconds: Double) -> Timestamp { Self.start.advanced(bySeconds: seconds) }
    private func address(_ device: String, of participant: String = "12") -> DeviceAddress {
        DeviceAddress(participant: participant, device: device)
    }

    private func due(_ seconds: Double) -> [String] {
        tracker.due(at: at(seconds)).map { "\($0.participant) \($0.aspect) \($0.content)" }
    }

    @Test("are told once, and again after half an hour while something is wrong")
    func reminders() {
        #expect(due(0).isEmpty)
        tracker.set(.server, of: address("A"), 1, at: at(0))
        #expect(due(1) == [#"12 server text("failing")"#])
        tracker.set(.server, of: address("A"), 1, at: at(2))
        #expect(due(2).isEmpty && due(1799.999).isEmpty)
        #expect(due(1800) == [#"12 server text("failing")"#])
        #expect(due(3599).isEmpty)
        tracker.set(.server, of: address("A"), nil, at: at(3599))
        #expect(due(3599) == [#"12 server text("answering")"#])
        #expect(due(3600).isEmpty && due(7200).isEmpty)
    }

    @Test("of excess are over where none was noted for more than a minute and a half")
    func excess() {
        tracker.note([.excess(address("A"))], at: at(0))
        #expect(due(90) == [#"12 rate text("exceeded")"#])
        #expect(due(90.001) == [#"12 rate text("within-limit")"#])
        #expect(due(91).isEmpty)
    }

    @Test("are of as many devices as there is room for; who is known already is told of all the same")
    func bounded() {
        for device in ["A", "B", "C"] { tracker.set(.admission, of: address(device, of: device), 1, at: at(0)) }
        #expect(due(1) == [#"A admission text("quarantined")"#, #"B admission text("quarantined")"#])
        tracker.set(.admission, of: address("A", of: "A"), nil, at: at(2))
        tracker.set(.admission, of: address("C", of: "C"), 1, at: at(2))
        #expect(due(3) == [#"A admission text("active")"#, #"C admission text("quarantined")"#])
    }

    @Test("of clocks tell the one that is furthest off, and a corrected one is right")
    func clocks() {
        tracker.note(
            [.clock(address("A"), seconds: 90, isCorrected: false), .clock(address("B"), seconds: -80, isCorrected: false)], at: at(0))
        #expect(due(1) == ["12 clock value(-90.0)"])
        tracker.note([.clock(address("A"), seconds: 90, isCorrected: true)], at: at(2))
        #expect(due(3) == ["12 clock value(80.0)"])
        tracker.note([.clock(address("B"), seconds: nil, isCorrected: false), .flood(address("B"))], at: at(4))
        #expect(due(5) == ["12 clock value(0.0)"])
    }

    @Test("of before a restart are told again: quarantine, and clocks unless they are corrected", arguments: [false, true])
    func restored(corrects: Bool) {
        var rules = DeviceRuleSet()
        rules.quarantined = [address("A")]
        rules.offsets = [address("A"): 90_500_000]
        tracker.restore(rules, correctsClocks: corrects, at: at(0))
        #expect(due(1) == [#"12 admission text("quarantined")"#] + (corrects ? [] : ["12 clock value(-90.0)"]))
    }

    @Test("of who is erased are forgotten, and what could not be told comes again")
    func erased() {
        tracker.set(.server, of: address("A"), 1, at: at(0))
        tracker.set(.server, of: address("B", of: "13"), 1, at: at(0))
        let told = tracker.due(at: at(1))
        #expect(told.map(\.participant) == ["12", "13"])
        tracker.putBack(told)
        tracker.erase(participant: "12")
        #expect(due(2) == [#"13 server text("failing")"#])
        #expect(due(1900) == [#"13 server text("failing")"#])
    }

    @Test("say by their metric and unit what they are", arguments: DeviceAspect.allCases)
    func aspects(aspect: DeviceAspect) {
        let expected: [DeviceAspect: (String, Observation.Content, Observation.Content)] = [
            .admission: ("device-status", .text("active"), .text("quarantined")), .clock: ("clock-offset", .value(0), .value(5)),
            .rate: ("device-rate", .text("within-limit"), .text("exceeded")),
            .server: ("device-server", .text("answering"), .text("failing")),
            .battery: ("battery-level", .value(100), .value(95)),
        ].merging(
            TechnicalMetric.extremes.map { (.extreme($0), ("refused-extreme-\($0)", .text("none"), .text("refused"))) },
            uniquingKeysWith: { $1 })
        #expect(
            aspect.metric == expected[aspect]?.0 && aspect.content(nil) == expected[aspect]?.1 && aspect.content(5) == expected[aspect]?.2)
    }

    @Test("stand in the registry with all that is known of a device")
    func registry() async throws {
        let registry = try DeviceRegistry(path: ":memory:")
        let rules = DeviceRules()
        var change = DeviceChange(address: address("A"), at: at(1))
        (change.lastSeen, change.messages, change.accepted, change.refused) = (at(2.5), 3, 4, 5)
        change.lastRefused = .init(code: "c", reason: "r", time: at(2))
        change.clock = .some(90_000_000)
        (change.state.battery, change.state.signal, change.state.firmware, change.state.contact) = (80, "-60 dBm", "1.2", at(0))
        rules.record([change, DeviceChange(address: address("B"), at: at(9))])
        #expect(rules.bind("A", to: "13"))
        try await registry.write(rules)
        try await registry.setQuarantined(address("B"), true, now: at(8))
        let seconds = 1_700_000_000.0
        let first = DeviceRegistry.Entry(
            participant: "12", device: "A", firstSeen: seconds + 1, lastSeen: seconds + 2.5, messages: 3, accepted: 4, refused: 5,
            lastRejectCode: "c", lastReject: "r",
            lastRejectTime: seconds + 2, clockOffset: 90, quarantined: false, boundTo: "13", battery: 80,
            signal: "-60 dBm", firmware: "1.2", lastContact: seconds)
        let second = DeviceRegistry.Entry(
            participant: "12", device: "B", firstSeen: seconds + 9, lastSeen: seconds + 9, messages: 0, accepted: 0, refused: 0,
            quarantined: true)
        #expect(try await registry.list() == [second, first])
        #expect(try await registry.list(limit: 1) == [second])
        let decided = try await registry.rules()
        #expect(decided.offsets == [address("A"): 90_000_000] && decided.quarantined == [address("B")] && decided.bindings == ["A": "13"])
        // Later changes add up, and leave alone what they do not speak of.
        rules.record([DeviceChange(address: address("A"), at: at(20))])
        try await registry.write(rules)
        var later = first
        later.lastSeen = seconds + 20
        #expect(try await registry.list().first == later)
        var right = DeviceChange(address: address("A"), at: at(21))
        (right.messages, right.clock) = (1, .some(nil))
        rules.record([right])
        try await registry.write(rules)
        (later.lastSeen, later.messages, later.clockOffset) = (seconds + 21, 4, nil)
        #expect(try await registry.list().first == later)
        try await registry.setQuarantined(address("B"), false, now: at(8))
        try await registry.bind("A", to: nil)
        #expect(try await registry.rules() == DeviceRuleSet())
        try await registry.bind("A", to: "12")
        #expect(try await registry.erase(participant: "12") == 3)
        #expect(try await registry.list().isEmpty)
    }
}
