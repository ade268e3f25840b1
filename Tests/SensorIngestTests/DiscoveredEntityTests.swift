import Testing

@testable import SensorIngest

@Suite("Announced sensors")
struct DiscoveredEntityTests {
    private func read(_ payload: String, _ topic: String = "homeassistant/sensor/x/config") -> [DiscoveredEntity] {
        DiscoveredEntity.read(Array(payload.utf8), topic: topic)
    }

    @Test(
        "have a template that looks a value up, or one that is said to compute",
        arguments: [
            ("{{ value_json.weight }}", ["weight"], true), ("{{ value_json.weight | float }}", ["weight"], true),
            ("{{ value_json.a.b | round(1) | default('x') }}", ["a", "b"], true), ("{{ value_json['Body Fat'] }}", ["Body Fat"], true),
            ("{{ value_json[\"a\"].b }}", ["a", "b"], true), ("{{value_json.x_1|int}}", ["x_1"], true), ("{{ value }}", [], true),
            ("{{ value | float }}", [], true),
            ("{{ value | average }}", [], false), ("{{ value_json.a | average }}", ["a"], false), ("{{ value_json.a + 1 }}", ["a"], false),
            ("{{ states('x') }}", [], false), ("", [], false), ("{{ value_json. }}", [], false), ("{{ value_json[] }}", [], false),
            ("{{ value_json['a(b'] }}", [], false), ("{{ value_json['a'", [], false), ("{{ value_json }}", [], true),
            ("{{ valued }}", [], false),
            ("\n{{ value_json.a }}\n", ["a"], true), ("{{ value_json['a[b'] }}", [], false),
        ] as [(String, [String], Bool)])
    func templates(text: String, keys: [String], isPlain: Bool) {
        let path = TemplatePath(text)
        #expect(path.isPlain == isPlain)
        #expect(!isPlain || path.keys == keys)
    }

    @Test(
        "write their path as a mapping has it",
        arguments: [
            ("{{ value_json.a.b }}", "a.b"), ("{{ value_json['a b'].c }}", "a b.c"), ("{{ value_json['a.b'].c }}", #"["a.b"].c"#),
            ("{{ value_json.c['a.b'] }}", #"c["a.b"]"#), ("{{ value_json['a-b'] }}", "a-b"), ("{{ value_json['a_b'] }}", "a_b"),
            ("{{ value }}", nil),
        ] as [(String, String?)])
    func paths(text: String, path: String?) {
        #expect(TemplatePath(text).text == path)
    }

    @Test(
        "are read on topics that end in config, of sensors alone",
        arguments: [
            ("homeassistant/sensor/x/config", 1), ("homeassistant/sensor/node/x/config", 1), ("sensor/x/config", 1),
            ("ha/sensor/config", 1), ("sensor/config", 0),
            ("homeassistant/light/x/config", 0), ("homeassistant/light/node/x/config", 0), ("homeassistant/sensor/x/state", 0),
            ("homeassistant/binary_sensor/x/config", 0),
            ("a/b/sensor/node/x/config", 1),
        ])
    func topics(topic: String, count: Int) {
        #expect(read(#"{"state_topic":"s","name":"n"}"#, topic).count == count)
    }

    @Test("have long names or short ones, and a topic that may be abbreviated at either end")
    func names() throws {
        let long = try #require(
            read(
                #"{"state_topic":"s/t","value_template":"{{ value_json.v }}","unit_of_measurement":"kg","device_class":"weight","object_id":"o","unique_id":"u","name":"n","device":{"name":"D","identifiers":["i1","i2"],"connections":[["mac","aa"]]}}"#
            ).first)
        let short = try #require(
            read(
                #"{"stat_t":"s/t","val_tpl":"{{ value_json.v }}","unit_of_meas":"kg","dev_cla":"weight","obj_id":"o","uniq_id":"u","name":"n","dev":{"name":"D","ids":["i1","i2"],"cns":[["mac","aa"]]}}"#
            ).first)
        #expect(long == short)
        #expect(
            long.topic == "s/t" && long.path == "v" && long.unit == "kg" && long.deviceClass == "weight" && long.device == "D"
                && long.objection == nil)
        #expect(long.names == ["v", "o", "x", "n", "u"])
        #expect(long.identifiers == ["i1", "i2", "mac", "aa", "D", "u", "x"])
        #expect(read(#"{"~":"base","stat_t":"~/t"}"#).first?.topic == "base/t")
        #expect(read(#"{"~":"base","stat_t":"t/~"}"#).first?.topic == "t/base")
        #expect(read(#"{"~":"base","stat_t":"t"}"#).first?.topic == "t")
        #expect(read(#"{"stat_t":"~/t"}"#).first?.topic == "~/t")
        #expect(read(#"{"stat_t":null,"state_topic":"s"}"#).first?.topic == "s")
        #expect(read(#"{"name":"n"}"#).isEmpty && read("{").isEmpty && read("").isEmpty)
        #expect(read(#"{"stat_t":"s","dev":{"ids":["i"]}}"#).first?.device == "i")
        #expect(read(#"{"stat_t":"s","dev":{"ids":"i"}}"#).first?.device == "i")
        #expect(read(#"{"stat_t":"s","val_tpl":"{{ value * 2 }}"}"#).first?.objection == "its template {{ value * 2 }} computes the value")
        #expect(read(#"{"stat_t":"s"}"#).first?.path == nil)
    }

    @Test("of a device's message are its components that are sensors, with its own topic where they name none")
    func components() {
        let found = read(
            #"{"stat_t":"dev","dev":{"ids":"d"},"cmps":{"a":{"p":"sensor","val_tpl":"{{ value_json.hr }}"},"b":{"platform":"sensor","state_topic":"own"},"c":{"p":"light"},"d":{}}}"#,
            "homeassistant/device/d/config")
        #expect(found.map(\.topic) == ["dev", "own"])
        #expect(found.map(\.names.first) == ["hr", "b"])
        #expect(read(#"{"components":{"a":{"p":"sensor","stat_t":"s"}}}"#, "homeassistant/device/d/config").count == 1)
        #expect(read(#"{"components":{"a":{"p":"sensor"}}}"#, "homeassistant/device/d/config").isEmpty)
    }

    @Test("have sixteen identifiers at most")
    func bounded() {
        func count(_ identifiers: Int) -> Int? {
            let ids = (0..<identifiers).map { "\"i\($0)\"" }.joined(separator: ",")
            return read("{\"stat_t\":\"s\",\"dev\":{\"ids\":[\(ids)]}}").first?.identifiers.count
        }
        #expect(count(16) == 17)
        #expect(count(17) == 17)
    }

    @Test(
        "are guessed by a name or its end, the nearest to the value first, then by their class, where the unit fits",
        arguments: [
            (["heart_rate"], "bpm", nil, "heart-rate", "/min", "the name heart_rate"),
            (["anna_watch_heart_rate"], nil, nil, "heart-rate", "/min", "the name anna_watch_heart_rate"),
            (["frobs", "weight"], "kg", nil, "body-weight", "kg", "the name weight"),
            (["weight", "heart_rate"], "bpm", nil, "heart-rate", "/min", "the name heart_rate"),
            (["temperature"], "°C", nil, "ambient-temperature", "Cel", "the name temperature"),
            (["Humidity"], "%", nil, "relative-humidity", "%", "the name Humidity"),
            (["body_temperature"], "°F", nil, "body-temperature", "[degF]", "the name body_temperature"),
            (["x"], "°C", "temperature", "ambient-temperature", "Cel", "its class temperature"),
            (["x"], nil, "weight", "body-weight", "kg", "its class weight"),
            (["a_b_c_d_e_f_g_weight"], nil, nil, "body-weight", "kg", "the name a_b_c_d_e_f_g_weight"),
        ] as [([String], String?, String?, String, String, String)])
    func guesses(names: [String], unit: String?, deviceClass: String?, metric: String, expected: String, reason: String) {
        let guess = MetricGuess(names: names, unit: unit, deviceClass: deviceClass)
        #expect(guess?.metric == metric && guess?.unit == expected && guess?.reason == reason, "\(String(describing: guess))")
    }

    @Test(
        "are not guessed where nothing is known, or the unit does not fit",
        arguments: [
            (["frobs"], nil, nil), (["weight"], "bpm", nil), (["x"], "kg", "temperature"), (["x"], nil, "battery"), ([], nil, nil),
            (["consciousness"], nil, nil),
            (["a_b_c_d_e_f_g_h_weight"], nil, nil), (["weight_now"], nil, nil),
        ] as [([String], String?, String?)])
    func noGuess(names: [String], unit: String?, deviceClass: String?) {
        #expect(MetricGuess(names: names, unit: unit, deviceClass: deviceClass) == nil)
    }
}
