import Testing
import VigilSchema

@testable import SensorIngest

@Suite("What stands beside a value and says what it is")
struct MeaningBesideTests {
    private static let shipped = Result { try MappingFile.load([MappingTests.shipped]) }
    private static let own = "vigil/v1/ingest/w1/d1"

    private func message(_ payload: String, _ topic: String) throws -> MappedMessage {
        // 2026-11-28T12:00:00Z
        MappedMessage(Array(payload.utf8), topic: topic, by: try Self.shipped.get(), received: Timestamp(seconds: 1_795_867_200))
    }

    @Test(
        "the time of measuring counts before that of sending",
        arguments: [
            (own, #"{"spo2":80,"timestamp":"2026-11-28T12:00:00Z","measurement_time":"2025-11-13T06:40:00Z"}"#),
            (own, #"{"spo2":80,"time":"2026-11-28T12:00:00Z","takenAt":"2025-11-13T06:40:00Z"}"#),
            (own, #"{"timestamp":"2026-11-28T12:00:00Z","measuredAt":"2025-11-13T06:40:00Z","data":{"spo2":80}}"#),
            (own, #"{"created_at":"2026-11-28T12:00:00Z","occurred":"2025-11-13T06:40:00Z","spo2":80}"#),
            (own, #"{"updated_at":"2026-11-28T12:00:00Z","time":"2025-11-13T06:40:00Z","spo2":80}"#),
            ("zigbee2mqtt/bed1", #"{"spo2":80,"timestamp":"2025-11-13T06:40:00Z","last_seen":"2026-11-28T12:00:00Z"}"#),
            ("zigbee2mqtt/bed1", #"{"spo2":80,"measured_at":"2025-11-13T06:40:00Z","last_seen":"2026-11-28T12:30:00Z"}"#),
        ])
    func measuring(topic: String, payload: String) throws {
        let lines = try message(payload, topic).accepted
        #expect(lines.count == 1 && lines[0].hasSuffix("oxygen-saturation 80.0 % 1763016000.0"), "\(lines)")
    }

    @Test(
        "times that differ are one where they are the same day, the same in another zone, or within minutes",
        arguments: [
            #"{"spo2":80,"timestamp":1763016000,"date":"2025-11-13"}"#, #"{"spo2":80,"timestamp":1763016000,"time":1763016200}"#,
            #"{"spo2":80,"timestamp":1763016000,"datetime":"2025-11-13 08:40:00"}"#, #"{"spo2":80,"timestamp":1763016000,"time":12}"#,
        ])
    func same(payload: String) throws {
        let lines = try message(payload, Self.own).accepted
        #expect(lines.count == 1 && lines[0].hasSuffix("1763016000.0"), "\(lines)")
    }

    @Test(
        "a time, a flag, a person, a unit or a kind that is not understood has the value refused",
        arguments: [
            (own, #"{"ts":1795867200,"t":1763016000,"spo2":80}"#),
            ("tele/w1/SENSOR", #"{"Time":"2026-11-28T12:00:00","MAX30102":{"HeartRate":150,"Timestamp":"2025-11-13T06:40:00Z"}}"#),
            (
                own,
                #"{"type":"update_sensor_states","data":[{"unique_id":"heart_rate","state":150,"attributes":{"last_measured":"2025-11-13T06:40:00Z"}}]}"#
            ),
            (own, #"{"glucose_mgdl":55,"minutesAgo":240}"#), (own, #"{"spo2":80,"age_seconds":86400}"#),
            (own, #"{"spo2":80,"secondsSinceMeasurement":86400}"#), (own, #"{"spo2":80,"relative_time":-86400}"#),
            (own, #"{"spo2":80,"year":2025,"month":11,"day":13,"hour":6,"minute":40}"#), (own, #"{"spo2":80,"historic":true}"#),
            (own, #"{"spo2":80,"fecha":"2025-11-13","hora":"18:40"}"#), (own, #"{"spo2":80,"t":[2025,11,13,6,40,0]}"#),
            (own, #"{"spo2":80,"when":"yesterday 06:40"}"#), (own, #"{"spo2":80,"tid":"251113 0640"}"#),
            (own, #"{"heartRate":187,"validHeartRate":0,"spo2":71,"validSPO2":0}"#), (own, #"{"bpm":187,"spo2":71,"finger":false}"#),
            (own, #"{"hr":187,"hr_valid":false,"spo2":71,"spo2_valid":false}"#), (own, #"{"heart_rate":{"value":187,"valid":false}}"#),
            (own, #"{"spo2":71,"status":"no finger"}"#), (own, #"{"spo2":71,"fingerPresent":false}"#),
            (own, #"{"spo2":71,"noFinger":true}"#),
            (own, #"{"heart_rate":187,"error":true}"#), (own, #"{"systolic":142,"diastolic":91,"error":"E3 body movement"}"#),
            (own, #"{"weight":45.2,"stabilized":false}"#), (own, #"{"cuff_pressure":162,"systolic":162,"state":"inflating"}"#),
            (own, #"{"heart_rate":187,"bed_occupied":false}"#), (own, #"{"finger":false,"data":{"spo2":71}}"#),
            ("zigbee2mqtt/bed1", #"{"heart_rate":150,"breathing_rate":14,"occupancy":false}"#),
            (own, #"{"patients":[{"id":"anna","heart_rate":71},{"id":"ben","heart_rate":150}]}"#),
            ("ward/3", #"{"beds":[{"bed":"3A","patient":"anna1","hr":71},{"bed":"3B","patient":"ben1","hr":150}]}"#),
            (own, #"{"patient":"ben","heart_rate":150}"#),
            ("zigbee2mqtt/scale1", #"{"weight":181.4,"weight_unit":"lb","last_seen":"2026-11-28T11:00:00+01:00"}"#),
            ("zigbee2mqtt/t1", #"{"temperature":71.6,"temperature_unit":"fahrenheit"}"#),
            (own, #"{"weight":181.4,"isMetric":false}"#), (own, #"{"spo2":80,"time":"2025-11-13 06:40:00","timezone":"Elsewhere"}"#),
            (own, #"{"type":"meal","fat":22,"calories":540}"#),
            (own, #"{"meal":"lunch","fat":22,"carbs":45,"protein":18}"#.replacing(#","carbs":45"#, with: "")),
            (own, #"{"insulin":6,"status":"planned"}"#), (own, #"{"insulin":2,"prime":true}"#),
            (own, #"{"glucose":310,"unit":"mg/dL","sample":"control solution"}"#), (own, #"{"steps":"10.213"}"#),
            (own, #"{"water":60,"type":"drink"}"#),
        ])
    func refused(topic: String, payload: String) throws {
        let found = try message(payload, topic)
        #expect(found.accepted.isEmpty && !found.refused.isEmpty, "\(found.accepted) \(found.refused)")
    }

    @Test(
        "what stands within a goal, a limit, a former value, or beside another's, is left out, and the rest taken",
        arguments: [
            (own, #"{"vitals":{"spo2":97},"alarmLimits":{"spo2":88,"heartRate":120}}"#, ["97.0"]),
            (own, #"{"spo2":97,"previousReading":{"heart_rate":150}}"#, ["97.0"]),
            (own, #"{"spo2":97,"alertThresholds":{"heart_rate":120}}"#, ["97.0"]),
            (own, #"{"spo2":97,"baseline":{"spo2":85},"personal_best":{"heart_rate":190}}"#, ["97.0"]),
            (own, #"{"spo2":97,"weekly_average":{"heart_rate":58}}"#, ["97.0"]),
            (own, #"{"heart_rate":71,"dailyGoals":{"steps":10000}}"#, ["71.0"]),
            (own, #"{"yesterday":{"steps":12000},"today":{"steps":500}}"#, ["500.0"]),
            (own, #"{"spo2":97,"lastReading":{"hr":61}}"#, ["97.0", "61.0"]),
            ("scale/family1", #"{"user":"anna1","weight":61.2,"others":[{"user":"ben1","weight":84.9}]}"#, ["61.2"]),
            (own, #"{"weight":61.2,"otherUsers":[{"name":"ben","weight":84.9}]}"#, ["61.2"]),
            (own, #"{"heartRate":61,"validHeartRate":1,"spo2":71,"validSPO2":0}"#, ["61.0"]),
            (own, #"{"hr":61,"afib_detected":false,"finger":true,"error":"none","state":"measuring"}"#, ["61.0"]),
            ("zigbee2mqtt/t1", #"{"temperature":21.5,"occupancy":false,"contact":false}"#, ["21.5"]),
            (
                own, #"{"timestamp":"2026-11-28T11:00:00Z","samples":[{"offset":-7200,"heart_rate":150},{"offset":0,"heart_rate":71}]}"#,
                ["71.0"]
            ),
            (own, #"{"userId":"8X","data":[{"userId":"8X","hr":71}]}"#, ["71.0"]), (own, #"{"patient":"P17","hr":71,"age":45}"#, ["71.0"]),
            (own, #"{"spo2":80,"time":"2025-11-13 06:40:00","timezone":"America/New_York"}"#, ["1763034000.0"]),
            (own, #"{"spo2":80,"timestamp":"2025-11-13T06:40:00","utcOffset":-300}"#, ["1763034000.0"]),
            (own, #"{"spo2":80,"timestamp":"2025-11-13T06:40:00Z","utc_offset":"+01:00"}"#, ["1763016000.0"]),
        ])
    func rest(topic: String, payload: String, expected: [String]) throws {
        let lines = try message(payload, topic).accepted
        #expect(lines.count == expected.count, "\(lines)")
        for (line, value) in zip(lines, expected) { #expect(line.split(separator: " ").contains(Substring(value)), "\(line)") }
    }

    @Test(
        "an entity's name says it in any of its words, by every door",
        arguments: [
            ("spo2_alarm_low", "88", nil), ("glucose_alert_high", "180", nil), ("pulse_ox", "97", "oxygen-saturation"),
            ("bp_pulse_pressure", "52", nil), ("fat_free_weight", "62", nil), ("muscle_percentage", "48", nil),
            ("visceral_fat", "9", "visceral-fat"),
            ("fat_mass", "20.1", nil), ("heart_rate_quality", "90", nil), ("heart_rate_confidence", "95", nil), ("ideal_weight", "75", nil),
            ("steps_remaining", "2000", nil), ("heart_rate_7d", "58", nil), ("body_temp_offset", "36", nil), ("weight_goal", "75", nil),
            ("heart_rate", "61", "heart-rate"), ("body_fat", "22", "body-fat"), ("resting_heart_rate", "54", "resting-heart-rate"),
            ("muscle_mass", "58", "muscle-mass"), ("weight", "75", "body-weight"),
        ] as [(String, String, String?)])
    func entities(name: String, value: String, metric: String?) throws {
        let doors = [
            ("bed1/sensor/\(name)/state", value), ("homeassistant/sensor/anna_\(name)/state", value),
            ("openhab/items/anna_\(name)/state", value),
            ("homeassistant/state/x", #"{"entity_id":"sensor.anna_\#(name)","state":"\#(value)","last_changed":"2026-11-28T11:00:00Z"}"#),
            (Self.own, #"{"type":"update_sensor_states","data":[{"unique_id":"\#(name)","state":\#(value)}]}"#),
        ]
        for (topic, payload) in doors {
            let lines = try message(payload, topic).accepted
            #expect(lines.count == (metric == nil ? 0 : 1), "\(topic) \(lines)")
            if let metric { #expect(lines.allSatisfy { $0.contains(" \(metric) ") }, "\(topic) \(lines)") }
        }
        #expect(try message("98.9 °F", "openhab/out/anna1_Temp_Body/state").accepted.first?.contains("body-temperature 37.1") == true)
    }

    @Test("two persons' topics are two persons'")
    func topics() throws {
        for (topic, person) in [
            ("health/annaK1/heart_rate", "annaK1"), ("health/benK1/heart_rate", "benK1"), ("patients/annaK1/heart_rate", "annaK1"),
        ] {
            let lines = try message(#"{"value":71}"#, topic).accepted
            #expect(lines.count == 1 && lines[0].hasPrefix("\(person) "), "\(lines)")
        }
    }

    @Test("an announced sensor's message has its own time, and what is announced as a goal is none")
    func announced() {
        let rules = MappingRules(MappingSet(), discoveryPrefix: "homeassistant")
        let told = [
            (
                "homeassistant/sensor/x1/config",
                #"{"name":"Heart rate","unique_id":"b1","state_topic":"x1/s","unit_of_measurement":"bpm","value_template":"{{ value_json.hr }}"}"#
            ),
            (
                "homeassistant/sensor/x2/config",
                #"{"name":"Anna weight goal","unique_id":"b2","state_topic":"x2/s","unit_of_measurement":"kg","device_class":"weight"}"#
            ),
        ]
        rules.announce(told.map { (topic: $0.0, payload: Array($0.1.utf8)) })
        func lines(_ payload: String, _ topic: String = "x1/s") -> MappedMessage {
            MappedMessage(Array(payload.utf8), topic: topic, by: rules.current, received: Timestamp(seconds: 1_795_867_200))
        }
        #expect(lines(#"{"hr":150,"time":"2025-11-13T06:40:00Z"}"#).accepted.first?.hasSuffix("1763016000.0") == true)
        #expect(lines(#"{"hr":150}"#).accepted.first?.hasSuffix("on arrival") == true)
        #expect(lines(#"{"hr":150,"ordered":"2025-11-13T06:40:00Z"}"#).accepted.isEmpty)
        #expect(lines("75", "x2/s").accepted.isEmpty)
    }
}
