import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("The state that devices report beside their readings")
struct DeviceStateTests {
    private static let shipped = Result { try MappingFile.load([MappingTests.shipped]) }
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// Battery, signal strength and firmware as makers spell them.
    private static let spellings = [
        #""battery":42,"rssi":-61,"firmware":"1.2.3""#, #""batteryLevel":42,"signalStrength":-61,"firmwareVersion":"1.2.3""#,
        #""battery_level":"42","signal_strength":-61,"firmware_version":"1.2.3""#, #""batt":42,"RSSI":-61,"fw":"1.2.3""#,
        #""Battery":"42%","Signal":-61,"FirmwareVersion":"1.2.3""#, #""battery_percent":42,"wifi_rssi":-61,"fw_version":"1.2.3""#,
        #""batteryPercentage":42,"signal_dbm":"-61","sw_version":"1.2.3""#, #""battery":{"level":42},"rssi":"-61 dBm","fwVer":"1.2.3""#,
        #""bat":42,"ble_rssi":-61,"softwareVersion":"1.2.3""#, #""battery":0.42,"wifi":{"RSSI":80,"Signal":-61},"swVersion":"1.2.3""#,
        #""device_info":{"battery":{"value":42,"unit":"%"},"rssi":-61,"firmware":{"version":"1.2.3"}}"#,
        #""batteryRemaining":42,"signal":-61,"deviceFirmware":"1.2.3""#,
    ]

    /// With the members in front of the first member of each object that begins with a plain value.
    private static func injected(_ payload: String, _ members: String) -> String? {
        guard payload.hasPrefix("{") || payload.hasPrefix("[") else { return nil }
        var text = ""
        var rest = Substring(payload), count = 0
        while let start = rest.firstMatch(of: #/\{\s*"[^"]*"\s*:\s*[^\s{\[]/#)?.range.lowerBound {
            text += rest[..<start] + "{" + members + ","
            rest = rest[rest.index(after: start)...]
            count += 1
        }
        return count == 0 ? nil : text + rest
    }

    @Test("is taken by every shipped mapping, in every spelling, and leaves its readings as they are")
    func everyMapping() throws {
        let set = try Self.shipped.get()
        var count = 0
        for (number, sample) in PublishedMessage.all.enumerated() where !sample.readings.isEmpty {
            if sample.payload.contains(#/"(?:battery|batt|rssi)"/#) { continue }
            for members in [Self.spellings[number % Self.spellings.count], Self.spellings[(number + 5) % Self.spellings.count]] {
                guard let payload = Self.injected(sample.payload, members) else { continue }
                let message = MappedMessage(Array(payload.utf8), topic: sample.topic, by: set)
                #expect(message.accepted == sample.readings, "\(sample.name): \(payload)\n\(message.accepted)\n\(message.refused)")
                let isWhole = message.states.contains { $0.hasSuffix("battery 42 %, signal -61 dBm, firmware 1.2.3") }
                #expect(isWhole, "\(sample.name): \(payload)\n\(message.states)")
                count += 1
            }
        }
        #expect(count > 200, "\(count)")
    }

    @Test("is taken by every shipped mapping of one record a message")
    func everyRecord() throws {
        let set = try Self.shipped.get()
        for (place, mapping) in set.mappings.enumerated() where mapping.refusal == nil && mapping.each.isEmpty && mapping.format == .json {
            for members in Self.spellings {
                let value = try MappingValue(json: Array("{\(members),\"id\":\"x\"}".utf8).span)
                let read = mapping.recordKeys
                let state = DeviceMembers.state(of: value, read: read, received: Self.now)
                #expect(
                    state.battery == 42 && state.signal == "-61 dBm" && state.firmware == "1.2.3", "\(place) \(mapping.name) \(members)")
            }
        }
    }

    @Test(
        "has the battery in per cent, and no volts, codes or states",
        arguments: [
            (#""battery":3.61"#, nil), (#""battery":3300"#, nil), (#""battery":{"voltage":3.1}"#, nil), (#""battery":true"#, nil),
            (#""battery":-1"#, nil), (#""battery":1"#, nil), (#""battery":"3.1 V""#, nil), (#""battery":"good""#, nil),
            (#""battery":null"#, nil),
            (#""battery":0"#, 0), (#""battery":1.5,"unit":"%""#, nil), (#""battery":"low""#, 10), (#""battery_low":true"#, 10),
            (#""battery_ok":0"#, 10), (#""battery_ok":1"#, nil), (#""lowBattery":false"#, nil), (#""batteryStatus":"Critical""#, 10),
            (#""uploader":{"battery":80}"#, 80), (#""a":{"b":{"c":{"battery":80}}}"#, 80), (#""list":[{"battery":80}]"#, nil),
            (#""battery":100.0"#, 100), (#""battery":62.5"#, 62.5), (#""battery_state":3"#, nil), (#""batteryStatus":0"#, nil),
            (#""battery_state":"3 %""#, 3), (#""battery_status":64"#, 64),
        ] as [(String, Double?)])
    func charge(members: String, expected: Double?) throws {
        let value = try MappingValue(json: Array("{\(members)}".utf8).span)
        #expect(DeviceMembers.state(of: value, read: [], received: Self.now).battery == expected)
    }

    @Test("has the signal with its unit, and the last contact that can be one")
    func others() throws {
        func state(_ members: String) throws -> DeviceState {
            DeviceMembers.state(of: try MappingValue(json: Array("{\(members)}".utf8).span), read: [], received: Self.now)
        }
        #expect(try state(#""linkquality":120"#).signal == "LQI 120" && state(#""signal":"80 %""#).signal == "80 %")
        #expect(try state(#""signal":0.53"#).signal == nil && state(#""rssi":-72.5"#).signal == "-72.5 dBm")
        #expect(try state(#""rx_metadata":[{"rssi":-101},{"rssi":-60}]"#).signal == "-101 dBm")
        #expect(try state(#""last_seen":1699999000"#).contact == Timestamp(seconds: 1_699_999_000))
        #expect(try state(#""last_seen":"2023-11-14T22:00:00Z""#).contact == Timestamp(seconds: 1_699_999_200))
        #expect(
            try state(#""last_seen":"3 minutes ago""#).isEmpty && state(#""last_seen":1800000000"#).isEmpty
                && state(#""lastSync":5"#).isEmpty)
        let clustered = "a" + String(repeating: "\u{301}", count: 5000)
        #expect(try #require(state(#""signal":"-60 \#(clustered)""#).signal).utf8.count < 64)
        #expect(try state(#""firmware":"\#(String(repeating: "x", count: 65))""#).isEmpty && state(#""fw":3"#).firmware == "3")
    }

    private func read(_ payload: String, topic: String = "t", by mappings: MappingSet, asks: Bool = false) -> (IngestResult, DeviceRules) {
        let rules = DeviceRules()
        var reader = MessageReader(deviceRules: rules, mappings: MappingRules(mappings))
        let properties = MessageProperties(responseTopic: asks ? "vigil/v1/responses/app/1" : nil)
        let message = IncomingMessage(topic: topic, payload: Array(payload.utf8), properties: properties)
        let result = reader.read([message], received: Self.now)
        reader.commit()
        return (result, rules)
    }

    private func set(_ body: String) throws -> MappingSet {
        try MappingFile.parse(#"{mappings: [{name: "m", topics: ["t"], participant: "anna", device: {from: "id", else: "b"}, \#(body)}]}"#)
    }

    @Test("is the device's and no reading of the person, whoever names it battery-level")
    func notThePersons() throws {
        let mappings = try set(#"knownNames: true, ignore: ["*"]"#)
        let (result, rules) = read(#"{"hr":61,"battery_level":15,"rssi":-70,"fw":"2.0"}"#, by: mappings)
        #expect(result.batches.flatMap(\.batch.groups).flatMap(\.observations).map(\.metric) == ["heart-rate"])
        #expect(result.batteries == [DeviceAddress(participant: "anna", device: "b"): 15] && result.refused == 0)
        let state = try #require(rules.takeChanges().devices.first).state
        #expect(state.battery == 15 && state.signal == "-70 dBm" && state.firmware == "2.0")
    }

    @Test("of several devices in one message is each one's own")
    func several() throws {
        let mappings = try set(#"each: "list", readings: [{metric: "heart-rate", value: "hr", unit: "/min"}], ignore: ["*"]"#)
        let (result, rules) = read(
            #"{"battery":5,"fw":"9","list":[{"id":"x","hr":61,"battery":80},{"id":"y","hr":62}]}"#, by: mappings)
        #expect(result.accepted == 2 && result.batteries == [DeviceAddress(participant: "anna", device: "x"): 80])
        #expect(rules.takeChanges().devices.allSatisfy { $0.state.firmware == nil })
        let (one, _) = read(#"{"battery":5,"list":[{"id":"x","hr":61},{"id":"x","hr":62}]}"#, by: mappings)
        #expect(one.batteries == [DeviceAddress(participant: "anna", device: "x"): 5])
    }

    @Test("is taken alone from a device of somebody, and a message that measures something else is refused as before")
    func alone() throws {
        let mappings = try set(#"knownNames: true, ignore: ["*"]"#)
        let (result, rules) = read(#"{"id":"x","battery":80,"rssi":-60,"last_seen":1699999000}"#, by: mappings, asks: true)
        #expect(result.refused == 0 && result.accepted == 0 && rules.takeChanges().devices.first?.state.battery == 80)
        let receipt = try #require(result.settledReceiptRequests.first).receipt()
        #expect(receipt.rejected == 0 && receipt.reasons.first?.contains("battery 80 %") == true)
        #expect(read(#"{"battery":80,"illuminance":11}"#, by: mappings).0.refused == 1)
        for list in ["[61,62]", #"[{"odd":61}]"#, #"[["61"]]"#] {
            #expect(read("{\"battery\":80,\"samples\":\(list)}", by: mappings).0.refused == 1, "\(list)")
        }
        #expect(read(#"{"battery":80,"networks":[{"ssid":"x","rssi":-60}],"tags":["a"]}"#, by: mappings).0.refused == 0)
        let nobodys = try MappingFile.parse(
            #"{mappings: [{name: "m", topics: ["t"], participant: "unknown", device: "b", knownNames: true, ignore: ["*"]}]}"#)
        #expect(read(#"{"battery":80}"#, by: nobodys).0.refused == 1)
    }

    @Test("of somebody takes no other's readings away, whatever a later record of the device holds")
    func records() throws {
        let mappings = try MappingFile.parse(
            #"{mappings: [{name: "m", topics: ["t"], each: "list", participant: {from: "id"}, device: "b", readings: [{metric: "heart-rate", value: "hr"}], ignore: ["*"]}]}"#
        )
        let (result, rules) = read(
            #"{"list":[{"id":"anna","battery":80},{"id":"ben","hr":61},{"id":"anna","odd":7},{"id":"ben","hr":62}]}"#, by: mappings)
        let groups = result.batches.flatMap(\.batch.groups)
        #expect(groups.allSatisfy { $0.participant == "ben" } && groups.flatMap(\.observations).map(\.content) == [.value(61), .value(62)])
        #expect(rules.takeChanges().devices.contains { $0.address.participant == "anna" && $0.state.battery == 80 })
    }

    @Test(
        "that a mapping reads as a battery is in per cent by its unit, and refused in volts",
        arguments: [("64", "%", 64), ("3.7", "V", nil), ("3700", "mV", nil), ("64", "", 64), ("0.64", "1", 64), ("3700", "%", nil)]
            as [(String, String, Double?)])
    func declared(value: String, unit: String, expected: Double?) throws {
        let mappings = try set(#"readings: [{metric: "battery-level", value: "charge_now", unit: {from: "u"}}], ignore: ["*"]"#)
        let (result, _) = read("{\"charge_now\":\(value),\"u\":\"\(unit)\"}", by: mappings)
        #expect(result.batteries.values.first == expected && result.refused == (expected == nil ? 1 : 0))
    }

    @Test("hides no error of a message on the suite's own topics")
    func fallback() throws {
        let mappings = try MappingFile.parse(
            #"{mappings: [{name: "m", topics: ["vigil/v1/ingest/{p}/{d}"], participant: "@p", device: "@d", knownNames: true, ignore: ["*"]}]}"#
        )
        let (result, _) = read(#"{"metrik":"heart-rate","value":61,"battery":80}"#, topic: "vigil/v1/ingest/anna/b", by: mappings)
        #expect(result.refused == 1)
    }

    @Test("sent as a reading is stored as one, and known of the device")
    func native() {
        let (result, rules) = read(#"{"metric":"battery-level","value":15}"#, topic: "vigil/v1/ingest/anna/b", by: MappingSet())
        #expect(result.accepted == 1 && rules.takeChanges().devices.first?.state.battery == 15)
    }

    @Test("is told as the lowest battery also after a restart, until the device says otherwise")
    func restarted() async throws {
        let folder = try TemporaryFolder("vigil-battery")
        let registry = try DeviceRegistry(path: folder.path("devices.sqlite"))
        let rules = DeviceRules()
        let first = DeviceAddress(participant: "anna", device: "a"), second = DeviceAddress(participant: "anna", device: "b")
        for (address, charge, days) in [(first, 15.0, 0.1), (second, 89, 0), (DeviceAddress(participant: "ben", device: "c"), 5, 4)] {
            var change = DeviceChange(address: address, at: Self.now.advanced(bySeconds: -days * 86_400))
            change.state.battery = charge
            rules.record([change])
        }
        try await registry.write(rules)
        let tracker = DeviceStatusTracker()
        try await tracker.restore(registry, correctsClocks: false, at: Self.now)
        func due(_ seconds: Double) -> [DeviceStatusTracker.Due] { tracker.due(at: Self.now.advanced(bySeconds: seconds)) }
        #expect(due(0).map(\.content) == [.value(15)])
        tracker.note(batteries: [second: 88], at: Self.now)
        #expect(due(1).map(\.content) == [.value(15)])
        tracker.note(batteries: [:], read: [first], at: Self.now)
        #expect(due(2).map(\.content) == [.value(88)])
    }

    @Test("is told as the lowest battery of a participant's devices, and after three days without a report no more")
    func told() {
        let tracker = DeviceStatusTracker()
        let first = DeviceAddress(participant: "anna", device: "a"), second = DeviceAddress(participant: "anna", device: "b")
        func due(_ seconds: Double) -> [Observation.Content] {
            tracker.due(at: Self.now.advanced(bySeconds: seconds)).filter { $0.aspect == .battery }.map(\.content)
        }
        tracker.note(batteries: [first: 100], at: Self.now)
        #expect(due(0) == [.value(100)])
        tracker.note(batteries: [first: 15, second: 90], at: Self.now)
        #expect(due(1) == [.value(15)])
        tracker.note(batteries: [second: 90.2], at: Self.now)
        #expect(due(2).isEmpty)
        tracker.note(batteries: [second: 89], at: Self.now)
        #expect(due(3) == [.value(15)] && due(1900) == [.value(15)], "a low one is told again")
        tracker.note(batteries: [first: 100], at: Self.now.advanced(bySeconds: 2000))
        #expect(due(2001) == [.value(89)] && due(4000).isEmpty, "a good one is not")
        #expect(due(300_000).isEmpty)
    }
}
