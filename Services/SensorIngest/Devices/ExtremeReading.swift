import VigilSchema

/// A refused reading that may be an emergency: what the sensor sent cannot be stored as a value, and yet says that the value is extreme.
enum ExtremeReading {
    /// Values beyond the plausible range that are extreme, and no sensor's code for "no measurement": those are 0, 127, 255 and the like.
    private static let extremes: [String: [Range<Double>]] = [
        "oxygen-saturation": [20..<50],
        "heart-rate": [5..<20], "pulse-rate": [5..<20],
        "respiration-rate": [1..<2],
        "systolic-pressure": [15..<40],
        "body-temperature": [20..<25],
        "blood-glucose": [1..<10, 801..<1500],
    ]
    /// Words of glucose sensors for a value beyond their range.
    private static let words: Set = ["hi", "high", "lo", "low", "hoch", "niedrig"]
    /// Metrics of which 0 means a sensor that is off, unless a pulse came with it.
    private static let zeroes: Set = ["oxygen-saturation", "respiration-rate"]

    /// The metrics that are looked at, in a fixed order: a device's news names one by its number.
    static let metrics = extremes.keys.sorted()

    /// Returns the metric of an extreme reading that was refused; nil for any other.
    /// - Parameter hasPulse: Whether the same message has a valid pulse.
    static func metric(of refused: Observation, in catalogue: MetricCatalogue, hasPulse: Bool) -> String? {
        guard let metric = catalogue.definition(named: refused.metric) ?? catalogue.definition(for: refused.metric),
            let ranges = extremes[metric.name]
        else { return nil }
        switch refused.content {
        case .text(let text):
            return metric.name == "blood-glucose" && isWord(text) ? metric.name : nil
        case .value(let value):
            if value == 0 { return hasPulse && zeroes.contains(metric.name) ? metric.name : nil }
            let isCanonical = refused.unit.isEmpty || refused.unit == metric.unit
            guard let number = isCanonical ? value : UnitConversion.from(refused.unit, to: metric).map({ $0(value) }) else { return nil }
            return ranges.contains { $0.contains(number) } ? metric.name : nil
        case .samples: return nil
        }
    }

    /// Returns whether a text is a glucose sensor's word for a value beyond its range.
    static func isWord(_ text: String) -> Bool { text.utf8.count <= 16 && words.contains(text.lowercased()) }
}
