import Testing
import VigilSchema

@testable import SensorIngest

@Suite("A time that no usual name tells of")
struct UnreadTimeTests {
    private static let shipped = Result { try MappingFile.load([MappingTests.shipped]) }
    private static let old = 1_705_309_200

    private static func message(_ topic: String, _ payload: String) throws -> MappedMessage {
        MappedMessage(Array(payload.utf8), topic: topic, by: try shipped.get(), received: Timestamp(seconds: 1_769_857_200))
    }

    /// The words of key spellings, and how makers join them and write the notation behind.
    private static let spellings: [String] = {
        let known = [
            "measurementTimeInSeconds", "startTimeInSeconds", "time_ms", "timestamp_seconds", "datetime_utc", "createdAtMs", "ts_sec",
            "captured",
            "zeitstempel", "Messzeitpunkt", "horodatage", "fecha_medicion", "dataOra", "tijdstip", "tidpunkt", "czas", "zaman", "время",
            "日時",
            "测量时间", "t", "dt", "when", "at", "epoch_ms", "unix_time_ms", "recordedAtUtc", "timeOfMeasurement", "acquired_at_ms", "lastSeen",
            "noted", "moment", "whenTaken", "bedtime", "stamp", "chronos", "x", "clock_time", "field7", "sampleEpochMicros", "obs_dt",
            "tstamp",
            "time-of-day", "ordered", "exam",
        ]
        let words = [["measured", "at"], ["reading", "time"], ["sample", "timestamp"], ["event", "date"], ["visit", "moment"]]
        let notations = [[], ["ms"], ["in", "seconds"], ["utc"], ["epoch"], ["unix", "s"], ["iso"], ["local"]]
        let generated = words.flatMap { word in
            notations.flatMap { notation in
                let all = word + notation
                return [
                    all.joined(separator: "_"), all[0] + all.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
                    all.joined(separator: "-"),
                ]
            }
        }
        return known + generated
    }()

    @Test("never makes an old value one of now, under any spelling, as a number, as digits or in words", arguments: spellings)
    func spelling(key: String) throws {
        for (value, time) in [
            ("\(Self.old)", Self.old), ("\"\(Self.old)\"", Self.old), ("\(Self.old)000", Self.old), ("\"\(Self.old)000\"", Self.old),
            ("\(Self.old)000000", Self.old), ("\"2024-01-15T09:00:00Z\"", Self.old), ("\"01/15/2024 09:00 AM\"", nil),
            ("\"15.01.2024 09:00\"", nil),
            ("\"20240115T090000Z\"", nil), ("20240115090000", nil),
        ] as [(String, Int?)] {
            for topic in ["garmin/push", "health/vitals", "vigil/v1/ingest/anna/cuff"] {
                let found = try Self.message(topic, #"{"bloodPressures":[{"systolic":210,"diastolic":125,"\#(key)":\#(value)}]}"#)
                #expect(!found.accepted.contains { $0.contains("on arrival") }, "\(topic) \(key) \(value): \(found.accepted)")
                let isRight =
                    found.accepted.count == 2 && found.accepted.allSatisfy { line in time.map { line.contains(" \($0).0") } ?? false }
                #expect(isRight || found.accepted.isEmpty && !found.refused.isEmpty, "\(topic) \(key) \(value): \(found.accepted)")
            }
        }
    }

    @Test(
        "is an objection as a start in words, as an object's key, and in an object beside the values",
        arguments: [
            #"{"start":"01/24/2010 10:00 AM","spo2":80}"#, #"{"end":"24.01.2010","spo2":80}"#,
            #"{"start":"10:00","end":"10:05","spo2":80}"#,
            #"{"series":{"1434758640":{"steps":21}}}"#, #"{"series":{"1434758640000":{"spo2":80}}}"#, #"{"spo2":{"1434758640":80}}"#,
            #"{"days":{"2010-01-24":{"spo2":80}}}"#, #"{"2010-01-24T10:00:00Z":{"spo2":80}}"#, #"{"spo2":80,"sample":{"x":1434758640}}"#,
            #"{"spo2":80,"a":{"b":{"c":"2010-01-24"}}}"#, #"{"spo2":{"value":80,"x":1434758640}}"#, #"[{"spo2":80,"x":"2010-01-24"}]"#,
        ])
    func places(payload: String) throws {
        for topic in ["health/vitals", "vigil/v1/ingest/anna/oximeter", "fitbit/anna/x"] {
            let found = try Self.message(topic, payload)
            #expect(found.accepted.isEmpty && !found.refused.isEmpty, "\(topic): \(found.accepted)")
        }
    }

    @Test("of the record counts before that of the network which carried it")
    func carried() throws {
        let uplink = #"{"received_at":"2026-01-31T11:00:00Z","uplink_message":{"decoded_payload":{"spo2":80,"measured_at":1434758640}}}"#
        #expect(
            try Self.message("v3/app/devices/bed-7/up", uplink).accepted == ["unknown bed-7 oxygen-saturation 80.0 % 1434758640.0"])
        let unread = uplink.replacing("measured_at", with: "x")
        #expect(try Self.message("v3/app/devices/bed-7/up", unread).accepted.isEmpty)
    }

    @Test("of a mapping that reads none is an objection too, unless the mapping leaves that key out by its name")
    func declared() throws {
        let body = #"readings: [{metric: "oxygen-saturation", value: "o", unit: "%"}], time: "t""#, payload = #"{"o":80,"x":1434758640}"#
        #expect(try MappingSample.lines("\(body), ignore: [\"*\"]", payload).allSatisfy { $0.hasPrefix("no ") })
        #expect(try MappingSample.lines("\(body), ignore: [\"x\"]", payload) == ["a b oxygen-saturation 80.0 % on arrival"])
        #expect(
            try MappingSample.lines("\(body), ignore: [\"*\"]", #"{"o":80,"x":1434758640,"t":1769857200}"#)
                == ["a b oxygen-saturation 80.0 % 1769857200.0"])
    }

    @Test(
        "is none where the key names an identifier, a counter or a date of the device",
        arguments: [
            #""id":1434758640"#, #""device_id":1434758640"#, #""userId":"1434758640""#, #""serial":1434758640"#, #""imei":867395074089109"#,
            #""mac":1434758640000"#, #""packet_counter":1434758640"#, #""freq":868300000"#, #""firmware_date":"2020-01-31""#,
            #""build":1434758640"#, #""free_heap":700000000"#, #""uptime_ms":1434758640"#, #""birthday":"1980-01-31""#,
            #""phone":491701234567"#,
            #""steps_id":1434758640"#, #""device":{"serial":1434758640,"build":"2020-01-31"}"#,
        ])
    func identifiers(member: String) throws {
        let found = try Self.message("health/vitals", #"{"spo2":97,\#(member)}"#)
        #expect(
            found.accepted.count == 1 && found.accepted.allSatisfy { $0.contains("oxygen-saturation 97.0 % on arrival") },
            "\(found.refused)")
    }
}
