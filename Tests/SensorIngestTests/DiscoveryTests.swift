import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// Sensors that bridges announce to Home Assistant while ingest runs, in the forms that projects publish them.
@Suite("Discovery", .timeLimit(.minutes(4)))
struct DiscoveryTests {
    /// Announcements by topic: ble2mqtt, the device form of Home Assistant's documents (as rtlamr2mqtt has it), xiaomi_mi_scale, Theengs, and what is
    /// nobody's measurement.
    static let announcements: [(topic: String, payload: String)] = [
        (
            "homeassistant/sensor/ble2mqtt/A4C138112233_temperature/config",
            #"{"unit_of_measurement":"°C","device_class":"temperature","value_template":"{{ value_json.temperature }}","state_topic":"ble2mqtt/A4C138112233","json_attributes_topic":"ble2mqtt/A4C138112233","name":"A4C138112233_temperature","unique_id":"A4C138112233_temperature_ble2mqtt","device":{"identifiers":["ble2mqtt_A4C138112233"],"name":"A4C138112233","sw_version":"ble2mqtt 1.0","model":"iBS03T","manufacturer":"IGNICS"},"availability_topic":"ble2mqtt/state"}"#
        ),
        (
            "homeassistant/sensor/ble2mqtt/A4C138112233_battery/config",
            #"{"unit_of_measurement":"%","device_class":"battery","value_template":"{{ value_json.battery }}","state_topic":"ble2mqtt/A4C138112233","name":"A4C138112233_battery","unique_id":"A4C138112233_battery_ble2mqtt","device":{"identifiers":["ble2mqtt_A4C138112233"],"name":"A4C138112233"}}"#
        ),
        (
            "homeassistant/device/strap7/config",
            #"{"dev":{"ids":"ea334450945afc","name":"Strap"},"o":{"name":"bla2mqtt"},"cmps":{"hr":{"p":"sensor","unit_of_measurement":"bpm","value_template":"{{ value_json.heart_rate}}","unique_id":"strap7_hr"},"spo2":{"p":"sensor","unit_of_measurement":"%","value_template":"{{ value_json.spo2 | float }}","unique_id":"strap7_spo2"},"on":{"p":"switch","command_topic":"strap7/set"}},"state_topic":"strap7/state","qos":2}"#
        ),
        (
            "homeassistant/sensor/xiaomi_mi_scale/lolo/config",
            #"{"name":"Lolo Weight","stat_t":"lolo/weight/kg","val_tpl":"{{ value }}","unit_of_meas":"kg","uniq_id":"lolo_weight","obj_id":"lolo_weight"}"#
        ),
        (
            "homeassistant/sensor/fever/config",
            #"{"~":"rooms/fever","name":"Body temperature","stat_t":"~/state","unit_of_meas":"°F","val_tpl":"{{ value_json['body_temperature'] | round(1) }}","dev":{"ids":["fever-1"]}}"#
        ),
        (
            "homeassistant/sensor/computed/config",
            #"{"name":"Heart rate","state_topic":"odd/state","value_template":"{{ value_json.rr | average }}","unit_of_measurement":"bpm"}"#
        ),
        ("homeassistant/sensor/evil1/config", ##"{"name":"heart rate","state_topic":"#","unit_of_measurement":"bpm"}"##),
        (
            "homeassistant/sensor/evil2/config",
            #"{"name":"heart rate","state_topic":"vigil/v1/ingest/anna/watch","unit_of_measurement":"bpm"}"#
        ),
        ("homeassistant/sensor/evil3/config", #"{"name":"heart rate","state_topic":"$SYS/x","unit_of_measurement":"bpm"}"#),
        ("homeassistant/light/lamp/config", #"{"name":"Lamp","state_topic":"lamp/state"}"#),
        ("homeassistant/sensor/broken/config", #"{"name":"#),
    ]

    private func rules(_ files: String = "{mappings: []}") throws -> MappingRules {
        let rules = MappingRules(try MappingFile.parse(files), discoveryPrefix: "homeassistant")
        rules.announce(Self.announcements.map { ($0.topic, Array($0.payload.utf8)) })
        return rules
    }

    private func lines(_ rules: MappingRules, _ topic: String, _ payload: String) -> [String] {
        let message = MappedMessage(Array(payload.utf8), topic: topic, by: rules.current)
        return message.accepted + message.refused.map { "no " + $0 }
    }

    @Test("understands what names a metric, by its path, unit and device, and listens to those topics alone")
    func understood() throws {
        let rules = try rules(#"{tables: {people: {"fever-1": "anna", lolo: "lolo"}}, mappings: []}"#)
        #expect(Set(rules.current.filters) == ["ble2mqtt/A4C138112233", "strap7/state", "lolo/weight/kg", "rooms/fever/state"])
        #expect(
            lines(rules, "ble2mqtt/A4C138112233", #"{"battery":90,"linkquality":55,"temperature":21.5}"#)
                == ["unknown A4C138112233 ambient-temperature 21.5 Cel on arrival"])
        #expect(
            lines(rules, "strap7/state", #"{"heart_rate":61,"spo2":"97","on":true}"#)
                == ["unknown Strap heart-rate 61.0 /min on arrival", "unknown Strap oxygen-saturation 97.0 % on arrival"])
        #expect(lines(rules, "lolo/weight/kg", "72.4") == ["lolo weight-kg body-weight 72.4 kg on arrival"])
        #expect(lines(rules, "rooms/fever/state", #"{"body_temperature":99.5}"#) == ["anna fever-1 body-temperature 37.5 Cel on arrival"])
        #expect(lines(rules, "lolo/weight/kg", "unavailable").allSatisfy { $0.hasPrefix("no ") })
    }

    @Test("says of every other announced sensor why it is left, and never listens where an announcement must not lead it")
    func left() throws {
        let remarks = try rules().remarks
        #expect(remarks.count(where: \.isUnderstood) == 5)
        let others = remarks.filter { !$0.isUnderstood }.map(\.text)
        #expect(others.count == 5, "\(others)")
        #expect(others.contains { $0.contains("battery") && $0.contains("no metric") })
        #expect(others.contains { $0.contains("computes the value") })
        #expect(others.count { $0.contains("none of a bridge's") } == 3)
        #expect(try !rules().current.filters.contains { $0.hasPrefix("vigil/") || $0.hasPrefix("$") || $0.contains("#") })
    }

    @Test("leaves to a mapping file what it listens to, replaces what is announced anew, and forgets what is taken back")
    func changes() throws {
        let file = """
            {mappings: [{name: "mine", topics: ["lolo/weight/+"], format: "plain", participant: "lolo", device: "scale",
              readings: [{metric: "body-weight", value: ".", unit: "lb"}]}]}
            """
        let rules = try rules(file)
        #expect(lines(rules, "lolo/weight/kg", "160") == ["lolo scale body-weight 72.575 kg on arrival"])
        rules.replace(with: try MappingFile.parse("{mappings: []}"))
        #expect(lines(rules, "lolo/weight/kg", "72.4") == ["unknown weight-kg body-weight 72.4 kg on arrival"])
        let topic = Self.announcements[3].topic
        rules.announce([(topic, Array(Self.announcements[3].payload.replacing("lolo/weight/kg", with: "lolo/now").utf8))])
        #expect(rules.current.filters.contains("lolo/now") && !rules.current.filters.contains("lolo/weight/kg"))
        rules.announce([(topic, [])])
        #expect(!rules.current.filters.contains("lolo/now"))
    }

    @Test("takes nothing from anybody: where a file's mapping says whose a reading is, it stays so, whoever announces the topic")
    func stranger() throws {
        let rules = MappingRules(try MappingFile.load([MappingTests.shipped]), discoveryPrefix: "homeassistant")
        let (topic, payload) = ("clinic/ward7/data", #"{"patient":"annaq","heart_rate":151,"spo2":88}"#)
        let before = lines(rules, topic, payload)
        #expect(before.count == 2 && before.allSatisfy { $0.hasPrefix("annaq ") }, "\(before)")
        for (name, key) in [("pulse", "heart_rate"), ("weight", "spo2"), ("heart rate", "x")] {
            let text = #"{"name":"\#(name)","stat_t":"\#(topic)","val_tpl":"{{ value_json.\#(key) }}"}"#
            rules.announce([("homeassistant/sensor/\(key)/config", Array(text.utf8))])
        }
        #expect(rules.remarks.contains { $0.topic == topic && $0.isUnderstood })
        #expect(lines(rules, topic, payload) == before)
        // Of what is refused as it is nobody else takes a reading either.
        let odd = #"{"patient":"annaq","heart_rate":"n/a","x":61}"#
        #expect(lines(rules, topic, odd).allSatisfy { $0.hasPrefix("no ") })
        // What no file knows is the sensor's, as is what belongs to nobody.
        #expect(lines(rules, topic, #"{"x":61}"#) == ["unknown ward7-data heart-rate 61.0 /min on arrival"])
        #expect(lines(rules, topic, #"{"x":61,"spo2":97}"#).contains("unknown ward7-data heart-rate 61.0 /min on arrival"))
    }

    @Test("takes a body's temperature for the room's only where no name is definite, and no glucose whose unit was not announced")
    func definite() throws {
        let rules = MappingRules(discoveryPrefix: "homeassistant")
        let sensors = [
            ("s1", "Body Temperature", "temperature", #","unit_of_meas":"°C""#),
            ("s2", "Bedroom Temperature", "temperature", #","unit_of_meas":"°C""#),
            ("s3", "Glucose", "glucose", ""), ("s4", "Glucose", "glucose", #","unit_of_meas":"mmol/L""#),
        ]
        rules.announce(
            sensors.map { topic, name, key, unit in
                let text = #"{"name":"\#(name)","stat_t":"\#(topic)/state","val_tpl":"{{ value_json.\#(key) }}"\#(unit)}"#
                return ("homeassistant/sensor/\(topic)/config", Array(text.utf8))
            })
        #expect(lines(rules, "s1/state", #"{"temperature":39.5}"#) == ["unknown s1-state body-temperature 39.5 Cel on arrival"])
        #expect(lines(rules, "s2/state", #"{"temperature":21.5}"#) == ["unknown s2-state ambient-temperature 21.5 Cel on arrival"])
        #expect(lines(rules, "s3/state", #"{"glucose":12.5}"#).first?.hasPrefix("no a glucose between 10 and 36") == true)
        #expect(lines(rules, "s3/state", #"{"glucose":125}"#) == ["unknown s3-state blood-glucose 125.0 mg/dL on arrival"])
        #expect(lines(rules, "s4/state", #"{"glucose":12.5}"#) == ["unknown s4-state blood-glucose 225.2 mg/dL on arrival"])
    }

    @Test("is bounded, whatever is announced, and says so")
    func bounded() throws {
        let rules = MappingRules(discoveryPrefix: "homeassistant")
        for batch in 0..<30 {
            rules.announce(
                (0..<100).map { number in
                    (
                        "homeassistant/sensor/s\(batch)-\(number)/config",
                        Array(#"{"name":"heart rate","state_topic":"s/\#(batch)/\#(number)","unit_of_measurement":"bpm"}"#.utf8)
                    )
                })
        }
        #expect(rules.current.filters.count == 2000)
        #expect(rules.remarks.contains { $0.text.contains("more than 2000") })
    }
}
