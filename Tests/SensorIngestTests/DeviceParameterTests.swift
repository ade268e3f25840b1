import Access
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("What an operator decides about devices")
struct DeviceParameterTests {
    private let registry: DeviceRegistry
    private let deviceRules = DeviceRules()
    private let statuses = DeviceStatusTracker()
    private let exchange = Exchange(store: ParameterStore(path: nil))

    init() throws {
        registry = try DeviceRegistry(path: ":memory:")
        DeviceParameters(DeviceDecisions(registry: registry, deviceRules: deviceRules, statuses: statuses)).add(to: exchange)
    }

    private func told() -> [String] { statuses.due(at: .now).map { "\($0.participant) \($0.content)" } }

    @Test("is in force at once, kept, listed in order, and told to whoever reads the bus")
    func quarantine() async throws {
        for name in ["b/2", "a/1", "a/0"] { try await exchange.set("quarantine", .text(name)) }
        #expect(try await exchange.value(of: "quarantine") == .text("a/0, a/1, b/2"))
        #expect(told() == [#"a text("quarantined")"#, #"b text("quarantined")"#])
        try await exchange.set("release", .text("b/2"))
        #expect(told() == [#"b text("active")"#])
        #expect(try await registry.rules().quarantined.map { "\($0.participant)/\($0.device)" }.sorted() == ["a/0", "a/1"])
        #expect(try await exchange.value(of: "release") == .text(""))
        for (name, device) in [("y", "2"), ("x", "1"), ("z", "3")] { try await exchange.set("bindings", .text("\(name)=\(device)")) }
        try await exchange.set("bindings", .text("z="))
        #expect(try await exchange.value(of: "bindings") == .text("x=1, y=2"))
        #expect(try await registry.rules().bindings == ["x": "1", "y": "2"])
        try await exchange.set("bindings", .text("x=9"))
        #expect(deviceRules.rules.bindings["x"] == "9")
    }

    @Test(
        "is refused in words where it names no device, or nobody",
        arguments: [
            ("quarantine", "a"), ("quarantine", "a/b/c"), ("quarantine", "a b/c"), ("quarantine", "a/"), ("release", "a"),
            ("release", "/b"),
            ("bindings", "a"), ("bindings", "a=b=c"), ("bindings", "=b"), ("bindings", "a b=c"), ("bindings", "a=b c"), ("bindings", "="),
        ])
    func refused(name: String, text: String) async throws {
        let error = await #expect(throws: ExchangeError.self) { try await exchange.set(name, .text(text)) }
        guard case .malformed(name, _)? = error else {
            throw NeverHappened(description: "the parameter's name in \(String(describing: error))")
        }
        #expect(deviceRules.rules == DeviceRuleSet() && told().isEmpty)
    }

    @Test("is seen for the thousand devices that were heard last, the latest first, with what was not written yet")
    func list() async throws {
        let start = Timestamp(seconds: 1_700_000_000)
        deviceRules.record(
            (0...1_000).map {
                DeviceChange(address: DeviceAddress(participant: "a", device: "\($0)"), at: start.advanced(bySeconds: Double($0)))
            })
        let text = try await exchange.value(of: "devices").text
        #expect(text.contains(#""device":"1000""#) && text.contains(#""device":"1","#) && !text.contains(#""device":"0","#))
        let listed = try await registry.list()
        #expect(listed.count == 1_000 && listed.first?.device == "1000" && listed.last?.device == "1")
    }

    @Test("is gone with the person, of whom there is as much as is told")
    func erased() async throws {
        try await exchange.set("quarantine", .text("a/1"))
        try await exchange.set("quarantine", .text("b/1"))
        try await exchange.set("bindings", .text("1=a"))
        try await exchange.set("bindings", .text("2=a"))
        try await exchange.set("bindings", .text("3=b"))
        #expect(try await registry.personalData(of: "a").names == ["devices"])
        let text = String(decoding: try await registry.personalData(of: "a").json, as: UTF8.self)
        #expect(text.contains(#""bound_to":"a""#) && text.contains(#""participant":"a""#) && !text.contains(#""b""#))
        #expect(try await registry.erase(participant: "a") == 3)
        #expect(try await registry.erase(participant: "a") == 0)
        #expect(try await registry.rules().bindings == ["3": "b"])
        #expect(try await registry.personalData(of: "a").names.isEmpty)
    }
}
