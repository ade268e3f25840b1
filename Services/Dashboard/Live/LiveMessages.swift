import VigilSchema

/// The JSON of live events, written once per participant and then shared by all viewers.
enum LiveMessages {
    /// `{"m": metric, "v" or "x": value or text, "u": unit, "t": time, "s": source}`.
    /// - Parameter isOpen: With what may name the participant: the device, and texts that people write.
    static func value(_ value: LivePicture.Value, _ metric: String, isOpen: Bool) -> String {
        object { json in
            json.member("m", metric)
            switch value.content {
            case .value(let number): json.member("v", number)
            case .text(let text): if isOpen || isOneOfAFew(text, metric) { json.member("x", text) }
            case .samples: break
            }
            json.member("u", value.unit)
            json.member("t", value.time)
            if isOpen { json.member("s", value.source) }
        }
    }

    /// `{"m": metric, "t": start, "dt": period, "n": count, "o": offset, "k": scale, "u": unit, "s": source, "d": base64}`.
    static func block(_ block: LivePicture.Block, isOpen: Bool) -> String {
        object { json in
            json.member("m", block.metric)
            json.member("t", block.time)
            for (name, number) in [
                ("dt", block.period), ("n", Double(block.samples.count)), ("o", block.samples.offset), ("k", block.samples.scale),
            ] {
                json.member(name, number)
            }
            json.member("u", block.unit)
            if isOpen { json.member("s", block.source) }
            json.member("d", block.samples.base64)
        }
    }

    /// Tells whether a text is one that the metric can have, rather than somebody's own words.
    private static func isOneOfAFew(_ text: String, _ metric: String) -> Bool {
        MetricCatalogue.standard.definition(named: metric)?.vocabulary.contains(text) == true
    }

    private static func object(_ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.raw("{")
        write(&json)
        json.raw("}")
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// An alert without its participant, whose name the viewer may not know.
    /// - Parameter withTexts: with what rules and people wrote, and who they are, which may name the participant.
    static func alert(_ alert: AlertMessage, withTexts: Bool) -> String {
        object { json in
            for (name, text) in [
                ("rule", alert.rule), ("state", alert.state), ("severity", alert.severity), ("priority", alert.priority),
                ("kind", alert.kind), ("group", alert.group), ("transition", alert.transition),
            ] {
                json.member(name, text)
            }
            for (name, flag) in [
                ("acknowledged", alert.acknowledged), ("recovered", alert.recovered), ("inhibited", alert.inhibited),
                ("dataLost", alert.dataLost), ("silenced", alert.silenced),
                ("unconfirmed", alert.unconfirmed == true),
            ] where flag {
                json.member(name)
                json.raw("true")
            }
            for (name, number) in [
                ("since", alert.since), ("time", alert.time), ("value", alert.value), ("threshold", alert.threshold),
                ("silencedUntil", alert.silencedUntil),
            ] {
                if let number, number.isFinite { json.member(name, number) }
            }
            for (name, text) in [("metric", alert.metric), ("escalatedTo", alert.escalatedTo)] {
                if let text { json.member(name, text) }
            }
            texts("title", alert.title, &json)
            guard withTexts else { return }
            if let actor = alert.actor { json.member("actor", actor) }
            texts("message", alert.message, &json)
            if let reason = alert.reason { json.member("reason", reason) }
        }
    }

    private static func texts(_ name: String, _ texts: [String: String], _ json: inout JSONWriter) {
        json.member(name)
        json.raw("{")
        for text in texts.sorted(by: { $0.key < $1.key }) { json.member(text.key, text.value) }
        json.raw("}")
    }
}
