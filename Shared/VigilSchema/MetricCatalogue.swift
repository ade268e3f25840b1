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
    /// Open-addressed by the name's key, so that the decoder looks up bytes without making a string; −1: free.
    private let slots: [Int16]
    private let keys: [NameKey]

    /// Makes a catalogue; of two definitions with one name the first counts.
    public init(_ definitions: [MetricDefinition]) {
        self.definitions = definitions
        byName = Dictionary(definitions.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        keys = definitions.map { NameKey(Array($0.name.utf8)) }
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

    private func isSame(_ name: String, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        RawString(range: range, isEscaped: false).equals(name, bytes)
    }
}
