import VigilSchema

/// The JSON of live events, written once per participant and then shared by all viewers.
enum LiveMessages {
    /// `{"m": metric, "v" or "x": value or text, "u": unit, "t": time, "s": source}`.
    static func value(_ value: LivePicture.Value, _ metric: String) -> String {
        var json = JSONWriter()
        json.raw("{\"m\":")
        json.string(metric)
        switch value.content {
        case .value(let number):
            json.raw(",\"v\":")
            json.number(number)
        case .text(let text):
            json.raw(",\"x\":")
            json.string(text)
        case .samples: break
        }
        json.raw(",\"u\":")
        json.string(value.unit)
        json.raw(",\"t\":")
        json.time(value.time)
        json.raw(",\"s\":")
        json.string(value.source)
        json.raw("}")
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// `{"m": metric, "t": start, "dt": period, "n": count, "o": offset, "k": scale, "u": unit, "s": source, "d": base64}`.
    static func block(_ block: LivePicture.Block) -> String {
        var json = JSONWriter()
        json.raw("{\"m\":")
        json.string(block.metric)
        json.raw(",\"t\":")
        json.time(block.time)
        json.raw(",\"dt\":")
        json.number(block.period)
        json.raw(",\"n\":")
        json.integer(Int64(block.samples.count))
        json.raw(",\"o\":")
        json.number(block.samples.offset)
        json.raw(",\"k\":")
        json.number(block.samples.scale)
        json.raw(",\"u\":")
        json.string(block.unit)
        json.raw(",\"s\":")
        json.string(block.source)
        json.raw(",\"d\":\"")
        json.bytes += Array(block.samples.base64.utf8)
        json.raw("\"}")
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// An alert without its participant, whose name the viewer may not know.
    /// - Parameter withTexts: with what rules and people wrote, which may name the participant.
    static func alert(_ alert: AlertMessage, withTexts: Bool) -> String {
        var json = JSONWriter()
        json.raw("{\"rule\":")
        json.string(alert.rule)
        for (name, text) in [
            ("state", alert.state), ("severity", alert.severity), ("priority", alert.priority), ("kind", alert.kind),
            ("group", alert.group),
            ("transition", alert.transition),
        ] {
            member(name, &json)
            json.string(text)
        }
        for (name, flag) in [
            ("acknowledged", alert.acknowledged), ("recovered", alert.recovered), ("inhibited", alert.inhibited),
            ("dataLost", alert.dataLost), ("silenced", alert.silenced),
        ] where flag {
            member(name, &json)
            json.raw("true")
        }
        for (name, number) in [
            ("since", alert.since), ("time", alert.time), ("value", alert.value), ("threshold", alert.threshold),
            ("silencedUntil", alert.silencedUntil),
        ] {
            guard let number, number.isFinite else { continue }
            member(name, &json)
            json.number(number)
        }
        for (name, text) in [("metric", alert.metric), ("actor", alert.actor), ("escalatedTo", alert.escalatedTo)] {
            guard let text else { continue }
            member(name, &json)
            json.string(text)
        }
        texts("title", alert.title, &json)
        if withTexts {
            texts("message", alert.message, &json)
            if let reason = alert.reason {
                member("reason", &json)
                json.string(reason)
            }
        }
        json.raw("}")
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func member(_ name: String, _ json: inout JSONWriter) {
        json.raw(",")
        json.string(name)
        json.raw(":")
    }

    private static func texts(_ name: String, _ texts: [String: String], _ json: inout JSONWriter) {
        member(name, &json)
        json.raw("{")
        for (index, text) in texts.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { json.raw(",") }
            json.string(text.key)
            json.raw(":")
            json.string(text.value)
        }
        json.raw("}")
    }
}
