import VigilSchema

/// A metric that a file's columns hold.
struct MetricPlan: Hashable, Sendable {
    /// Its name.
    let name: String
    /// The unit in which its observations are kept.
    let unit: String
    /// What the catalogue knows of it.
    let definition: MetricDefinition?
}
