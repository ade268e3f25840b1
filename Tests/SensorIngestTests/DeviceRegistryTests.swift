import MessageBus
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Registry of devices")
struct DeviceRegistryTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    private func message(_ text: String, _ sender: String) -> IncomingMessage {
        IncomingMessage(topic: "vigil/v1/ingest/\(sender)", payload: Array(text.utf8))
    }

    @Test("counts what devices sent, and keeps it with the last refusal over a restart")
    func counts() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("devices.sqlite")
        let deviceRules = DeviceRules()
        var reader = MessageReader(deviceRules: deviceRules)
        let good = #"{"metric":"heart-rate","time":1700000000,"value":70}"#
        do {
            let registry = try DeviceRegistry(path: path)
            _ = reader.read([message("[\(good),\(good)]", "12/A01"), message("?", "12/A01")], received: start)
            reader.commit()
            try await registry.write(deviceRules)
            _ = reader.read([message(good, "12/A01"), message(good, "13/B")], received: start.advanced(bySeconds: 60))
            reader.commit()
            try await registry.write(deviceRules)
        }
        let entries = try await DeviceRegistry(path: path).list()
        let first = try #require(entries.first { $0.device == "A01" })
        #expect(entries.count == 2)
        #expect(first.messages == 3 && first.accepted == 3 && first.refused == 1)
        #expect(first.firstSeen == 1_700_000_000 && first.lastSeen == 1_700_000_060)
        #expect(first.lastRejectCode == "unsupported" && first.lastRejectTime == 1_700_000_000)
    }

    @Test("takes no decision about a device for a message of it")
    func decided() async throws {
        let folder = try TemporaryFolder()
        let registry = try DeviceRegistry(path: folder.path("devices.sqlite"))
        let deviceRules = DeviceRules()
        var reader = MessageReader(deviceRules: deviceRules)
        _ = reader.read([message("?", "12/A01")], received: start)
        reader.commit()
        try await registry.write(deviceRules)
        let later = start.advanced(bySeconds: 600)
        try await registry.setQuarantined(DeviceAddress(participant: "12", device: "A01"), true, now: later)
        try await registry.setQuarantined(DeviceAddress(participant: "12", device: "nosuch"), true, now: later)
        let entries = try await registry.list()
        let known = try #require(entries.first { $0.device == "A01" }), other = try #require(entries.first { $0.device == "nosuch" })
        #expect(known.lastSeen == start.seconds && known.messages == 1 && known.quarantined)
        #expect(other.messages == 0 && other.quarantined)
    }

    @Test("remembers what was decided: quarantine, bindings, clocks")
    func rules() async throws {
        let registry = try DeviceRegistry(path: ":memory:")
        let deviceRules = DeviceRules()
        let parameters = Exchange(store: ParameterStore(path: nil))
        DeviceParameters(DeviceDecisions(registry: registry, deviceRules: deviceRules, statuses: DeviceStatusTracker())).add(to: parameters)
        try await parameters.set("quarantine", .text("12/A01"))
        try await parameters.set("bindings", .text("B=13"))
        let address = DeviceAddress(participant: "12", device: "A01")
        #expect(deviceRules.rules.quarantined == [address])
        #expect(try await registry.rules() == deviceRules.rules)
        #expect(try await parameters.value(of: "quarantine") == .text("12/A01"))
        #expect(try await parameters.value(of: "devices").text.contains(#""quarantined":true"#))
        try await parameters.set("release", .text("12/A01"))
        try await parameters.set("bindings", .text("B="))
        #expect(deviceRules.rules == DeviceRuleSet())
        #expect(try await registry.rules() == DeviceRuleSet())
    }

    @Test("forgets who was silent for longest, but never what is in quarantine")
    func bounded() async throws {
        let registry = try DeviceRegistry(path: ":memory:", capacity: 2)
        func address(_ number: Int) -> DeviceAddress { DeviceAddress(participant: "12", device: "\(number)") }
        let start = Timestamp(seconds: 1_700_000_000)
        try await registry.setQuarantined(address(0), true, now: start)
        for number in 1...4 {
            let deviceRules = DeviceRules()
            deviceRules.record([DeviceChange(address: address(number), at: start.advanced(bySeconds: Double(number)))])
            try await registry.write(deviceRules)
        }
        #expect(try await registry.list().map(\.device) == ["4", "3", "0"])
        #expect(try await registry.rules().quarantined == [address(0)])
    }

    @Test("refuses commands that name no device", arguments: ["A01", "a/b/c", "/", "ä/b"])
    func malformed(text: String) async throws {
        let parameters = Exchange(store: ParameterStore(path: nil))
        let registry = try DeviceRegistry(path: ":memory:")
        let decisions = DeviceDecisions(registry: registry, deviceRules: DeviceRules(), statuses: DeviceStatusTracker())
        DeviceParameters(decisions).add(to: parameters)
        await #expect(throws: ExchangeError.self) { try await parameters.set("quarantine", .text(text)) }
    }
}
