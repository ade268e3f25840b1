/// The metrics that the suite knows, by name.
///
/// Sources: LOINC for codes, UCUM for units, ISO/IEEE 11073-10101 (MDC) for waveforms; plausible ranges are what a living
/// person's sensor can report, wider than any clinical threshold.
/// Threading: immutable; shared rather than copied.
public final class MetricCatalogue: Sendable {
    /// The catalogue that every service uses.
    public static let standard = MetricCatalogue(standardDefinitions)

    /// In the order of the documentation.
    public let definitions: [MetricDefinition]
    private let byName: [String: Int]
    /// By names and aliases without case and punctuation.
    let byBareName: [String: Int]
    /// Open-addressed by the name's key, so that the decoder looks up bytes without making a string; −1: free.
    private let slots: [Int16]
    private let keys: [NameKey]
    private let unitKeys: [NameKey]

    /// Makes a catalogue; of two definitions with one name the first counts.
    public init(_ definitions: [MetricDefinition]) {
        self.definitions = definitions
        byName = Dictionary(definitions.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let names = byName
        let own = definitions.enumerated().map { (MetricCatalogue.bare($1.name), $0) }
        let others = MetricCatalogue.aliases.compactMap { alias, name in names[name].map { (alias, $0) } }
        byBareName = Dictionary(own + others, uniquingKeysWith: { first, _ in first })
        keys = definitions.map { NameKey(Array($0.name.utf8)) }
        unitKeys = definitions.map { NameKey(Array($0.unit.utf8)) }
        var size = 64
        while size < definitions.count * 4 { size *= 2 }
        var slots = [Int16](repeating: -1, count: size)
        for (index, key) in keys.enumerated() {
            var slot = key.hash & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int16(index)
        }
        self.slots = slots
    }

    /// The definition, or nil for a name that the catalogue does not have.
    public func definition(named name: String) -> MetricDefinition? {
        byName[name].map { definitions[$0] }
    }

    /// The place in `definitions` of the metric whose name stands in `bytes[range]`.
    func index(of bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let key = NameKey(bytes, range)
        let mask = slots.count &- 1
        var slot = key.hash & mask
        while true {
            let index = Int(slots[slot])
            guard index >= 0 else { return nil }
            if keys[index] == key, key.isWhole || isSame(definitions[index].name, bytes, range) { return index }
            slot = (slot &+ 1) & mask
        }
    }

    /// Returns whether the unit of the metric at that place in `definitions` is what stands in `bytes[range]`.
    @inline(__always)
    func hasUnit(_ place: Int, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let key = NameKey(bytes, range)
        return unitKeys[place] == key && (key.isWhole || isSame(definitions[place].unit, bytes, range))
    }

    private func isSame(_ name: String, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        RawString(range: range, isEscaped: false).equals(name, bytes)
    }
}

/// The definition of a metric in the catalogue.
public struct MetricDefinition: Hashable, Sendable {
    /// The kind of content of a metric's observations.
    public enum Kind: String, Hashable, Sendable {
        /// A number at a moment; its mean over time has a meaning.
        case value
        /// A number that counts over an interval (steps, energy); its sum over time has a meaning.
        case total
        /// A block of equally spaced samples.
        case waveform
        /// A text.
        case text
    }

    /// A code in a public system.
    public struct Code: Hashable, Sendable {
        /// The system's URI as FHIR R4 names it, for example `http://loinc.org`.
        public let system: String
        /// For example `8867-4`.
        public let code: String
    }

    /// The name, as it stands in messages, for example `heart-rate`.
    public let name: String
    /// The name for people, in English.
    public let title: String
    /// The kind of content of its observations.
    public let kind: Kind
    /// The canonical UCUM unit; `1` where there is none.
    public let unit: String
    /// Its code, where a public system has one.
    public let code: Code?
    /// The plausible range, in `unit`; a value outside is refused. Nil: any finite number.
    public let plausible: ClosedRange<Double>?
    /// The texts that are accepted; empty: any.
    public let vocabulary: [String]
}

/// The news that services tell of equipment, as metrics that technical alert rules name.
///
/// They travel as observations on `Topic.readings`, so they are judged, and kept in the timeline, like any other. The catalogue of what
/// devices may send does not hold them: no device can speak for itself here.
public enum TechnicalMetric {
    /// Seconds by which a device's clock is ahead of the suite's; negative: behind; 0: right again.
    public static let clockOffset = "clock-offset"
    /// `online`, `draining` or `offline`; `vigil-alert` takes it from the modules' retained status.
    public static let moduleStatus = "module-status"
    /// `reachable` or `unreachable`: whether a service's database answers.
    public static let databaseStatus = "database-status"
    /// `ample`, `short` or `almost-full`: the room on the disk of a service's state folder.
    public static let diskStatus = "disk-status"
    /// `active` or `quarantined`: `quarantined` while any device of the participant is.
    public static let deviceStatus = "device-status"

    /// `within-limit` or `exceeded`: `exceeded` while any device of the participant sends more than its rate limit for a minute or longer.
    public static let deviceRate = "device-rate"
    /// `answering` or `failing`: the server that `vigil-ingest` polls for the participant, or a source that `vigil-import` asks.
    public static let deviceServer = "device-server"

    /// The metrics of which an extreme value that cannot be stored is told, sorted.
    public static let extremes = [
        "blood-glucose", "blood-ketones", "heart-rate", "oxygen-saturation", "pulse-rate", "respiration-rate", "systolic-pressure",
    ]

    /// `refused` while a device of the participant sends extreme values of one of `extremes` that cannot be stored; `none` once it sends others.
    public static func refusedExtreme(of metric: String) -> String { "refused-extreme-\(metric)" }

    /// `delivering` or `failing`: a notifier of `vigil-alert` reaches its receiver, or does not.
    public static let notifierStatus = "notifier-status"

    /// All of them.
    public static let all =
        [clockOffset, moduleStatus, databaseStatus, diskStatus, deviceStatus, deviceRate, deviceServer, notifierStatus]
        + extremes.map(refusedExtreme)

    /// The participant that stands for a service's instance: `_module.<service>.<instance>`, cut where it is too long for a name.
    public static func participant(service: String, instance: String) -> String {
        String("_module.\(service).\(instance)".prefix(Name.maximumLength))
    }
}
