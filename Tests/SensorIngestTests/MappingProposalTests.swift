import SensorIngest
import Testing

@Suite("Proposed mappings")
struct MappingProposalTests {
    private func proposal(_ messages: [(String, String)], known: MappingSet = MappingSet()) -> MappingProposal {
        var proposal = MappingProposal(known: known)
        for (topic, payload) in messages { proposal.hear(topic: topic, payload: Array(payload.utf8)) }
        return proposal
    }

    @Test("take what was heard, marked as guessed, and ask what nobody can guess")
    func heard() throws {
        let messages = [
            ("bath/scale", #"{"mac":"A4:C1","timestamp":"2026-01-31T11:00:00Z","weight":72.4,"fat_pct":21,"rssi":-60,"frobs":7}"#),
            ("bed/1/strap/hr", "61"), ("bed/2/strap/hr", "64"), ("door/lamp", "ON"), ("vigil/v1/ingest/a/b", "1"),
        ]
        let proposal = proposal(messages)
        let mappings = try MappingFile.parse(proposal.text)
        #expect(
            MappedMessage(Array(messages[0].1.utf8), topic: "bath/scale", by: mappings).accepted == [
                "unknown A4-C1 body-weight 72.4 kg 1769857200.0", "unknown A4-C1 body-fat 21.0 % 1769857200.0",
            ])
        #expect(
            MappedMessage(Array("58".utf8), topic: "bed/3/strap/hr", by: mappings).accepted == ["unknown 3 heart-rate 58.0 /min on arrival"]
        )
        #expect(proposal.text.split(separator: "\n").count { $0.contains("GUESSED from") } == 3)
        #expect(proposal.questions.contains { $0.contains("frobs") && !$0.contains("rssi") })
        #expect(proposal.questions.contains { $0.contains("door/lamp") })
        #expect(proposal.messages == 4)
    }

    @Test("follow what bridges announce to Home Assistant: topic, place, unit and class")
    func announced() throws {
        let messages = [
            (
                "homeassistant/sensor/scale/weight/config",
                #"{"~":"miscale/anna","name":"Anna Weight","stat_t":"~/weight","val_tpl":"{{ value_json.weight | float }}","unit_of_meas":"kg","uniq_id":"w1","dev":{"ids":["x"],"name":"Scale"}}"#
            ),
            (
                "homeassistant/sensor/scale/fat/config",
                #"{"name":"Body Fat","state_topic":"miscale/anna/weight","value_template":"{{ value_json['Body Fat'] }}","unit_of_measurement":"%"}"#
            ),
            (
                "homeassistant/sensor/room/config",
                #"{"name":"Room","state_topic":"room/t","unit_of_measurement":"°C","device_class":"temperature"}"#
            ),
            (
                "homeassistant/sensor/odd/config",
                #"{"name":"Odd","state_topic":"odd/t","value_template":"{{ value_json.a + value_json.b }}","unit_of_measurement":"kg"}"#
            ),
            (
                "homeassistant/device/watch/config",
                #"{"dev":{"ids":"w","name":"Watch"},"cmps":{"hr":{"p":"sensor","name":"Heart rate","state_topic":"watch/state","value_template":"{{ value_json.hr }}","unit_of_measurement":"bpm"},"led":{"p":"light"}}}"#
            ),
        ]
        let proposal = proposal(messages)
        let mappings = try MappingFile.parse(proposal.text)
        func becomes(_ payload: String, _ topic: String) -> [String] {
            MappedMessage(Array(payload.utf8), topic: topic, by: mappings).accepted
        }
        #expect(
            becomes(#"{"weight":72.4,"Body Fat":21}"#, "miscale/anna/weight").map {
                $0.split(separator: " ").dropFirst(2).joined(separator: " ")
            } == [
                "body-weight 72.4 kg on arrival", "body-fat 21.0 % on arrival",
            ])
        #expect(becomes("21.5", "room/t").first?.contains("ambient-temperature 21.5 Cel") == true)
        #expect(becomes(#"{"hr":61}"#, "watch/state").first?.contains("heart-rate 61.0 /min") == true)
        #expect(proposal.questions.contains { $0.contains("odd/t") })
    }

    @Test("leave out what mappings in force take, and stay a file whatever strangers publish")
    func hostile() throws {
        let known = try MappingFile.load([MappingTests.shipped])
        let taken = proposal([("miscale/anna/weight", #"{"weight":72.4}"#)], known: known)
        #expect(taken.taken == 1 && !taken.text.contains("miscale"))
        let strange = [
            ("a\"b\\/weight", "61"), ("x/\u{1B}[31m/hr", "61"), ("t", #"{"hr\"]}, {":61,"weight":7,"*/":2}"#), ("{key}/hr", "61"),
            ("", "1"), ("a/#/hr", "61"), ("\(String(repeating: "ÿ", count: 2000))/heart_rate", "61"),
            (
                "homeassistant/sensor/x/config",
                #"{"state_topic":"a/#/b","unit_of_measurement":"°C","device_class":"temperature","name":"T","unique_id":"x"}"#
            ),
            ("deep", String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)),
        ]
        let text = proposal(strange).text
        _ = try MappingFile.parse(text)
        #expect(!text.contains("\u{1B}"))
    }
}
