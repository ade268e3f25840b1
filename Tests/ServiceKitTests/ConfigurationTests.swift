import Foundation
import MessageBus
import Testing

@testable import Settings

@Suite("Configuration")
struct ConfigurationTests {
    private static let size = Setting("batch-size", .integer(in: 1...10), default: 5, help: "Rows in a commit.")
    private static let label = Setting.optional("label", .text, help: "A label.")
    private static let store = Setting.required("store", .text, help: "The database.")
    private static let password = Setting.secret("password", help: "The password.")

    private func made(
        _ settings: [any AnySetting], _ flags: [(name: String, value: String)] = [], _ environment: [String: String] = [:]
    ) throws(ConfigurationError) -> Configuration {
        try Configuration(settings, flags: flags, environment: environment)
    }

    @Test("takes the flag before the environment, and the environment before the default")
    func precedence() throws {
        #expect(try made([Self.size])[Self.size] == 5)
        #expect(try made([Self.size], [], ["VIGIL_BATCH_SIZE": "7"])[Self.size] == 7)
        #expect(try made([Self.size], [("batch-size", "9")], ["VIGIL_BATCH_SIZE": "7"])[Self.size] == 9)
    }

    @Test("refuses a missing required setting, naming it")
    func required() {
        let error = #expect(throws: ConfigurationError.self) { try made([Self.store]) }
        #expect(error?.description == "--store (or VIGIL_STORE) must be given: a text that is not empty")
    }

    @Test("leaves an optional setting nil")
    func optional() throws {
        #expect(try made([Self.label])[Self.label] == nil)
        #expect(try made([Self.label], [("label", "x")])[Self.label] == "x")
    }

    @Test("reads a secret from the first line of its file and shows it nowhere")
    func secret() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try "geheim\nsecond\n".write(to: file, atomically: true, encoding: .utf8)
        let value = try made([Self.password], [("password-file", file.path)])[Self.password]
        #expect(value?.exposed == "geheim")
        #expect(!"\(String(describing: value))".contains("geheim"))
    }

    @Test("refuses a secret's file that cannot be read")
    func missingSecret() {
        let error = #expect(throws: ConfigurationError.self) { try made([Self.password], [("password-file", "/nonexistent")]) }
        #expect(error?.name == "--password-file")
    }

    @Test("ignores what belongs to others", arguments: ["VIGIL_TEST_DATA", "VIGIL_WARNINGS_AS_ERRORS", "PATH"])
    func foreign(variable: String) throws {
        _ = try made([Self.size], [], [variable: "x"])
    }

    @Test(
        "reads durations with their unit only",
        arguments: [
            ("250ms", Duration.milliseconds(250)), ("1.5s", .milliseconds(1500)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("7d", .seconds(604_800)), ("0", .zero), ("5", nil), ("-1s", nil), ("nans", nil), ("infs", nil), ("1e99s", nil), ("s", nil),
        ])
    func durations(text: String, expected: Duration?) {
        let format = ValueFormat<Duration>.duration()
        #expect(format.read(text) == expected)
        if let expected { #expect(format.read(format.write(expected)) == expected) }
    }

    @Test("reads lists, and refuses one with a malformed element")
    func lists() {
        let format = ValueFormat<[Int]>.list(of: .integer(in: 0...63))
        #expect(format.read("1,2,63") == [1, 2, 63])
        #expect(format.read("") == [])
        #expect(format.read("1,64") == nil)
        #expect(format.read("1,,2") == nil)
    }

    @Test("makes the broker's configuration from the common settings")
    func broker() throws {
        let configuration = try made(
            CommonSettings.broker + CommonSettings.service,
            [("broker-host", "broker"), ("broker-port", "8883"), ("broker-ca-file", "/ca.pem"), ("broker-protocol", "3.1.1")])
        let broker = try BrokerConfiguration(configuration, service: "vigil-timeline", part: "observations")
        #expect(broker.host == "broker" && broker.port == 8883 && broker.protocolVersion == .v311)
        #expect(broker.tls?.authorities == "/ca.pem")
        #expect(broker.clientID == "vigil-timeline-main-observations")
    }

    @Test("uses no TLS unless asked")
    func plain() throws {
        #expect(try BrokerConfiguration(made(CommonSettings.broker), clientID: "x").tls == nil)
        #expect(try BrokerConfiguration(made(CommonSettings.broker, [("broker-tls", "true")]), clientID: "x").tls != nil)
    }
}
