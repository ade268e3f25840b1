/// A breath in an airflow or chest signal.
package struct Breath: Hashable, Sendable {
    /// The sample of its highest point, counted from the first sample that the detector was given.
    package var position: Int64
    /// From the lowest point before to the highest, in the filtered signal's unit.
    package var depth: Float
}
