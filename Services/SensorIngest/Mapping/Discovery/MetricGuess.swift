import VigilSchema

/// A guess from a name and a unit, for a person to review.
struct MetricGuess: Sendable, Hashable {
    let metric: String
    let unit: String
    /// The reason for the guess, in words.
    let reason: String

    /// A guess by the names, the nearest to the value first, then by Home Assistant's device class; nil where nothing is known by them.
    init?(names: [String], unit: String?, deviceClass: String? = nil) {
        guard !names.contains(where: { KnownName.saysNoMeasurement($0) || KnownName.saysOfSensor($0) }) else { return nil }
        let given = unit.map { Self.units[$0] ?? $0 }
        let catalogue = MetricCatalogue.standard
        // Words that a room's sensor uses as well as a person's decide only where no other name is definite: "Body Temperature" under temperature.
        for isRoom in [false, true] {
            for name in names {
                for candidate in Self.parts(of: name) {
                    let room = Self.roomFirst[candidate.lowercased()]
                    guard (room != nil) == isRoom,
                        let metric = room.flatMap(catalogue.definition(named:)) ?? catalogue.definition(for: candidate),
                        metric.kind != .text, given == nil || UnitConversion.from(given ?? "", to: metric) != nil
                    else { continue }
                    self.init(metric: metric.name, unit: given ?? metric.unit, reason: "the name \(name)")
                    return
                }
            }
        }
        guard let deviceClass, let name = Self.classes[deviceClass], let metric = catalogue.definition(named: name) else { return nil }
        guard given == nil || UnitConversion.from(given ?? "", to: metric) != nil else { return nil }
        self.init(metric: name, unit: given ?? metric.unit, reason: "its class \(deviceClass)")
    }

    private init(metric: String, unit: String, reason: String) { (self.metric, self.unit, self.reason) = (metric, unit, reason) }

    /// The name itself, and its ends: `anna_watch_heart_rate` holds `heart_rate`.
    private static func parts(of name: String) -> [String] {
        let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return (0..<min(words.count, 8)).map { words[$0...].joined(separator: "_") }
    }

    /// Metrics of things that hang in a room rather than on a person, where nothing says otherwise.
    private static let roomFirst = [
        "temperature": "ambient-temperature", "temp": "ambient-temperature", "tempc": "ambient-temperature",
        "humidity": "relative-humidity", "hum": "relative-humidity",
    ]
    private static let classes = [
        "temperature": "ambient-temperature", "humidity": "relative-humidity", "weight": "body-weight", "distance": "distance",
        "blood_glucose_concentration": "blood-glucose",
    ]
    /// As Home Assistant writes units, in UCUM.
    private static let units = [
        "°C": "Cel", "°F": "[degF]", "bpm": "/min", "beats/min": "/min", "steps": "{steps}", "mmHg": "mm[Hg]", "ohm": "Ohm", "Ω": "Ohm",
        "lbs": "lb",
    ]
}
