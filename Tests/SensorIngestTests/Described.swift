import VigilSchema

/// Observations and refusals as the corpus writes them.
enum Described {
    /// `metric @time value unit`, with `#sequence` and `+zone` where they are there, and the byte of the content.
    static func observation(_ located: ParsedObservation) -> String {
        let observation = located.observation
        let content =
            switch observation.content {
            case .value(let value): "\(value)"
            case .text(let text): "'\(text)'"
            case .samples(let samples, let period): "\(samples) each \(period)"
            }
        var words = [observation.metric, "@\(observation.time.seconds)", content, observation.unit.isEmpty ? "-" : observation.unit]
        if observation.sequence != 0 { words.append("#\(observation.sequence)") }
        if let zone = observation.zone { words.append("zone \(zone)") }
        words.append("byte \(located.offsets.content)")
        return words.joined(separator: " ")
    }

    /// `code byte path: reason`.
    static func refusal(_ error: PayloadError) -> String {
        "\(error.code.rawValue) \(error.offset.map(String.init) ?? "-") \(error.path): \(error.reason)"
    }
}
