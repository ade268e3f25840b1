/// What the catalogue knows of a metric.
public struct MetricDefinition: Hashable, Sendable {
    /// What an observation of the metric holds.
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
    /// What its observations hold.
    public let kind: Kind
    /// The canonical UCUM unit; `1` where there is none.
    public let unit: String
    /// Its code, where a public system has one.
    public let code: Code?
    /// What can be believed, in `unit`; a value outside is refused. Nil: any finite number.
    public let plausible: ClosedRange<Double>?
    /// The texts that are accepted; empty: any.
    public let vocabulary: [String]
}
