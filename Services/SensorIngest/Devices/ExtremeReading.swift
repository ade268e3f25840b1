import VigilSchema

/// A refused reading that may be an emergency: what the sensor sent cannot be stored as a value, and yet says that the value is extreme.
enum ExtremeReading {
    /// By each of `TechnicalMetric.extremes`: values beyond the plausible range that are extreme, and no sensor's code for "no measurement", which are 0, 127, 255 and the like; nor a
    /// usual value in another unit: a glucose of 5.5 without its unit is one in mmol/L.
    static let extremes: [String: [Range<Double>]] = [
        "oxygen-saturation": [20..<50],
        "heart-rate": [5..<20], "pulse-rate": [5..<20],
        "respiration-rate": [1..<2],
        "systolic-pressure": [15..<40],
        "blood-glucose": [801..<1500],
        "blood-ketones": [20.1..<50],
    ]
    /// An older reading says nothing of now, in seconds.
    private static let reach = 3600.0
    /// Words of meters for a value beyond their range, by the metrics for which that is an emergency: ketones below it are none.
    private static let highWords: Set = ["hi", "high", "hoch"]
    private static let lowWords: Set = ["lo", "low", "niedrig"]

    /// Returns the metric of an extreme reading that was refused; nil for any other.
    static func metric(of refused: Observation, in catalogue: MetricCatalogue, received: Timestamp) -> String? {
        guard abs(received.seconds - refused.time.seconds) < reach,
            let metric = catalogue.definition(named: refused.metric) ?? catalogue.definition(for: refused.metric),
            let ranges = extremes[metric.name]
        else { return nil }
        switch refused.content {
        case .text(let text):
            switch metric.name {
            case "blood-glucose": return isWord(text) ? metric.name : nil
            case "blood-ketones": return isWord(text, of: highWords) ? metric.name : nil
            default: return nil
            }
        case .value(let value):
            let isCanonical = refused.unit.isEmpty || refused.unit == metric.unit
            guard let number = isCanonical ? value : UnitConversion.from(refused.unit, to: metric).map({ $0(value) }) else { return nil }
            return ranges.contains { $0.contains(number) } ? metric.name : nil
        case .samples: return nil
        }
    }

    /// Returns whether a refused reading is a saturation that a sensor gives where it has none, or that is lower than any that it can measure.
    static func isLostSaturation(_ refused: Observation, received: Timestamp) -> Bool {
        guard abs(received.seconds - refused.time.seconds) < reach, case .value(let value) = refused.content, (0..<20).contains(value)
        else {
            return false
        }
        return MetricCatalogue.standard.definition(for: refused.metric)?.name == "oxygen-saturation"
    }

    /// Returns whether a text is a meter's word for a value beyond its range.
    static func isWord(_ text: String) -> Bool { isWord(text, of: highWords) || isWord(text, of: lowWords) }

    private static func isWord(_ text: String, of words: Set<String>) -> Bool {
        text.utf8.count <= 16 && words.contains(text.lowercased())
    }
}
